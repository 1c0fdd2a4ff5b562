/* A disk that fails: loaded in front of the C library (LD_PRELOAD), it lets fsync and fdatasync fail with EIO while the file that
 * FAILING_SYNC names is there. */
#include <errno.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

static int sync_or_fail(long call, int fd) {
  const char *mark = getenv("FAILING_SYNC");
  if (mark && access(mark, F_OK) == 0) {
    errno = EIO;
    return -1;
  }
  return (int)syscall(call, fd);
}

EXPORT int fsync(int fd) { return sync_or_fail(SYS_fsync, fd); }

EXPORT int fdatasync(int fd) { return sync_or_fail(SYS_fdatasync, fd); }
