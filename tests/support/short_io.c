/* A system with interrupted and partial I/O. Loaded in front of the C library (LD_PRELOAD), it
 * interrupts the process by a timer every millisecond, without restarting system calls. Some calls
 * that read and write files fail with EINTR, and some transfer half of the bytes. */
/* Checked variants of these calls would replace them in the headers. */
#undef _FORTIFY_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/types.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

/* Of this many calls one is interrupted and one is short. */
#define CALLS 5u

static atomic_uint calls;

/* The number of bytes to transfer; 0: interrupted. Calls on other than regular files are unchanged:
 * they may block. */
static size_t part_of(int fd, size_t size) {
  struct stat s;
  if (fstat(fd, &s) != 0 || !S_ISREG(s.st_mode)) return size;
  unsigned number = atomic_fetch_add(&calls, 1) % CALLS;
  if (number == 1) return 0;
  return number == 3 && size > 1 ? size / 2 : size;
}

static ssize_t interrupted(void) {
  errno = EINTR;
  return -1;
}

#define SHORT(size, call)                                                                          \
  ((size) && !((size) = part_of(fd, size)) ? interrupted() : (ssize_t)(call))

EXPORT ssize_t read(int fd, void *out, size_t size) {
  return SHORT(size, syscall(SYS_read, fd, out, size));
}
EXPORT ssize_t write(int fd, const void *bytes, size_t size) {
  return SHORT(size, syscall(SYS_write, fd, bytes, size));
}
EXPORT ssize_t pread(int fd, void *out, size_t size, off_t at) {
  return SHORT(size, syscall(SYS_pread64, fd, out, size, at));
}
EXPORT ssize_t pwrite(int fd, const void *bytes, size_t size, off_t at) {
  return SHORT(size, syscall(SYS_pwrite64, fd, bytes, size, at));
}
EXPORT ssize_t pread64(int fd, void *out, size_t size, off_t at) {
  return SHORT(size, syscall(SYS_pread64, fd, out, size, at));
}
EXPORT ssize_t pwrite64(int fd, const void *bytes, size_t size, off_t at) {
  return SHORT(size, syscall(SYS_pwrite64, fd, bytes, size, at));
}

static void on_alarm(int number) { (void)number; }

__attribute__((constructor)) static void begin(void) {
  struct sigaction action = {.sa_handler = on_alarm};
  struct itimerval every = {{0, 1000}, {0, 1000}};
  sigaction(SIGALRM, &action, NULL);
  setitimer(ITIMER_REAL, &every, NULL);
}
