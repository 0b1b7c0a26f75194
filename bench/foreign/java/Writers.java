import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.cbor.databind.CBORMapper;
import com.google.protobuf.Message;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.Map;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericDatumWriter;
import org.apache.avro.io.EncoderFactory;
import org.bson.BsonBinaryWriter;
import org.bson.Document;
import org.bson.codecs.DocumentCodec;
import org.bson.codecs.EncoderContext;
import org.bson.io.BasicOutputBuffer;
import org.msgpack.core.MessagePack;
import org.msgpack.jackson.dataformat.MessagePackMapper;
import org.msgpack.value.Value;

/** The functions that write a value, by the name of their library. */
final class Writers {
    static final Map<String, Dump> ALL = Map.of(
            "jackson-databind", from(new ObjectMapper()),
            "msgpack-core", Writers::msgpack,
            "jackson-dataformat-msgpack", from(new MessagePackMapper()),
            "jackson-dataformat-cbor", from(new CBORMapper()),
            "org.mongodb:bson", Writers::bson,
            "avro", Writers::avro,
            "protobuf-java", (value, schema) -> ((Message) value).toByteArray());

    interface Dump {
        byte[] dump(Object value, String schema) throws IOException;
    }

    private Writers() {}

    private static Dump from(ObjectMapper mapper) {
        return (value, schema) -> mapper.writeValueAsBytes(value);
    }

    private static byte[] msgpack(Object value, String schema) throws IOException {
        try (var packer = MessagePack.newDefaultBufferPacker()) {
            packer.packValue((Value) value);
            return packer.toByteArray();
        }
    }

    private static byte[] bson(Object value, String schema) {
        var buffer = new BasicOutputBuffer();
        try (var writer = new BsonBinaryWriter(buffer)) {
            new DocumentCodec().encode(writer, (Document) value, EncoderContext.builder().build());
            return buffer.toByteArray();
        }
    }

    private static byte[] avro(Object value, String schema) throws IOException {
        var buffer = new ByteArrayOutputStream();
        var encoder = EncoderFactory.get().directBinaryEncoder(buffer, null);
        var parsed = new Schema.Parser().parse(schema);
        new GenericDatumWriter<Object>(parsed, Schemas.logicalTypes()).write(value, encoder);
        return buffer.toByteArray();
    }
}
