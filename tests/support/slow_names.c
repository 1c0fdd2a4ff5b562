/* A resolver with chosen delay and answer. Loaded in front of the C library (LD_PRELOAD), it
 * answers for names that end in .test from the file that SLOW_NAMES names: a delay in milliseconds,
 * then numeric addresses, or none for an unknown name. Each lookup appends a b at its beginning and
 * an e at its end to the file FILE.seen. */
#include <dlfcn.h>
#include <fcntl.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

typedef int lookup(const char *host, const char *service, const struct addrinfo *hints,
                   struct addrinfo **out);

static void leave(const char *name, const char *letter) {
  char seen[300];
  snprintf(seen, sizeof seen, "%s.seen", name);
  int fd = open(seen, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
  if (fd < 0 || write(fd, letter, 1) != 1) abort();
  close(fd);
}

static int answer(char *text, const char *service, const struct addrinfo *hints,
                  struct addrinfo **out) {
  lookup *real = NULL;
  struct addrinfo numeric = *hints, **end = out;
  char *rest = NULL;
  *(void **)&real = dlsym(RTLD_NEXT, "getaddrinfo");
  numeric.ai_flags |= AI_NUMERICHOST;
  *out = NULL;
  for (char *word = strtok_r(text, " \n", &rest); word; word = strtok_r(NULL, " \n", &rest)) {
    if (real(word, service, &numeric, end) != 0) abort();
    while (*end) end = &(*end)->ai_next;
  }
  return *out ? 0 : EAI_NONAME;
}

EXPORT int getaddrinfo(const char *host, const char *service, const struct addrinfo *hints,
                       struct addrinfo **out) {
  const char *name = getenv("SLOW_NAMES");
  size_t length = host ? strlen(host) : 0;
  if (!name || length < 5 || strcmp(host + length - 5, ".test") != 0) {
    lookup *real = NULL;
    *(void **)&real = dlsym(RTLD_NEXT, "getaddrinfo");
    return real(host, service, hints, out);
  }
  char text[200] = "", *addresses = text;
  int fd = open(name, O_RDONLY | O_CLOEXEC);
  if (fd < 0 || read(fd, text, sizeof text - 1) < 0) abort();
  close(fd);
  leave(name, "b");
  usleep((useconds_t)strtoul(text, &addresses, 10) * 1000u);
  leave(name, "e");
  return answer(addresses, service, hints, out);
}
