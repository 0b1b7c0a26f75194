// Makes javascript.arrows: npm install apache-arrow@21.2.0; node javascript.mjs
import { writeFileSync } from "node:fs";
import * as arrow from "apache-arrow";
const field = (name, type, nullable = false) => new arrow.Field(name, type, nullable);
const words = new arrow.Dictionary(new arrow.Utf8(), new arrow.Int8());
const place = new arrow.Struct([field("city", new arrow.Utf8()), field("zip", new arrow.Int32(), true)]);
const schema = new arrow.Schema([
  field("id", new arrow.Int32()),
  field("name", new arrow.Utf8()),
  field("price", new arrow.Float64(), true),
  field("paid", new arrow.Bool()),
  field("at", new arrow.TimestampMillisecond("UTC")),
  field("state", words, true),
  field("tags", new arrow.List(field("item", new arrow.Utf8()))),
  field("place", place, true),
  field("raw", new arrow.Binary()),
  field("count", new arrow.Uint64()),
]);
const row = (id, name, price, paid, at, state, tags, place, raw, count) => ({ id, name, price, paid, at, state, tags, place, raw, count });
const rows = [
  [row(1, "Größe 😀", 1.5, true, 0, "new", ["a", "b"], { city: "Bern", zip: 3000 }, new Uint8Array([255, 0]), 0n),
   row(-2, "", null, false, 1700000000271, null, [], null, new Uint8Array(), 18446744073709551615n)],
  [row(3, "x".repeat(40), -0, true, -1, "sent", ["é"], { city: "", zip: null }, new Uint8Array([1]), 7n)],
];
const builders = (part) => {
  const children = schema.fields.map((f) => arrow.vectorFromArray(part.map((r) => r[f.name]), f.type).data[0]);
  return new arrow.RecordBatch(schema, arrow.makeData({ type: new arrow.Struct(schema.fields), length: part.length, nullCount: 0, children }));
};
const table = new arrow.Table(schema, rows.map(builders));
writeFileSync("javascript.arrows", arrow.tableToIPC(table, "stream"));
