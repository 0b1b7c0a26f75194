"""Write orders.fastavro.avro by fastavro 1.13.1, and orders.python.avro by Apache's avro 1.12.2 for Python.

Both hold the orders that `Orders.java` writes, deflated, as ``python orders.py`` in this folder makes them.
"""

import io
from pathlib import Path

import avro.datafile
import avro.io
import avro.schema
import fastavro

HERE = Path(__file__).parent

with (HERE / "orders.avro").open("rb") as file:
    orders = list(fastavro.reader(file))

schema = fastavro.schema.load_schema(HERE / "orders.avsc")
made = io.BytesIO()
fastavro.writer(made, schema, orders, codec="deflate", sync_interval=500, sync_marker=bytes(16))
(HERE / "orders.fastavro.avro").write_bytes(made.getvalue())

parsed = avro.schema.parse((HERE / "orders.avsc").read_text())
writer = avro.datafile.DataFileWriter(
    (HERE / "orders.python.avro").open("wb"), avro.io.DatumWriter(), parsed, codec="deflate"
)
for number, order in enumerate(orders):
    writer.append({**order, "id": str(order["id"])})
    if number % 7 == 6:
        writer.sync()
writer.close()
