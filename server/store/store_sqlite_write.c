/* Writing to the file: all queued writes share one transaction and one sync (group commit). A write
 * whose key is at another revision changes nothing and does not affect the others. After an error
 * the transaction is rolled back, and each write is executed in a transaction of its own, so that
 * only the failing ones fail. */
#include "store/store_sqlite.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Number of unused rows that each transaction of writes deletes: a constant, plus two per row
 * written, so that rows are deleted faster than they become unused, under any load. */
#define SWEEP_ROWS 8
#define SWEEP_ROWS_PER_ROW 2

/* Number of pages reserved on the disk beyond the used ones, for deletions and their cleanup when
 * the disk is full. A deletion needs at most one, and mostly none: an entry of `garbage` has about
 * 20 bytes. The WAL counts these pages as pages of the file; if a loss of power shortens the file,
 * SQLite tolerates 64 KiB of missing length at a checkpoint. */
#define RESERVE_PAGES 16

/* Number of unused rows that each transaction deletes when the writer is idle. */
#define IDLE_SWEEP_ROWS 32

enum {
  BEGIN,
  COMMIT,
  ROLLBACK,
  KEY,
  KEY_NEW,
  KEY_PUT,
  KEY_REMOVE,
  NAMED,
  NAMES_CLEAR,
  NAMES_ADD,
  DISCARD,
  GARBAGE,
  GARBAGE_MOVE,
  GARBAGE_DONE,
  STORE,
  STORE_SET,
  PAGES,
  STATEMENTS
};

/* Indices of the statements per table of records. */
enum { HEAD, RECORD, LAST_ROW, DELETE, ROW_STATEMENTS };

static const char *const texts[STATEMENTS] = {
    [BEGIN] = "BEGIN IMMEDIATE",
    [COMMIT] = "COMMIT",
    [ROLLBACK] = "ROLLBACK",
    [KEY] = ("SELECT " SRV_SQLITE_KEY_COLUMNS " FROM keys WHERE space = ?1 AND id = ?2"),
    [KEY_NEW] = ("INSERT INTO keys(" SRV_SQLITE_KEY_COLUMNS
                 ") VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)"),
    [KEY_PUT] = ("UPDATE keys SET revision = ?3, bodies = ?4, life = ?5, base_revision = ?6, "
                 "base_number = ?7, last_number = ?8,"
                 " digest = ?9 WHERE number = ?1 AND space = ?2"),
    [KEY_REMOVE] = "DELETE FROM keys WHERE number = ?1",
    [NAMED] = "SELECT 1 FROM names WHERE shape = ?1 LIMIT 1",
    [NAMES_CLEAR] = "DELETE FROM names WHERE scene = ?1",
    [NAMES_ADD] = "INSERT OR IGNORE INTO names(shape, scene) VALUES(?1, ?2)",
    [DISCARD] = "INSERT INTO garbage(start, base_number, base_revision) VALUES(?1, ?2, ?3)",
    [GARBAGE] = "SELECT start, base_number, base_revision FROM garbage LIMIT 1",
    [GARBAGE_MOVE] = "UPDATE garbage SET start = ?2 WHERE start = ?1",
    [GARBAGE_DONE] = "DELETE FROM garbage WHERE start = ?1",
    [STORE] = "SELECT next_number, commits, last_revision, identity FROM store",
    [STORE_SET] = "UPDATE store SET next_number = ?1, commits = ?2, last_revision = ?3",
    [PAGES] = "PRAGMA page_count",
};

static const char *const row_texts[ROW_STATEMENTS] = {
    [HEAD] = SRV_SQLITE_HEAD,
    [RECORD] = ("INSERT INTO \"%w\"(number, life, revision, follows, previous, part, length, "
                "digest, bytes)"
                " VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)"),
    [LAST_ROW] = "SELECT max(number) FROM \"%w\" WHERE number >= ?1 AND number < ?2",
    [DELETE] = "DELETE FROM \"%w\" WHERE number = ?1",
};

/* Number of watched files: the database file, its WAL and the lock file. */
#define WATCHED 3

typedef struct watched {
  char *path;
  dev_t device;
  ino_t inode;
} watched;

struct srv_sqlite_writer {
  watched watched[WATCHED];
  int watches;
  sqlite3 *db;
  sqlite3_stmt *statements[STATEMENTS];
  srv_sqlite_record_tables volumes;
  int64_t next_number;   /* next number of a key or row; the numbers that a failed transaction used
                            are skipped */
  int64_t commits;       /* number of durable commits */
  int64_t last_revision; /* greatest revision of deleted scenes */
  int64_t identity;
  int mark;         /* file descriptor of the mark, the file beside the database */
  int log_pages;    /* number of pages in the WAL after the last commit */
  int copied_pages; /* number of these pages that a checkpoint has copied into the database file */
  bool changed;     /* the present transaction has changed the file */
  bool garbage;     /* there may be unused rows */
  bool stuck; /* the chain of unused records that begins at row `sweeping` is damaged and cannot be
                 deleted */
  int64_t sweeping;
  int rows;          /* number of rows of records written in the present transaction */
  bool only_removes; /* the present transaction only deletes, so it may use the reserved space */
  bool broken;
  bool no_place; /* a new record could not be inserted, because a page on the way to its place in
                    the B-tree of the table is damaged */
  bool stays;    /* an additional table for records did not help against damage, so none is added
                    any more */
  bool own;      /* the damage found is limited to the records of one scene or shape */
  bool no_free;  /* the list of free pages is damaged */
  bool damaged;  /* no_free is set, or structures that all keys need are damaged; the reason is in
                    `why` */
  char why[SRV_STORE_WHY];
};

/* ---- the mark ------------------------------------------------------------------------------- */

static void write_current_mark(const srv_sqlite_writer *writer) {
  srv_sqlite_mark_write(writer->mark, &(srv_sqlite_mark){writer->identity, writer->commits});
}

/* True unless the mark proves that acknowledged commits are missing. The mark of another store is
 * ignored. False: the reason is in why. */
static bool is_mark_consistent(const srv_sqlite_writer *writer, char *why) {
  srv_sqlite_mark mark;
  if (!srv_sqlite_mark_read(writer->mark, &mark) || mark.identity != writer->identity ||
      mark.commits <= writer->commits)
    return true;
  snprintf(why, SRV_STORE_WHY,
           SRV_SQLITE_FILE
           " ends at commit %lld and lacks acknowledged ones up to %lld; without " SRV_SQLITE_LOCK
           " it is taken as it is",
           (long long)writer->commits, (long long)mark.commits);
  return false;
}

/* ---- opening and closing -------------------------------------------------------------------- */

/* WAL hook: records the length of the WAL after each commit. */
static int on_commit(void *cls, sqlite3 *db, const char *name, int pages) {
  srv_sqlite_writer *writer = cls;
  (void)db, (void)name;
  /* A WAL that is shorter than before has been restarted. */
  if (pages < writer->log_pages) writer->copied_pages = 0;
  writer->log_pages = pages;
  return SQLITE_OK;
}

/* Reserves space on the disk for all pages of the file, including those still in the WAL, so that
 * the WAL can always be checkpointed and restarted, and for `reserve` more. SQLITE_FULL: there is
 * no space, and nothing has been written. */
static int reserve_file_space(srv_sqlite_writer *writer, int64_t reserve) {
  sqlite3_stmt *statement = writer->statements[PAGES];
  int code = sqlite3_step(statement);
  sqlite3_int64 bytes = (sqlite3_column_int64(statement, 0) + reserve) * SRV_SQLITE_PAGE_BYTES;
  sqlite3_reset(statement);
  if (code != SQLITE_ROW) return code;
  return sqlite3_file_control(writer->db, "main", SQLITE_FCNTL_SIZE_HINT, &bytes) == SQLITE_OK
             ? SQLITE_OK
             : SQLITE_FULL;
}

static bool read_store(srv_sqlite_writer *writer, char *why) {
  sqlite3_stmt *store = writer->statements[STORE];
  bool there = sqlite3_step(store) == SQLITE_ROW;
  if (there) {
    writer->next_number = sqlite3_column_int64(store, 0);
    writer->commits = sqlite3_column_int64(store, 1);
    writer->last_revision = sqlite3_column_int64(store, 2);
    writer->identity = sqlite3_column_int64(store, 3);
  } else {
    snprintf(why, SRV_STORE_WHY, SRV_SQLITE_FILE ": %.100s", sqlite3_errmsg(writer->db));
  }
  sqlite3_reset(store);
  return there;
}

srv_sqlite_writer *srv_sqlite_writer_create(sqlite3 *db, int mark, char why[SRV_STORE_WHY]) {
  srv_sqlite_writer *writer = calloc(1, sizeof *writer);
  if (!writer || !srv_sqlite_prepare(db, texts, writer->statements, STATEMENTS)) {
    snprintf(why, SRV_STORE_WHY, "%.100s", writer ? sqlite3_errmsg(db) : "out of memory");
    free(writer);
    return NULL;
  }
  writer->db = db;
  writer->mark = mark;
  writer->garbage = true;
  bool whole = srv_sqlite_record_tables_open(&writer->volumes, db, row_texts, ROW_STATEMENTS);
  if (!whole) snprintf(why, SRV_STORE_WHY, SRV_SQLITE_FILE ": %.100s", sqlite3_errmsg(db));
  if (whole && read_store(writer, why) && is_mark_consistent(writer, why)) {
    write_current_mark(writer);
    /* SQLite ignores size hints without a chunk size. If there is no space, later writes report
     * it. */
    int grain = SRV_SQLITE_PAGE_BYTES;
    sqlite3_file_control(db, "main", SQLITE_FCNTL_CHUNK_SIZE, &grain);
    reserve_file_space(writer, RESERVE_PAGES);
    sqlite3_wal_hook(db, on_commit, writer);
    return writer;
  }
  if (whole) srv_sqlite_record_tables_close(&writer->volumes);
  srv_sqlite_finalize(writer->statements, STATEMENTS);
  free(writer);
  return NULL;
}

void srv_sqlite_writer_destroy(srv_sqlite_writer *writer) {
  if (!writer) return;
  srv_sqlite_record_tables_close(&writer->volumes);
  srv_sqlite_finalize(writer->statements, STATEMENTS);
  /* A partial checkpoint (blocked by a reader) is synced only with the rest of the WAL. If the
   * device has failed before that sync, a checkpoint at the closing would copy only the rest. It is
   * skipped, so that the WAL remains and the next process copies it completely. */
  bool partly = writer->copied_pages > 0 && writer->copied_pages < writer->log_pages;
  if (writer->broken && partly)
    sqlite3_db_config(writer->db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
  sqlite3_close(writer->db);
  for (int i = 0; i < writer->watches; i++) free(writer->watched[i].path);
  free(writer);
}

bool srv_sqlite_watch(srv_sqlite_writer *writer, const char *path) {
  struct stat s;
  char *copy = writer->watches < WATCHED && stat(path, &s) == 0 ? strdup(path) : NULL;
  if (copy) writer->watched[writer->watches++] = (watched){copy, s.st_dev, s.st_ino};
  return copy != NULL;
}

/* True if all watched files are still those that were opened. False: the reason is in
 * writer->why. */
static bool is_file_in_place(srv_sqlite_writer *writer) {
  for (int i = 0; i < writer->watches; i++) {
    const watched *w = &writer->watched[i];
    struct stat s;
    if (stat(w->path, &s) == 0 && s.st_dev == w->device && s.st_ino == w->inode) continue;
    const char *name = strrchr(w->path, '/');
    snprintf(writer->why, sizeof writer->why, "%.40s was removed or replaced while it was in use",
             name ? name + 1 : w->path);
    return false;
  }
  return true;
}

bool srv_sqlite_failed(const srv_sqlite_writer *writer) { return writer->broken; }

bool srv_sqlite_damaged(const srv_sqlite_writer *writer) { return writer->damaged; }

const char *srv_sqlite_why(const srv_sqlite_writer *writer) { return writer->why; }

int srv_sqlite_table_count(const srv_sqlite_writer *writer) { return writer->volumes.count; }

/* ---- statements ----------------------------------------------------------------------------- */

/* Executes a statement that returns no rows; its parameters are `count` numbers. */
static int run_numbered(sqlite3_stmt *statement, int count, const int64_t *numbers) {
  for (int i = 0; i < count; i++) sqlite3_bind_int64(statement, i + 1, numbers[i]);
  return srv_sqlite_run(statement);
}

#define RUN_ONE(statement, ...)                                                                    \
  run_numbered(statement, (int)(sizeof(int64_t[]){__VA_ARGS__} / sizeof(int64_t)),                 \
               (int64_t[]){__VA_ARGS__})
#define RUN(writer, which, ...) RUN_ONE((writer)->statements[which], __VA_ARGS__)

/* Sets *yes to true if the query has a row. */
static int query_row_exists(srv_sqlite_writer *writer, int which, const int64_t *numbers, int count,
                            bool *yes) {
  sqlite3_stmt *statement = writer->statements[which];
  for (int i = 0; i < count; i++) sqlite3_bind_int64(statement, i + 1, numbers[i]);
  int code = sqlite3_step(statement);
  *yes = code == SQLITE_ROW;
  sqlite3_reset(statement);
  return code == SQLITE_ROW || code == SQLITE_DONE ? SQLITE_OK : code;
}

/* Records damage of structures that all keys need; only another file can replace them. */
static void note_fatal_damage(srv_sqlite_writer *writer, const char *what) {
  writer->damaged = true;
  snprintf(writer->why, sizeof writer->why, "%s in " SRV_SQLITE_FILE " is damaged", what);
}

static bool is_damage(int code) { return (code & 0xff) == SQLITE_CORRUPT; }

static int find_key(srv_sqlite_writer *writer, srv_store_space space, const char *id,
                    srv_sqlite_key *out) {
  sqlite3_stmt *statement = writer->statements[KEY];
  *out = (srv_sqlite_key){0};
  sqlite3_bind_int64(statement, 1, space);
  sqlite3_bind_text(statement, 2, id, -1, SQLITE_STATIC);
  int code = sqlite3_step(statement);
  if (code == SQLITE_ROW) code = srv_sqlite_read_key(statement, out);
  else if (code == SQLITE_DONE) code = SQLITE_OK;
  sqlite3_reset(statement);
  return code;
}

static int write_key(srv_sqlite_writer *writer, const srv_sqlite_key *key, bool fresh) {
  int which = fresh ? KEY_NEW : KEY_PUT;
  if (fresh) sqlite3_bind_text(writer->statements[KEY_NEW], 10, key->id, -1, SQLITE_STATIC);
  return RUN(writer, which, key->number, key->space, key->revision, key->bodies, key->life,
             key->base_revision, key->base_number, key->last_number,
             (int64_t)srv_sqlite_key_digest(key));
}

/* ---- one write ------------------------------------------------------------------------------ */

/* Writes the record in rows. *first: number of its first row. A base starts a new `life`; other
 * records have that of the key. */
static int write_record(srv_sqlite_writer *writer, const srv_store_write *write,
                        const srv_sqlite_key *key, int64_t *first) {
  sqlite3_stmt *statement =
      srv_sqlite_record_table_of(&writer->volumes, RECORD, writer->next_number);
  bool change = write->act == SRV_STORE_CHANGE;
  *first = writer->next_number;
  srv_sqlite_part part = {.life = write->act == SRV_STORE_BASE ? *first : key->life,
                          .revision = (int64_t)write->revision,
                          .follows = change ? key->revision : 0,
                          .previous = change ? key->last_number : 0,
                          .length = (int64_t)write->length};
  int code = SQLITE_OK;
  for (size_t at = 0; code == SQLITE_OK && (at < write->length || at == 0);
       at += SRV_SQLITE_PART_BYTES, part.part++) {
    part.bytes = write->length ? write->bytes + at : "";
    part.size =
        write->length - at < SRV_SQLITE_PART_BYTES ? write->length - at : SRV_SQLITE_PART_BYTES;
    sqlite3_bind_blob64(statement, 9, part.bytes, part.size, SQLITE_STATIC);
    code = RUN_ONE(statement, writer->next_number, part.life, part.revision, part.follows,
                   part.previous, part.part, part.length, (int64_t)srv_sqlite_part_digest(&part));
    writer->next_number++;
    writer->rows++;
  }
  writer->no_place = is_damage(code);
  return code;
}

static int replace_shape_names(srv_sqlite_writer *writer, const srv_store_write *write,
                               int64_t scene) {
  int code = RUN(writer, NAMES_CLEAR, scene);
  for (size_t at = 0; code == SQLITE_OK && at < write->shapes_length;
       at += strlen(write->shapes + at) + 1) {
    srv_sqlite_key shape;
    code = find_key(writer, SRV_STORE_SHAPES, write->shapes + at, &shape);
    if (code == SQLITE_OK) code = RUN(writer, NAMES_ADD, shape.number, scene);
  }
  return code;
}

/* Marks the records from row `start` back to the key's base as unused. */
static int discard_records(srv_sqlite_writer *writer, const srv_sqlite_key *key, int64_t start) {
  writer->garbage = true;
  return RUN(writer, DISCARD, start, key->base_number, key->base_revision);
}

/* Writes a change, or a base of an existing or a new key. */
static int apply_put(srv_sqlite_writer *writer, const srv_store_write *write, srv_sqlite_key *key) {
  bool base = write->act == SRV_STORE_BASE, fresh = !key->number;
  int64_t first = 0;
  int code = write_record(writer, write, key, &first);
  if (code == SQLITE_OK && base && !fresh) code = discard_records(writer, key, key->last_number);
  if (code != SQLITE_OK) return code;
  if (fresh) {
    key->number = writer->next_number++;
    key->space = write->space;
    memcpy(key->id, write->id, sizeof key->id);
  }
  key->revision = (int64_t)write->revision;
  key->bodies = (int64_t)write->bodies;
  key->last_number = first;
  if (base) {
    key->life = key->base_number = first;
    key->base_revision = key->revision;
  }
  code = write_key(writer, key, fresh);
  return code == SQLITE_OK && write->has_shapes ? replace_shape_names(writer, write, key->number)
                                                : code;
}

/* Finds the first row of the key's record of a revision, which must not exceed the key's. *number
 * 0: there is no such record. */
static int find_record(srv_sqlite_writer *writer, const srv_sqlite_key *key, int64_t revision,
                       int64_t *number) {
  *number = revision == key->base_revision ? key->base_number : key->last_number;
  while (*number != key->base_number) {
    srv_sqlite_head head;
    int code = srv_sqlite_read_head(&writer->volumes, *number, &head);
    writer->own = is_damage(code);
    if (code != SQLITE_OK || head.revision == revision) return code;
    *number = head.follows < revision ? 0 : head.previous;
    if (!*number) return SQLITE_OK;
  }
  return SQLITE_OK;
}

static int apply_compaction(srv_sqlite_writer *writer, const srv_store_write *write,
                            srv_sqlite_key *key) {
  int64_t first = 0, start = 0;
  int code = find_record(writer, key, (int64_t)write->revision, &start);
  if (code == SQLITE_OK) code = write_record(writer, write, key, &first);
  if (code == SQLITE_OK) code = discard_records(writer, key, start);
  key->base_revision = (int64_t)write->revision;
  key->base_number = first;
  if (key->revision == key->base_revision) key->last_number = first;
  return code == SQLITE_OK ? write_key(writer, key, false) : code;
}

static int remove_key(srv_sqlite_writer *writer, const srv_store_write *write,
                      const srv_sqlite_key *old) {
  if (write->space == SRV_STORE_SCENES) {
    int64_t greatest =
        old->revision > (int64_t)write->revision ? old->revision : (int64_t)write->revision;
    if (greatest > writer->last_revision) writer->last_revision = greatest;
    int code = RUN(writer, NAMES_CLEAR, old->number);
    if (code != SQLITE_OK) return code;
  }
  int code = discard_records(writer, old, old->last_number);
  return code == SQLITE_OK ? RUN(writer, KEY_REMOVE, old->number) : code;
}

/* Sets write->status according to the first precondition that is violated; SRV_STORE_OK: none
 * is. */
static int check_preconditions(srv_sqlite_writer *writer, srv_store_write *write,
                               const srv_sqlite_key *old) {
  bool there = false;
  int code = SQLITE_OK;
  write->status = SRV_STORE_OK;
  write->current = (uint64_t)old->revision;
  if (write->act == SRV_STORE_COMPACT) {
    bool within = old->number && old->base_revision <= (int64_t)write->revision &&
                  (int64_t)write->revision <= old->revision;
    int64_t number = 0;
    if (within) code = find_record(writer, old, (int64_t)write->revision, &number);
    if (!number) write->status = SRV_STORE_CONFLICT;
    return code;
  }
  if (write->current != write->before || (write->act != SRV_STORE_BASE && !old->number)) {
    write->status = SRV_STORE_CONFLICT;
    return SQLITE_OK;
  }
  if (write->act == SRV_STORE_REMOVE && write->space == SRV_STORE_SHAPES) {
    code = query_row_exists(writer, NAMED, &old->number, 1, &there);
    if (there) write->status = SRV_STORE_IN_USE;
    return code;
  }
  if (write->act == SRV_STORE_REMOVE || !write->has_shapes) return SQLITE_OK;
  for (size_t at = 0; code == SQLITE_OK && at < write->shapes_length;
       at += strlen(write->shapes + at) + 1) {
    srv_sqlite_key shape;
    code = find_key(writer, SRV_STORE_SHAPES, write->shapes + at, &shape);
    if (code == SQLITE_OK && !shape.number) write->status = SRV_STORE_UNKNOWN;
  }
  return code;
}

static int execute_write(srv_sqlite_writer *writer, srv_store_write *write) {
  srv_sqlite_key key;
  writer->own = writer->no_place = false;
  int code = find_key(writer, write->space, write->id, &key);
  if (code == SQLITE_OK) code = check_preconditions(writer, write, &key);
  if (code != SQLITE_OK || write->status != SRV_STORE_OK) return code;
  writer->changed = true;
  if (write->act != SRV_STORE_REMOVE) writer->only_removes = false;
  if (write->act == SRV_STORE_REMOVE) return remove_key(writer, write, &key);
  return write->act == SRV_STORE_COMPACT ? apply_compaction(writer, write, &key)
                                         : apply_put(writer, write, &key);
}

/* ---- garbage -------------------------------------------------------------------------------- */

/* Deletes up to *rows rows of a record, from its last row on, and subtracts their number from
 * *rows. first, parts: first row and number of rows of the record. *is_deleted: no row is left. */
static int delete_record(srv_sqlite_writer *writer, int64_t first, int64_t parts, int *rows,
                         bool *is_deleted) {
  sqlite3_stmt *statement = srv_sqlite_record_table_of(&writer->volumes, LAST_ROW, first);
  sqlite3_stmt *deletion = srv_sqlite_record_table_of(&writer->volumes, DELETE, first);
  sqlite3_bind_int64(statement, 1, first);
  sqlite3_bind_int64(statement, 2, first + parts);
  int code = sqlite3_step(statement);
  int64_t last = sqlite3_column_int64(statement, 0);
  sqlite3_reset(statement);
  code = code == SQLITE_ROW ? SQLITE_OK : code;
  for (; last >= first && *rows > 0 && code == SQLITE_OK; --*rows, last--)
    code = RUN_ONE(deletion, last);
  *is_deleted = last < first;
  return code;
}

typedef struct garbage {
  int64_t start, base_number, base_revision;
} garbage;

/* Deletes up to *rows rows of one chain of unused records, and updates the chain's entry to the
 * rest. */
static int sweep_chain(srv_sqlite_writer *writer, garbage *chain, int *rows) {
  bool is_deleted = true, ends = false;
  int64_t start = chain->start;
  int code = SQLITE_OK;
  while (code == SQLITE_OK && is_deleted && !ends && *rows > 0) {
    srv_sqlite_head head;
    code = srv_sqlite_read_head(&writer->volumes, chain->start, &head);
    if (code == SQLITE_OK)
      code = delete_record(writer, chain->start, srv_sqlite_parts(&head), rows, &is_deleted);
    if (code != SQLITE_OK || !is_deleted) continue;
    ends = chain->start == chain->base_number;
    chain->start = head.follows == chain->base_revision ? chain->base_number : head.previous;
  }
  if (code == SQLITE_OK && ends) return RUN(writer, GARBAGE_DONE, start);
  if (code == SQLITE_OK && chain->start != start)
    return RUN(writer, GARBAGE_MOVE, start, chain->start);
  return code;
}

/* Deletes up to `rows` unused rows, within a transaction. */
static int sweep(srv_sqlite_writer *writer, int rows) {
  sqlite3_stmt *statement = writer->statements[GARBAGE];
  int code = SQLITE_OK;
  while (code == SQLITE_OK && rows > 0) {
    int found = sqlite3_step(statement);
    garbage chain = {sqlite3_column_int64(statement, 0), sqlite3_column_int64(statement, 1),
                     sqlite3_column_int64(statement, 2)};
    sqlite3_reset(statement);
    if (found == SQLITE_DONE) writer->garbage = false;
    if (found != SQLITE_ROW) return found == SQLITE_DONE ? SQLITE_OK : found;
    writer->changed = true;
    writer->sweeping = chain.start;
    code = sweep_chain(writer, &chain, &rows);
    writer->stuck = is_damage(code);
  }
  return code;
}

/* ---- transactions --------------------------------------------------------------------------- */

static srv_store_status get_write_status(int code) {
  char why[SRV_STORE_WHY];
  return srv_sqlite_answer(NULL, code, "", why);
}

static void stop_writing(srv_sqlite_writer *writer, int code) {
  writer->broken = true;
  srv_sqlite_answer(writer->db, code, "the device failed", writer->why);
}

/* Commits if `code` is SQLITE_OK; otherwise, or if the commit fails, rolls back and restores
 * last_revision. Afterwards either the whole transaction is on the disk, or nothing of it is in the
 * file. */
static int end_transaction(srv_sqlite_writer *writer, int code, int64_t last_revision) {
  if (code == SQLITE_OK && writer->changed)
    code = RUN(writer, STORE_SET, writer->next_number, writer->commits + 1, writer->last_revision);
  if (code == SQLITE_OK && writer->changed)
    code = reserve_file_space(writer, writer->only_removes ? 0 : RESERVE_PAGES);
  if (code == SQLITE_OK && writer->changed && !is_file_in_place(writer)) {
    writer->broken = true;
    code = SQLITE_IOERR;
  }
  if (code == SQLITE_OK) code = srv_sqlite_run(writer->statements[COMMIT]);
  if (code == SQLITE_OK) {
    writer->commits += writer->changed;
    if (writer->changed) write_current_mark(writer);
    return SQLITE_OK;
  }
  writer->last_revision = last_revision;
  writer->garbage = true;
  if (get_write_status(code) == SRV_STORE_FAILED && !writer->broken) stop_writing(writer, code);
  if (!sqlite3_get_autocommit(writer->db)) srv_sqlite_run(writer->statements[ROLLBACK]);
  return code;
}

static int begin_transaction(srv_sqlite_writer *writer) {
  writer->changed = false;
  writer->only_removes = true;
  writer->rows = 0;
  writer->own = writer->no_place = writer->stuck = false;
  return srv_sqlite_run(writer->statements[BEGIN]);
}

/* Finds out which structure's damage made the transaction fail. All tables take pages from one list
 * of free pages: if this list is damaged, an additional table does not help. With a
 * damaged list unused rows are not deleted; the next start of the daemon empties the list. */
static void locate_damage(srv_sqlite_writer *writer, int code) {
  if (!is_damage(code) || writer->own) return;
  if (!writer->no_free && srv_sqlite_free_is_damaged(writer->db)) {
    writer->no_free = writer->damaged = true;
    snprintf(writer->why, sizeof writer->why,
             "the list of free pages in " SRV_SQLITE_FILE
             " is damaged; the next start rebuilds it");
  }
  if (writer->no_free) writer->no_place = writer->stuck = false;
  else if (!writer->no_place && !writer->stuck)
    note_fatal_damage(writer, "the list of scenes and shapes");
}

/* Executes the writes from `first` to before `past` in one transaction. sweeps: the transaction
 * also deletes unused rows. */
static int execute_transaction(srv_sqlite_writer *writer, srv_store_write *first,
                               const srv_store_write *past, bool sweeps) {
  int64_t last_revision = writer->last_revision;
  int code = begin_transaction(writer);
  for (srv_store_write *write = first; write != past && code == SQLITE_OK; write = write->next)
    code = execute_write(writer, write);
  if (code == SQLITE_OK && sweeps && writer->changed && writer->garbage && !writer->no_free)
    code = sweep(writer, SWEEP_ROWS + SWEEP_ROWS_PER_ROW * writer->rows);
  code = end_transaction(writer, code, last_revision);
  locate_damage(writer, code);
  return code;
}

/* Removes the entry of a damaged chain of unused records, which cannot be deleted and only occupies
 * space. */
static void abandon_garbage(srv_sqlite_writer *writer) {
  int code = begin_transaction(writer);
  writer->changed = true;
  if (code == SQLITE_OK) code = RUN(writer, GARBAGE_DONE, writer->sweeping);
  if (end_transaction(writer, code, writer->last_revision) != SQLITE_OK) writer->garbage = false;
}

/* Adds a table for new records. Returns SQLITE_OK, or the result code of the failure. */
static int add_record_table(srv_sqlite_writer *writer) {
  int code = begin_transaction(writer);
  writer->changed = true;
  if (code == SQLITE_OK) code = srv_sqlite_record_table_add(&writer->volumes, writer->next_number);
  code = end_transaction(writer, code, writer->last_revision);
  if (code == SQLITE_OK) code = srv_sqlite_record_tables_reload(&writer->volumes);
  if (is_damage(code)) note_fatal_damage(writer, "the table of new records");
  return code;
}

static void set_write_answer(const srv_sqlite_writer *writer, srv_store_write *write, int code) {
  write->status = srv_sqlite_answer(writer->db, code, "writing", write->why);
  bool no_free = writer->no_free && is_damage(code) && !writer->own;
  if (writer->broken) write->status = SRV_STORE_FAILED;
  if (writer->broken || no_free) memcpy(write->why, writer->why, sizeof write->why);
}

void srv_sqlite_write(srv_sqlite_writer *writer, srv_store_write *first) {
  for (srv_store_write *write = first; write; write = write->next) write->why[0] = 0;
  int code = writer->broken ? SQLITE_IOERR : execute_transaction(writer, first, NULL, true);
  if (code == SQLITE_OK) return;
  if (writer->stuck) abandon_garbage(writer);
  bool moves = writer->no_place && !writer->stays;
  int place = moves ? add_record_table(writer) : SQLITE_OK;
  /* A checkpoint may free space that the WAL occupies. */
  if (get_write_status(code) == SRV_STORE_FULL || get_write_status(place) == SRV_STORE_FULL)
    srv_sqlite_checkpoint(writer, 0);
  bool hopeless = get_write_status(code) == SRV_STORE_UNAVAILABLE;
  for (srv_store_write *write = first; write; write = write->next) {
    /* Execute each write without deleting unused rows: a damaged chain of them, even of this
     * write's own records, must not make the write fail. */
    if (!hopeless && !writer->broken) code = execute_transaction(writer, write, write->next, false);
    bool lacks_place = moves && writer->no_place;
    /* If the table could not be added, mostly for lack of space, the next write will try again. */
    if (lacks_place && place != SQLITE_OK && !is_damage(place)) {
      code = place;
    } else if (lacks_place) {
      writer->stays = true;
      note_fatal_damage(writer, "the table of new records");
    }
    if (code != SQLITE_OK) set_write_answer(writer, write, code);
  }
}

bool srv_sqlite_sweep(srv_sqlite_writer *writer) {
  if (writer->broken || writer->no_free || !writer->garbage) return false;
  int64_t last_revision = writer->last_revision;
  int code = begin_transaction(writer);
  if (code == SQLITE_OK) code = sweep(writer, IDLE_SWEEP_ROWS);
  code = end_transaction(writer, code, last_revision);
  locate_damage(writer, code);
  if (get_write_status(code) == SRV_STORE_FULL) srv_sqlite_checkpoint(writer, 0);
  if (writer->stuck) abandon_garbage(writer);
  else if (code != SQLITE_OK) return false;
  return writer->garbage;
}

void srv_sqlite_checkpoint(srv_sqlite_writer *writer, int pages) {
  int in_log = 0, copied = 0;
  if (writer->broken || writer->log_pages - writer->copied_pages < pages) return;
  int code =
      sqlite3_wal_checkpoint_v2(writer->db, NULL, SQLITE_CHECKPOINT_PASSIVE, &in_log, &copied);
  /* Pages that a reader uses are copied by a later checkpoint. */
  bool all = copied == in_log;
  /* After a complete checkpoint the next transaction restarts the WAL. If a reader prevents the
   * restart, one checkpoint more than necessary is tried. */
  if (code == SQLITE_OK)
    writer->log_pages = all ? 0 : in_log, writer->copied_pages = all ? 0 : copied;
  if (get_write_status(code) == SRV_STORE_FAILED) stop_writing(writer, code);
}
