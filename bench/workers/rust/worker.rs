//! Reads payloads with libraries of Rust; docs/reference/worker.md describes the messages.

mod canonical;
mod times;

use std::error::Error;
use std::io::{self, Read, Write};
use std::panic::{self, AssertUnwindSafe};

use serde_json::{Value, json};

pub type Failure = Box<dyn Error>;
/// Nanoseconds, and the number of payloads that were read in them.
pub type Timed = Result<(u64, usize), Failure>;

const LONGEST: usize = 64 << 20;
/// Bytes of stack: one of the libraries limits the depth of a payload by nothing else.
const STACK: usize = 256 << 20;
const LOCK: &str = include_str!("Cargo.lock");

pub struct Library {
    name: &'static str,
    format: &'static str,
    check: fn(&[u8]) -> Result<Value, Failure>,
    timed: fn(&[&[u8]], u64) -> Timed,
}

/// A library from its function that reads a payload.
macro_rules! library {
    ($name:literal, $format:literal, $load:expr) => {
        Library {
            name: $name,
            format: $format,
            check: |payload| canonical::canonical(&$load(payload)?, 0),
            timed: |payloads, at_least| times::timed(|payload| $load(payload), payloads, at_least),
        }
    };
}

const LIBRARIES: [Library; 4] = [
    library!("serde_json", "json", serde_json::from_slice::<Value>),
    library!("rmpv", "msgpack", |mut payload: &[u8]| rmpv::decode::read_value(&mut payload)),
    library!("ciborium", "cbor", ciborium::from_reader::<ciborium::Value, _>),
    library!("bson", "bson", bson::deserialize_from_slice::<bson::Document>),
];

/// The version of a package in the lock file.
fn version(package: &str) -> &'static str {
    let start = format!("name = \"{package}\"\nversion = \"");
    let found = LOCK.split(&start).nth(1).and_then(|rest| rest.split('"').next());
    found.unwrap_or("unknown")
}

fn hello() -> Value {
    let libraries: Vec<_> = LIBRARIES
        .iter()
        .map(|each| json!({"name": each.name, "format": each.format, "version": version(each.name)}))
        .collect();
    json!({
        "kind": "hello", "protocol": 1, "language": "Rust", "version": env!("WORKER_RUSTC"), "libraries": libraries
    })
}

fn answer(asked: &Value, content: &[u8]) -> Result<(Value, Vec<u8>), Failure> {
    if asked["kind"] == "hello" {
        return Ok((hello(), Vec::new()));
    }
    let library = LIBRARIES
        .iter()
        .find(|each| asked["library"] == each.name)
        .ok_or_else(|| format!("unknown library {}", asked["library"]))?;
    if asked["kind"] == "time" {
        return Ok((times::measure(library, asked, content)?, Vec::new()));
    }
    let text = serde_json::to_vec(&(library.check)(content)?)?;
    if text.len() > LONGEST {
        return Err(format!("the canonical text of the value has {} bytes", text.len()).into());
    }
    Ok((json!({"kind": "value"}), text))
}

/// The answer to a question; an error or a panic is a refusal.
fn reply(asked: &Value, content: &[u8]) -> (Value, Vec<u8>) {
    let message = match panic::catch_unwind(AssertUnwindSafe(|| answer(asked, content))) {
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
    while let Ok(prefix) = read(18) {
        let sizes = String::from_utf8(prefix)?;
        let asked: Value = serde_json::from_slice(&read(usize::from_str_radix(&sizes[..8], 16)?)?)?;
        let mut content = read(usize::from_str_radix(&sizes[9..17], 16)? + 1)?;
        content.pop();
        if asked["kind"] == "bye" {
            break;
        }
        let (head, text) = reply(&asked, &content);
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
