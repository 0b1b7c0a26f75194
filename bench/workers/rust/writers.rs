//! What libraries write of the values that they read.

use crate::Failure;

type Written = Result<Vec<u8>, Failure>;

/// The function that reads a payload with a library and writes the value again.
pub fn find(library: &str) -> Option<fn(&[u8]) -> Written> {
    match library {
        "serde_json" => Some(json),
        "rmpv" => Some(msgpack),
        "ciborium" => Some(cbor),
        "bson" => Some(bson),
        _ => None,
    }
}

fn json(payload: &[u8]) -> Written {
    let value: serde_json::Value = serde_json::from_slice(payload)?;
    Ok(serde_json::to_vec(&value)?)
}

fn msgpack(mut payload: &[u8]) -> Written {
    let mut written = Vec::new();
    rmpv::encode::write_value(&mut written, &rmpv::decode::read_value(&mut payload)?)?;
    Ok(written)
}

fn cbor(payload: &[u8]) -> Written {
    let value: ciborium::Value = ciborium::from_reader(payload)?;
    let mut written = Vec::new();
    ciborium::into_writer(&value, &mut written)?;
    Ok(written)
}

fn bson(payload: &[u8]) -> Written {
    let value: bson::Document = bson::deserialize_from_slice(payload)?;
    Ok(bson::serialize_to_vec(&value)?)
}
