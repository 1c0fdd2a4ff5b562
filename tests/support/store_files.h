/* Operations of tests on the store's files from outside: copied, put back, changed; and the message
 * of the store when it is opened. */
#ifndef TESTS_STORE_FILES_H
#define TESTS_STORE_FILES_H

#include "tests/support/store_rig.h"

#include <fcntl.h>

#define PUT(r, act, id, before, revision, length)                                                  \
  rig_put(r, act, id, (uint64_t[]){before, revision}, length)

/* Tries to open the store. Returns the message of the refusal; "": it was opened. */
static inline const char *refusal(rig *r) {
  static char said[400];
  char path[] = "/tmp/store-said-XXXXXX";
  fflush(stderr);
  int kept = dup(2), file = mkstemp(path);
  dup2(file, 2);
  bool good = rig_open(r);
  dup2(kept, 2);
  close(kept);
  ssize_t length = pread(file, said, sizeof said - 1, 0);
  said[length > 0 ? length : 0] = 0;
  close(file);
  unlink(path);
  CHECK_INT(good, said[0] == 0);
  /* One sentence, in one line. */
  CHECK(strchr(said, '\n') == strrchr(said, '\n') && !strstr(said, "***"));
  return said;
}

#define CHECK_REFUSED(r, words)                                                                    \
  do {                                                                                             \
    const char *sentence = refusal(r);                                                             \
    if (!strstr(sentence, words)) CHECK_FAIL("no \"%s\" in \"%s\"", words, sentence);              \
    CHECK(strncmp(sentence, "contactd: ", 10) == 0);                                               \
  } while (0)

static inline void path_of(const rig *r, const char *name, char path[200]) {
  snprintf(path, 200, "%s/%s", r->folder, name);
}

static inline void put_file(const rig *r, const char *name, const void *bytes, size_t size) {
  char path[200];
  path_of(r, name, path);
  int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  CHECK(file >= 0 && write(file, bytes, size) == (ssize_t)size);
  close(file);
}

/* NULL: no such file */
static inline unsigned char *get_file(const rig *r, const char *name, size_t *size) {
  char path[200];
  struct stat s;
  path_of(r, name, path);
  int file = open(path, O_RDONLY);
  if (file < 0) return NULL;
  fstat(file, &s);
  *size = (size_t)s.st_size;
  unsigned char *bytes = malloc(*size + 1);
  CHECK(read(file, bytes, *size) == s.st_size);
  close(file);
  return bytes;
}

/* ---- all files ------------------------------------------------------------------------------ */

#define FILES 3
static const char *const file_names[FILES] = {"contactd.db", "contactd.db-wal", "contactd.lock"};

typedef struct files {
  unsigned char *bytes[FILES]; /* NULL: no such file */
  size_t size[FILES];
} files;

static inline files take_files(const rig *r) {
  files f = {{0}, {0}};
  for (int i = 0; i < FILES; i++) f.bytes[i] = get_file(r, file_names[i], &f.size[i]);
  return f;
}

static inline void put_files(const rig *r, const files *f) {
  char path[200];
  path_of(r, "contactd.db-shm", path);
  unlink(path);
  for (int i = 0; i < FILES; i++) {
    path_of(r, file_names[i], path);
    unlink(path);
    if (f->bytes[i]) put_file(r, file_names[i], f->bytes[i], f->size[i]);
  }
}

static inline void free_files(files *f) {
  for (int i = 0; i < FILES; i++) free(f->bytes[i]);
}

#endif
