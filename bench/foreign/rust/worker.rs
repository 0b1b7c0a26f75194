//! Reads and writes payloads with libraries of Rust; docs/reference/worker.md describes the messages.

mod canonical;
mod times;
mod writers;

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::error::Error;
use std::io::{self, Read, Write};
use std::panic::{self, AssertUnwindSafe};
use std::rc::Rc;

use base64::Engine;
use canonical::Canonical;
use prost_reflect::{DescriptorPool, DynamicMessage, MessageDescriptor};
use serde_json::{Value, json};

pub type Failure = Box<dyn Error>;
/// Nanoseconds, and the number of payloads that were read in them.
pub type Timed = Result<(u64, usize), Failure>;

type Check = dyn Fn(&[u8]) -> Result<Value, Failure>;
type Loop = dyn Fn(&[&[u8]], u64) -> Timed;

const LONGEST: usize = 64 << 20;
/// Bytes of stack: one of the libraries limits the depth of a payload by nothing else.
const STACK: usize = 256 << 20;
const LOCK: &str = include_str!("Cargo.lock");

struct Library {
    name: &'static str,
    format: &'static str,
    /// Makes the reader of a schema; only some formats have one.
    bind: fn(&Value) -> Result<Reader, Failure>,
}

pub struct Reader {
    check: Box<Check>,
    timed: Box<Loop>,
}

/// The reader of a function that reads a payload.
fn reader<V: Canonical, E: Error + 'static>(
    load: impl Fn(&[u8]) -> Result<V, E> + Clone + 'static,
) -> Result<Reader, Failure> {
    let checked = load.clone();
    Ok(Reader {
        check: Box::new(move |payload| canonical::canonical(&checked(payload)?, 0)),
        timed: Box::new(move |payloads, at_least| times::timed(&load, payloads, at_least)),
    })
}

const LIBRARIES: [Library; 6] = [
    Library {
        name: "serde_json",
        format: "json",
        bind: |_| reader(|payload| serde_json::from_slice::<Value>(payload)),
    },
    Library {
        name: "rmpv",
        format: "msgpack",
        bind: |_| reader(|mut payload| rmpv::decode::read_value(&mut payload)),
    },
    Library {
        name: "ciborium",
        format: "cbor",
        bind: |_| reader(|payload| ciborium::from_reader::<ciborium::Value, _>(payload)),
    },
    Library {
        name: "bson",
        format: "bson",
        bind: |_| reader(|payload| bson::deserialize_from_slice::<bson::Document>(payload)),
    },
    Library { name: "apache-avro", format: "avro", bind: avro },
    Library { name: "prost-reflect", format: "protobuf", bind: protobuf },
];

fn avro(schema: &Value) -> Result<Reader, Failure> {
    let parsed = Rc::new(avro_schema(schema)?);
    reader(move |mut payload| apache_avro::from_avro_datum(&parsed, &mut payload, None))
}

pub fn avro_schema(schema: &Value) -> Result<apache_avro::Schema, Failure> {
    Ok(apache_avro::Schema::parse_str(text(schema, "text")?)?)
}

fn protobuf(schema: &Value) -> Result<Reader, Failure> {
    let described = message(schema)?;
    reader(move |payload| DynamicMessage::decode(described.clone(), payload))
}

pub fn message(schema: &Value) -> Result<MessageDescriptor, Failure> {
    let files = base64::prelude::BASE64_STANDARD.decode(text(schema, "text")?)?;
    let pool = DescriptorPool::decode(&files[..])?;
    Ok(pool.get_message_by_name(text(schema, "message")?).ok_or("no such message")?)
}

fn text<'a>(schema: &'a Value, name: &str) -> Result<&'a str, Failure> {
    Ok(schema[name].as_str().ok_or("no schema")?)
}

/// The version of a package in the lock file.
fn version(package: &str) -> &'static str {
    let start = format!("name = \"{package}\"\nversion = \"");
    let found = LOCK.split(&start).nth(1).and_then(|rest| rest.split('"').next());
    found.unwrap_or("unknown")
}

fn hello() -> Value {
    let libraries: Vec<_> = LIBRARIES
        .iter()
        .map(|each| {
            let writer = writers::find(each.name).map(|_| each.name);
            json!({"name": each.name, "format": each.format, "version": version(each.name), "writer": writer})
        })
        .collect();
    json!({
        "kind": "hello", "protocol": 1, "language": "Rust", "version": env!("WORKER_RUSTC"), "libraries": libraries
    })
}

/// Readers that are made, by library and schema.
type Readers = HashMap<String, Reader>;

fn answer(readers: &mut Readers, asked: &Value, content: &[u8]) -> Result<(Value, Vec<u8>), Failure> {
    if asked["kind"] == "hello" {
        return Ok((hello(), Vec::new()));
    }
    let library = LIBRARIES
        .iter()
        .find(|each| asked["library"] == each.name)
        .ok_or_else(|| format!("unknown library {}", asked["library"]))?;
    if asked["kind"] == "dump" {
        let rewrite = writers::find(library.name).ok_or("the worker does not write with it")?;
        return Ok((json!({"kind": "payload"}), rewrite(content, &asked["schema"])?));
    }
    let key = format!("{} {}", asked["library"], asked["schema"]);
    let reader = match readers.entry(key) {
        Entry::Occupied(known) => known.into_mut(),
        Entry::Vacant(place) => place.insert((library.bind)(&asked["schema"])?),
    };
    if asked["kind"] == "time" {
        return Ok((times::measure(reader, asked, content)?, Vec::new()));
    }
    let text = serde_json::to_vec(&(reader.check)(content)?)?;
    if text.len() > LONGEST {
        return Err(format!("the canonical text of the value has {} bytes", text.len()).into());
    }
    Ok((json!({"kind": "value"}), text))
}

/// The answer to a question; an error or a panic is a refusal.
fn reply(readers: &mut Readers, asked: &Value, content: &[u8]) -> (Value, Vec<u8>) {
    let message = match panic::catch_unwind(AssertUnwindSafe(|| answer(readers, asked, content))) {
        Ok(Ok(found)) => return found,
        Ok(Err(error)) => error.to_string(),
        Err(_) => "the library panicked".to_string(),
    };
    (json!({"kind": "error", "message": message}), Vec::new())
}

fn read(size: usize) -> io::Result<Vec<u8>> {
    let mut bytes = vec![0; size];
    io::stdin().read_exact(&mut bytes)?;
    Ok(bytes)
}

fn serve() -> Result<(), Failure> {
    let mut readers = Readers::new();
    while let Ok(prefix) = read(18) {
        let sizes = String::from_utf8(prefix)?;
        let asked: Value = serde_json::from_slice(&read(usize::from_str_radix(&sizes[..8], 16)?)?)?;
        let mut content = read(usize::from_str_radix(&sizes[9..17], 16)? + 1)?;
        content.pop();
        if asked["kind"] == "bye" {
            break;
        }
        let (head, text) = reply(&mut readers, &asked, &content);
        let head = serde_json::to_vec(&head)?;
        let mut out = io::stdout().lock();
        writeln!(out, "{:08x} {:08x}", head.len(), text.len())?;
        out.write_all(&[&head[..], &text, b"\n"].concat())?;
        out.flush()?;
    }
    Ok(())
}

fn main() -> Result<(), Failure> {
    panic::set_hook(Box::new(|_| ()));
    let server = std::thread::Builder::new().stack_size(STACK);
    let ended = server.spawn(|| serve().map_err(|error| error.to_string()))?.join();
    Ok(ended.map_err(|_| "it panicked")??)
}
