/* Pagination cursors: the position at which the next page starts, bound to the request that issued
 * the cursor. The text of a cursor consists of hexadecimal fields and contains no secret. A hash
 * over the fields and the request detects a cursor that was altered or sent with another
 * request. */
#ifndef API_COMMON_CURSOR_H
#define API_COMMON_CURSOR_H

#include <contact/scene.h>
#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Length of a cursor: six fields of at most 16 digits, two of at most 8, and the hyphens between
 * them. */
#define API_CURSOR_LENGTH_MAX 120
/* Length of a list cursor: the id, at most three characters per byte, then a hyphen and 16
 * digits. */
#define API_LIST_CURSOR_LENGTH_MAX (3 * CT_ID_LENGTH_MAX + 17)

typedef struct api_cursor {
  uint64_t revision; /* revision of the scene that all pages read; 0 for stateless queries */
  uint64_t variant;  /* index of the variant; 0 without variants */
  uint64_t item;     /* index of the query's work item, of the scene's row or of the list's entry */
  uint32_t after;    /* row of the last result of `item` on the page; CT_NO_ROW: none, start at the
                        beginning of `item` */
  uint32_t part;  /* number of results of the last pair so far, for kinds with several results per
                     pair; else 0 */
  uint64_t total; /* number of results on all pages, as api_total_code encodes it; counted on the
                     first page */
  uint64_t limit; /* results per page of the request that issued the cursor */
} api_cursor;

/* Encodes a known number of results on all pages. Other codes: API_TOTAL_NONE (not requested),
 * API_TOTAL_UNKNOWN (requested, but not counted). */
static inline uint64_t api_total_code(uint64_t total) { return total + 1; }
#define API_TOTAL_NONE 0
#define API_TOTAL_UNKNOWN UINT64_MAX

/* FNV-1a hash (Fowler, Noll, Vo 1991) of the parts of a request that must not change between
 * pages. */
static inline uint64_t api_hash_start(void) { return 0xcbf29ce484222325u; }
static inline uint64_t api_hash_bytes(uint64_t hash, const void *bytes, size_t length) {
  const unsigned char *at = bytes;
  for (size_t i = 0; i < length; i++) hash = (hash ^ at[i]) * 0x100000001b3u;
  return hash;
}
/* Adds the members of an object to the hash, independently of their order. The members cursor,
 * limit, deadlineMs, id and kind are left out, because they may change between pages. False: out of
 * memory. */
bool api_hash_request(uint64_t *hash, const json_t *object);

void api_cursor_write(const api_cursor *cursor, uint64_t request_hash,
                      char out[API_CURSOR_LENGTH_MAX + 1]);
/* Decodes a cursor. False: it was not issued for this request or was altered; *out is then
 * unchanged. */
bool api_cursor_read(const char *text, size_t length, uint64_t request_hash, api_cursor *out);

/* True if the text has the form of a cursor, of whichever request. */
bool api_cursor_has_form(const char *text, size_t length);

/* Writes the cursor of a list in ascending order of id. The list may change between pages: the next
 * page begins after the last id, even if that id was deleted. The text needs no escapes in URLs: it
 * has letters, digits and - . _ ~; other bytes of the id are written ~xx. `list_hash`: see
 * api_scene_list_hash. */
void api_list_cursor_write(const char *id, uint64_t list_hash,
                           char out[API_LIST_CURSOR_LENGTH_MAX + 1]);
/* Decodes a list cursor into the id after which the list continues. False: it was not issued for
 * this list; *out is then unchanged. */
bool api_list_cursor_read(const char *text, uint64_t list_hash, char out[CT_ID_LENGTH_MAX + 1]);

#endif
