/* Records the functions that a program enters. Loaded (LD_PRELOAD) in front of the C library into a
 * program that was compiled with -finstrument-functions, it writes the addresses of each entered
 * function and of its call site into the file that ENTRY_TRACE names. The file is mapped and has a
 * fixed size; entries are written while its reader has set `recording`. Bytes received and sent by
 * sockets are marks in the same sequence, so that the reader finds the part between a request and
 * its reply. The entries of all threads share one sequence. tests/house/trace.py resolves the
 * addresses. */
/* Checked variants of these calls would replace them in the headers. */
#undef _FORTIFY_SOURCE
#include <fcntl.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))
#define ENTRIES 262144u

/* No function has these addresses. */
enum { MARK_RECEIVED = 1, MARK_SENT = 2 };

typedef struct entry_trace {
  atomic_ulong recording, count; /* count also counts entries that do not fit */
  uint64_t entries[ENTRIES][2];  /* function or mark; call site */
} entry_trace;

static entry_trace *trace;

static void record(uint64_t value, const void *code) {
  if (!trace || !atomic_load_explicit(&trace->recording, memory_order_relaxed)) return;
  unsigned long at = atomic_fetch_add(&trace->count, 1);
  if (at >= ENTRIES) return;
  trace->entries[at][0] = value;
  trace->entries[at][1] = (uint64_t)(uintptr_t)code;
}

/* The names that -finstrument-functions calls. */
EXPORT void __cyg_profile_func_enter(void *function, void *site);
EXPORT void __cyg_profile_func_exit(void *function, void *site);

void __cyg_profile_func_enter(void *function, void *site) {
  (void)site;
  record((uint64_t)(uintptr_t)function, __builtin_return_address(0));
}

void __cyg_profile_func_exit(void *function, void *site) {
  (void)function;
  (void)site;
}

EXPORT ssize_t recv(int fd, void *out, size_t size, int flags) {
  ssize_t received = syscall(SYS_recvfrom, fd, out, size, flags, NULL, NULL);
  if (received > 0) record(MARK_RECEIVED, NULL);
  return received;
}

/* The mark precedes the call: once the reply is received, the reader may end the recording. */
EXPORT ssize_t send(int fd, const void *bytes, size_t size, int flags) {
  record(MARK_SENT, NULL);
  return syscall(SYS_sendto, fd, bytes, size, flags, NULL, 0);
}
EXPORT ssize_t sendmsg(int fd, const struct msghdr *message, int flags) {
  record(MARK_SENT, NULL);
  return syscall(SYS_sendmsg, fd, message, flags);
}

/* Runs before main, when there is one thread. */
__attribute__((constructor)) static void map_trace(void) {
  const char *path = getenv("ENTRY_TRACE");
  int file = path ? open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600) : -1;
  if (file < 0 || ftruncate(file, sizeof(entry_trace))) abort();
  void *shared = mmap(NULL, sizeof(entry_trace), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (shared == MAP_FAILED) abort();
  close(file);
  trace = shared;
}
