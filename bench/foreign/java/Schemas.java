import com.google.protobuf.DescriptorProtos.FileDescriptorProto;
import com.google.protobuf.DescriptorProtos.FileDescriptorSet;
import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.DescriptorValidationException;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Descriptors.FileDescriptor;
import com.google.protobuf.DynamicMessage;
import com.google.protobuf.Message;
import java.io.IOException;
import java.util.Base64;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.avro.Conversion;
import org.apache.avro.Conversions;
import org.apache.avro.Schema;
import org.apache.avro.data.TimeConversions;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericDatumReader;
import org.apache.avro.io.Decoder;
import org.apache.avro.io.DecoderFactory;

/** Formats whose payloads need a schema. */
final class Schemas {
    interface Bind {
        Worker.Load bind(String text, String message) throws IOException;
    }

    private static final List<Conversion<?>> LOGICAL_TYPES = List.of(
            new Conversions.DecimalConversion(),
            new Conversions.UUIDConversion(),
            new TimeConversions.DateConversion(),
            new TimeConversions.TimeMillisConversion(),
            new TimeConversions.TimeMicrosConversion(),
            new TimeConversions.TimestampMillisConversion(),
            new TimeConversions.TimestampMicrosConversion(),
            new TimeConversions.TimestampNanosConversion(),
            new TimeConversions.LocalTimestampMillisConversion(),
            new TimeConversions.LocalTimestampMicrosConversion(),
            new TimeConversions.LocalTimestampNanosConversion());

    private static final Map<List<?>, Worker.Load> BOUND = new HashMap<>();

    private Schemas() {}

    /** Returns what reads payloads of a schema. */
    static Worker.Load bound(String library, Bind bind, Map<?, ?> schema) throws IOException {
        List<?> key = List.of(library, schema);
        if (!BOUND.containsKey(key)) {
            BOUND.put(key, bind.bind((String) schema.get("text"), (String) schema.get("message")));
        }
        return BOUND.get(key);
    }

    static Worker.Load avro(String text, String message) {
        var schema = new Schema.Parser().parse(text);
        var reader = new GenericDatumReader<Object>(schema, schema, logicalTypes()) {
            @Override
            protected Object readString(Object old, Decoder in) throws IOException {
                return in.readString(); // Utf8 would decode its bytes only when asked
            }
        };
        return payload -> reader.read(null, DecoderFactory.get().binaryDecoder(payload, null));
    }

    static GenericData logicalTypes() {
        var data = new GenericData();
        LOGICAL_TYPES.forEach(data::addLogicalTypeConversion);
        return data;
    }

    static Worker.Load protobuf(String text, String message) throws IOException {
        Map<String, FileDescriptor> files = new HashMap<>();
        Map<String, Descriptor> types = new HashMap<>();
        try {
            for (FileDescriptorProto each :
                    FileDescriptorSet.parseFrom(Base64.getDecoder().decode(text)).getFileList()) {
                var needed = each.getDependencyList().stream().map(files::get).toArray(FileDescriptor[]::new);
                FileDescriptor file = FileDescriptor.buildFrom(each, needed);
                files.put(each.getName(), file);
                file.getMessageTypes().forEach(type -> types.put(type.getFullName(), type));
            }
        } catch (DescriptorValidationException error) {
            throw new IOException(error);
        }
        Descriptor type = types.get(message);
        return payload -> DynamicMessage.parseFrom(type, payload);
    }

    /** Returns the fields that are set, and those that have a default instead. */
    static Map<String, Object> fields(Message message) {
        Map<String, Object> found = new LinkedHashMap<>();
        for (FieldDescriptor field : message.getDescriptorForType().getFields()) {
            if (!field.hasPresence() || message.hasField(field)) {
                Object value = message.getField(field);
                found.put(field.getName(), field.isMapField() ? entries((List<?>) value) : value);
            }
        }
        return found;
    }

    private static Map<Object, Object> entries(List<?> entries) {
        Map<Object, Object> found = new LinkedHashMap<>();
        for (Object each : entries) {
            Message entry = (Message) each;
            Descriptor type = entry.getDescriptorForType();
            found.put(entry.getField(type.findFieldByNumber(1)), entry.getField(type.findFieldByNumber(2)));
        }
        return found;
    }

    /** Returns the fields of a record. */
    static Map<String, Object> fields(GenericData.Record record) {
        Map<String, Object> found = new LinkedHashMap<>();
        record.getSchema().getFields().forEach(field -> found.put(field.name(), record.get(field.pos())));
        return found;
    }
}
