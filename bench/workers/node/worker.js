// Reads payloads with libraries of Node; docs/reference/worker.md has its messages.
"use strict";
const fs = require("node:fs");
const path = require("node:path");
const msgpack = require("@msgpack/msgpack");
const msgpackr = require("msgpackr");
const cbor = require("cbor-x");
const bson = require("bson");

const LIBRARIES = {
  "JSON.parse": ["json", "", (payload) => JSON.parse(payload.toString())],
  "@msgpack/msgpack": ["msgpack", "@msgpack/msgpack", (payload) => msgpack.decode(payload)],
  msgpackr: ["msgpack", "msgpackr", (payload) => msgpackr.unpack(payload)],
  "cbor-x": ["cbor", "cbor-x", (payload) => cbor.decode(payload)],
  bson: ["bson", "bson", (payload) => bson.deserialize(payload)],
};

// A package's `exports` may hide its package.json from `require`.
const version = (name) =>
  JSON.parse(fs.readFileSync(path.join(__dirname, "node_modules", name, "package.json"))).version;

const hex = (bytes) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("hex");

function number(value) {
  const bits = Buffer.alloc(8);
  bits.writeDoubleBE(value);
  return ["number", bits.toString("hex")];
}

function canonical(value) {
  if (value === null) return ["null"];
  switch (typeof value) {
    case "boolean":
      return ["bool", value];
    case "number":
      return number(value);
    case "bigint":
      return ["int", String(value)];
    case "string":
      return ["text", value];
    case "undefined":
      return ["undefined"];
  }
  if (Array.isArray(value)) return ["list", Array.from(value, canonical)];
  if (value instanceof Date && !Number.isNaN(value.getTime())) {
    const text = value.toISOString(); // years beyond 9999 have a sign and six digits
    return /^\d{4}-/.test(text) ? ["time", text] : ["other", "Date", text];
  }
  if (ArrayBuffer.isView(value)) return ["bytes", hex(value)];
  if (value instanceof Map) return ["map", Array.from(value, (pair) => pair.map(canonical))];
  if (value._bsontype === "Decimal128") return ["decimal", value.toString()];
  if (value._bsontype === "Binary") {
    if (value.sub_type === 4) return ["uuid", value.toUUID().toString()];
    const bytes = ["bytes", hex(value.value())];
    return value.sub_type ? ["tag", String(value.sub_type), bytes] : bytes;
  }
  if (value instanceof cbor.Tag) return ["tag", String(value.tag), canonical(value.value)];
  if (value instanceof msgpack.ExtData) return ["tag", String(value.type), canonical(value.data)];
  const kind = value.constructor?.name ?? "Object";
  if (kind !== "Object") return ["other", kind, String(value)];
  return ["map", Object.entries(value).map((pair) => pair.map(canonical))];
}

function hello() {
  const libraries = Object.entries(LIBRARIES).map(([name, [format, from]]) => ({
    name,
    format,
    version: from ? version(from) : process.versions.v8,
  }));
  return { kind: "hello", protocol: 1, language: "Node", version: process.versions.node, libraries };
}

const now = () => Number(process.hrtime.bigint());
let sink; // keeps the compiler from dropping the calls

function slice(load, payloads, atLeast) {
  const begin = now();
  let count = 0;
  do {
    for (const payload of payloads) sink = load(payload);
    count += payloads.length;
  } while (now() - begin < atLeast);
  return (now() - begin) / count;
}

function shuffle(items, seed) {
  let state = seed >>> 0;
  for (let i = items.length - 1; i > 0; i--) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    const j = Math.floor((state / 2 ** 32) * (i + 1));
    [items[i], items[j]] = [items[j], items[i]];
  }
}

// Warms up until two slices in a row differ by at most 2 %, or 50 have passed.
function measure(load, head, content) {
  let start = 0;
  const payloads = head.sizes.map((size) => content.subarray(start, (start += size)));
  shuffle(payloads, head.seed);
  const begin = now();
  for (let i = 0, before = Infinity; i < 50; i++) {
    const figure = slice(load, payloads, head.slice_ns);
    if (Math.abs(figure - before) <= 0.02 * figure) break;
    before = figure;
  }
  const warmup_ns = now() - begin;
  const slices = Array.from({ length: head.slices }, () => slice(load, payloads, head.slice_ns));
  return { kind: "times", warmup_ns, slices };
}

function answer(head, content) {
  if (head.kind === "hello") return [hello(), ""];
  if (!Object.hasOwn(LIBRARIES, head.library)) throw new Error(`unknown library ${head.library}`);
  const load = LIBRARIES[head.library][2];
  if (head.kind === "time") return [measure(load, head, content), ""];
  return [{ kind: "value" }, JSON.stringify(canonical(load(content)))];
}

function read(size) {
  const bytes = Buffer.alloc(size);
  for (let have = 0; have < size; ) {
    const more = fs.readSync(0, bytes, have, size - have);
    if (!more) process.exit(0);
    have += more;
  }
  return bytes;
}

function write(bytes) {
  for (let gone = 0; gone < bytes.length; ) gone += fs.writeSync(1, bytes, gone);
}

for (;;) {
  const sizes = read(18).toString().split(" ").map((each) => parseInt(each, 16));
  const head = JSON.parse(read(sizes[0]));
  const content = read(sizes[1] + 1).subarray(0, -1);
  if (head.kind === "bye") break;
  let reply, text;
  try {
    [reply, text] = answer(head, content);
  } catch (error) {
    [reply, text] = [{ kind: "error", message: `${error.name}: ${error.message}` }, ""];
  }
  const parts = [JSON.stringify(reply), text].map((each) => Buffer.from(each));
  const prefix = parts.map((each) => each.length.toString(16).padStart(8, "0")).join(" ");
  write(Buffer.concat([Buffer.from(`${prefix}\n`), ...parts, Buffer.from("\n")]));
}
