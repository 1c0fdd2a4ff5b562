/* Counts what a program holds of the heap. Loaded in front of the C library (LD_PRELOAD), it keeps
 * the number of bytes and of blocks that are allocated and not freed, by the C library's own sizes,
 * in the file that HEAP_COUNT names, mapped: a test reads them there at any time (Daemon.heap in
 * support/daemon.py). Resident memory tells less: it has what was freed and not given back to the
 * kernel, and wanders by megabytes with the order in which threads free.
 *
 * Only the heap is counted. The daemon maps nothing by itself, and libmicrohttpd's pools are of the
 * heap up to 32 KiB, which is SRV_CONNECTION_BYTES.
 */
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

/* The C library's own, under the names that it keeps for replacements. */
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *block, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);
extern void __libc_free(void *block);

typedef struct held {
  atomic_long bytes, blocks;
} held;

/* Where the counts are until the file is there: the loader and constructors allocate too. */
static held early;
static held *counts = &early;

static void *counted(void *block) {
  if (!block) return NULL;
  atomic_fetch_add_explicit(&counts->bytes, (long)malloc_usable_size(block), memory_order_relaxed);
  atomic_fetch_add_explicit(&counts->blocks, 1, memory_order_relaxed);
  return block;
}

static void forget(size_t bytes) {
  atomic_fetch_sub_explicit(&counts->bytes, (long)bytes, memory_order_relaxed);
  atomic_fetch_sub_explicit(&counts->blocks, 1, memory_order_relaxed);
}

#define SHOWN __attribute__((visibility("default")))

SHOWN void *malloc(size_t size) { return counted(__libc_malloc(size)); }
SHOWN void *calloc(size_t count, size_t size) { return counted(__libc_calloc(count, size)); }
SHOWN void *memalign(size_t alignment, size_t size) {
  return counted(__libc_memalign(alignment, size));
}
SHOWN void *aligned_alloc(size_t alignment, size_t size) { return memalign(alignment, size); }

SHOWN int posix_memalign(void **block, size_t alignment, size_t size) {
  if (alignment < sizeof(void *) || (alignment & (alignment - 1))) return EINVAL;
  void *made = memalign(alignment, size);
  if (!made) return ENOMEM;
  *block = made;
  return 0;
}

SHOWN void free(void *block) {
  if (!block) return;
  forget(malloc_usable_size(block));
  __libc_free(block);
}

SHOWN void *realloc(void *block, size_t size) {
  size_t before = block ? malloc_usable_size(block) : 0;
  void *made = __libc_realloc(block, size);
  /* A block of nothing is freed by it, one that cannot grow stays. */
  if (block && (made || size == 0)) forget(before);
  return counted(made);
}

/* Before main, when there is one thread. */
__attribute__((constructor)) static void publish(void) {
  const char *path = getenv("HEAP_COUNT");
  int file = path ? open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600) : -1;
  if (file < 0 || ftruncate(file, sizeof(held))) abort();
  void *shared = mmap(NULL, sizeof(held), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (shared == MAP_FAILED) abort();
  close(file);
  held *there = shared;
  atomic_store(&there->bytes, atomic_load(&early.bytes));
  atomic_store(&there->blocks, atomic_load(&early.blocks));
  counts = there;
}
