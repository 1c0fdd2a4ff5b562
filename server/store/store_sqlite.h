/* The parts of the store in a file, below the threads: the file (store_sqlite_file.c) and its pages (store_sqlite_vfs.c),
 * its format (store_sqlite_format.c), tables of records (store_sqlite_volume.c), writes (store_sqlite_write.c) and reads
 * (store_sqlite_read.c). Each connection belongs to one thread at a time; nothing here waits for another thread. Functions that
 * return an int return a result code of SQLite. */
#ifndef SRV_STORE_STORE_SQLITE_H
#define SRV_STORE_STORE_SQLITE_H

#include "store/store.h"

#include <sqlite3.h>

#define SRV_SQLITE_FILE "contactd.db"
#define SRV_SQLITE_LOCK "contactd.lock"

/* Records are cut into rows of at most so many bytes: what is read or deleted at once stays small. */
#define SRV_SQLITE_PART_BYTES 1048576

/* Pages of the log that are copied into the file at the latest. The log is read when the store is opened after a crash. Copying
 * holds writes up for some milliseconds: a longer log for longer, a shorter one so often that more than one write of a hundred
 * meets it. */
#define SRV_SQLITE_LOG_PAGES 4096

/* ---- format ---------------------------------------------------------------------------------------------------------- */

/* One step of the format: what leads from format i, step i of the table, to i + 1. Format 0 is the empty file. */
typedef struct srv_sqlite_migrations {
  const char *const *sql; /* [count]; the newest format is `count` */
  int count;
} srv_sqlite_migrations;

extern const srv_sqlite_migrations srv_sqlite_format;

/* Brings the file to the newest format in one transaction, an older one after a copy beside it (path.format-N); an empty one only
 * if it may be new. False: why tells; the file is as it was. */
bool srv_sqlite_migrate(sqlite3 *db, const char *path, const srv_sqlite_migrations *steps, bool may_be_new,
                        char why[SRV_STORE_WHY]);

/* ---- company (store_sqlite_group_commit.c) ----------------------------------------------------------------------------------- */

/* What is known of those who write together. Times in ns. */
typedef struct srv_group_commit {
  size_t answered;      /* writes, last */
  size_t all;           /* those, and what waited then */
  uint64_t answered_ns; /* when that was */
  uint64_t group_ns;    /* that a transaction takes, lately */
  unsigned alone;       /* transactions for which it is not waited for any more */
  unsigned alone_last;  /* what that was at first */
} srv_group_commit;

/* A transaction that began then has been answered now; meanwhile `queued` more have come. */
void srv_group_commit_note_answered(srv_group_commit *c, size_t answered, size_t queued, uint64_t began_ns, uint64_t now_ns);
/* Before the next transaction, once: is company waited for? */
bool srv_group_commit_should_wait(srv_group_commit *c);
/* How long it is still waited for, where so many are there; 0: no longer. */
uint64_t srv_group_commit_wait_ns(const srv_group_commit *c, size_t queued, uint64_t now_ns);
/* It has been waited for, and so many are there. */
void srv_group_commit_note_arrived(srv_group_commit *c, size_t queued, uint64_t now_ns);

/* ---- mark ------------------------------------------------------------------------------------------------------------ */

/* A log that ends early is read by SQLite as one that was never written further. The mark, in the lock's file, tells the number of
 * the last commit that was acknowledged: written after the sync that makes the commit last and before anybody hears of it, so that
 * a lost commit is noticed. It is not synced itself: behind the truth it only sees less, and ahead of it it cannot be. */
typedef struct srv_sqlite_mark {
  int64_t identity, commits; /* of the store */
} srv_sqlite_mark;

/* Is the file empty, or as long as a mark? Any other is somebody else's. */
bool srv_sqlite_mark_may_stand(int file);
/* False: there is none, or a torn one: nothing is known. */
bool srv_sqlite_mark_read(int file, srv_sqlite_mark *out);
void srv_sqlite_mark_write(int file, const srv_sqlite_mark *mark);

/* ---- pages ----------------------------------------------------------------------------------------------------------- */

#define SRV_SQLITE_PAGE_BYTES 4096
/* The end of each page, which SQLite leaves alone. */
#define SRV_SQLITE_DIGEST_BYTES 8

/* The name of the layer that proves pages, above what is the default now. It is for the connection that writes, before any other:
 * its opening writes the log again. NULL: there is none. */
const char *srv_sqlite_vfs(void);

/* Is the list of free pages damaged, anywhere? Outside a transaction. Reads one page for some 1,000 free ones. */
bool srv_sqlite_free_is_damaged(sqlite3 *db);

/* The file, which nobody has open, forgets which of its pages are free: they are lost room. False: it has not. */
bool srv_sqlite_forget_free(const char *path);

/* ---- rows ------------------------------------------------------------------------------------------------------------ */

/* A row of records as its digest covers it. */
typedef struct srv_sqlite_part {
  int64_t life, revision, follows, previous, part, length;
  const void *bytes;
  size_t size;
} srv_sqlite_part;

uint64_t srv_sqlite_part_digest(const srv_sqlite_part *part);

/* A row of keys. */
typedef struct srv_sqlite_key {
  int64_t number; /* 0: not there */
  int64_t space, revision, bodies, life, base_revision, base_number, last_number;
  char id[CT_ID_LENGTH_MAX + 1];
} srv_sqlite_key;

/* Columns in the order in which srv_sqlite_read_key takes them. */
#define SRV_SQLITE_KEY_COLUMNS "number, space, revision, bodies, life, base_revision, base_number, last_number, digest, id"

uint64_t srv_sqlite_key_digest(const srv_sqlite_key *key);
/* SQLITE_CORRUPT: the row's digest is not its own. */
int srv_sqlite_read_key(sqlite3_stmt *row, srv_sqlite_key *out);
/* 64 bits over bytes, chained from `seed`. A change within one aligned word of eight bytes always changes the digest. */
uint64_t srv_sqlite_digest(uint64_t seed, const void *bytes, size_t size);

/* What the first row of a record tells without its bytes. */
typedef struct srv_sqlite_head {
  int64_t revision, follows, previous, length;
} srv_sqlite_head;

/* ---- tables of records ----------------------------------------------------------------------------------------------- */

/* So many: each but the first was made because a page of the one before was damaged. */
#define SRV_SQLITE_RECORD_TABLES 16
/* Statements that a connection has for each table, at most. */
#define SRV_SQLITE_RECORD_TABLE_STATEMENTS 4

#define SRV_SQLITE_RECORD_COLUMNS                                                                                                  \
  "number INTEGER PRIMARY KEY, life INTEGER NOT NULL, revision INTEGER NOT NULL, follows INTEGER NOT NULL,"                        \
  " previous INTEGER NOT NULL, part INTEGER NOT NULL, length INTEGER NOT NULL, digest INTEGER NOT NULL, bytes BLOB NOT NULL"

typedef struct srv_sqlite_record_table {
  int64_t first; /* its rows have this number or a greater one */
  sqlite3_stmt *statements[SRV_SQLITE_RECORD_TABLE_STATEMENTS];
} srv_sqlite_record_table;

typedef struct srv_sqlite_record_tables {
  sqlite3 *db;
  sqlite3_stmt *list;
  const char *const *texts; /* [texts_count] of the statements, with "%w" for the table's name */
  int texts_count, count;
  srv_sqlite_record_table items[SRV_SQLITE_RECORD_TABLES]; /* [count] ascending in first */
} srv_sqlite_record_tables;

/* texts must live as long; the first is SRV_SQLITE_HEAD. False: db tells, and nothing is to be ended. */
bool srv_sqlite_record_tables_open(srv_sqlite_record_tables *volumes, sqlite3 *db, const char *const *texts, int count);
void srv_sqlite_record_tables_close(srv_sqlite_record_tables *volumes);
/* Finds tables that have been made since. */
int srv_sqlite_record_tables_reload(srv_sqlite_record_tables *volumes);
/* The statement for the table that has, or would have, the row. */
sqlite3_stmt *srv_sqlite_record_table_of(const srv_sqlite_record_tables *volumes, int which, int64_t number);
/* Makes a table for rows from this number on, within a transaction; to be found when that has ended well. */
int srv_sqlite_record_table_add(srv_sqlite_record_tables *volumes, int64_t first);

/* Takes the row's number. */
#define SRV_SQLITE_HEAD "SELECT revision, follows, previous, length FROM \"%w\" WHERE number = ?1"

/* SQLITE_CORRUPT: there is no such row. */
int srv_sqlite_read_head(const srv_sqlite_record_tables *volumes, int64_t number, srv_sqlite_head *out);
/* Rows of a record. */
int64_t srv_sqlite_parts(const srv_sqlite_head *head);

/* ---- writer ---------------------------------------------------------------------------------------------------------- */

typedef struct srv_sqlite_writer srv_sqlite_writer;

/* mark: descriptor of the mark's file; it stays the caller's. NULL: why tells, and db is the caller's still. */
srv_sqlite_writer *srv_sqlite_writer_create(sqlite3 *db, int mark, char why[SRV_STORE_WHY]);
void srv_sqlite_writer_destroy(srv_sqlite_writer *writer);
/* The file of this path, which is in use, must stay: when it has gone or is another one, no commit would last, and writes end as
 * after a failure of the device. False: there is no memory for it, or no such file. */
bool srv_sqlite_watch(srv_sqlite_writer *writer, const char *path);
/* Carries out the list (by next) in order, in as few transactions as may be, and sets the answers. What is OK is on the disk.
 * After a failure of the device every write is SRV_STORE_FAILED. */
void srv_sqlite_write(srv_sqlite_writer *writer, srv_store_write *first);
/* Lets go of some of what is no longer used. False: there is nothing left, or it cannot be now. */
bool srv_sqlite_sweep(srv_sqlite_writer *writer);
/* Copies the log into the file if so many pages or more are not copied yet. */
void srv_sqlite_checkpoint(srv_sqlite_writer *writer, int pages);
/* The device has failed. */
bool srv_sqlite_failed(const srv_sqlite_writer *writer);
/* What all keys need is damaged. */
bool srv_sqlite_damaged(const srv_sqlite_writer *writer);
/* Of what came last of these: SRV_STORE_WHY bytes. */
const char *srv_sqlite_why(const srv_sqlite_writer *writer);
/* Tables of records; more than there were: a damaged page takes no new ones. */
int srv_sqlite_table_count(const srv_sqlite_writer *writer);

/* ---- reader ---------------------------------------------------------------------------------------------------------- */

typedef struct srv_sqlite_reader srv_sqlite_reader;

srv_sqlite_reader *srv_sqlite_reader_create(sqlite3 *db, char why[SRV_STORE_WHY]);
void srv_sqlite_reader_destroy(srv_sqlite_reader *reader);
void srv_sqlite_load(srv_sqlite_reader *reader, srv_store_load *load);
void srv_sqlite_lookup(srv_sqlite_reader *reader, srv_store_lookup *look);

/* ---- file ------------------------------------------------------------------------------------------------------------ */

typedef struct srv_sqlite_file {
  int lock; /* descriptor; -1: none */
  srv_sqlite_writer *writer;
  srv_sqlite_reader *reader;
  bool forgot_free; /* the list of free pages was damaged when the file was opened */
} srv_sqlite_file;

/* False: why tells, and nothing is left open. */
bool srv_sqlite_open(srv_sqlite_file *file, const char *folder, char why[SRV_STORE_WHY]);
void srv_sqlite_close(srv_sqlite_file *file);
/* The names of new files are on the disk, too. False: why tells. */
bool srv_sqlite_sync_folder(const char *folder, char why[SRV_STORE_WHY]);

/* ---- results --------------------------------------------------------------------------------------------------------- */

/* What a result code of SQLite means for who asked, and in why a sentence with `what` was being done. */
srv_store_status srv_sqlite_answer(sqlite3 *db, int code, const char *what, char why[SRV_STORE_WHY]);
/* Prepares texts[count]; on failure those prepared are finalized. */
bool srv_sqlite_prepare(sqlite3 *db, const char *const *texts, sqlite3_stmt **statements, int count);
void srv_sqlite_finalize(sqlite3_stmt **statements, int count);
/* Steps a statement that gives no row, and resets it. */
int srv_sqlite_run(sqlite3_stmt *statement);

#endif
