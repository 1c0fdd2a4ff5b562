/* Parses JSON text (RFC 8259) with jansson, with bounds that jansson lacks (depth, memory, length
 * of a number); applies merge patches (RFC 7396). */
#ifndef API_JSON_JSON_PARSER_H
#define API_JSON_JSON_PARSER_H

#include "common/problem.h"

/* Longest accepted number literal, characters. Every double is exact in fewer: the longest has
 * 1,077. */
#define API_NUMBER_LITERAL_MAX 1100

/* Call once before any thread parses: seeds jansson's hashes, and installs allocators that keep the
 * parser safe when memory runs out. */
void api_json_start(void);

typedef struct api_json_options {
  size_t depth;            /* greatest nesting of arrays and objects */
  uint64_t memory;         /* greatest memory of the tree as estimated from the text, bytes */
  const ct_cancel *cancel; /* polled once per KiB; may be NULL */
  const api_pointer *at;   /* location of the text; NULL: the document */
  size_t line;             /* number of the first line, for NDJSON; 0: 1 */
  bool zeros;              /* ignore zero bytes after numbers and words, which stored texts may
                            * contain */
} api_json_options;

/* Parses a text of any JSON value. The result is owned by the caller (json_decref). NULL with a
 * fault: MALFORMED_JSON for text that is not JSON (RFC 8259), with line, column and byte in the
 * detail; TOO_DEEP, BODY_TOO_LARGE, OUT_OF_MEMORY, DEADLINE_EXCEEDED. Valid JSON that cannot be
 * represented has faults at its pointers: OUT_OF_RANGE, a number beyond a double; BAD_VALUE, a lone
 * surrogate or U+0000 in a string or name; LIMIT_EXCEEDED, a number longer than
 * API_NUMBER_LITERAL_MAX; DUPLICATE_MEMBER, a repeated name. An integer beyond 64 bits becomes the
 * nearest double. */
json_t *api_json_parse(const char *bytes, size_t length, const api_json_options *options,
                       api_faults *faults);

/* Applies a merge patch (RFC 7396) to *target in place; *target may be replaced, and both trees
 * stay the caller's. False: out of memory. */
bool api_json_merge(json_t **target, json_t *patch);

#endif
