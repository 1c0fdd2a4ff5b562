/* The store in a file: a writing and a reading thread, each with its own SQLite connection.
 * Submissions are queued; the writer executes all queued writes in one transaction with one sync
 * (group commit). Answers are returned to the loop thread. */
#include "store/store_sqlite.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

/* Largest number and size of the writes of one transaction: its changed pages are in memory, and
 * its first write is answered only after its last. */
#define GROUP_WRITES 1024
#define GROUP_BYTES ((size_t)32 << 20)

/* Idle time after which the writer starts to delete unused rows in the background. */
#define IDLE_NS 200000000u

/* Pause between two steps of this cleanup. A write that arrives during a step waits for the step's
 * sync. A pause of several syncs leaves the disk to other processes. */
#define CLEANUP_PAUSE_NS 10000000u

/* Number of pages in the WAL that triggers a checkpoint when the writer is idle; under load it is
 * SRV_SQLITE_LOG_PAGES. */
#define LOG_PAGES_IDLE 256

typedef struct sqlite_store {
  srv_store store; /* must be first: the daemon uses this address */
  srv_sqlite_file file;
  uv_loop_t *loop;
  int bell; /* eventfd by which the threads wake the loop, which polls it with `answers`.
               uv_async_send would make the loop spin until the sending thread returns, which may be
               long on a busy core. */
  uv_poll_t answers;
  uv_prepare_t round;
  uv_thread_t writer, reader;
  /* Not guarded by the mutex: each member is used by one thread only. */
  int reported_places;    /* value of `places` in the last log message about it */
  bool damage_reported;   /* `damaged` has been reported */
  bool failure_reported;  /* `failed` has been reported */
  bool cleaning;          /* unused rows remain to be deleted */
  bool forgot_unreported; /* the list of free pages was discarded when the file was opened, and this
                             has not been logged yet */
  bool submitted; /* writes were submitted in this iteration of the loop, and the writer has not
                     been woken yet */
  uint64_t submitted_ns; /* time at which the first write since the writer was last woken was
                            submitted */
  void (*closed)(void *cls);
  void *closed_cls;
  unsigned handles;
  /* Guarded by the mutex. */
  uv_mutex_t mutex;
  uv_cond_t writes_wait, reads_wait;
  srv_store_write *writes, **writes_end, *written, **written_end;
  srv_store_load *loads, **loads_end, *loaded, **loaded_end;
  srv_store_lookup *pending_lookups, **pending_lookups_end, *answered_lookups,
      **answered_lookups_end;
  bool closing, reader_ended, writer_ended;
  bool failed;   /* the device failed, for the reason in `why` */
  bool damaged;  /* structures that all keys need are damaged, for the reason in `why` unless
                    `failed` is set */
  int places;    /* number of tables that contain records */
  size_t queued; /* length of the list `writes` */

  srv_group_commit group_commit;
  char why[SRV_STORE_WHY];
} sqlite_store;

/* Appends an item to a list that has a pointer to its end. */
#define LIST_ADD(list, item)                                                                       \
  do {                                                                                             \
    (item)->next = NULL;                                                                           \
    *list##_end = (item);                                                                          \
    list##_end = &(item)->next;                                                                    \
  } while (0)

#define LIST_CLEAR(list) ((list) = NULL, list##_end = &(list))

/* ---- writer --------------------------------------------------------------------------------- */

/* Removes the writes of the next transaction from the queue and returns them as a list. The mutex
 * must be locked. */
static srv_store_write *dequeue_group(sqlite_store *s) {
  srv_store_write *first = s->writes, *last = first;
  size_t bytes = first->length, count = 1;
  for (; last->next && count < GROUP_WRITES && bytes + last->next->length <= GROUP_BYTES; count++) {
    last = last->next;
    bytes += last->length;
  }
  s->queued -= count;
  s->writes = last->next;
  if (!s->writes) LIST_CLEAR(s->writes);
  last->next = NULL;
  return first;
}

/* Wakes the loop through its eventfd. This cannot fail: the counter never comes near its
 * maximum. */
static void wake_loop(sqlite_store *s) {
  int refused = eventfd_write(s->bell, 1);
  assert(refused == 0);
  (void)refused;
}

/* Copies the state of the file to the members that the loop thread reads. True: it has changed and
 * must be reported. The mutex must be locked. */
static bool publish_file_state(sqlite_store *s) {
  bool failed = srv_sqlite_failed(s->file.writer), damaged = srv_sqlite_damaged(s->file.writer);
  int places = srv_sqlite_table_count(s->file.writer);
  bool ends = failed > s->failed || damaged > s->damaged, news = ends || places > s->places;
  if (ends) memcpy(s->why, srv_sqlite_why(s->file.writer), sizeof s->why);
  s->failed = failed;
  s->damaged = damaged;
  s->places = places;
  return news;
}

/* Reports failures of the cleanup in the background, after which there may be no write for a long
 * time. */
static void report_file_state(sqlite_store *s) {
  uv_mutex_lock(&s->mutex);
  bool news = publish_file_state(s);
  uv_mutex_unlock(&s->mutex);
  if (news) wake_loop(s);
}

/* Returns the answers of a transaction to the loop. began_ns: start of the transaction. */
static void return_answers(sqlite_store *s, srv_store_write *first, uint64_t began_ns,
                           uint64_t now_ns) {
  size_t answered = 0;
  uv_mutex_lock(&s->mutex);
  for (; first; answered++) {
    srv_store_write *write = first;
    first = write->next;
    LIST_ADD(s->written, write);
  }
  publish_file_state(s);
  srv_group_commit_note_answered(&s->group_commit, answered, s->queued, began_ns, now_ns);
  uv_mutex_unlock(&s->mutex);
  wake_loop(s);
}

/* Waits for writes of the clients that were just answered. The mutex must be locked. */
static void wait_for_group(sqlite_store *s) {
  if (!srv_group_commit_should_wait(&s->group_commit)) return;
  bool waited = false;
  for (uint64_t left_ns;
       !s->closing &&
       (left_ns = srv_group_commit_wait_ns(&s->group_commit, s->queued, uv_hrtime())) > 0;
       waited = true)
    uv_cond_timedwait(&s->writes_wait, &s->mutex, left_ns);
  if (waited) srv_group_commit_note_arrived(&s->group_commit, s->queued, uv_hrtime());
}

/* Waits for writes and returns those of the next transaction. NULL: the waiting time is over, or
 * the store is closing (*ends). */
static srv_store_write *await_group(sqlite_store *s, bool *ends) {
  uv_mutex_lock(&s->mutex);
  bool waits = true;
  while (!s->writes && !s->closing && waits)
    waits = uv_cond_timedwait(&s->writes_wait, &s->mutex,
                              s->cleaning ? CLEANUP_PAUSE_NS : IDLE_NS) == 0;
  if (s->writes) wait_for_group(s);
  srv_store_write *first = s->writes ? dequeue_group(s) : NULL;
  *ends = !first && s->closing;
  uv_mutex_unlock(&s->mutex);
  return first;
}

static void run_writer(void *cls) {
  sqlite_store *s = cls;
  bool ends = false;
  while (!ends) {
    srv_store_write *first = await_group(s, &ends);
    if (first) {
      uint64_t begin_ns = uv_hrtime();
      srv_sqlite_write(s->file.writer, first);
      return_answers(s, first, begin_ns, uv_hrtime());
      s->cleaning = false;
      srv_sqlite_checkpoint(s->file.writer, SRV_SQLITE_LOG_PAGES);
    } else if (!ends) {
      s->cleaning = srv_sqlite_sweep(s->file.writer);
      srv_sqlite_checkpoint(s->file.writer, s->cleaning ? SRV_SQLITE_LOG_PAGES : LOG_PAGES_IDLE);
    }
    report_file_state(s);
  }
  /* Close the file on this thread, because the last checkpoint would block the loop. */
  uv_thread_join(&s->reader);
  srv_sqlite_close(&s->file);
  uv_mutex_lock(&s->mutex);
  s->writer_ended = true;
  uv_mutex_unlock(&s->mutex);
  wake_loop(s);
}

/* ---- reader --------------------------------------------------------------------------------- */

static void run_reader(void *cls) {
  sqlite_store *s = cls;
  uv_mutex_lock(&s->mutex);
  for (;;) {
    srv_store_lookup *lookup = s->pending_lookups;
    srv_store_load *load = s->loads;
    if (lookup) {
      s->pending_lookups = lookup->next;
      if (!s->pending_lookups) LIST_CLEAR(s->pending_lookups);
      uv_mutex_unlock(&s->mutex);
      srv_sqlite_lookup(s->file.reader, lookup);
      uv_mutex_lock(&s->mutex);
      LIST_ADD(s->answered_lookups, lookup);
    } else if (load) {
      s->loads = load->next;
      if (!s->loads) LIST_CLEAR(s->loads);
      uv_mutex_unlock(&s->mutex);
      srv_sqlite_load(s->file.reader, load);
      uv_mutex_lock(&s->mutex);
      LIST_ADD(s->loaded, load);
    } else if (s->closing) {
      break;
    } else {
      uv_cond_wait(&s->reads_wait, &s->mutex);
      continue;
    }
    wake_loop(s);
  }
  uv_mutex_unlock(&s->mutex);
}

/* ---- loop thread ---------------------------------------------------------------------------- */

static sqlite_store *sqlite_store_of(const srv_store *store) {
  return (sqlite_store *)(uintptr_t)store;
}

static void release_store(sqlite_store *s) {
  uv_cond_destroy(&s->writes_wait);
  uv_cond_destroy(&s->reads_wait);
  uv_mutex_destroy(&s->mutex);
  if (s->bell >= 0) close(s->bell);
  free(s);
}

static void handle_closed(uv_handle_t *handle) {
  sqlite_store *s = handle->data;
  if (--s->handles) return;
  void (*closed)(void *cls) = s->closed;
  void *cls = s->closed_cls;
  release_store(s);
  if (closed) closed(cls);
}

static void report_sqlite_event(const sqlite_store *s, const char *event, const char *what) {
  if (s->store.report) s->store.report(s->store.report_cls, event, what);
}

/* Logs the failure of the device, once. */
static void report_storage_failure(sqlite_store *s, const char *why) {
  if (!s->failure_reported) report_sqlite_event(s, "storageFailed", why);
  s->failure_reported = true;
}

/* Logs each kind of damage once. places: number of tables of records. why: reason if structures
 * that all keys need are damaged, else NULL. */
static void report_storage_damage(sqlite_store *s, int places, const char *why) {
  if (s->forgot_unreported)
    report_sqlite_event(
        s, "storageDamaged",
        "the list of free pages in " SRV_SQLITE_FILE
        " was damaged and has been rebuilt; the space of the old list stays unused");
  s->forgot_unreported = false;
  if (places > s->reported_places)
    report_sqlite_event(s, "storageDamaged",
                        "a page of " SRV_SQLITE_FILE
                        " is damaged; new records are written to another table");
  s->reported_places = places;
  if (why && !s->damage_reported) report_sqlite_event(s, "storageDamaged", why);
  s->damage_reported |= why != NULL;
}

static void on_answers(uv_poll_t *handle, int status, int events) {
  sqlite_store *s = handle->data;
  eventfd_t rung;
  (void)status, (void)events;
  if (eventfd_read(s->bell, &rung) != 0) return;
  uv_mutex_lock(&s->mutex);
  srv_store_write *writes = s->written;
  srv_store_load *loads = s->loaded;
  srv_store_lookup *pending_lookups = s->answered_lookups;
  LIST_CLEAR(s->written);
  LIST_CLEAR(s->loaded);
  LIST_CLEAR(s->answered_lookups);
  bool ended = s->writer_ended;
  int places = s->places;
  bool failed = s->failed, damaged = s->damaged;
  char why[SRV_STORE_WHY];
  memcpy(why, s->why, sizeof why);
  uv_mutex_unlock(&s->mutex);
  report_storage_damage(s, places, damaged && !failed ? why : NULL);
  if (failed) report_storage_failure(s, why);
  while (writes) {
    srv_store_write *write = writes;
    writes = write->next;
    write->done(write);
  }
  while (pending_lookups) {
    srv_store_lookup *lookup = pending_lookups;
    pending_lookups = lookup->next;
    lookup->done(lookup);
  }
  while (loads) {
    srv_store_load *load = loads;
    loads = load->next;
    load->done(load);
  }
  if (!ended) return;
  uv_thread_join(&s->writer);
  uv_close((uv_handle_t *)&s->answers, handle_closed);
  uv_close((uv_handle_t *)&s->round, handle_closed);
}

static void on_loop_iteration_end(uv_prepare_t *handle) {
  sqlite_store *s = handle->data;
  if (!s->submitted) return;
  s->submitted = false;
  uv_mutex_lock(&s->mutex);
  uv_cond_signal(&s->writes_wait);
  uv_mutex_unlock(&s->mutex);
}

static void submit_sqlite_write(srv_store *store, srv_store_write *write) {
  sqlite_store *s = sqlite_store_of(store);
  uv_mutex_lock(&s->mutex);
  assert(!s->closing);
  LIST_ADD(s->writes, write);
  s->queued++;
  const uint64_t now_ns = uv_hrtime();
  if (!s->submitted) s->submitted_ns = now_ns;
  s->submitted = now_ns - s->submitted_ns <= s->group_commit.group_ns / 2;
  if (!s->submitted) uv_cond_signal(&s->writes_wait);
  uv_mutex_unlock(&s->mutex);
}

static void submit_sqlite_load(srv_store *store, srv_store_load *load) {
  sqlite_store *s = sqlite_store_of(store);
  uv_mutex_lock(&s->mutex);
  assert(!s->closing);
  LIST_ADD(s->loads, load);
  uv_cond_signal(&s->reads_wait);
  uv_mutex_unlock(&s->mutex);
}

static void submit_sqlite_lookup(srv_store *store, srv_store_lookup *lookup) {
  sqlite_store *s = sqlite_store_of(store);
  uv_mutex_lock(&s->mutex);
  assert(!s->closing);
  LIST_ADD(s->pending_lookups, lookup);
  uv_cond_signal(&s->reads_wait);
  uv_mutex_unlock(&s->mutex);
}

static bool is_sqlite_healthy(const srv_store *store, srv_store_status *status, char *why) {
  sqlite_store *s = sqlite_store_of(store);
  uv_mutex_lock(&s->mutex);
  bool good = !s->failed && !s->damaged;
  *status = good ? SRV_STORE_OK : SRV_STORE_FAILED;
  memcpy(why, s->why, sizeof s->why);
  uv_mutex_unlock(&s->mutex);
  return good;
}

static void close_sqlite_store(srv_store *store, void (*done)(void *cls), void *cls) {
  sqlite_store *s = sqlite_store_of(store);
  s->closed = done;
  s->closed_cls = cls;
  uv_mutex_lock(&s->mutex);
  assert(!s->closing);
  s->closing = true;
  uv_cond_signal(&s->writes_wait);
  uv_cond_signal(&s->reads_wait);
  uv_mutex_unlock(&s->mutex);
}

static const srv_store_ops ops = {.submit = submit_sqlite_write,
                                  .load = submit_sqlite_load,
                                  .lookup = submit_sqlite_lookup,
                                  .healthy = is_sqlite_healthy,
                                  .close = close_sqlite_store};

/* ---- opening -------------------------------------------------------------------------------- */

static sqlite_store *create_sqlite_store(uv_loop_t *loop) {
  sqlite_store *s = calloc(1, sizeof *s);
  if (!s) return NULL;
  /* On Linux these three functions never fail. */
  if (uv_mutex_init(&s->mutex) != 0 || uv_cond_init(&s->writes_wait) != 0 ||
      uv_cond_init(&s->reads_wait) != 0)
    abort();
  s->store = (srv_store){.ops = &ops, .durability = "disk"};
  s->loop = loop;
  s->file.lock = s->bell = -1;
  LIST_CLEAR(s->writes);
  LIST_CLEAR(s->written);
  LIST_CLEAR(s->loads);
  LIST_CLEAR(s->loaded);
  LIST_CLEAR(s->pending_lookups);
  LIST_CLEAR(s->answered_lookups);
  return s;
}

/* Starts the threads and the handles by which they wake the loop. False: nothing is running. */
static bool start(sqlite_store *s) {
  s->bell = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (s->bell < 0 || uv_poll_init(s->loop, &s->answers, s->bell) != 0) return false;
  uv_prepare_init(s->loop, &s->round);
  uv_prepare_start(&s->round, on_loop_iteration_end);
  uv_unref((uv_handle_t *)&s->round);
  s->answers.data = s->round.data = s;
  s->handles = 2;
  if (uv_poll_start(&s->answers, UV_READABLE, on_answers) != 0) return false;
  if (uv_thread_create(&s->reader, run_reader, s) != 0) return false;
  if (uv_thread_create(&s->writer, run_writer, s) == 0) return true;
  uv_mutex_lock(&s->mutex);
  s->closing = true;
  uv_cond_signal(&s->reads_wait);
  uv_mutex_unlock(&s->mutex);
  uv_thread_join(&s->reader);
  return false;
}

/* Frees a store whose threads never ran. Handles that the loop has are closed in its next
 * iteration. */
static void abandon_store(sqlite_store *s) {
  srv_sqlite_close(&s->file);
  if (!s->handles) {
    release_store(s);
    return;
  }
  uv_close((uv_handle_t *)&s->answers, handle_closed);
  uv_close((uv_handle_t *)&s->round, handle_closed);
}

srv_store *srv_store_sqlite_open(uv_loop_t *loop, const char *folder) {
  char why[SRV_STORE_WHY] = "out of memory";
  sqlite_store *s = create_sqlite_store(loop);
  if (s && srv_sqlite_open(&s->file, folder, why)) {
    s->places = s->reported_places = srv_sqlite_table_count(s->file.writer);
    s->forgot_unreported = s->file.forgot_free;
    if (start(s)) return &s->store;
    snprintf(why, sizeof why, "no thread can be started");
  }
  fprintf(stderr, "contactd: --data: %s: %s.\n", folder, why);
  if (s) abandon_store(s);
  return NULL;
}
