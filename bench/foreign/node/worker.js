// Reads and writes payloads with libraries of Node; docs/reference/worker.md describes the messages.
"use strict";
const fs = require("node:fs");
const path = require("node:path");
const { inspect } = require("node:util");
const msgpack = require("@msgpack/msgpack");
const msgpackr = require("msgpackr");
const cbor = require("cbor-x");
const bson = require("bson");
const avsc = require("avsc");
const protobuf = require("protobufjs");
require("protobufjs/ext/descriptor");

const LEVELS = 200; // of a value, and
const CONTENT = 64 << 20; // bytes of its text: more is not accepted
const READS = 20_000; // of payloads until all is compiled, or so many
const COMPILING = 1e9; // nanoseconds
const WARM_UP = 50; // slices at most
const STEADY = 0.02; // difference of two slices
const WAITED = 0.01; // of a slice without the processor: it is repeated,
const REPEATS = 2; // at most so often

const LIBRARIES = {
  "JSON.parse": ["json", "", (payload) => JSON.parse(payload.toString())],
  "@msgpack/msgpack": ["msgpack", "@msgpack/msgpack", (payload) => msgpack.decode(payload)],
  msgpackr: ["msgpack", "msgpackr", (payload) => msgpackr.unpack(payload)],
  "cbor-x": ["cbor", "cbor-x", (payload) => cbor.decode(payload)],
  bson: ["bson", "bson", (payload) => bson.deserialize(payload)],
  avsc: ["avro", "avsc", null, bindAvro],
  protobufjs: ["protobuf", "protobufjs", null, bindProtobuf],
};

// Formats that need a schema: functions that return the one that reads a payload.

const avroType = ({ text }) => avsc.Type.forSchema(JSON.parse(text));

function bindAvro(schema) {
  const type = avroType(schema);
  return (payload) => type.fromBuffer(payload);
}

function bindProtobuf({ text, message }) {
  const type = protobuf.Root.fromDescriptor(Buffer.from(text, "base64")).resolveAll().lookupType(message);
  return (payload) => type.decode(payload);
}

const WRITERS = {
  "JSON.parse": ["JSON.stringify", (value) => JSON.stringify(value)],
  "@msgpack/msgpack": ["@msgpack/msgpack", (value) => msgpack.encode(value)],
  msgpackr: ["msgpackr", (value) => msgpackr.pack(value)],
  "cbor-x": ["cbor-x", (value) => cbor.encode(value)],
  bson: ["bson", (value) => bson.serialize(value)],
  avsc: ["avsc", (value, schema) => avroType(schema).toBuffer(value)],
  protobufjs: ["protobufjs", (value) => value.$type.encode(value).finish()],
};

function hello() {
  // A package's `exports` may hide its package.json from `require`.
  const version = (name) =>
    JSON.parse(fs.readFileSync(path.join(__dirname, "node_modules", name, "package.json"))).version;
  const libraries = Object.entries(LIBRARIES).map(([name, [format, from]]) => ({
    name,
    format,
    version: from ? version(from) : process.versions.node,
    writer: WRITERS[name]?.[0],
  }));
  return { kind: "hello", protocol: 1, language: "Node", version: process.versions.node, libraries };
}

// Canonical text. Records choose the names of their fields, so no name says what a value is: only classes do.

const hex = (bytes) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("hex");

function number(value) {
  const bits = Buffer.alloc(8);
  bits.writeDoubleBE(value);
  return ["number", bits.toString("hex")];
}

function canonical(value, level = 0) {
  if (level > LEVELS) throw new Error(`the value has more than ${LEVELS} levels`);
  const inner = (each) => canonical(each, level + 1);
  const pairs = (entries) => ["map", Array.from(entries, ([key, each]) => [inner(key), inner(each)])];
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
    case "object":
      break;
    default:
      return ["other", typeof value, inspect(value)];
  }
  if (value === null) return ["null"];
  if (Array.isArray(value)) return ["list", Array.from(value, inner)];
  if (value instanceof Set) return ["set", Array.from(value, inner)];
  const kind = Object.getPrototypeOf(value);
  if (kind === Object.prototype || kind === null) return pairs(Object.entries(value));
  if (value instanceof Map) return pairs(value);
  if (value instanceof Uint8Array) return ["bytes", hex(value)];
  if (ArrayBuffer.isView(value) && !(value instanceof DataView)) return ["list", Array.from(value, inner)];
  if (value instanceof protobuf.Message) return pairs(fields(value));
  if (kind.constructor?.type instanceof avsc.Type)
    return kind.unwrap ? inner(value.unwrap()) : pairs(Object.entries(value));
  return date(value) ?? binary(value) ?? scalar(value) ?? tagged(value, inner) ?? other(value);
}

function date(value) {
  if (!(value instanceof Date) || Number.isNaN(value.getTime())) return null;
  const text = value.toISOString(); // years beyond 9999 have a sign and six digits
  return /^\d{4}-/.test(text) ? ["time", text] : ["other", "Date", text];
}

function binary(value) {
  if (!(value instanceof bson.Binary)) return null;
  const content = value.value();
  if (value.sub_type === bson.Binary.SUBTYPE_UUID && content.length === 16)
    return ["uuid", new bson.UUID(content).toHexString()];
  const bytes = ["bytes", hex(content)];
  return value.sub_type ? ["tag", String(value.sub_type), bytes] : bytes;
}

function scalar(value) {
  if (value instanceof bson.Decimal128) return ["decimal", value.toString()];
  if (protobuf.util.Long.isLong(value)) return ["int", value.toString()];
  if (value instanceof bson.Long && !(value instanceof bson.Timestamp)) return ["int", value.toString()];
  return null;
}

// Returns the fields that are set, and those that have a default instead.
function fields(message) {
  const known = Object.getPrototypeOf(message).$type.fieldsArray;
  const found = known.filter((each) => !each.hasPresence || Object.hasOwn(message, each.name));
  return found.map((each) => [each.name, message[each.name]]);
}

function tagged(value, inner) {
  if (value instanceof cbor.Tag) return ["tag", String(value.tag), inner(value.value)];
  if (value instanceof msgpack.ExtData) return ["tag", String(value.type), inner(value.data)];
  return null;
}

function other(value) {
  const kind = Object.getPrototypeOf(value).constructor?.name ?? "Object";
  return ["other", kind, value instanceof Error ? String(value) : inspect(value)]; // an error shows its stack
}

function check(load, content) {
  const text = Buffer.from(JSON.stringify(canonical(load(content))));
  if (text.length > CONTENT) throw new Error(`the value's text has more than ${CONTENT} bytes`);
  return text;
}

// Times

const now = () => Number(process.hrtime.bigint());

// Nanoseconds that this thread was ready to run and did not, because the processor was busy with others.
const schedule = fs.existsSync("/proc/thread-self/schedstat") && fs.openSync("/proc/thread-self/schedstat");
const line = Buffer.alloc(100);
const waited = () =>
  schedule ? Number(line.toString("latin1", 0, fs.readSync(schedule, line, 0, 100, 0)).split(" ")[1]) : 0;

// Each library has a loop of its own: the compiler optimizes a loop for the functions that it has called.
const LOOP = `let sink;
return function (payloads, atLeast) {
  const begin = now();
  let count = 0, spent;
  do {
    for (const payload of payloads) sink = load(payload);
    count += payloads.length;
    spent = now() - begin;
  } while (spent < atLeast);
  return [spent, count];
};`;
const bound = new Map();

// Returns what reads payloads, and the loop that times it.
function reader(library, schema) {
  const key = JSON.stringify([library, schema]);
  if (!bound.has(key)) {
    const [, , load, bind] = LIBRARIES[library];
    const made = load ?? bind(schema);
    bound.set(key, { key, load: made, loop: new Function("load", "now", `// ${library}\n${LOOP}`)(made, now) });
  }
  return bound.get(key);
}

function slice(loop, payloads, atLeast, repeats) {
  for (let left = repeats; ; left--) {
    const [begin, before] = [now(), waited()];
    const [spent, count] = loop(payloads, atLeast);
    const lost = waited() - before;
    const outside = now() - begin - spent; // the thread may have waited there, too
    if (lost <= WAITED * spent || left === 0)
      return Math.max(spent - Math.max(lost - outside, 0), 1) / count;
  }
}

function shuffle(items, seed) {
  let state = seed >>> 0;
  for (let i = items.length - 1; i > 0; i--) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    const j = Math.floor((state / 2 ** 32) * (i + 1));
    [items[i], items[j]] = [items[j], items[i]];
  }
}

const compiled = new Set();

function compile(loop, payloads) {
  const begin = now();
  for (let reads = 0; reads < READS && now() - begin < COMPILING; reads += payloads.length) loop(payloads, 0);
}

function warmUp({ key, loop }, payloads, atLeast) {
  if (!compiled.has(key)) compile(loop, payloads);
  compiled.add(key);
  for (let i = 0, before = Infinity; i < WARM_UP; i++) {
    const figure = slice(loop, payloads, atLeast, 0);
    if (Math.abs(figure - before) <= STEADY * figure) return;
    before = figure;
  }
}

function measure(read, head, content) {
  let start = 0;
  const payloads = head.sizes.map((size) => content.subarray(start, (start += size)));
  shuffle(payloads, head.seed);
  const begin = now();
  warmUp(read, payloads, head.slice_ns);
  const warmup_ns = now() - begin;
  const slices = Array.from({ length: head.slices }, () => slice(read.loop, payloads, head.slice_ns, REPEATS));
  return { kind: "times", warmup_ns, slices };
}

// Messages

function answer(head, content) {
  if (head.kind === "hello") return [hello(), ""];
  if (!Object.hasOwn(LIBRARIES, head.library)) throw new Error(`unknown library ${head.library}`);
  const read = reader(head.library, head.schema);
  if (head.kind === "time") return [measure(read, head, content), ""];
  if (head.kind === "dump") return [{ kind: "payload" }, WRITERS[head.library][1](read.load(content), head.schema)];
  return [{ kind: "value" }, check(read.load, content)];
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
    const message = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
    [reply, text] = [{ kind: "error", message: message.slice(0, 1000) }, ""];
  }
  const parts = [JSON.stringify(reply), text].map((each) => Buffer.from(each));
  const prefix = parts.map((each) => each.length.toString(16).padStart(8, "0")).join(" ");
  write(Buffer.concat([Buffer.from(`${prefix}\n`), ...parts, Buffer.from("\n")]));
}
