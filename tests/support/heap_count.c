/* Counts the heap memory of a program. Loaded in front of the C library (LD_PRELOAD), it maintains
 * the number of allocated bytes and blocks, by the C library's own sizes, in the mapped file that
 * HEAP_COUNT names. A test can read them at any time (Daemon.heap in support/daemon.py). Resident
 * memory is less precise: it includes freed memory that was not returned to the kernel, and varies
 * by megabytes with the order in which threads free.
 *
 * Only the heap is counted. The daemon maps no memory by itself, and libmicrohttpd allocates pools
 * of up to 32 KiB, which is SRV_CONNECTION_BYTES, on the heap. */
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

/* The C library's own functions, under the names for interposition. */
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *block, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);
extern void __libc_free(void *block);

typedef struct held {
  atomic_long bytes, blocks;
} held;

/* The counts before the file is mapped: the loader and constructors allocate too. */
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
  /* realloc to size 0 frees the block; a failed realloc leaves it. */
  if (block && (made || size == 0)) forget(before);
  return counted(made);
}

/* Runs before main, when there is one thread. */
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
