/* Cursors: where the next page of an answer begins, bound to the request that gave them. A cursor is text of hexadecimal fields; it
 * carries no secret, and a changed one is told from a true one by the hash over its fields and the request. */
#ifndef API_COMMON_CURSOR_H
#define API_COMMON_CURSOR_H

#include <contact/scene.h>
#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Six fields of at most 16 digits, two of 8, and what joins them. */
#define API_CURSOR_LENGTH_MAX 120
/* An id, whose bytes take three at most, a hyphen and 16 digits. */
#define API_LIST_CURSOR_LENGTH_MAX (3 * CT_ID_LENGTH_MAX + 17)

typedef struct api_cursor {
  uint64_t revision; /* 0 for stateless questions */
  uint64_t variant;  /* 0 without variants */
  uint64_t item;     /* work item, row or position in a list */
  uint32_t after;    /* CT_NO_ROW, or the row whose hit of `item` was the last one given */
  uint32_t part;     /* results of that pair given, where there may be more; else 0 */
  uint64_t total;    /* as api_total_code: the first page counts for all */
  uint64_t limit;    /* results in the page that gave it */
} api_cursor;

/* The total of a whole answer as a cursor holds it: 0 not asked for, UINT64_MAX not known, else total + 1. */
static inline uint64_t api_total_code(uint64_t total) { return total + 1; }
#define API_TOTAL_NONE 0
#define API_TOTAL_UNKNOWN UINT64_MAX

/* A hash over the parts of a request that a cursor must find unchanged (FNV-1a, Fowler, Noll, Vo 1991). */
uint64_t api_hash_start(void);
uint64_t api_hash_bytes(uint64_t hash, const void *bytes, size_t length);
/* Adds the members of an object, whatever their order, but for cursor, limit, deadlineMs, id and kind, which a cursor survives.
 * False: out of memory. */
bool api_hash_request(uint64_t *hash, const json_t *object);

void api_cursor_write(const api_cursor *cursor, uint64_t request_hash, char out[API_CURSOR_LENGTH_MAX + 1]);
/* False: not a cursor of this request; *out is then untouched. */
bool api_cursor_read(const char *text, size_t length, uint64_t request_hash, api_cursor *out);

/* True if the text has the form of a cursor, of any request. */
bool api_cursor_has_form(const char *text, size_t length);

/* Cursors of lists are texts that stand in a URL as they are: letters, digits, and - . _ ~; other bytes of the id are ~xx.
 * Cursors of lists in the order of ids, whose items come and go: the next page begins after the id that was last given, whether it
 * is still there or not. `list_hash`: see api_scene_list_hash. */
void api_list_cursor_write(const char *id, uint64_t list_hash, char out[API_LIST_CURSOR_LENGTH_MAX + 1]);
/* False: not a cursor of this list; *out is then untouched. */
bool api_list_cursor_read(const char *text, uint64_t list_hash, char out[CT_ID_LENGTH_MAX + 1]);

#endif
