import de.bwaldvogel.mongo.MongoServer;
import de.bwaldvogel.mongo.MongoVersion;
import de.bwaldvogel.mongo.backend.memory.MemoryBackend;
import java.util.List;

/** Speaks MongoDB's wire protocol over records in memory; it says of itself what current clients ask for. */
public class Server {
    public static void main(String[] arguments) {
        MongoVersion version = new MongoVersion() {
            public List<Integer> getVersionArray() {
                return List.of(5, 0, 0);
            }

            public int getWireVersion() {
                return 13;
            }
        };
        new MongoServer(new MemoryBackend().version(version)).bind("127.0.0.1", Integer.parseInt(arguments[0]));
    }
}
