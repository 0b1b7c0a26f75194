//! What libraries write of the values that they read.

use apache_avro::{from_avro_datum, to_avro_datum};
use prost_reflect::DynamicMessage;
use prost_reflect::prost::Message;
use serde_json::Value;

use crate::Failure;

type Written = Result<Vec<u8>, Failure>;

/// The function that reads a payload with a library and writes the value again, by the schema of some formats.
pub fn find(library: &str) -> Option<fn(&[u8], &Value) -> Written> {
    match library {
        "apache-avro" => Some(avro),
        "prost-reflect" => Some(protobuf),
        "serde_json" => Some(json),
        "rmpv" => Some(msgpack),
        "ciborium" => Some(cbor),
        "bson" => Some(bson),
        _ => None,
    }
}

fn json(payload: &[u8], _: &Value) -> Written {
    let value: Value = serde_json::from_slice(payload)?;
    Ok(serde_json::to_vec(&value)?)
}

fn msgpack(mut payload: &[u8], _: &Value) -> Written {
    let mut written = Vec::new();
    rmpv::encode::write_value(&mut written, &rmpv::decode::read_value(&mut payload)?)?;
    Ok(written)
}

fn cbor(payload: &[u8], _: &Value) -> Written {
    let value: ciborium::Value = ciborium::from_reader(payload)?;
    let mut written = Vec::new();
    ciborium::into_writer(&value, &mut written)?;
    Ok(written)
}

fn bson(payload: &[u8], _: &Value) -> Written {
    let value: bson::Document = bson::deserialize_from_slice(payload)?;
    Ok(bson::serialize_to_vec(&value)?)
}

fn avro(mut payload: &[u8], schema: &Value) -> Written {
    let parsed = crate::avro_schema(schema)?;
    Ok(to_avro_datum(&parsed, from_avro_datum(&parsed, &mut payload, None)?)?)
}

fn protobuf(payload: &[u8], schema: &Value) -> Written {
    Ok(DynamicMessage::decode(crate::message(schema)?, payload)?.encode_to_vec())
}
