/* A wall clock that jumps. Loaded in front of the C library (LD_PRELOAD), it adds an offset in
 * seconds to the time of day; the offset is the eight bytes of the file that JUMP_CLOCK names.
 * Monotonic clocks are unchanged. */
#include <fcntl.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

static const _Atomic int64_t none;
static const _Atomic int64_t *jump = &none;

__attribute__((constructor)) static void find(void) {
  const char *name = getenv("JUMP_CLOCK");
  int fd = name ? open(name, O_RDONLY | O_CLOEXEC) : -1;
  void *at = fd >= 0 ? mmap(NULL, sizeof(int64_t), PROT_READ, MAP_SHARED, fd, 0) : MAP_FAILED;
  if (fd >= 0) close(fd);
  if (at != MAP_FAILED) jump = at;
}

EXPORT int clock_gettime(clockid_t clock, struct timespec *out) {
  int status = (int)syscall(SYS_clock_gettime, clock, out);
  if (status == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE))
    out->tv_sec += atomic_load(jump);
  return status;
}

EXPORT int gettimeofday(struct timeval *restrict out, void *restrict zone) {
  int status = (int)syscall(SYS_gettimeofday, out, zone);
  if (status == 0) out->tv_sec += atomic_load(jump);
  return status;
}

EXPORT time_t time(time_t *out) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  if (out) *out = now.tv_sec;
  return now.tv_sec;
}
