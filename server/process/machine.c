/* Resources of the process. Control groups: the process is in a group of the unified hierarchy
 * (version 2) or of the memory hierarchy (version 1), and every ancestor limits it too. Sources:
 * cgroups(7) and the kernel's documents on cgroup-v1 and cgroup-v2. */
#include "process/machine.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define CGROUP_PATH_MAX 4096

/* Reads a limit, B. "max" and unreadable files (of groups outside of the namespace) mean no limit,
 * UINT64_MAX. */
static uint64_t read_limit(const char *path) {
  FILE *file = fopen(path, "r");
  if (!file) return UINT64_MAX;
  unsigned long long bytes = 0;
  bool is_number = fscanf(file, "%llu", &bytes) == 1;
  fclose(file);
  return is_number ? bytes : UINT64_MAX;
}

/* Returns the least limit in the file of the group and of its ancestors, up to the root of the
 * mount. `group` is shortened. */
static uint64_t find_least_limit(const char *mount, char *group, const char *file) {
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

/* True if a comma-separated list contains the word. */
static bool contains_word(const char *list, const char *word) {
  size_t length = strlen(word);
  for (const char *at = list; *at;) {
    size_t n = strcspn(at, ",");
    if (n == length && memcmp(at, word, n) == 0) return true;
    at += n + (at[n] == ',');
  }
  return false;
}

/* Returns the memory that the control groups of the process allow, B; UINT64_MAX: no limit. */
static uint64_t read_group_memory(void) {
  FILE *file = fopen("/proc/self/cgroup", "r");
  if (!file) return UINT64_MAX;
  char line[CGROUP_PATH_MAX];
  uint64_t least = UINT64_MAX;
  /* line format hierarchy:controllers:group */
  while (fgets(line, sizeof line, file)) {
    line[strcspn(line, "\n")] = 0;
    char *controllers = strchr(line, ':');
    char *group = controllers ? strchr(controllers + 1, ':') : NULL;
    if (!group) continue;
    *controllers++ = 0;
    *group++ = 0;
    uint64_t bytes = UINT64_MAX;
    if (strcmp(line, "0") == 0 && !*controllers)
      bytes = find_least_limit("/sys/fs/cgroup", group, "memory.max");
    else if (contains_word(controllers, "memory"))
      bytes = find_least_limit("/sys/fs/cgroup/memory", group, "memory.limit_in_bytes");
    if (bytes < least) least = bytes;
  }
  fclose(file);
  return least;
}

void srv_machine_fit_memory(api_limits *limits) {
  uint64_t least = read_group_memory();
  uint64_t share = least / SRV_MEMORY_SHARE;
  if (share < limits->request_memory_bytes) limits->request_memory_bytes = share;
}

void srv_machine_fit_standards(api_limits *limits, uint64_t memory) {
  uint64_t share = memory / SRV_MEMORY_SHARE;
  if (share < limits->shapes_bytes) limits->shapes_bytes = share;
}

uint64_t srv_machine_memory(void) {
  long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
  uint64_t machine = pages > 0 && page > 0 ? (uint64_t)pages * (uint64_t)page : UINT64_MAX,
           group = read_group_memory();
  uint64_t least = machine < group ? machine : group;
  return least < SRV_MEMORY_MAX ? least : SRV_MEMORY_MAX;
}

bool srv_machine_open_standard(void) {
  for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
    /* open(2) returns the lowest free descriptor, which is this one. */
    if (fcntl(fd, F_GETFD) >= 0 || open("/dev/null", O_RDWR) == fd) continue;
    fprintf(
        stderr,
        "contactd: start: descriptor %d is closed, and /dev/null cannot be opened in its place.\n",
        fd);
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
    fprintf(stderr, "contactd: the limit of open files, %llu, is too low for any connection.\n",
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
