import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.cbor.databind.CBORMapper;
import java.io.IOException;
import java.util.Map;
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
            "jackson-databind", new ObjectMapper()::writeValueAsBytes,
            "msgpack-core", Writers::msgpack,
            "jackson-dataformat-msgpack", new MessagePackMapper()::writeValueAsBytes,
            "jackson-dataformat-cbor", new CBORMapper()::writeValueAsBytes,
            "org.mongodb:bson", Writers::bson);

    interface Dump {
        byte[] dump(Object value) throws IOException;
    }

    private Writers() {}

    private static byte[] msgpack(Object value) throws IOException {
        try (var packer = MessagePack.newDefaultBufferPacker()) {
            packer.packValue((Value) value);
            return packer.toByteArray();
        }
    }

    private static byte[] bson(Object value) {
        var buffer = new BasicOutputBuffer();
        try (var writer = new BsonBinaryWriter(buffer)) {
            new DocumentCodec().encode(writer, (Document) value, EncoderContext.builder().build());
            return buffer.toByteArray();
        }
    }
}
