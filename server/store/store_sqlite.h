/* Parts of the store in a file (SQLite, WAL mode): file (store_sqlite_file.c), page checksums
 * (store_sqlite_vfs.c), format (store_sqlite_format.c), tables of records (store_sqlite_volume.c),
 * writes (store_sqlite_write.c), reads (store_sqlite_read.c). A connection belongs to one thread at
 * a time; no function here waits for another thread. Functions that return an int return a result
 * code of SQLite. */
#ifndef SRV_STORE_STORE_SQLITE_H
#define SRV_STORE_STORE_SQLITE_H

#include "store/store.h"

#include <sqlite3.h>

#define SRV_SQLITE_FILE "contactd.db"
#define SRV_SQLITE_LOCK "contactd.lock"

/* Largest number of bytes in a row: records are split into rows, so that reads and deletions are
 * done in small steps. */
#define SRV_SQLITE_PART_BYTES 1048576

/* Number of pages in the WAL from which on a checkpoint is forced. The WAL is read when the store
 * is opened after a crash. A checkpoint delays writes by milliseconds: with a longer WAL by more,
 * with a shorter one it delays more than one write in a hundred. */
#define SRV_SQLITE_LOG_PAGES 4096

/* ---- format --------------------------------------------------------------------------------- */

/* Migrations: step i converts format i to i + 1. Format 0 is the empty file. */
typedef struct srv_sqlite_migrations {
  const char *const *sql; /* [count] one script per migration; the newest format is `count` */
  int count;
} srv_sqlite_migrations;

extern const srv_sqlite_migrations srv_sqlite_format;

/* Migrates the file to the newest format in one transaction, after a file of an older format was
 * copied to path.format-N. Initialises an empty file only if may_be_new. False: the reason is in
 * why, and the file is unchanged. */
bool srv_sqlite_migrate(sqlite3 *db, const char *path, const srv_sqlite_migrations *steps,
                        bool may_be_new, char why[SRV_STORE_WHY]);

/* ---- group commit (store_sqlite_group_commit.c) --------------------------------------------- */

/* State of the group commit: what recent transactions of writes were like. Times in ns. */
typedef struct srv_group_commit {
  size_t answered;      /* number of writes in the last transaction */
  size_t all;           /* `answered`, plus the number of writes that were queued at its end */
  uint64_t answered_ns; /* time at which the last transaction ended */
  uint64_t group_ns;    /* average duration of recent transactions */
  unsigned alone;       /* remaining number of transactions without a wait */
  unsigned alone_last;  /* value at which `alone` last began (backoff: 1, 3, 7, ...) */
} srv_group_commit;

/* Records a transaction from began_ns to now_ns with `answered` writes, at the end of which
 * `queued` more were waiting. */
void srv_group_commit_note_answered(srv_group_commit *c, size_t answered, size_t queued,
                                    uint64_t began_ns, uint64_t now_ns);
/* True if the writer should wait for more writes. Call exactly once before each transaction. */
bool srv_group_commit_should_wait(srv_group_commit *c);
/* Returns the time for which to wait on, with `queued` writes present; 0: do not wait. */
uint64_t srv_group_commit_wait_ns(const srv_group_commit *c, size_t queued, uint64_t now_ns);
/* Records the end of a wait, with `queued` writes present. */
void srv_group_commit_note_arrived(srv_group_commit *c, size_t queued, uint64_t now_ns);

/* ---- mark ----------------------------------------------------------------------------------- */

/* The mark in the lock file contains the number of the last acknowledged commit, so that lost
 * commits are detected: SQLite accepts a truncated WAL as if it had never been longer. The mark is
 * written after the commit's sync and before its acknowledgement. It is not synced: an old mark
 * detects less, and a mark is never ahead of the file. */
typedef struct srv_sqlite_mark {
  int64_t identity, commits; /* identity of the store; number of commits */
} srv_sqlite_mark;

/* True if the file is empty or has the size of a mark. Any other file is not a lock file of this
 * daemon. */
bool srv_sqlite_mark_may_stand(int file);
/* Reads the mark. False: there is none, or it was written incompletely. */
bool srv_sqlite_mark_read(int file, srv_sqlite_mark *out);
void srv_sqlite_mark_write(int file, const srv_sqlite_mark *mark);

/* ---- pages ---------------------------------------------------------------------------------- */

#define SRV_SQLITE_PAGE_BYTES 4096
/* Bytes at the end of each page that SQLite leaves unused, for the page's digest. */
#define SRV_SQLITE_DIGEST_BYTES 8

/* Returns the name of the VFS that verifies page checksums, on top of the default VFS. The writing
 * connection must be opened first, since its opening rewrites the WAL. NULL: not available. */
const char *srv_sqlite_vfs(void);

/* True if the list of free pages is damaged. Must be called outside of a transaction. Reads one
 * page per about 1,000 free pages. */
bool srv_sqlite_free_is_damaged(sqlite3 *db);

/* Clears the list of free pages of a closed file, whose space is then lost. False: failed. */
bool srv_sqlite_forget_free(const char *path);

/* ---- rows ----------------------------------------------------------------------------------- */

/* A row of a record, as covered by its digest; the members are columns, see
 * store_sqlite_format.c. */
typedef struct srv_sqlite_part {
  int64_t life, revision, follows, previous, part, length;
  const void *bytes;
  size_t size;
} srv_sqlite_part;

uint64_t srv_sqlite_part_digest(const srv_sqlite_part *part);

/* A row of the table `keys`; see store_sqlite_format.c. */
typedef struct srv_sqlite_key {
  int64_t number; /* 0: the row does not exist */
  int64_t space, revision, bodies, life, base_revision, base_number, last_number;
  char id[CT_ID_LENGTH_MAX + 1];
} srv_sqlite_key;

/* Columns in the order in which srv_sqlite_read_key expects them. */
#define SRV_SQLITE_KEY_COLUMNS                                                                     \
  "number, space, revision, bodies, life, base_revision, base_number, last_number, digest, id"

uint64_t srv_sqlite_key_digest(const srv_sqlite_key *key);
/* Reads a row of `keys`. SQLITE_CORRUPT: the row's digest is wrong. */
int srv_sqlite_read_key(sqlite3_stmt *row, srv_sqlite_key *out);
/* Returns a digest of 64 bits over the bytes, chained from `seed`. A change within one aligned word
 * of eight bytes always changes the digest. */
uint64_t srv_sqlite_digest(uint64_t seed, const void *bytes, size_t size);

/* The first row of a record without its bytes. */
typedef struct srv_sqlite_head {
  int64_t revision, follows, previous, length;
} srv_sqlite_head;

/* ---- tables of records ---------------------------------------------------------------------- */

/* Largest number of tables of records. A table is added when a page of the last one is damaged. */
#define SRV_SQLITE_RECORD_TABLES 16
/* Largest number of prepared statements that a connection has per table. */
#define SRV_SQLITE_RECORD_TABLE_STATEMENTS 4

#define SRV_SQLITE_RECORD_COLUMNS                                                                  \
  "number INTEGER PRIMARY KEY, life INTEGER NOT NULL, revision INTEGER NOT NULL, follows INTEGER " \
  "NOT NULL,"                                                                                      \
  " previous INTEGER NOT NULL, part INTEGER NOT NULL, length INTEGER NOT NULL, digest INTEGER "    \
  "NOT NULL, bytes BLOB NOT NULL"

typedef struct srv_sqlite_record_table {
  int64_t first; /* lowest row number that belongs to the table */
  sqlite3_stmt *statements[SRV_SQLITE_RECORD_TABLE_STATEMENTS];
} srv_sqlite_record_table;

typedef struct srv_sqlite_record_tables {
  sqlite3 *db;
  sqlite3_stmt *list;
  const char *const
      *texts; /* [texts_count] SQL of the statements, with "%w" for the table's name */
  int texts_count, count;
  srv_sqlite_record_table
      items[SRV_SQLITE_RECORD_TABLES]; /* [count] in ascending order of `first` */
} srv_sqlite_record_tables;

/* Prepares the statements `texts` for every table of records. `texts` must outlive *volumes;
 * texts[0] must be SRV_SQLITE_HEAD. False: sqlite3_errmsg(db) has the reason, and no statement is
 * left open. */
bool srv_sqlite_record_tables_open(srv_sqlite_record_tables *volumes, sqlite3 *db,
                                   const char *const *texts, int count);
void srv_sqlite_record_tables_close(srv_sqlite_record_tables *volumes);
/* Adds the tables that were created since the last call or since the opening. */
int srv_sqlite_record_tables_reload(srv_sqlite_record_tables *volumes);
/* Returns statement `which` of the table that contains, or would contain, the row. */
sqlite3_stmt *srv_sqlite_record_table_of(const srv_sqlite_record_tables *volumes, int which,
                                         int64_t number);
/* Creates a table for rows from number `first` on, within a transaction; call
 * srv_sqlite_record_tables_reload after its commit. */
int srv_sqlite_record_table_add(srv_sqlite_record_tables *volumes, int64_t first);

/* Reads the first row of a record; parameter 1: the row's number. */
#define SRV_SQLITE_HEAD "SELECT revision, follows, previous, length FROM \"%w\" WHERE number = ?1"

/* Reads the first row of a record. SQLITE_CORRUPT: the row does not exist or is invalid. */
int srv_sqlite_read_head(const srv_sqlite_record_tables *volumes, int64_t number,
                         srv_sqlite_head *out);
/* Returns the number of rows of a record. */
int64_t srv_sqlite_parts(const srv_sqlite_head *head);

/* ---- writer --------------------------------------------------------------------------------- */

typedef struct srv_sqlite_writer srv_sqlite_writer;

/* Creates a writer, which takes over db. mark: descriptor of the mark's file, owned by the caller.
 * NULL: the reason is in why, and db remains the caller's. */
srv_sqlite_writer *srv_sqlite_writer_create(sqlite3 *db, int mark, char why[SRV_STORE_WHY]);
void srv_sqlite_writer_destroy(srv_sqlite_writer *writer);
/* Watches the path of a file in use. If the file is deleted or replaced, commits would be lost;
 * writes then fail as after a failure of the device. False: out of memory, or there is no such
 * file. */
bool srv_sqlite_watch(srv_sqlite_writer *writer, const char *path);
/* Executes a list of writes in order, in as few transactions as possible, and sets their answers.
 * OK: the write is synced to the disk. After a failure of the device every write is answered
 * SRV_STORE_FAILED. */
void srv_sqlite_write(srv_sqlite_writer *writer, srv_store_write *first);
/* Deletes some unused rows. False: none is left, or deleting is not possible now. */
bool srv_sqlite_sweep(srv_sqlite_writer *writer);
/* Checkpoints the WAL if at least `pages` of its pages have not been copied to the file yet. */
void srv_sqlite_checkpoint(srv_sqlite_writer *writer, int pages);
/* True after a failure of the device. */
bool srv_sqlite_failed(const srv_sqlite_writer *writer);
/* True if structures that all keys need are damaged. */
bool srv_sqlite_damaged(const srv_sqlite_writer *writer);
/* Returns the reason of the latest failure or damage, SRV_STORE_WHY bytes. */
const char *srv_sqlite_why(const srv_sqlite_writer *writer);
/* Returns the number of tables of records, which grows when a damaged page prevents new rows. */
int srv_sqlite_table_count(const srv_sqlite_writer *writer);

/* ---- reader --------------------------------------------------------------------------------- */

typedef struct srv_sqlite_reader srv_sqlite_reader;

srv_sqlite_reader *srv_sqlite_reader_create(sqlite3 *db, char why[SRV_STORE_WHY]);
void srv_sqlite_reader_destroy(srv_sqlite_reader *reader);
void srv_sqlite_load(srv_sqlite_reader *reader, srv_store_load *load);
void srv_sqlite_lookup(srv_sqlite_reader *reader, srv_store_lookup *lookup);

/* ---- file ----------------------------------------------------------------------------------- */

typedef struct srv_sqlite_file {
  int lock; /* descriptor of the lock file; -1: none */
  srv_sqlite_writer *writer;
  srv_sqlite_reader *reader;
  bool forgot_free; /* the list of free pages was damaged when the file was opened, and has been
                       cleared */
} srv_sqlite_file;

/* Opens the store in the folder. False: the reason is in why, and nothing is left open. */
bool srv_sqlite_open(srv_sqlite_file *file, const char *folder, char why[SRV_STORE_WHY]);
void srv_sqlite_close(srv_sqlite_file *file);
/* Syncs the folder, so that the names of new files are durable. False: the reason is in why. */
bool srv_sqlite_sync_folder(const char *folder, char why[SRV_STORE_WHY]);

/* ---- results -------------------------------------------------------------------------------- */

/* Returns the status for a result code of SQLite, and writes a sentence to why. what: name of the
 * operation. */
srv_store_status srv_sqlite_answer(sqlite3 *db, int code, const char *what,
                                   char why[SRV_STORE_WHY]);
/* Prepares the statements texts[count]. False: one failed, and none is left open. */
bool srv_sqlite_prepare(sqlite3 *db, const char *const *texts, sqlite3_stmt **statements,
                        int count);
void srv_sqlite_finalize(sqlite3_stmt **statements, int count);
/* Executes a statement that returns no rows, and resets it. */
int srv_sqlite_run(sqlite3_stmt *statement);

#endif
