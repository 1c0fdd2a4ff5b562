/* Only strings and depth are followed. */
#include "peek.h"

#include <stdbool.h>
#include <string.h>

typedef struct reader {
  const char *at, *end;
} reader;

static void skip_blanks(reader *r) {
  while (r->at < r->end && (*r->at == ' ' || *r->at == '\t' || *r->at == '\r' || *r->at == '\n')) r->at++;
}

/* Past the string that begins here. False: it has no end. */
static bool skip_string(reader *r) {
  for (r->at++; r->at < r->end; r->at++) {
    if (*r->at == '"') {
      r->at++;
      return true;
    }
    if (*r->at == '\\') r->at++;
  }
  return false;
}

const char *srv_peek_member(const char *text, size_t length, const char *name, size_t *left) {
  reader r = {text, text + length};
  size_t name_length = strlen(name);
  unsigned depth = 0;
  while (r.at < r.end) {
    char c = *r.at;
    if (c == '{' || c == '[') depth++;
    if ((c == '}' || c == ']') && depth > 0) depth--;
    if (c != '"') {
      r.at++;
      continue;
    }
    const char *start = r.at + 1;
    if (!skip_string(&r)) return NULL;
    if (depth != 1 || (size_t)(r.at - 1 - start) != name_length || memcmp(start, name, name_length) != 0) continue;
    skip_blanks(&r);
    /* Without a colon it is a value. */
    if (r.at >= r.end || *r.at != ':') continue;
    r.at++;
    skip_blanks(&r);
    *left = (size_t)(r.end - r.at);
    return r.at < r.end ? r.at : NULL;
  }
  return NULL;
}
