import java.io.File;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.util.*;
import org.apache.avro.Schema;
import org.apache.avro.file.*;
import org.apache.avro.generic.*;
import org.apache.avro.message.BinaryMessageEncoder;

/**
 * Writes orders.avro, twenty records in two deflated blocks, and orders.single, the first of them as a single object.
 *
 * <p>Made by avro-1.12.0 of Maven Central (org.apache.avro:avro) in Java 17, with its dependencies in lib:
 * {@code javac -cp 'lib/*' Orders.java && java -cp 'lib/*:.' Orders orders.avsc orders}
 */
public class Orders {
  public static void main(String[] arguments) throws Exception {
    Schema schema = new Schema.Parser().parse(new File(arguments[0]));
    Schema address = schema.getField("address").schema();
    Schema line = schema.getField("lines").schema().getElementType();
    Schema state = schema.getField("state").schema();
    Schema md5 = schema.getField("digest").schema();
    DataFileWriter<GenericRecord> file = new DataFileWriter<>(new GenericDatumWriter<GenericRecord>(schema));
    file.setCodec(CodecFactory.deflateCodec(6));
    file.create(schema, new File(arguments[1] + ".avro"));
    for (int i = 0; i < 20; i++) {
      GenericRecord place = new GenericData.Record(address);
      place.put("city", i % 2 == 0 ? "Zürich" : "東京");
      place.put("zip", i % 3 == 0 ? null : 8000 + i);
      byte[] digest = new byte[16];
      Arrays.fill(digest, (byte) i);
      List<GenericRecord> lines = new ArrayList<>();
      for (int j = 0; j < i % 4; j++) {
        GenericRecord one = new GenericData.Record(line);
        one.put("sku", "SKU-" + j);
        one.put("count", (long) j << 40);
        one.put("prices", j == 0 ? Map.of() : Map.of("CHF", j + 0.25));
        lines.add(one);
      }
      Object[] paid = {true, "by cheque", place, new GenericData.Fixed(md5, digest)};
      GenericRecord order = new GenericData.Record(schema);
      order.put("id", new UUID(i, -i).toString());
      order.put("number", -i);
      order.put("at", 1709251199999L + i);
      order.put("due", -1 + i);
      order.put("state", new GenericData.EnumSymbol(state, state.getEnumSymbols().get(i % 3)));
      order.put("total", ByteBuffer.wrap(BigInteger.valueOf(-12345L * i).toByteArray()));
      order.put("digest", new GenericData.Fixed(md5, digest));
      order.put("weight", i * 0.5f);
      order.put("note", i % 2 == 0 ? null : "leave it at the door");
      order.put("address", place);
      order.put("billing", i % 2 == 0 ? place : null);
      order.put("lines", lines);
      order.put("paid", paid[i % 4]);
      file.append(order);
      if (i == 9) {
        file.sync();
      }
      if (i == 0) {
        ByteBuffer single = new BinaryMessageEncoder<GenericRecord>(GenericData.get(), schema).encode(order);
        java.nio.file.Files.write(new File(arguments[1] + ".single").toPath(), Arrays.copyOf(single.array(), single.limit()));
      }
    }
    file.close();
  }
}
