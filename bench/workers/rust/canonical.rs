//! The canonical form of a value; docs/reference/worker.md describes it.

use std::fmt::Display;

use bson::spec::BinarySubtype;
use bson::{Bson, Document};
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
