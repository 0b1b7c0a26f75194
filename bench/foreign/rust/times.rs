//! The times of slices.

use std::error::Error;
use std::fs::File;
use std::hint::black_box;
use std::os::unix::fs::FileExt;
use std::time::Instant;

use serde_json::{Value, json};

use crate::{Failure, Reader, Timed};

const WAITED: f64 = 0.01; // of a slice without the processor: it is repeated,
const REPEATS: u32 = 2; // at most so often

/// Reads all payloads until so many nanoseconds have passed.
pub fn timed<V, E: Error + 'static>(
    load: impl Fn(&[u8]) -> Result<V, E>,
    payloads: &[&[u8]],
    at_least: u64,
) -> Timed {
    let begin = Instant::now();
    let mut count = 0;
    loop {
        for payload in payloads {
            black_box(load(payload)?);
        }
        count += payloads.len();
        let spent = begin.elapsed().as_nanos() as u64;
        if spent >= at_least {
            return Ok((spent, count));
        }
    }
}

pub fn measure(reader: &Reader, asked: &Value, mut content: &[u8]) -> Result<Value, Failure> {
    let mut payloads = Vec::new();
    for size in asked["sizes"].as_array().ok_or("no sizes")? {
        let (payload, rest) = content.split_at(number(size)? as usize);
        payloads.push(payload);
        content = rest;
    }
    shuffle(&mut payloads, number(&asked["seed"])?);
    let at_least = number(&asked["slice_ns"])?;
    let schedule = File::open("/proc/thread-self/schedstat").ok();
    let (warmed, _) = (reader.timed)(&payloads, at_least)?;
    let slices: Result<Vec<_>, _> = (0..number(&asked["slices"])?)
        .map(|_| slice(reader, &payloads, at_least, schedule.as_ref()))
        .collect();
    Ok(json!({"kind": "times", "warmup_ns": warmed, "slices": slices?}))
}

fn slice(
    reader: &Reader,
    payloads: &[&[u8]],
    at_least: u64,
    schedule: Option<&File>,
) -> Result<f64, Failure> {
    let mut left = REPEATS;
    loop {
        let (begin, before) = (Instant::now(), waited(schedule));
        let (spent, count) = (reader.timed)(payloads, at_least)?;
        let lost = waited(schedule) - before;
        // The thread may have waited there, too.
        let outside = (begin.elapsed().as_nanos() as u64).saturating_sub(spent);
        if left == 0 || lost as f64 <= WAITED * spent as f64 {
            let inside = lost.saturating_sub(outside);
            return Ok(spent.saturating_sub(inside).max(1) as f64 / count as f64);
        }
        left -= 1;
    }
}

/// Nanoseconds in which this thread was ready to run and the processor was busy with others; 0 if unknown.
fn waited(schedule: Option<&File>) -> u64 {
    let mut line = [0; 100];
    let size = schedule.and_then(|file| file.read_at(&mut line, 0).ok()).unwrap_or(0);
    let text = String::from_utf8_lossy(&line[..size]);
    text.split(' ').nth(1).and_then(|field| field.parse().ok()).unwrap_or(0)
}

fn shuffle(payloads: &mut [&[u8]], mut seed: u64) {
    for last in (1..payloads.len()).rev() {
        seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        payloads.swap(last, (seed >> 33) as usize % (last + 1));
    }
}

fn number(value: &Value) -> Result<u64, Failure> {
    value.as_u64().ok_or_else(|| format!("{value} is no count").into())
}
