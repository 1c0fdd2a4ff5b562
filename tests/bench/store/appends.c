/* The minimum that provides a durable write: threads that each append a record to one file and
 * return when it is on the disk. A thread that finds no sync under way appends all waiting records
 * with one write and syncs once; the others wait for that sync.
 *
 *     appends FILE THREADS BYTES MILLISECONDS
 *
 * Prints writes a second|median ms|99th percentile ms. */
#include "latencies.h"

#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

#define THREADS_MOST 64
#define BYTES_MOST 65536

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t synced = PTHREAD_COND_INITIALIZER;
static bool syncing;
static uint64_t appended, durable; /* number of records submitted, and of records on the disk */
static size_t bytes;
static int file;
static uint64_t until;
static char group[THREADS_MOST * BYTES_MOST];

/* Called under the mutex, which is released during the write and the sync. */
static void sync_all(void) {
  uint64_t end = appended;
  size_t size = (size_t)(end - durable) * bytes;
  syncing = true;
  pthread_mutex_unlock(&mutex);
  if (write(file, group, size) != (ssize_t)size || fdatasync(file) != 0) fail("append");
  pthread_mutex_lock(&mutex);
  syncing = false;
  durable = end;
  pthread_cond_broadcast(&synced);
}

static void *append_on(void *unused) {
  (void)unused;
  uint64_t at = now();
  pthread_mutex_lock(&mutex);
  while (at < until) {
    uint64_t mine = ++appended, since = at;
    while (durable < mine) {
      if (syncing) pthread_cond_wait(&synced, &mutex);
      else sync_all();
    }
    at = now();
    note(at - since);
  }
  pthread_mutex_unlock(&mutex);
  return NULL;
}

int main(int argc, char **argv) {
  if (argc != 5) return EXIT_FAILURE;
  long threads = atol(argv[2]);
  bytes = strtoul(argv[3], NULL, 10);
  if (threads < 1 || threads > THREADS_MOST || bytes < 1 || bytes > BYTES_MOST) return EXIT_FAILURE;
  file = open(argv[1], O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (file < 0) fail(argv[1]);
  pthread_t all[THREADS_MOST];
  uint64_t begin = now();
  until = begin + strtoul(argv[4], NULL, 10) * 1000000u;
  for (long i = 0; i < threads; i++)
    if (pthread_create(&all[i], NULL, append_on, NULL) != 0) fail("pthread_create");
  for (long i = 0; i < threads; i++) pthread_join(all[i], NULL);
  measured m = summary(now() - begin);
  printf("%.0f|%.3f|%.3f\n", m.rate, m.median_ms, m.late_ms);
  return EXIT_SUCCESS;
}
