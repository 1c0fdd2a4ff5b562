/* Pagination cursors: the start of the next page, bound to the request that issued the cursor. A
 * cursor is text of hexadecimal fields without secrets. A hash over the fields and the request
 * detects altered cursors. */
#ifndef API_COMMON_CURSOR_H
#define API_COMMON_CURSOR_H

#include <contact/scene.h>
#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Six fields of at most 16 digits, two of 8, and the hyphens between them. */
#define API_CURSOR_LENGTH_MAX 120
/* An id of at most three characters a byte, a hyphen and 16 digits. */
#define API_LIST_CURSOR_LENGTH_MAX (3 * CT_ID_LENGTH_MAX + 17)

typedef struct api_cursor {
  uint64_t revision; /* 0 for stateless queries */
  uint64_t variant;  /* 0 without variants */
  uint64_t item;     /* work item, row or position in a list */
  uint32_t after;    /* CT_NO_ROW, or the row of the last result of `item` on the page */
  uint32_t part;     /* results of that pair so far, if a pair may have several; else 0 */
  uint64_t total;    /* as api_total_code; counted on the first page */
  uint64_t limit;    /* results per page of the request that issued the cursor */
} api_cursor;

/* Encodes the number of results on all pages: API_TOTAL_NONE: not requested; API_TOTAL_UNKNOWN: not
 * known; else total + 1. */
static inline uint64_t api_total_code(uint64_t total) { return total + 1; }
#define API_TOTAL_NONE 0
#define API_TOTAL_UNKNOWN UINT64_MAX

/* FNV-1a (Fowler, Noll, Vo 1991) over the parts of a request that must be equal for all pages. */
static inline uint64_t api_hash_start(void) { return 0xcbf29ce484222325u; }
static inline uint64_t api_hash_bytes(uint64_t hash, const void *bytes, size_t length) {
  const unsigned char *at = bytes;
  for (size_t i = 0; i < length; i++) hash = (hash ^ at[i]) * 0x100000001b3u;
  return hash;
}
/* Adds the members of an object in any order, except cursor, limit, deadlineMs, id and kind, which
 * may change between pages. False: out of memory. */
bool api_hash_request(uint64_t *hash, const json_t *object);

void api_cursor_write(const api_cursor *cursor, uint64_t request_hash,
                      char out[API_CURSOR_LENGTH_MAX + 1]);
/* False: not a cursor of this request; *out is then unchanged. */
bool api_cursor_read(const char *text, size_t length, uint64_t request_hash, api_cursor *out);

/* True if the text has the form of a cursor of any request. */
bool api_cursor_has_form(const char *text, size_t length);

/* Cursors of lists in id order, which may change between pages: the next page begins after the last
 * id, even if that id was deleted. The text needs no escapes in URLs: letters, digits, and - . _ ~;
 * other bytes of the id are ~xx. `list_hash`: see api_scene_list_hash. */
void api_list_cursor_write(const char *id, uint64_t list_hash,
                           char out[API_LIST_CURSOR_LENGTH_MAX + 1]);
/* False: not a cursor of this list; *out is then unchanged. */
bool api_list_cursor_read(const char *text, uint64_t list_hash, char out[CT_ID_LENGTH_MAX + 1]);

#endif
