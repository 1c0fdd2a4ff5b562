/* Incremental scan of a JSON text for one member of its top-level object, without parsing the rest.
 *
 * Used for members that are needed before the API parses the text (deadlineMs, id). Errors in the
 * text are left to the API. */
#ifndef SRV_PROCESS_JSON_MEMBER_H
#define SRV_PROCESS_JSON_MEMBER_H

#include <stdbool.h>
#include <stddef.h>

/* State of a scan over a text that grows. Initialise to {.name = ...}; callers read only `found`
 * and `value`. */
typedef struct srv_json_member {
  const char *name;
  bool found;
  size_t value; /* offset of the first byte of the member's value, if found */
  size_t at;    /* number of bytes scanned so far */
  size_t start; /* offset of the string in which the scan is, or of the last one of the top-level
                   object */
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

/* Scans the bytes added since the last call; text: the whole text so far. Finds the first member
 * with the name, unless the text spells the name with escapes. O(new bytes) */
void srv_json_member_scan(srv_json_member *peek, const char *text, size_t length);

#endif
