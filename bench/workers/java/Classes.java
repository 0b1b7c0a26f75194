import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.ObjectReader;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.StringWriter;
import java.lang.reflect.Field;
import java.net.URI;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import javax.tools.FileObject;
import javax.tools.ForwardingJavaFileManager;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileManager;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;

/** Classes with public fields, as a service would have them: written from a JSON Schema, and compiled in memory. */
final class Classes {
    /** Marks the classes that are made here. */
    public interface Made {}

    private static final String TYPE = "Type";
    private static final Map<String, String> BOXED =
            Map.of("long", "Long", "double", "Double", "boolean", "Boolean");

    private static final ObjectMapper JSON =
            new ObjectMapper().enable(JsonGenerator.Feature.ESCAPE_NON_ASCII); // a text is a literal of Java, too

    private final JsonNode definitions;
    private final Map<String, String> known = new HashMap<>(); // names of types, by their definition
    private final StringBuilder source = new StringBuilder();
    private int count;

    private Classes(JsonNode definitions) {
        this.definitions = definitions;
    }

    static Schemas.Bind into(ObjectMapper mapper) {
        return (text, message) -> {
            JsonNode schema = JSON.readTree(text);
            var classes = new Classes(schema.path("$defs"));
            String root = boxed(classes.type(schema));
            ObjectReader reader = mapper.readerFor(compiled("public final class %s extends %s<%s> {%s}"
                    .formatted(TYPE, TypeReference.class.getName(), root, classes.source)));
            return payload -> reader.readValue(payload);
        };
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

    /** Returns the name of the type of a value; Object if Java has no other. */
    private String type(JsonNode node) throws IOException {
        JsonNode options = node.path("anyOf");
        if (node.has("$ref")) {
            return defined(node.get("$ref").textValue().substring("#/$defs/".length()));
        } else if (options.size() == 2 && options.get(1).path("type").asText().equals("null")) {
            return boxed(type(options.get(0)));
        } else if (!options.isMissingNode()) {
            return "Object";
        }
        return switch (node.path("type").asText()) {
            case "object" -> hasClass(node) ? structure(node, next()) : map(node);
            case "array" -> node.has("prefixItems") || !node.path("items").isObject()
                    ? "Object"
                    : "java.util.List<%s>".formatted(boxed(type(node.get("items"))));
            case "integer" -> "long";
            case "number" -> "double";
            case "boolean" -> "boolean";
            case "string" -> node.has("format") || node.has("contentEncoding") ? "Object" : "String";
            default -> "Object";
        };
    }

    private String defined(String name) throws IOException {
        if (!known.containsKey(name)) {
            JsonNode node = definitions.path(name);
            if (hasClass(node)) {
                known.put(name, next()); // it may contain itself
                structure(node, known.get(name));
            } else {
                known.put(name, "Object");
                known.put(name, type(node));
            }
        }
        return known.get(name);
    }

    /** Jackson has no annotation for an empty key. */
    private static boolean hasClass(JsonNode node) {
        return node.has("properties") && !node.get("properties").has("");
    }

    private String map(JsonNode node) throws IOException {
        JsonNode values = node.path("additionalProperties");
        return node.has("propertyNames") || !values.isObject()
                ? "Object"
                : "java.util.Map<String, %s>".formatted(boxed(type(values)));
    }

    private String next() {
        return TYPE + ".Class" + count++;
    }

    /** Writes a class with the fields of an object; returns its name. */
    private String structure(JsonNode node, String name) throws IOException {
        var fields = new StringBuilder();
        int number = 0;
        for (var each : node.get("properties").properties()) {
            boolean required = false;
            for (JsonNode key : node.path("required")) {
                required |= key.textValue().equals(each.getKey());
            }
            String kind = type(each.getValue());
            String literal = JSON.writeValueAsString(each.getKey());
            fields.append("@%s(value = %s, required = %s) public %s field%d;\n"
                    .formatted(JsonProperty.class.getName(), literal, required, required ? kind : boxed(kind), number++));
        }
        String simple = name.substring(TYPE.length() + 1);
        source.append("public static final class %s implements Classes.Made {\n%s}\n".formatted(simple, fields));
        return name;
    }

    private static String boxed(String type) {
        return BOXED.getOrDefault(type, type);
    }

    /** Compiles a type reference, and the classes within it; returns an instance. */
    private static TypeReference<?> compiled(String source) throws IOException {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        if (compiler == null) {
            throw new IOException("this Java has no compiler; classes of a schema need a JDK");
        }
        Map<String, ByteArrayOutputStream> written = new HashMap<>();
        var errors = new StringWriter();
        var task = compiler.getTask(
                errors, files(compiler, written), null, List.of("-proc:none"), null, List.of(unit(source)));
        if (!task.call()) {
            throw new IOException("no classes for this schema: " + errors);
        }
        var loader = new ClassLoader(Classes.class.getClassLoader()) {
            @Override
            protected Class<?> findClass(String name) throws ClassNotFoundException {
                if (!written.containsKey(name)) {
                    throw new ClassNotFoundException(name);
                }
                byte[] code = written.get(name).toByteArray();
                return defineClass(name, code, 0, code.length);
            }
        };
        try {
            return (TypeReference<?>) loader.loadClass(TYPE).getConstructor().newInstance();
        } catch (ReflectiveOperationException error) {
            throw new IOException(error);
        }
    }

    private static JavaFileObject unit(String source) {
        return new SimpleJavaFileObject(URI.create("memory:///" + TYPE + ".java"), JavaFileObject.Kind.SOURCE) {
            @Override
            public CharSequence getCharContent(boolean ignoreEncodingErrors) {
                return source;
            }
        };
    }

    private static JavaFileManager files(JavaCompiler compiler, Map<String, ByteArrayOutputStream> written) {
        return new ForwardingJavaFileManager<JavaFileManager>(compiler.getStandardFileManager(null, null, null)) {
            @Override
            public JavaFileObject getJavaFileForOutput(
                    Location location, String name, JavaFileObject.Kind kind, FileObject sibling) {
                return new SimpleJavaFileObject(URI.create("memory:///" + name), kind) {
                    @Override
                    public OutputStream openOutputStream() {
                        written.put(name, new ByteArrayOutputStream());
                        return written.get(name);
                    }
                };
            }
        };
    }
}
