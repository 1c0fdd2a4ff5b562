#include "process/file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int srv_file_open(const char *path, unsigned *mode, uint64_t *bytes, const char **why) {
  struct stat status;
  /* O_NONBLOCK, and a check of the type before any read: special files must not block the start. */
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  *why = fd < 0 || fstat(fd, &status) != 0 ? strerror(errno) : NULL;
  if (!*why && S_ISDIR(status.st_mode)) *why = "a directory, not a regular file";
  else if (!*why && !S_ISREG(status.st_mode)) *why = "not a regular file";
  if (*why) {
    if (fd >= 0) close(fd);
    return -1;
  }
  if (mode) *mode = status.st_mode;
  if (bytes) *bytes = (uint64_t)status.st_size;
  return fd;
}
