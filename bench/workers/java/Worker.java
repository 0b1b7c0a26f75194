import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.cbor.databind.CBORMapper;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Date;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.bson.BsonBinaryReader;
import org.bson.codecs.DecoderContext;
import org.bson.codecs.DocumentCodec;
import org.bson.types.Binary;
import org.bson.types.Decimal128;
import org.msgpack.core.MessagePack;
import org.msgpack.jackson.dataformat.MessagePackMapper;
import org.msgpack.jackson.dataformat.MessagePackExtensionType;
import org.msgpack.value.ExtensionValue;
import org.msgpack.value.RawValue;
import org.msgpack.value.Value;

/** Reads payloads with libraries of Java; docs/reference/worker.md has its messages. */
public final class Worker {
    private static final int DEEPEST = 200;
    private static final int LONGEST = 64 << 20;
    private static final int HOT_CALLS = 20_000;
    private static final long HOT_NS = 2_000_000_000;

    private static final ObjectMapper JSON =
            new ObjectMapper().enable(JsonGenerator.Feature.ESCAPE_NON_ASCII);

    private interface Load {
        Object load(byte[] payload) throws IOException;
    }

    private record Library(String name, String format, Class<?> from, Load load) {}

    private record Answer(Map<String, ?> head, byte[] content) {}

    private static final List<Library> LIBRARIES = List.of(
            new Library("jackson-databind", "json", ObjectMapper.class, into(new ObjectMapper())),
            new Library("msgpack-core", "msgpack", MessagePack.class, Worker::msgpack),
            new Library(
                    "jackson-dataformat-msgpack", "msgpack", MessagePackMapper.class, into(new MessagePackMapper())),
            new Library("jackson-dataformat-cbor", "cbor", CBORMapper.class, into(new CBORMapper())),
            new Library("org.mongodb:bson", "bson", DocumentCodec.class, bson()));

    private static final Map<String, Integer> CALLS = new HashMap<>();

    private static volatile Object sink; // keeps the compiler from dropping the calls

    private static Load into(ObjectMapper mapper) {
        return payload -> mapper.readValue(payload, Object.class);
    }

    private static Object msgpack(byte[] payload) throws IOException {
        try (var unpacker = MessagePack.newDefaultUnpacker(payload)) {
            return unpacker.unpackValue();
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

    private static List<Object> canonical(Object value, int depth) {
        if (depth > DEEPEST) {
            throw new IllegalArgumentException("the value has more than " + DEEPEST + " levels");
        }
        if (value == null) {
            return List.of("null");
        } else if (value instanceof Value v) {
            return canonicalMsgpack(v, depth);
        } else if (value instanceof Boolean) {
            return List.of("bool", value);
        } else if (value instanceof Integer || value instanceof Long || value instanceof BigInteger) {
            return List.of("int", value.toString());
        } else if (value instanceof Float || value instanceof Double) {
            return number(((Number) value).doubleValue());
        } else if (value instanceof BigDecimal || value instanceof Decimal128) {
            return List.of("decimal", value.toString());
        } else if (value instanceof String) {
            return List.of("text", value);
        } else if (value instanceof byte[] bytes) {
            return bytes(bytes);
        } else if (value instanceof List<?> list) {
            return items(list, depth);
        } else if (value instanceof Map<?, ?> map) {
            return pairs(map, depth);
        } else if (value instanceof Date || value instanceof Instant) {
            return time(value instanceof Date date ? date.toInstant() : (Instant) value);
        } else if (value instanceof UUID) {
            return List.of("uuid", value.toString());
        } else if (value instanceof Binary binary) {
            return canonicalBinary(binary);
        } else if (value instanceof MessagePackExtensionType extension) {
            return tag(extension.getType(), extension.getData());
        }
        return List.of("other", value.getClass().getSimpleName(), value.toString());
    }

    private static List<Object> canonicalMsgpack(Value value, int depth) {
        if (value.isTimestampValue()) {
            return time(value.asTimestampValue().toInstant());
        }
        return switch (value.getValueType()) {
            case NIL -> List.of("null");
            case BOOLEAN -> List.of("bool", value.asBooleanValue().getBoolean());
            case INTEGER -> List.of("int", value.asIntegerValue().asBigInteger().toString());
            case FLOAT -> number(value.asFloatValue().toDouble());
            case STRING -> text(value.asRawValue());
            case BINARY -> bytes(value.asRawValue().asByteArray());
            case ARRAY -> items(value.asArrayValue().list(), depth);
            case MAP -> pairs(value.asMapValue().map(), depth);
            case EXTENSION -> {
                ExtensionValue extension = value.asExtensionValue();
                yield tag(extension.getType(), extension.getData());
            }
        };
    }

    private static List<Object> canonicalBinary(Binary binary) {
        byte[] data = binary.getData();
        if (binary.getType() == 4 && data.length == 16) {
            ByteBuffer parts = ByteBuffer.wrap(data);
            return List.of("uuid", new UUID(parts.getLong(), parts.getLong()).toString());
        }
        return binary.getType() == 0 ? bytes(data) : tag(binary.getType() & 0xff, data);
    }

    private static List<Object> number(double value) {
        return List.of("float", HexFormat.of().toHexDigits(Double.doubleToRawLongBits(value)));
    }

    private static List<Object> bytes(byte[] value) {
        return List.of("bytes", HexFormat.of().formatHex(value));
    }

    private static List<Object> tag(int number, byte[] data) {
        return List.of("tag", String.valueOf(number), bytes(data));
    }

    private static List<Object> text(RawValue value) {
        try {
            return List.of("text", StandardCharsets.UTF_8.newDecoder().decode(value.asByteBuffer()).toString());
        } catch (CharacterCodingException error) {
            return List.of("raw text", HexFormat.of().formatHex(value.asByteArray()));
        }
    }

    private static List<Object> time(Instant value) {
        String text = value.toString(); // years beyond 9999 have a sign
        return text.matches("\\d{4}-.*") ? List.of("time", text) : List.of("other", "Instant", text);
    }

    private static List<Object> items(List<?> values, int depth) {
        List<Object> items = new ArrayList<>();
        values.forEach(each -> items.add(canonical(each, depth + 1)));
        return List.of("list", items);
    }

    private static List<Object> pairs(Map<?, ?> map, int depth) {
        List<Object> pairs = new ArrayList<>();
        map.forEach((key, value) -> pairs.add(List.of(canonical(key, depth + 1), canonical(value, depth + 1))));
        return List.of("map", pairs);
    }

    private static Map<String, ?> hello() {
        List<Object> libraries = new ArrayList<>();
        for (Library each : LIBRARIES) {
            libraries.add(Map.of("name", each.name, "format", each.format, "version", version(each.from)));
        }
        String version = System.getProperty("java.version");
        return Map.of("kind", "hello", "protocol", 1, "language", "Java", "version", version, "libraries", libraries);
    }

    private static double slice(Load load, List<byte[]> payloads, long atLeast) throws IOException {
        long begin = System.nanoTime();
        long count = 0;
        do {
            for (byte[] payload : payloads) {
                sink = load.load(payload);
            }
            count += payloads.size();
        } while (System.nanoTime() - begin < atLeast);
        return (double) (System.nanoTime() - begin) / count;
    }

    /** Warms up: first for the compiler, then until two slices in a row differ by at most 2 %, or 50 have passed. */
    private static void warmUp(Library library, List<byte[]> payloads, long atLeast) throws IOException {
        long begin = System.nanoTime();
        int calls = CALLS.getOrDefault(library.name, 0);
        while (calls < HOT_CALLS && System.nanoTime() - begin < HOT_NS) {
            slice(library.load, payloads, 0);
            calls += payloads.size();
        }
        CALLS.put(library.name, HOT_CALLS);
        double before = Double.POSITIVE_INFINITY;
        for (int i = 0; i < 50; i++) {
            double figure = slice(library.load, payloads, atLeast);
            if (Math.abs(figure - before) <= 0.02 * figure) {
                return;
            }
            before = figure;
        }
    }

    private static Map<String, ?> measure(Library library, Map<?, ?> asked, byte[] content) throws IOException {
        List<byte[]> payloads = new ArrayList<>();
        int start = 0;
        for (Object size : (List<?>) asked.get("sizes")) {
            payloads.add(Arrays.copyOfRange(content, start, start += (Integer) size));
        }
        Collections.shuffle(payloads, new Random(((Number) asked.get("seed")).longValue()));
        long atLeast = ((Number) asked.get("slice_ns")).longValue();
        long begin = System.nanoTime();
        warmUp(library, payloads, atLeast);
        long warmed = System.nanoTime() - begin;
        double[] slices = new double[(Integer) asked.get("slices")];
        for (int i = 0; i < slices.length; i++) {
            slices[i] = slice(library.load, payloads, atLeast);
        }
        return Map.of("kind", "times", "warmup_ns", warmed, "slices", slices);
    }

    private static Answer answer(Map<?, ?> asked, byte[] content) throws IOException {
        if (asked.get("kind").equals("hello")) {
            return new Answer(hello(), new byte[0]);
        }
        Library library = LIBRARIES.stream()
                .filter(each -> each.name.equals(asked.get("library")))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("unknown library " + asked.get("library")));
        if (asked.get("kind").equals("time")) {
            return new Answer(measure(library, asked, content), new byte[0]);
        }
        byte[] text = JSON.writeValueAsBytes(canonical(library.load.load(content), 0));
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
