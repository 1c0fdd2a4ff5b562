/* A disk that fails or is slow. Loaded in front of the C library (LD_PRELOAD), it reads the file
 * that FAILING_SYNC names at each fsync and fdatasync. An empty file: the call fails with EIO;
 * "/name": it fails for files of that name; a number: it takes so many milliseconds longer; "hold":
 * it blocks until the file is deleted. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

/* True if the path of the open file ends with the text. */
static int ends_in(int fd, const char *end) {
  char link[40], path[4096];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, path, sizeof path);
  size_t most = strlen(end);
  return length >= (ssize_t)most && memcmp(path + length - most, end, most) == 0;
}

static int sync_or_fail(long call, int fd) {
  const char *name = getenv("FAILING_SYNC");
  int mark = name ? open(name, O_RDONLY | O_CLOEXEC) : -1;
  if (mark >= 0) {
    char text[16] = {0};
    ssize_t length = read(mark, text, sizeof text - 1);
    close(mark);
    if (length <= 0 || (text[0] == '/' && ends_in(fd, text))) {
      errno = EIO;
      return -1;
    }
    if (strcmp(text, "hold") == 0)
      while (access(name, F_OK) == 0) usleep(1000);
    else usleep((useconds_t)strtoul(text, NULL, 10) * 1000u);
  }
  return (int)syscall(call, fd);
}

EXPORT int fsync(int fd) { return sync_or_fail(SYS_fsync, fd); }

EXPORT int fdatasync(int fd) { return sync_or_fail(SYS_fdatasync, fd); }
