/* A look into a JSON text without parsing it: the value of one member of its top object. For what must be known before the API has
 * read the text; what is wrong with the text is found there. */
#ifndef SRV_PROCESS_JSON_MEMBER_H
#define SRV_PROCESS_JSON_MEMBER_H

#include <stdbool.h>
#include <stddef.h>

/* A search that goes on as the text grows. Initialise to {.name = ...}; the rest is its own but for found and value. */
typedef struct srv_peek {
  const char *name;
  bool found;
  size_t value; /* place of the value's first byte, once found */
  size_t at;    /* bytes that have been looked at */
  size_t start; /* of the string in which `at` is, or of the last one of the top object */
  unsigned depth;
  enum { SRV_PEEK_BETWEEN, SRV_PEEK_STRING, SRV_PEEK_ESCAPE, SRV_PEEK_COLON, SRV_PEEK_VALUE, SRV_PEEK_OVER } state;
} srv_peek;

/* Looks at what has come since: text is the whole text so far. The first member of that name counts; a name written with escapes is
 * not found. O(bytes that have come). */
void srv_peek_on(srv_peek *peek, const char *text, size_t length);

#endif
