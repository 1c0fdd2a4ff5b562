/* Tables of records. There is a single table until damage prevents new rows. Then a table is added,
 * and the old one is only read, as far as possible, and its unused rows are deleted. Each table has
 * the rows from its first number, which is part of its name, up to the next table's; a row's number
 * therefore determines its table. */
#include "store/store_sqlite.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Lists the tables in order of creation, which is also the order of their first numbers. */
static const char list[] =
    "SELECT name FROM sqlite_schema WHERE type = 'table' AND name GLOB 'records*' ORDER BY rowid";

static const char create[] = "CREATE TABLE \"records_%lld\"(" SRV_SQLITE_RECORD_COLUMNS ")";

/* Returns the first row number of a table by its name; -1: it is not a table of records. */
static int64_t first_of(const char *name) {
  static const char stem[] = "records_";
  char *end = NULL;
  if (strcmp(name, "records") == 0) return 0;
  if (strncmp(name, stem, sizeof stem - 1) != 0) return -1;
  errno = 0;
  long long first = strtoll(name + sizeof stem - 1, &end, 10);
  return errno == 0 && *end == 0 && first > 0 ? first : -1;
}

/* Appends the table `name` to the list and prepares its statements. */
static int add_table(srv_sqlite_record_tables *v, const char *name) {
  int64_t first = first_of(name);
  if (first < 0 || v->count == SRV_SQLITE_RECORD_TABLES ||
      (v->count > 0 && first <= v->items[v->count - 1].first))
    return SQLITE_CORRUPT;
  srv_sqlite_record_table *volume = &v->items[v->count];
  volume->first = first;
  const char *texts[SRV_SQLITE_RECORD_TABLE_STATEMENTS];
  int made = 0;
  while (made < v->texts_count && (texts[made] = sqlite3_mprintf(v->texts[made], name))) made++;
  int code = made < v->texts_count ? SQLITE_NOMEM : SQLITE_OK;
  if (code == SQLITE_OK && !srv_sqlite_prepare(v->db, texts, volume->statements, made))
    code = sqlite3_extended_errcode(v->db);
  while (made > 0) sqlite3_free((char *)(uintptr_t)texts[--made]);
  v->count += code == SQLITE_OK;
  return code;
}

int srv_sqlite_record_tables_reload(srv_sqlite_record_tables *v) {
  int code = sqlite3_step(v->list), taken = SQLITE_OK;
  for (int at = 0; code == SQLITE_ROW && taken == SQLITE_OK; at++) {
    const char *name = (const char *)sqlite3_column_text(v->list, 0);
    if (at >= v->count) taken = name ? add_table(v, name) : SQLITE_NOMEM;
    if (taken == SQLITE_OK) code = sqlite3_step(v->list);
  }
  sqlite3_reset(v->list);
  if (taken != SQLITE_OK || code != SQLITE_DONE) return taken != SQLITE_OK ? taken : code;
  return v->count > 0 ? SQLITE_OK : SQLITE_CORRUPT;
}

bool srv_sqlite_record_tables_open(srv_sqlite_record_tables *v, sqlite3 *db,
                                   const char *const *texts, int count) {
  const char *const list_text = list;
  *v = (srv_sqlite_record_tables){.db = db, .texts = texts, .texts_count = count};
  if (!srv_sqlite_prepare(db, &list_text, &v->list, 1)) return false;
  if (srv_sqlite_record_tables_reload(v) == SQLITE_OK) return true;
  srv_sqlite_record_tables_close(v);
  return false;
}

void srv_sqlite_record_tables_close(srv_sqlite_record_tables *v) {
  for (int i = 0; i < v->count; i++) srv_sqlite_finalize(v->items[i].statements, v->texts_count);
  srv_sqlite_finalize(&v->list, 1);
  v->count = 0;
}

sqlite3_stmt *srv_sqlite_record_table_of(const srv_sqlite_record_tables *v, int which,
                                         int64_t number) {
  int at = v->count - 1;
  while (at > 0 && v->items[at].first > number) at--;
  return v->items[at].statements[which];
}

int srv_sqlite_record_table_add(srv_sqlite_record_tables *v, int64_t first) {
  if (v->count == SRV_SQLITE_RECORD_TABLES) return SQLITE_CORRUPT;
  char *text = sqlite3_mprintf(create, (long long)first);
  int code = text ? sqlite3_exec(v->db, text, NULL, NULL, NULL) : SQLITE_NOMEM;
  sqlite3_free(text);
  return code;
}
