// Recorded by Java Flight Recorder and by async-profiler: two threads that compute, allocate, wait
// for a lock, and park, each in a function of its own.
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

public class calls {
  static final Object lock = new Object();
  static volatile long result;
  static volatile Object kept;

  static long mix(long h, long x) {
    h ^= x * 0x9E3779B97F4A7C15L;
    return (h << 13 | h >>> 51) * 5;
  }

  static long compute(int rounds) {
    long h = 1;
    for (int i = 0; i < rounds; i++) h = mix(h, i);
    return h;
  }

  static void allocate(int count) {
    List<byte[]> list = new ArrayList<>();
    for (int i = 0; i < count; i++) list.add(new byte[1000]);
    kept = list;
  }

  static void hold() {
    synchronized (lock) {
      result += compute(3000000);
    }
  }

  static void park() {
    LockSupport.parkNanos(12000000);
  }

  static void await() throws InterruptedException {
    synchronized (lock) {
      lock.wait(11);
    }
  }

  static void work(long end) {
    try {
      while (System.nanoTime() < end) {
        result += compute(2000000);
        allocate(2000);
        hold();
        park();
        await();
      }
    } catch (InterruptedException e) {
      throw new RuntimeException(e);
    }
  }

  public static void main(String[] arguments) throws Exception {
    long end = System.nanoTime() + Long.parseLong(arguments[0]) * 1000000;
    Thread[] threads = new Thread[2];
    for (int i = 0; i < threads.length; i++) {
      threads[i] = new Thread(() -> work(end), "worker-" + i);
      threads[i].start();
    }
    for (Thread thread : threads) thread.join();
    System.out.println("done");
  }
}
