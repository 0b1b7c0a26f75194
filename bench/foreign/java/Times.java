import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.lang.management.CompilationMXBean;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/** The times of slices. */
final class Times {
    private static final int WARM_UP = 50; // slices at most
    private static final double STEADY = 0.02; // difference of two slices
    private static final int READS = 10_000; // of payloads in a row without a compilation, or at most
    private static final long COMPILING = 2_000_000_000; // nanoseconds, for each library
    private static final double WAITED = 0.01; // of a slice without the processor: it is repeated,
    private static final int REPEATS = 2; // at most so often

    private static final CompilationMXBean COMPILER = ManagementFactory.getCompilationMXBean();
    /** Milliseconds of compilation when a library was measured last: the compiler may discard code at any time. */
    private static final Map<String, Long> COMPILED = new HashMap<>();

    /** Nanoseconds that a library has read only to be compiled. */
    private static final Map<String, Long> SPENT = new HashMap<>();

    private static final RandomAccessFile SCHEDULE = schedule();

    private static volatile Object sink; // keeps the compiler from dropping the calls

    private record Slice(long spent, long count) {}

    private Times() {}

    static Map<String, ?> measure(String library, Worker.Load load, Map<?, ?> asked, byte[] content)
            throws IOException {
        List<byte[]> payloads = new ArrayList<>();
        int start = 0;
        for (Object size : (List<?>) asked.get("sizes")) {
            payloads.add(Arrays.copyOfRange(content, start, start += (Integer) size));
        }
        Collections.shuffle(payloads, new Random(((Number) asked.get("seed")).longValue()));
        long atLeast = ((Number) asked.get("slice_ns")).longValue();
        long begin = System.nanoTime();
        if (COMPILED.getOrDefault(library, -1L) != COMPILER.getTotalCompilationTime()) {
            long left = COMPILING - SPENT.getOrDefault(library, 0L);
            SPENT.merge(library, compile(load, payloads, left), Long::sum);
        }
        warmUp(load, payloads, atLeast);
        long warmed = System.nanoTime() - begin;
        double[] slices = new double[(Integer) asked.get("slices")];
        for (int i = 0; i < slices.length; i++) {
            slices[i] = slice(load, payloads, atLeast, REPEATS);
        }
        COMPILED.put(library, COMPILER.getTotalCompilationTime());
        return Map.of("kind", "times", "warmup_ns", warmed, "slices", slices);
    }

    /** Reads until the compiler is idle, for at most so many nanoseconds; returns how many passed. */
    private static long compile(Worker.Load load, List<byte[]> payloads, long atMost) throws IOException {
        long begin = System.nanoTime();
        long before = COMPILER.getTotalCompilationTime();
        for (int reads = 0; reads < READS && System.nanoTime() - begin < atMost; reads += payloads.size()) {
            loop(load, payloads, 0);
            long now = COMPILER.getTotalCompilationTime();
            if (now != before) {
                reads = 0;
                before = now;
            }
        }
        return System.nanoTime() - begin;
    }

    private static void warmUp(Worker.Load load, List<byte[]> payloads, long atLeast) throws IOException {
        double before = Double.POSITIVE_INFINITY;
        for (int i = 0; i < WARM_UP; i++) {
            double figure = slice(load, payloads, atLeast, 0);
            if (Math.abs(figure - before) <= STEADY * figure) {
                return;
            }
            before = figure;
        }
    }

    private static double slice(Worker.Load load, List<byte[]> payloads, long atLeast, int repeats) throws IOException {
        for (int left = repeats; ; left--) {
            long begin = System.nanoTime();
            long before = waited();
            Slice slice = loop(load, payloads, atLeast);
            long lost = waited() - before;
            long outside = System.nanoTime() - begin - slice.spent; // the thread may have waited there, too
            if (left == 0 || lost <= WAITED * slice.spent) {
                return (double) Math.max(slice.spent - Math.max(lost - outside, 0), 1) / slice.count;
            }
        }
    }

    private static Slice loop(Worker.Load load, List<byte[]> payloads, long atLeast) throws IOException {
        long begin = System.nanoTime();
        long count = 0;
        long spent;
        do {
            for (byte[] payload : payloads) {
                sink = load.load(payload);
            }
            count += payloads.size();
            spent = System.nanoTime() - begin;
        } while (spent < atLeast);
        return new Slice(spent, count);
    }

    /** The times of the thread that opens it; there is none but on Linux. */
    private static RandomAccessFile schedule() {
        try {
            return new RandomAccessFile("/proc/thread-self/schedstat", "r");
        } catch (FileNotFoundException error) {
            return null;
        }
    }

    /** Nanoseconds in which this thread was ready to run and the processor was busy with others. */
    private static long waited() throws IOException {
        if (SCHEDULE == null) {
            return 0;
        }
        byte[] line = new byte[100];
        SCHEDULE.seek(0);
        int size = SCHEDULE.read(line);
        return Long.parseLong(new String(line, 0, size, StandardCharsets.US_ASCII).split(" ")[1]);
    }
}
