/* A malloc of the test program that can fail: allocation number `fail_at` since `taken` was last
 * set to 0, and with `rest` all later ones, while `counting`. `live` counts the allocated blocks. A
 * sanitizer has its own malloc: with a sanitizer FAILING_MALLOC is 0 and nothing here counts or
 * fails. */
#ifndef TESTS_FAILING_MALLOC_H
#define TESTS_FAILING_MALLOC_H

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define FAILING_MALLOC 0
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) ||                         \
    __has_feature(memory_sanitizer)
#define FAILING_MALLOC 0
#endif
#endif
#ifndef FAILING_MALLOC
#define FAILING_MALLOC 1
#endif

/* At the beginning of a fact that counts allocations or lets them fail; needs support/check.h. */
#define NEEDS_FAILING_MALLOC                                                                       \
  do {                                                                                             \
    if (!FAILING_MALLOC) {                                                                         \
      CHECK_SKIP("a sanitizer has a malloc of its own");                                           \
      return;                                                                                      \
    }                                                                                              \
  } while (0)

static struct {
  long fail_at; /* 0: none */
  long taken, live;
  bool rest, counting;
} memory;

#if FAILING_MALLOC
/* The C library's own functions, under the names for interposition. */
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *block, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);
extern void __libc_free(void *block);

static bool memory_refuses(void) {
  if (!memory.counting) return false;
  memory.taken++;
  bool refuses = memory.fail_at &&
                 (memory.taken == memory.fail_at || (memory.rest && memory.taken > memory.fail_at));
  if (refuses) errno = ENOMEM;
  return refuses;
}

static void *memory_counted(void *block) {
  if (block) memory.live++;
  return block;
}

void *malloc(size_t size) { return memory_refuses() ? NULL : memory_counted(__libc_malloc(size)); }
void *calloc(size_t count, size_t size) {
  return memory_refuses() ? NULL : memory_counted(__libc_calloc(count, size));
}
void *aligned_alloc(size_t alignment, size_t size) {
  return memory_refuses() ? NULL : memory_counted(__libc_memalign(alignment, size));
}
void *realloc(void *block, size_t size) {
  if (memory_refuses()) return NULL;
  return block ? __libc_realloc(block, size) : memory_counted(__libc_realloc(NULL, size));
}
void free(void *block) {
  if (block) memory.live--;
  __libc_free(block);
}
#endif

#endif
