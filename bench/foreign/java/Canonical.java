import com.google.protobuf.ByteString;
import com.google.protobuf.Descriptors.EnumValueDescriptor;
import com.google.protobuf.Message;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Date;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericEnumSymbol;
import org.apache.avro.generic.GenericFixed;
import org.bson.types.Binary;
import org.bson.types.Decimal128;
import org.msgpack.jackson.dataformat.MessagePackExtensionType;
import org.msgpack.value.ExtensionValue;
import org.msgpack.value.RawValue;
import org.msgpack.value.Value;

/** The canonical text of a value, as lists; docs/reference/worker.md describes it. */
final class Canonical {
    private static final int DEEPEST = 200;

    private Canonical() {}

    static List<Object> of(Object value) {
        return canonical(value, 0);
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
        } else if (value instanceof CharSequence || value instanceof GenericEnumSymbol) {
            return List.of("text", value.toString());
        } else if (value instanceof EnumValueDescriptor symbol) {
            return List.of("int", String.valueOf(symbol.getNumber()));
        } else if (value instanceof byte[] bytes) {
            return bytes(bytes);
        } else if (value instanceof ByteString bytes) {
            return bytes(bytes.toByteArray());
        } else if (value instanceof ByteBuffer bytes) {
            return bytes(ByteString.copyFrom(bytes.duplicate()).toByteArray());
        } else if (value instanceof GenericFixed fixed) {
            return bytes(fixed.bytes());
        } else if (value instanceof GenericData.Record record) {
            return pairs(Schemas.fields(record), depth);
        } else if (value instanceof Classes.Made made) {
            return pairs(Classes.fields(made), depth);
        } else if (value instanceof Message message) {
            return pairs(Schemas.fields(message), depth);
        } else if (value instanceof List<?> list) {
            return items(list, depth);
        } else if (value instanceof Map<?, ?> map) {
            return pairs(map, depth);
        } else if (value instanceof Date || value instanceof Instant) {
            return time(value instanceof Date date ? date.toInstant() : (Instant) value);
        } else if (value instanceof LocalDate) {
            return List.of("date", value.toString());
        } else if (value instanceof LocalDateTime local) {
            return List.of("time", local.format(DateTimeFormatter.ISO_LOCAL_DATE_TIME));
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
}
