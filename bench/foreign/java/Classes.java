import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.ObjectReader;
import java.io.IOException;
import java.lang.reflect.Field;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import org.objectweb.asm.AnnotationVisitor;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.FieldVisitor;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;

/**
 * Classes with public fields, as a service would have them, made of a JSON Schema.
 *
 * <p>Types are in the form that class files have: "J" is a long, "Ljava/util/List<LClass0;>;" a list.
 */
final class Classes {
    /** Marks the classes that are made here. */
    public interface Made {}

    private static final String OBJECT = "Ljava/lang/Object;";
    private static final Map<String, String> BOXED =
            Map.of("J", "Ljava/lang/Long;", "D", "Ljava/lang/Double;", "Z", "Ljava/lang/Boolean;");

    /** Root types by their schema. */
    private static final Map<String, TypeReference<?>> ROOTS = new HashMap<>();

    private final JsonNode definitions;
    private final Map<String, String> known = new HashMap<>(); // types by the name of their definition
    private final Map<String, byte[]> code = new HashMap<>(); // of classes, by name

    private Classes(JsonNode definitions) {
        this.definitions = definitions;
    }

    static Schemas.Bind into(ObjectMapper mapper) {
        return (text, message) -> {
            if (!ROOTS.containsKey(text)) {
                ROOTS.put(text, root(new ObjectMapper().readTree(text)));
            }
            ObjectReader reader = mapper.readerFor(ROOTS.get(text));
            return payload -> reader.readValue(payload);
        };
    }

    private static TypeReference<?> root(JsonNode schema) throws IOException {
        var classes = new Classes(schema.path("$defs"));
        String type = boxed(classes.type(schema));
        String reference = Type.getInternalName(TypeReference.class);
        ClassWriter root = begin("Root", "L%s<%s>;".formatted(reference, type), reference);
        classes.end("Root", root);
        try {
            return (TypeReference<?>) classes.loader().loadClass("Root").getConstructor().newInstance();
        } catch (ReflectiveOperationException | LinkageError error) {
            throw new IOException(error);
        }
    }

    /** Returns the fields by their keys, without optional ones that are missing. */
    static Map<String, Object> fields(Made value) {
        Map<String, Object> found = new LinkedHashMap<>();
        for (Field field : value.getClass().getFields()) {
            JsonProperty key = field.getAnnotation(JsonProperty.class);
            try {
                Object content = field.get(value);
                if (key.required() || content != null) {
                    found.put(key.value(), content);
                }
            } catch (IllegalAccessException error) {
                throw new IllegalStateException(error);
            }
        }
        return found;
    }

    /** Returns the type of a value; Object if Java has no other. */
    private String type(JsonNode node) {
        JsonNode options = node.path("anyOf");
        if (node.has("$ref")) {
            return defined(node.get("$ref").textValue().substring("#/$defs/".length()));
        } else if (options.size() == 2 && options.get(1).path("type").asText().equals("null")) {
            return boxed(type(options.get(0)));
        } else if (!options.isMissingNode()) {
            return OBJECT;
        }
        return switch (node.path("type").asText()) {
            case "object" -> hasClass(node) ? structure(node, next()) : map(node);
            case "array" -> list(node);
            case "integer" -> "J";
            case "number" -> "D";
            case "boolean" -> "Z";
            case "string" -> node.has("format") || node.has("contentEncoding") ? OBJECT : "Ljava/lang/String;";
            default -> OBJECT;
        };
    }

    private String defined(String name) {
        if (!known.containsKey(name)) {
            JsonNode node = definitions.path(name);
            if (hasClass(node)) {
                String made = next();
                known.put(name, "L" + made + ";"); // it may contain itself
                structure(node, made);
            } else {
                known.put(name, OBJECT);
                known.put(name, type(node));
            }
        }
        return known.get(name);
    }

    /** Jackson has no annotation for an empty key. */
    private static boolean hasClass(JsonNode node) {
        return node.has("properties") && !node.get("properties").has("");
    }

    private String map(JsonNode node) {
        JsonNode values = node.path("additionalProperties");
        return node.has("propertyNames") || !values.isObject()
                ? OBJECT
                : "Ljava/util/Map<Ljava/lang/String;%s>;".formatted(boxed(type(values)));
    }

    private String list(JsonNode node) {
        JsonNode items = node.path("items");
        return node.has("prefixItems") || !items.isObject()
                ? OBJECT
                : "Ljava/util/List<%s>;".formatted(boxed(type(items)));
    }

    private String next() {
        String name = "Class" + code.size();
        code.put(name, new byte[0]);
        return name;
    }

    /** Makes a class with the fields of an object; returns its type. */
    private String structure(JsonNode node, String name) {
        ClassWriter made = begin(name, null, Type.getInternalName(Object.class), Type.getInternalName(Made.class));
        int number = 0;
        for (var each : node.get("properties").properties()) {
            boolean required = false;
            for (JsonNode key : node.path("required")) {
                required |= key.textValue().equals(each.getKey());
            }
            String type = required ? type(each.getValue()) : boxed(type(each.getValue()));
            String erased = type.replaceAll("<.*>", "");
            FieldVisitor field = made.visitField(Opcodes.ACC_PUBLIC, "field" + number++, erased, type, null);
            AnnotationVisitor property = field.visitAnnotation(Type.getDescriptor(JsonProperty.class), true);
            property.visit("value", each.getKey());
            property.visit("required", required);
            property.visitEnd();
            field.visitEnd();
        }
        end(name, made);
        return "L" + name + ";";
    }

    private static String boxed(String type) {
        return BOXED.getOrDefault(type, type);
    }

    /** Begins a public class with a constructor that has no parameters. */
    private static ClassWriter begin(String name, String signature, String parent, String... interfaces) {
        var made = new ClassWriter(0);
        made.visit(Opcodes.V17, Opcodes.ACC_PUBLIC | Opcodes.ACC_SUPER, name, signature, parent, interfaces);
        MethodVisitor constructor = made.visitMethod(Opcodes.ACC_PUBLIC, "<init>", "()V", null, null);
        constructor.visitCode();
        constructor.visitVarInsn(Opcodes.ALOAD, 0);
        constructor.visitMethodInsn(Opcodes.INVOKESPECIAL, parent, "<init>", "()V", false);
        constructor.visitInsn(Opcodes.RETURN);
        constructor.visitMaxs(1, 1);
        constructor.visitEnd();
        return made;
    }

    private void end(String name, ClassWriter made) {
        made.visitEnd();
        code.put(name, made.toByteArray());
    }

    private ClassLoader loader() {
        return new ClassLoader(Classes.class.getClassLoader()) {
            @Override
            protected Class<?> findClass(String name) throws ClassNotFoundException {
                byte[] found = code.get(name);
                if (found == null) {
                    throw new ClassNotFoundException(name);
                }
                return defineClass(name, found, 0, found.length);
            }
        };
    }
}
