/* Control groups: the process may be in one of the unified tree (version 2) or of the memory tree (version 1), and every group
 * above it bounds it, too. Facts from the kernel's cgroup-v1 and cgroup-v2 documents and cgroups(7). */
#include "process/machine.h"

#include "process/config_table.h"
#include "state/server.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define CGROUP_PATH_MAX 4096

/* The file's number, or no limit: "max" is none, and a group that cannot be seen from here says nothing. */
static uint64_t read_limit(const char *path) {
  FILE *file = fopen(path, "r");
  if (!file) return UINT64_MAX;
  unsigned long long bytes = 0;
  bool is_number = fscanf(file, "%llu", &bytes) == 1;
  fclose(file);
  return is_number ? bytes : UINT64_MAX;
}

/* The least limit of the group and those above it, up to the root of what is mounted. `group` is shortened on the way. */
static uint64_t least_limit(const char *mount, char *group, const char *file) {
  char path[CGROUP_PATH_MAX + 64];
  uint64_t least = UINT64_MAX;
  for (;;) {
    size_t length = strlen(group);
    while (length > 0 && group[length - 1] == '/') group[--length] = 0;
    snprintf(path, sizeof path, "%s%s/%s", mount, group, file);
    uint64_t bytes = read_limit(path);
    if (bytes < least) least = bytes;
    char *slash = strrchr(group, '/');
    if (!slash) return least;
    *slash = 0;
  }
}

/* Is the word in the list of words between commas? */
static bool names(const char *list, const char *word) {
  size_t length = strlen(word);
  for (const char *at = list; *at;) {
    size_t n = strcspn(at, ",");
    if (n == length && memcmp(at, word, n) == 0) return true;
    at += n + (at[n] == ',');
  }
  return false;
}

/* What the control groups of the process allow. */
static uint64_t group_memory(void) {
  FILE *file = fopen("/proc/self/cgroup", "r");
  if (!file) return UINT64_MAX;
  char line[CGROUP_PATH_MAX];
  uint64_t least = UINT64_MAX;
  /* hierarchy:controllers:group */
  while (fgets(line, sizeof line, file)) {
    line[strcspn(line, "\n")] = 0;
    char *controllers = strchr(line, ':');
    char *group = controllers ? strchr(controllers + 1, ':') : NULL;
    if (!group) continue;
    *controllers++ = 0;
    *group++ = 0;
    uint64_t bytes = UINT64_MAX;
    if (strcmp(line, "0") == 0 && !*controllers) bytes = least_limit("/sys/fs/cgroup", group, "memory.max");
    else if (names(controllers, "memory")) bytes = least_limit("/sys/fs/cgroup/memory", group, "memory.limit_in_bytes");
    if (bytes < least) least = bytes;
  }
  fclose(file);
  return least;
}

void srv_machine_fit_memory(api_limits *limits) {
  uint64_t least = group_memory();
  uint64_t share = least / SRV_MEMORY_SHARE;
  if (share < limits->request_memory_bytes) limits->request_memory_bytes = share;
}

void srv_machine_fit_standards(api_limits *limits, uint64_t memory) {
  uint64_t share = memory / SRV_MEMORY_SHARE;
  if (share < limits->shapes_bytes) limits->shapes_bytes = share;
}

uint64_t srv_machine_memory(void) {
  long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
  uint64_t machine = pages > 0 && page > 0 ? (uint64_t)pages * (uint64_t)page : UINT64_MAX, group = group_memory();
  uint64_t least = machine < group ? machine : group;
  return least < SRV_MEMORY_MAX ? least : SRV_MEMORY_MAX;
}

bool srv_machine_open_standard(void) {
  for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
    /* A new file takes the least number that is free: this one. */
    if (fcntl(fd, F_GETFD) >= 0 || open("/dev/null", O_RDWR) == fd) continue;
    fprintf(stderr, "contactd: start: descriptor %d is closed, and /dev/null cannot be opened in its place.\n", fd);
    return false;
  }
  return true;
}

bool srv_machine_fit_files(api_limits *limits) {
  struct rlimit files;
  if (getrlimit(RLIMIT_NOFILE, &files) != 0) return true;
  rlim_t wanted = (rlim_t)limits->connections + SRV_SPARE_FILES;
  if (files.rlim_cur >= wanted) return true;
  files.rlim_cur = files.rlim_max < wanted ? files.rlim_max : wanted;
  if (files.rlim_cur <= SRV_SPARE_FILES || setrlimit(RLIMIT_NOFILE, &files) != 0) {
    fprintf(stderr, "contactd: the limit of open files, %llu, leaves no room for connections.\n",
            (unsigned long long)files.rlim_cur);
    return false;
  }
  if (files.rlim_cur < wanted) {
    limits->connections = (uint64_t)files.rlim_cur - SRV_SPARE_FILES;
    fprintf(stderr, "contactd: connections are limited to %llu by the limit of open files.\n",
            (unsigned long long)limits->connections);
  }
  return true;
}
