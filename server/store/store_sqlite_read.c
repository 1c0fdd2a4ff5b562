/* Reads the file: verified records of a key, lists of keys. Also functions that reading and writing
 * share. */
#include "process/array.h"
#include "store/store_sqlite.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KEY, ALL, LAST, STATEMENTS };
/* Indices of the statements per table of records. */
enum { HEAD, ROW, ROW_STATEMENTS };

static const char *const texts[STATEMENTS] = {
    [KEY] = "SELECT " SRV_SQLITE_KEY_COLUMNS " FROM keys WHERE space = ?1 AND id = ?2",
    [ALL] = "SELECT " SRV_SQLITE_KEY_COLUMNS " FROM keys WHERE space = ?1 ORDER BY id",
    [LAST] = "SELECT last_revision FROM store",
};

static const char *const row_texts[ROW_STATEMENTS] = {
    [HEAD] = SRV_SQLITE_HEAD,
    [ROW] = "SELECT revision, follows, previous, part, length, digest, bytes, life FROM \"%w\" "
            "WHERE number = ?1",
};

struct srv_sqlite_reader {
  sqlite3 *db;
  sqlite3_stmt *statements[STATEMENTS];
  srv_sqlite_record_tables volumes;
};

/* ---- shared --------------------------------------------------------------------------------- */

bool srv_sqlite_prepare(sqlite3 *db, const char *const *sql, sqlite3_stmt **statements, int count) {
  for (int i = 0; i < count; i++)
    if (sqlite3_prepare_v3(db, sql[i], -1, SQLITE_PREPARE_PERSISTENT, &statements[i], NULL) !=
        SQLITE_OK) {
      srv_sqlite_finalize(statements, i);
      return false;
    }
  return true;
}

void srv_sqlite_finalize(sqlite3_stmt **statements, int count) {
  for (int i = 0; i < count; i++) sqlite3_finalize(statements[i]);
}

int srv_sqlite_run(sqlite3_stmt *statement) {
  int code = sqlite3_step(statement);
  assert(code != SQLITE_ROW);
  /* sqlite3_reset returns the code of the last step, which is known already */
  sqlite3_reset(statement);
  return code == SQLITE_DONE ? SQLITE_OK : code;
}

srv_store_status srv_sqlite_answer(sqlite3 *db, int code, const char *what,
                                   char why[SRV_STORE_WHY]) {
  why[0] = 0;
  if (code == SQLITE_OK) return SRV_STORE_OK;
  bool newest = db && sqlite3_extended_errcode(db) == code;
  snprintf(why, SRV_STORE_WHY, "%s: %.100s", what,
           newest ? sqlite3_errmsg(db) : sqlite3_errstr(code));
  switch (code & 0xff) {
  case SQLITE_FULL: return SRV_STORE_FULL;
  case SQLITE_NOMEM: return SRV_STORE_MEMORY;
  case SQLITE_CORRUPT:
  case SQLITE_NOTADB: return SRV_STORE_DAMAGED;
  case SQLITE_BUSY:
  case SQLITE_LOCKED: return SRV_STORE_UNAVAILABLE;
  default: return SRV_STORE_FAILED;
  }
}

/* One step of the digest. It is bijective in the state for every word, and in the word for every
 * state, so that texts that differ in one word have different digests. */
static uint64_t mix_digest(uint64_t state, uint64_t word) {
  state = (state ^ word) * 0x9e3779b97f4a7c15u;
  return state ^ (state >> 29);
}

uint64_t srv_sqlite_digest(uint64_t seed, const void *bytes, size_t size) {
  const unsigned char *at = bytes;
  uint64_t state = mix_digest(seed, size), word = 0;
  for (; size >= sizeof word; size -= sizeof word, at += sizeof word) {
    memcpy(&word, at, sizeof word);
    state = mix_digest(state, word);
  }
  word = 0;
  if (size) memcpy(&word, at, size);
  return mix_digest(state, word);
}

uint64_t srv_sqlite_part_digest(const srv_sqlite_part *part) {
  int64_t head[] = {part->life,     part->revision, part->follows,
                    part->previous, part->part,     part->length};
  return srv_sqlite_digest(srv_sqlite_digest(0, head, sizeof head), part->bytes, part->size);
}

uint64_t srv_sqlite_key_digest(const srv_sqlite_key *key) {
  int64_t numbers[] = {key->number, key->space,         key->revision,    key->bodies,
                       key->life,   key->base_revision, key->base_number, key->last_number};
  return srv_sqlite_digest(srv_sqlite_digest(0, numbers, sizeof numbers), key->id, strlen(key->id));
}

int srv_sqlite_read_key(sqlite3_stmt *row, srv_sqlite_key *out) {
  int64_t *columns[] = {&out->number, &out->space,         &out->revision,    &out->bodies,
                        &out->life,   &out->base_revision, &out->base_number, &out->last_number};
  for (int i = 0; i < 8; i++) *columns[i] = sqlite3_column_int64(row, i);
  uint64_t digest = (uint64_t)sqlite3_column_int64(row, 8);
  const unsigned char *id = sqlite3_column_text(row, 9);
  if (!id)
    return sqlite3_errcode(sqlite3_db_handle(row)) == SQLITE_NOMEM ? SQLITE_NOMEM : SQLITE_CORRUPT;
  memset(out->id, 0, sizeof out->id);
  snprintf(out->id, sizeof out->id, "%s", (const char *)id);
  return srv_sqlite_key_digest(out) == digest ? SQLITE_OK : SQLITE_CORRUPT;
}

int srv_sqlite_read_head(const srv_sqlite_record_tables *volumes, int64_t number,
                         srv_sqlite_head *out) {
  sqlite3_stmt *statement = srv_sqlite_record_table_of(volumes, 0, number);
  sqlite3_bind_int64(statement, 1, number);
  int code = sqlite3_step(statement);
  if (code == SQLITE_ROW) {
    *out = (srv_sqlite_head){.revision = sqlite3_column_int64(statement, 0),
                             .follows = sqlite3_column_int64(statement, 1),
                             .previous = sqlite3_column_int64(statement, 2),
                             .length = sqlite3_column_int64(statement, 3)};
    /* `previous` must be below the row's own number, so that a chain of records cannot be
     * cyclic. */
    code = out->previous >= 0 && out->previous < number && out->length >= 0 ? SQLITE_OK
                                                                            : SQLITE_CORRUPT;
  } else if (code == SQLITE_DONE) {
    code = SQLITE_CORRUPT;
  }
  sqlite3_reset(statement);
  return code;
}

int64_t srv_sqlite_parts(const srv_sqlite_head *head) {
  return head->length > 0 ? (head->length - 1) / SRV_SQLITE_PART_BYTES + 1 : 1;
}

/* ---- reader --------------------------------------------------------------------------------- */

srv_sqlite_reader *srv_sqlite_reader_create(sqlite3 *db, char why[SRV_STORE_WHY]) {
  srv_sqlite_reader *reader = calloc(1, sizeof *reader);
  if (reader && srv_sqlite_prepare(db, texts, reader->statements, STATEMENTS)) {
    reader->db = db;
    if (srv_sqlite_record_tables_open(&reader->volumes, db, row_texts, ROW_STATEMENTS))
      return reader;
    srv_sqlite_finalize(reader->statements, STATEMENTS);
  }
  snprintf(why, SRV_STORE_WHY, "%.100s", reader ? sqlite3_errmsg(db) : "out of memory");
  free(reader);
  return NULL;
}

void srv_sqlite_reader_destroy(srv_sqlite_reader *reader) {
  if (!reader) return;
  srv_sqlite_record_tables_close(&reader->volumes);
  srv_sqlite_finalize(reader->statements, STATEMENTS);
  sqlite3_close(reader->db);
  free(reader);
}

/* ---- load ----------------------------------------------------------------------------------- */

typedef struct progress {
  srv_store_load *load;
  size_t capacity; /* of load->records */
  int64_t life;
  int64_t parts;   /* number of rows read of the incomplete record */
  size_t gathered; /* number of bytes read of the incomplete record */
} progress;

static bool mark_load_damaged(srv_store_load *load, const char *what, int64_t revision) {
  load->status = SRV_STORE_DAMAGED;
  snprintf(load->why, sizeof load->why, "%s, at revision %lld", what, (long long)revision);
  return false;
}

/* Returns the incomplete record to which the row belongs, or a new record that the row begins.
 * NULL: the reason is in load->status. */
static srv_store_record *get_or_add_record(progress *p, const srv_sqlite_part *part) {
  srv_store_load *load = p->load;
  srv_store_record *last = load->count ? &load->records[load->count - 1] : NULL;
  if (last && p->gathered < last->length) {
    bool follows = (uint64_t)part->revision == last->revision && part->part == p->parts &&
                   (size_t)part->length == last->length;
    return follows || mark_load_damaged(load, "a part of a record is missing", part->revision)
               ? last
               : NULL;
  }
  int64_t before = last ? (int64_t)last->revision : 0;
  if (part->part != 0 || part->follows != before) {
    mark_load_damaged(load, last ? "a record is missing" : "the base is missing", part->revision);
    return NULL;
  }
  bool has_space =
      srv_array_reserve(&load->records, &p->capacity, load->count + 1, sizeof *load->records, 1);
  char *bytes = has_space ? malloc((size_t)part->length + 1) : NULL;
  if (!bytes) {
    load->status = SRV_STORE_MEMORY;
    return NULL;
  }
  p->parts = 0;
  p->gathered = 0;
  last = &load->records[load->count++];
  *last = (srv_store_record){.revision = (uint64_t)part->revision,
                             .base = part->follows == 0,
                             .bytes = bytes,
                             .length = (size_t)part->length};
  return last;
}

static bool append_row(progress *p, sqlite3_stmt *row) {
  srv_sqlite_part part = {.life = sqlite3_column_int64(row, 7),
                          .revision = sqlite3_column_int64(row, 0),
                          .follows = sqlite3_column_int64(row, 1),
                          .previous = sqlite3_column_int64(row, 2),
                          .part = sqlite3_column_int64(row, 3),
                          .length = sqlite3_column_int64(row, 4)};
  uint64_t digest = (uint64_t)sqlite3_column_int64(row, 5);
  part.bytes = sqlite3_column_blob(row, 6);
  part.size = (size_t)sqlite3_column_bytes(row, 6);
  if (!part.bytes && sqlite3_errcode(sqlite3_db_handle(row)) == SQLITE_NOMEM) {
    p->load->status = SRV_STORE_MEMORY;
    return false;
  }
  if (part.life != p->life || srv_sqlite_part_digest(&part) != digest)
    return mark_load_damaged(p->load, "a record's digest is wrong", part.revision);
  srv_store_record *record = get_or_add_record(p, &part);
  if (!record) return false;
  if (part.size > record->length - p->gathered)
    return mark_load_damaged(p->load, "a record is too long", part.revision);
  if (part.size) memcpy(record->bytes + p->gathered, part.bytes, part.size);
  p->gathered += part.size;
  p->parts++;
  return true;
}

/* Reads all rows of the record whose first row is `first`. */
static int read_record_rows(srv_sqlite_reader *reader, progress *p, int64_t first) {
  sqlite3_stmt *row = srv_sqlite_record_table_of(&reader->volumes, ROW, first);
  srv_sqlite_head head;
  int code = srv_sqlite_read_head(&reader->volumes, first, &head);
  int64_t parts = code == SQLITE_OK ? srv_sqlite_parts(&head) : 0;
  for (int64_t part = 0; part < parts && code == SQLITE_OK && p->load->status == SRV_STORE_OK;
       part++) {
    sqlite3_bind_int64(row, 1, first + part);
    code = sqlite3_step(row);
    if (code == SQLITE_ROW) code = append_row(p, row) ? SQLITE_OK : SQLITE_ROW;
    else if (code == SQLITE_DONE) code = SQLITE_CORRUPT;
    sqlite3_reset(row);
  }
  return code;
}

/* Lists the first rows of the changes since the base, newest first. The caller frees the list. */
static int find_changes(srv_sqlite_reader *reader, const srv_sqlite_key *key, int64_t **numbers,
                        size_t *count) {
  int64_t number = key->last_number;
  size_t capacity = 0;
  bool ends = number == key->base_number;
  while (!ends) {
    srv_sqlite_head head;
    int code = srv_sqlite_read_head(&reader->volumes, number, &head);
    if (code != SQLITE_OK) return code;
    if (!srv_array_reserve(numbers, &capacity, *count + 1, sizeof **numbers, 1))
      return SQLITE_NOMEM;
    (*numbers)[(*count)++] = number;
    ends = head.follows == key->base_revision;
    number = head.previous;
  }
  return SQLITE_OK;
}

static int load_records(srv_sqlite_reader *reader, const srv_sqlite_key *key,
                        srv_store_load *load) {
  progress p = {.load = load, .life = key->life};
  int64_t *changes = NULL;
  size_t count = 0;
  int code = find_changes(reader, key, &changes, &count);
  if (code == SQLITE_OK) code = read_record_rows(reader, &p, key->base_number);
  while (count && code == SQLITE_OK && load->status == SRV_STORE_OK)
    code = read_record_rows(reader, &p, changes[--count]);
  free(changes);
  if (load->status != SRV_STORE_OK) return SQLITE_OK;
  const srv_store_record *last = load->count ? &load->records[load->count - 1] : NULL;
  if (code == SQLITE_OK &&
      (!last || p.gathered < last->length || last->revision != (uint64_t)key->revision))
    mark_load_damaged(load, "the newest record is missing", key->revision);
  return code;
}

void srv_sqlite_load(srv_sqlite_reader *reader, srv_store_load *load) {
  sqlite3_stmt *rows = reader->statements[KEY];
  srv_sqlite_key key;
  load->records = NULL;
  load->count = 0;
  load->why[0] = 0;
  load->status = SRV_STORE_OK;
  sqlite3_bind_int64(rows, 1, load->space);
  sqlite3_bind_text(rows, 2, load->id, -1, SQLITE_STATIC);
  /* As long as this statement is not reset, all reads see the same snapshot of the file. */
  int code = sqlite3_step(rows);
  if (code == SQLITE_DONE) load->status = SRV_STORE_UNKNOWN;
  if (code == SQLITE_ROW) code = srv_sqlite_read_key(rows, &key);
  if (code == SQLITE_OK && (strcmp(key.id, load->id) != 0 || key.space != (int64_t)load->space))
    code = SQLITE_CORRUPT;
  if (code == SQLITE_OK) code = srv_sqlite_record_tables_reload(&reader->volumes);
  if (code == SQLITE_OK) code = load_records(reader, &key, load);
  if (code != SQLITE_OK && code != SQLITE_DONE) {
    load->status = srv_sqlite_answer(reader->db, code, "reading", load->why);
    /* A read error affects this key only, so it is reported as damage of the key. */
    if (code == SQLITE_IOERR_READ) load->status = SRV_STORE_DAMAGED;
  }
  sqlite3_reset(rows);
  if (load->status == SRV_STORE_MEMORY) snprintf(load->why, sizeof load->why, "out of memory");
  if (load->status != SRV_STORE_OK) srv_store_load_free(load);
}

/* ---- lookup --------------------------------------------------------------------------------- */

static int list_keys(sqlite3_stmt *rows, srv_store_lookup *lookup) {
  size_t capacity = 0;
  int code = sqlite3_step(rows);
  for (; code == SQLITE_ROW; code = sqlite3_step(rows)) {
    bool has_space = srv_array_reserve(&lookup->entries, &capacity, lookup->count + 1,
                                       sizeof *lookup->entries, 1);
    srv_sqlite_key key;
    int read = has_space ? srv_sqlite_read_key(rows, &key) : SQLITE_NOMEM;
    if (read == SQLITE_OK &&
        (key.space != (int64_t)lookup->space || (lookup->id[0] && strcmp(key.id, lookup->id) != 0)))
      read = SQLITE_CORRUPT;
    if (read != SQLITE_OK) return read;
    srv_store_entry *entry = &lookup->entries[lookup->count++];
    *entry = (srv_store_entry){.revision = (uint64_t)key.revision, .bodies = (uint64_t)key.bodies};
    memcpy(entry->id, key.id, sizeof entry->id);
  }
  return code == SQLITE_DONE ? SQLITE_OK : code;
}

void srv_sqlite_lookup(srv_sqlite_reader *reader, srv_store_lookup *lookup) {
  sqlite3_stmt *rows = reader->statements[lookup->id[0] ? KEY : ALL],
               *last = reader->statements[LAST];
  lookup->entries = NULL;
  lookup->count = 0;
  sqlite3_bind_int64(rows, 1, lookup->space);
  if (lookup->id[0]) sqlite3_bind_text(rows, 2, lookup->id, -1, SQLITE_STATIC);
  int code = sqlite3_step(last);
  if (code == SQLITE_ROW) {
    lookup->last_revision = (uint64_t)sqlite3_column_int64(last, 0);
    code = list_keys(rows, lookup);
  } else if (code == SQLITE_DONE) {
    code = SQLITE_CORRUPT;
  }
  lookup->status = srv_sqlite_answer(reader->db, code, "reading", lookup->why);
  sqlite3_reset(rows);
  sqlite3_reset(last);
  /* A key that does not exist gets an entry with revision 0. */
  if (lookup->status == SRV_STORE_OK && lookup->id[0] && lookup->count == 0) {
    lookup->entries = calloc(1, sizeof *lookup->entries);
    lookup->count = lookup->entries != NULL;
    if (lookup->entries) memcpy(lookup->entries->id, lookup->id, sizeof lookup->id);
    else lookup->status = SRV_STORE_MEMORY;
  }
  if (lookup->status == SRV_STORE_OK) return;
  free(lookup->entries);
  lookup->entries = NULL;
  lookup->count = 0;
}
