/* A look into a JSON text without parsing it: the value of one member of its top object. For what must be known before the API has
 * read the text; what is wrong with the text is found there. */
#ifndef SRV_PROCESS_JSON_MEMBER_H
#define SRV_PROCESS_JSON_MEMBER_H

#include <stdbool.h>
#include <stddef.h>

/* A search that goes on as the text grows. Initialise to {.name = ...}; the rest is its own but for found and value. */
typedef struct srv_json_member {
  const char *name;
  bool found;
  size_t value; /* place of the value's first byte, once found */
  size_t at;    /* bytes that have been looked at */
  size_t start; /* of the string in which `at` is, or of the last one of the top object */
  unsigned depth;
  enum {
    SRV_JSON_MEMBER_BETWEEN,
    SRV_JSON_MEMBER_STRING,
    SRV_JSON_MEMBER_ESCAPE,
    SRV_JSON_MEMBER_COLON,
    SRV_JSON_MEMBER_VALUE,
    SRV_JSON_MEMBER_DONE
  } state;
} srv_json_member;

/* Looks at what has come since: text is the whole text so far. The first member of that name counts; a name written with escapes is
 * not found. O(bytes that have come). */
void srv_json_member_scan(srv_json_member *peek, const char *text, size_t length);

#endif
