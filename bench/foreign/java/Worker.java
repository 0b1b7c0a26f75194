import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.cbor.databind.CBORMapper;
import com.google.protobuf.Message;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.avro.generic.GenericData;
import org.bson.BsonBinaryReader;
import org.bson.codecs.DecoderContext;
import org.bson.codecs.DocumentCodec;
import org.msgpack.core.MessagePack;
import org.msgpack.jackson.dataformat.MessagePackMapper;
import org.msgpack.value.Value;

/** Reads and writes payloads with libraries of Java; docs/reference/worker.md has its messages. */
public final class Worker {
    private static final int LONGEST = 64 << 20;

    private static final ObjectMapper JSON =
            new ObjectMapper().enable(JsonGenerator.Feature.ESCAPE_NON_ASCII);

    interface Load {
        Object load(byte[] payload) throws IOException;
    }

    private record Library(String name, String format, Class<?> from, Load load, Schemas.Bind bind) {
        Library(String name, String format, Class<?> from, Load load) {
            this(name, format, from, load, null);
        }

        Load loader(Map<?, ?> asked) throws IOException {
            return bind == null ? load : Schemas.bound(name, bind, (Map<?, ?>) asked.get("schema"));
        }

        String schema(Map<?, ?> asked) {
            return bind == null ? null : (String) ((Map<?, ?>) asked.get("schema")).get("text");
        }
    }

    private record Answer(Map<String, ?> head, byte[] content) {}

    private static final List<Library> LIBRARIES = List.of(
            new Library("jackson-databind", "json", ObjectMapper.class, into(new ObjectMapper())),
            new Library("msgpack-core", "msgpack", MessagePack.class, Worker::msgpack),
            new Library(
                    "jackson-dataformat-msgpack", "msgpack", MessagePackMapper.class, into(new MessagePackMapper())),
            new Library("jackson-dataformat-cbor", "cbor", CBORMapper.class, into(new CBORMapper())),
            new Library("org.mongodb:bson", "bson", DocumentCodec.class, bson()),
            new Library("avro", "avro", GenericData.class, null, Schemas::avro),
            new Library("protobuf-java", "protobuf", Message.class, null, Schemas::protobuf));

    /** Libraries that read into classes, which are made of a JSON Schema. */
    private static final List<Library> TYPED = List.of(
            typed("jackson-databind", "json", ObjectMapper.class, new ObjectMapper()),
            typed("jackson-dataformat-msgpack", "msgpack", MessagePackMapper.class, new MessagePackMapper()),
            typed("jackson-dataformat-cbor", "cbor", CBORMapper.class, new CBORMapper()));

    private static final List<Library> ALL =
            Stream.concat(LIBRARIES.stream(), TYPED.stream()).toList();

    private static Library typed(String name, String format, Class<?> from, ObjectMapper mapper) {
        return new Library(name + " class", format, from, null, Classes.into(mapper));
    }

    private static Load into(ObjectMapper mapper) {
        return payload -> mapper.readValue(payload, Object.class);
    }

    private static Object msgpack(byte[] payload) throws IOException {
        try (var unpacker = MessagePack.newDefaultUnpacker(payload)) {
            Value value = unpacker.unpackValue();
            decodeText(value);
            return value;
        }
    }

    /** Decodes all text in a value, as other libraries do: this one would do it when the text is asked for. */
    private static void decodeText(Value value) {
        if (value.isStringValue()) {
            value.toString();
        } else if (value.isArrayValue()) {
            value.asArrayValue().forEach(Worker::decodeText);
        } else if (value.isMapValue()) {
            for (Value each : value.asMapValue().getKeyValueArray()) {
                decodeText(each);
            }
        }
    }

    private static Load bson() {
        var codec = new DocumentCodec();
        var context = DecoderContext.builder().build();
        return payload -> {
            try (var reader = new BsonBinaryReader(ByteBuffer.wrap(payload))) {
                return codec.decode(reader, context);
            }
        };
    }

    /** Returns the version in the name of the class's jar: not all manifests have one. */
    private static String version(Class<?> from) {
        String jar = from.getProtectionDomain().getCodeSource().getLocation().getPath();
        Matcher found = Pattern.compile("-(\\d[^/]*)\\.jar$").matcher(jar);
        return found.find() ? found.group(1) : "unknown";
    }

    private static Map<String, ?> hello() {
        List<Object> libraries = new ArrayList<>();
        for (Library each : ALL) {
            Map<String, Object> one =
                    new HashMap<>(Map.of("name", each.name, "format", each.format, "version", version(each.from)));
            one.put("typed", TYPED.contains(each));
            if (Writers.ALL.containsKey(each.name)) {
                one.put("writer", each.name);
            }
            libraries.add(one);
        }
        String version = System.getProperty("java.version");
        return Map.of("kind", "hello", "protocol", 1, "language", "Java", "version", version, "libraries", libraries);
    }

    private static Answer answer(Map<?, ?> asked, byte[] content) throws IOException {
        if (asked.get("kind").equals("hello")) {
            return new Answer(hello(), new byte[0]);
        }
        Library library = ALL.stream()
                .filter(each -> each.name.equals(asked.get("library")))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("unknown library " + asked.get("library")));
        Load load = library.loader(asked);
        if (asked.get("kind").equals("time")) {
            return new Answer(Times.measure(library.name, load, asked, content), new byte[0]);
        }
        if (asked.get("kind").equals("dump")) {
            Object value = load.load(content);
            byte[] payload = Writers.ALL.get(library.name).dump(value, library.schema(asked));
            return new Answer(Map.of("kind", "payload"), payload);
        }
        byte[] text = JSON.writeValueAsBytes(Canonical.of(load.load(content)));
        if (text.length > LONGEST) {
            throw new IllegalArgumentException("the canonical text of the value has " + text.length + " bytes");
        }
        return new Answer(Map.of("kind", "value"), text);
    }

    private static Answer refusal(Throwable error) {
        String reason = error instanceof JsonProcessingException json ? json.getOriginalMessage() : error.getMessage();
        String kind = error.getClass().getSimpleName();
        String message = reason == null ? kind : kind + ": " + reason;
        return new Answer(Map.of("kind", "error", "message", message), new byte[0]);
    }

    private static void send(Answer answer) throws IOException {
        byte[] head = JSON.writeValueAsBytes(answer.head);
        System.out.write(String.format("%08x %08x\n", head.length, answer.content.length).getBytes());
        System.out.write(head);
        System.out.write(answer.content);
        System.out.write('\n');
        System.out.flush();
    }

    public static void main(String[] arguments) throws IOException {
        var in = new DataInputStream(System.in);
        byte[] prefix = new byte[18];
        while (true) {
            try {
                in.readFully(prefix);
            } catch (EOFException end) {
                return;
            }
            String sizes = new String(prefix, StandardCharsets.US_ASCII);
            byte[] head = in.readNBytes(Integer.parseInt(sizes, 0, 8, 16));
            byte[] content = in.readNBytes(Integer.parseInt(sizes, 9, 17, 16));
            in.readByte();
            Map<?, ?> asked = JSON.readValue(head, Map.class);
            if (asked.get("kind").equals("bye")) {
                return;
            }
            try {
                send(answer(asked, content));
            } catch (Exception | StackOverflowError | OutOfMemoryError error) {
                send(refusal(error));
            }
        }
    }
}
