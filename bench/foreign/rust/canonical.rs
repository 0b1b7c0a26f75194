//! The canonical form of a value; docs/reference/worker.md describes it.

use std::fmt::Display;

use apache_avro::types::Value as Avro;
use bson::spec::BinarySubtype;
use bson::{Bson, Document};
use prost_reflect::{DynamicMessage, MapKey, ReflectMessage, Value as Proto};
use serde_json::{Value, json};

use crate::Failure;

type Form = Result<Value, Failure>;

const DEEPEST: usize = 200;
/// Milliseconds; bson shows later times as the last one before it.
const YEAR_10000: i64 = 253_402_300_800_000;

/// A value of one of the libraries.
pub trait Canonical {
    fn form(&self, depth: usize) -> Form;
}

pub fn canonical(value: &impl Canonical, depth: usize) -> Form {
    if depth > DEEPEST {
        return Err(format!("the value has more than {DEEPEST} levels").into());
    }
    value.form(depth)
}

impl Canonical for Value {
    fn form(&self, depth: usize) -> Form {
        Ok(match self {
            Value::Null => json!(["null"]),
            Value::Bool(value) => json!(["bool", value]),
            Value::Number(value) if value.is_f64() => float(value.as_f64().unwrap_or(f64::NAN)),
            Value::Number(value) => int(value),
            Value::String(value) => json!(["text", value]),
            Value::Array(values) => list(values, depth)?,
            Value::Object(map) => pairs(map.iter().map(|(key, value)| (json!(["text", key]), value)), depth)?,
        })
    }
}

impl Canonical for rmpv::Value {
    fn form(&self, depth: usize) -> Form {
        Ok(match self {
            rmpv::Value::Nil => json!(["null"]),
            rmpv::Value::Boolean(value) => json!(["bool", value]),
            rmpv::Value::Integer(value) => int(value),
            rmpv::Value::F32(value) => float(f64::from(*value)),
            rmpv::Value::F64(value) => float(*value),
            rmpv::Value::String(value) => match value.as_str() {
                Some(text) => json!(["text", text]),
                None => json!(["raw text", hex(value.as_bytes())]),
            },
            rmpv::Value::Binary(value) => bytes(value),
            rmpv::Value::Array(values) => list(values, depth)?,
            rmpv::Value::Map(values) => map(values, depth)?,
            rmpv::Value::Ext(number, value) => json!(["tag", number.to_string(), bytes(value)]),
        })
    }
}

impl Canonical for ciborium::Value {
    fn form(&self, depth: usize) -> Form {
        Ok(match self {
            ciborium::Value::Null => json!(["null"]),
            ciborium::Value::Bool(value) => json!(["bool", value]),
            ciborium::Value::Integer(value) => int(i128::from(*value)),
            ciborium::Value::Float(value) => float(*value),
            ciborium::Value::Text(value) => json!(["text", value]),
            ciborium::Value::Bytes(value) => bytes(value),
            ciborium::Value::Array(values) => list(values, depth)?,
            ciborium::Value::Map(values) => map(values, depth)?,
            ciborium::Value::Tag(number, value) => {
                json!(["tag", number.to_string(), canonical(&**value, depth + 1)?])
            }
            other => json!(["other", "Value", format!("{other:?}")]),
        })
    }
}

impl Canonical for Document {
    fn form(&self, depth: usize) -> Form {
        pairs(self.iter().map(|(key, value)| (json!(["text", key]), value)), depth)
    }
}

impl Canonical for Bson {
    fn form(&self, depth: usize) -> Form {
        Ok(match self {
            Bson::Null => json!(["null"]),
            Bson::Boolean(value) => json!(["bool", value]),
            Bson::Int32(value) => int(value),
            Bson::Int64(value) => int(value),
            Bson::Double(value) => float(*value),
            Bson::String(value) => json!(["text", value]),
            Bson::Array(values) => list(values, depth)?,
            Bson::Document(document) => document.form(depth)?,
            Bson::Decimal128(value) => json!(["decimal", value.to_string()]),
            Bson::DateTime(value) => match value.try_to_rfc3339_string() {
                Ok(text) if value.timestamp_millis() < YEAR_10000 => json!(["time", text]),
                _ => json!(["other", "DateTime", value.timestamp_millis().to_string()]),
            },
            Bson::Binary(value) => match (value.to_uuid(), value.subtype) {
                (Ok(uuid), _) => json!(["uuid", uuid.to_string()]),
                (_, BinarySubtype::Generic) => bytes(&value.bytes),
                (_, kind) => json!(["tag", u8::from(kind).to_string(), bytes(&value.bytes)]),
            },
            other => json!(["other", format!("{:?}", other.element_type()), other.to_string()]),
        })
    }
}

impl Canonical for Avro {
    fn form(&self, depth: usize) -> Form {
        Ok(match self {
            Avro::Null => json!(["null"]),
            Avro::Boolean(value) => json!(["bool", value]),
            Avro::Int(value) => int(value),
            Avro::Long(value) => int(value),
            Avro::Float(value) => float(f64::from(*value)),
            Avro::Double(value) => float(*value),
            Avro::Bytes(value) | Avro::Fixed(_, value) => bytes(value),
            Avro::String(value) | Avro::Enum(_, value) => json!(["text", value]),
            Avro::Union(_, value) => canonical(&**value, depth)?,
            Avro::Array(values) => list(values, depth)?,
            Avro::Map(map) => pairs(map.iter().map(|(key, value)| (json!(["text", key]), value)), depth)?,
            Avro::Record(fields) => {
                pairs(fields.iter().map(|(key, value)| (json!(["text", key]), value)), depth)?
            }
            Avro::Uuid(value) => json!(["uuid", value.to_string()]),
            Avro::Date(days) => date(*days),
            Avro::TimestampMillis(count) => moment(*count, 3, "Z"),
            Avro::TimestampMicros(count) => moment(*count, 6, "Z"),
            Avro::TimestampNanos(count) => moment(*count, 9, "Z"),
            Avro::LocalTimestampMillis(count) => moment(*count, 3, ""),
            Avro::LocalTimestampMicros(count) => moment(*count, 6, ""),
            Avro::LocalTimestampNanos(count) => moment(*count, 9, ""),
            other => json!(["other", "Value", format!("{other:?}")]),
        })
    }
}

impl Canonical for DynamicMessage {
    /// The fields that are set, and those that have a default instead.
    fn form(&self, depth: usize) -> Form {
        let known = self.descriptor();
        let present = known.fields().filter(|field| !field.supports_presence() || self.has_field(field));
        let fields: Vec<_> = present
            .map(|field| (json!(["text", field.name()]), self.get_field(&field).into_owned()))
            .collect();
        pairs(fields.iter().map(|(name, value)| (name.clone(), value)), depth)
    }
}

impl Canonical for Proto {
    fn form(&self, depth: usize) -> Form {
        Ok(match self {
            Proto::Bool(value) => json!(["bool", value]),
            Proto::I32(value) | Proto::EnumNumber(value) => int(value),
            Proto::I64(value) => int(value),
            Proto::U32(value) => int(value),
            Proto::U64(value) => int(value),
            Proto::F32(value) => float(f64::from(*value)),
            Proto::F64(value) => float(*value),
            Proto::String(value) => json!(["text", value]),
            Proto::Bytes(value) => bytes(value),
            Proto::Message(message) => message.form(depth)?,
            Proto::List(values) => list(values, depth)?,
            Proto::Map(values) => pairs(values.iter().map(|(key, value)| (proto_key(key), value)), depth)?,
        })
    }
}

fn date(days: i32) -> Value {
    match second(i64::from(days) * 86_400) {
        Some(text) => json!(["date", text[..10]]),
        None => json!(["other", "Date", days.to_string()]),
    }
}

/// A time that is counted with so many digits of the second.
fn moment(count: i64, digits: usize, zone: &str) -> Value {
    let unit = 10_i64.pow(digits as u32);
    let rest = count.rem_euclid(unit);
    match second(count.div_euclid(unit)) {
        Some(text) => json!(["time", format!("{text}.{rest:0digits$}{zone}")]),
        None => json!(["other", "Timestamp", count.to_string()]),
    }
}

/// A time with four digits of the year, in seconds since 1970.
fn second(seconds: i64) -> Option<String> {
    let count = seconds.checked_mul(1000).filter(|count| *count < YEAR_10000)?;
    let text = bson::DateTime::from_millis(count).try_to_rfc3339_string().ok()?;
    Some(text.trim_end_matches('Z').to_string())
}

fn proto_key(key: &MapKey) -> Value {
    match key {
        MapKey::Bool(value) => json!(["bool", value]),
        MapKey::I32(value) => int(value),
        MapKey::I64(value) => int(value),
        MapKey::U32(value) => int(value),
        MapKey::U64(value) => int(value),
        MapKey::String(value) => json!(["text", value]),
    }
}

fn int(value: impl Display) -> Value {
    json!(["int", value.to_string()])
}

fn float(value: f64) -> Value {
    json!(["float", format!("{:016x}", value.to_bits())])
}

fn hex(value: &[u8]) -> String {
    value.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn bytes(value: &[u8]) -> Value {
    json!(["bytes", hex(value)])
}

fn list(values: &[impl Canonical], depth: usize) -> Form {
    let items: Result<Vec<_>, _> = values.iter().map(|each| canonical(each, depth + 1)).collect();
    Ok(json!(["list", items?]))
}

fn map<V: Canonical>(values: &[(V, V)], depth: usize) -> Form {
    let keys: Result<Vec<_>, _> = values.iter().map(|(key, _)| canonical(key, depth + 1)).collect();
    pairs(keys?.into_iter().zip(values.iter().map(|(_, value)| value)), depth)
}

fn pairs<'a, V: Canonical + 'a>(values: impl Iterator<Item = (Value, &'a V)>, depth: usize) -> Form {
    let found: Result<Vec<_>, Failure> =
        values.map(|(key, value)| Ok(json!([key, canonical(value, depth + 1)?]))).collect();
    Ok(json!(["map", found?]))
}
