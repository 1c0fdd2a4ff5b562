/* Acknowledged writes per second, by submitters that each wait for an answer before the next write:
 * to the store in a file, and to a minimal store with the same guarantee, a thread that appends all
 * waiting records to a file with one write and one fdatasync. The two alternate on the same disk.
 * usage: store FOLDER. Prints submitters|store|writes a second|median ms|99th percentile ms,
 * medians of the rounds. */
#include "server/store/store.h"
#include "latencies.h"

#include <fcntl.h>
#include <unistd.h>

/* About the size of a call's record that moves ten bodies. */
#define RECORD_BYTES 1024
#define SUBMITTERS_MOST 64
#define ROUNDS 5
#define ROUND_NS 1000000000u

static char record[RECORD_BYTES];

/* ---- minimal store --------------------------------------------------------------------------- */

/* A store that only appends: a thread takes all waiting records, writes them at once, syncs, and
 * wakes the loop. */
typedef struct appender {
  srv_store store; /* must be first */
  uv_thread_t thread;
  uv_async_t answers;
  uv_mutex_t mutex;
  uv_cond_t waits;
  srv_store_write *queue[SUBMITTERS_MOST], *done[SUBMITTERS_MOST];
  int queued, answered, file;
  bool ends;
} appender;

static void append_on(void *cls) {
  appender *a = cls;
  static char group[SUBMITTERS_MOST * RECORD_BYTES];
  srv_store_write *taken[SUBMITTERS_MOST];
  uv_mutex_lock(&a->mutex);
  while (a->queued || !a->ends) {
    if (!a->queued) {
      uv_cond_wait(&a->waits, &a->mutex);
      continue;
    }
    int writes = a->queued;
    memcpy(taken, a->queue, sizeof taken);
    a->queued = 0;
    uv_mutex_unlock(&a->mutex);
    for (int i = 0; i < writes; i++)
      memcpy(group + i * RECORD_BYTES, taken[i]->bytes, RECORD_BYTES);
    size_t size = (size_t)writes * RECORD_BYTES;
    if (write(a->file, group, size) != (ssize_t)size || fdatasync(a->file) != 0) fail("append");
    uv_mutex_lock(&a->mutex);
    for (int i = 0; i < writes; i++) a->done[a->answered++] = taken[i];
    uv_async_send(&a->answers);
  }
  uv_mutex_unlock(&a->mutex);
}

static void append_answers(uv_async_t *handle) {
  appender *a = handle->data;
  srv_store_write *answered[SUBMITTERS_MOST];
  uv_mutex_lock(&a->mutex);
  int writes = a->answered;
  memcpy(answered, a->done, sizeof answered);
  a->answered = 0;
  uv_mutex_unlock(&a->mutex);
  for (int i = 0; i < writes; i++) {
    answered[i]->status = SRV_STORE_OK;
    answered[i]->done(answered[i]);
  }
  /* All records submitted in this round are in the queue. */
  uv_mutex_lock(&a->mutex);
  uv_cond_signal(&a->waits);
  uv_mutex_unlock(&a->mutex);
}

static void append_submit(srv_store *store, srv_store_write *write) {
  appender *a = (appender *)store;
  uv_mutex_lock(&a->mutex);
  a->queue[a->queued++] = write;
  uv_mutex_unlock(&a->mutex);
}

static void append_closed(uv_handle_t *handle) { ((appender *)handle->data)->ends = false; }

static void append_close(srv_store *store, void (*done)(void *cls), void *cls) {
  appender *a = (appender *)store;
  uv_mutex_lock(&a->mutex);
  a->ends = true;
  uv_cond_signal(&a->waits);
  uv_mutex_unlock(&a->mutex);
  uv_thread_join(&a->thread);
  close(a->file);
  uv_close((uv_handle_t *)&a->answers, append_closed);
  done(cls);
}

static srv_store *append_open(uv_loop_t *loop, const char *folder) {
  static appender a;
  static const srv_store_ops ops = {.submit = append_submit, .close = append_close};
  char path[4096];
  snprintf(path, sizeof path, "%s/bare", folder);
  a = (appender){.store = {.ops = &ops},
                 .file = open(path, O_RDWR | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0600)};
  if (a.file < 0 || uv_mutex_init(&a.mutex) != 0 || uv_cond_init(&a.waits) != 0) fail(path);
  uv_async_init(loop, &a.answers, append_answers);
  a.answers.data = &a;
  if (uv_thread_create(&a.thread, append_on, &a) != 0) fail(path);
  uv_async_send(&a.answers); /* after the first writes */
  return &a.store;
}

/* ---- submitters ----------------------------------------------------------------------------- */

typedef struct submitter {
  srv_store_write write; /* must be first: the store's part */
  srv_store *store;
  uint64_t since, until;
  int *busy;
} submitter;

static void submit(submitter *s) {
  s->write.act = s->write.before ? SRV_STORE_CHANGE : SRV_STORE_BASE;
  s->write.revision = s->write.before + 1;
  s->since = now();
  srv_store_submit(s->store, &s->write);
}

static void on_done(srv_store_write *write) {
  submitter *s = (submitter *)write;
  uint64_t at = now();
  if (write->status != SRV_STORE_OK) {
    fprintf(stderr, "store: %s\n", write->why);
    exit(EXIT_FAILURE);
  }
  note(at - s->since);
  write->before = write->revision;
  if (at < s->until) submit(s);
  else --*s->busy;
}

static void on_closed(void *cls) { *(bool *)cls = true; }

typedef srv_store *open_store(uv_loop_t *loop, const char *folder);

/* Each submitter has a scene of its own, new in each round. */
static measured kept(open_store *open_it, const char *folder, int submitters, int round) {
  static submitter all[SUBMITTERS_MOST];
  uv_loop_t loop;
  uv_loop_init(&loop);
  srv_store *store = open_it(&loop, folder);
  if (!store) exit(EXIT_FAILURE);
  int busy = submitters;
  uint64_t begin = now();
  for (int i = 0; i < submitters; i++) {
    all[i] = (submitter){.store = store, .until = begin + ROUND_NS, .busy = &busy};
    all[i].write = (srv_store_write){.bytes = record, .length = sizeof record, .done = on_done};
    snprintf(all[i].write.id, sizeof all[i].write.id, "scene-%d-%d-%d", round, submitters, i);
    submit(&all[i]);
  }
  while (busy) uv_run(&loop, UV_RUN_ONCE);
  measured m = summary(now() - begin);
  bool closed = false;
  srv_store_close(store, on_closed, &closed);
  while (!closed) uv_run(&loop, UV_RUN_ONCE);
  uv_run(&loop, UV_RUN_DEFAULT);
  uv_loop_close(&loop);
  return m;
}

/* ---- rounds --------------------------------------------------------------------------------- */

static int by_value(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double median(const measured *m, size_t at) {
  double values[ROUNDS];
  for (int i = 0; i < ROUNDS; i++) memcpy(&values[i], (const char *)&m[i] + at, sizeof values[i]);
  qsort(values, ROUNDS, sizeof values[0], by_value);
  return values[ROUNDS / 2];
}

static void print(int submitters, const char *who, const measured *m) {
  printf("%d|%s|%.0f|%.3f|%.3f\n", submitters, who, median(m, offsetof(measured, rate)),
         median(m, offsetof(measured, median_ms)), median(m, offsetof(measured, late_ms)));
}

int main(int argc, char **argv) {
  static const int submitters[] = {1, 16, 64};
  if (argc != 2) return EXIT_FAILURE;
  for (size_t s = 0; s < sizeof submitters / sizeof submitters[0]; s++) {
    measured ours[ROUNDS], theirs[ROUNDS];
    for (int round = 0; round < ROUNDS; round++) {
      theirs[round] = kept(append_open, argv[1], submitters[s], round);
      ours[round] = kept(srv_store_sqlite_open, argv[1], submitters[s], round);
    }
    print(submitters[s], "contactd", ours);
    print(submitters[s], "bare", theirs);
  }
  return EXIT_SUCCESS;
}
