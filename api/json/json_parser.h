/* Parses JSON text (RFC 8259) with jansson, within bounds that jansson does not check (depth,
 * memory, length of a number); applies merge patches (RFC 7396). */
#ifndef API_JSON_JSON_PARSER_H
#define API_JSON_JSON_PARSER_H

#include "common/problem.h"

/* Greatest length of a number literal, characters. Every double has an exact literal within it: the
 * longest of them has 1,077 characters. */
#define API_NUMBER_LITERAL_MAX 1100

/* Must be called once before any thread parses: seeds jansson's hash function and installs
 * allocators with which the parser stays safe when memory runs out. */
void api_json_start(void);

typedef struct api_json_options {
  size_t depth;    /* greatest nesting of arrays and objects */
  uint64_t memory; /* greatest memory of the parsed tree, bytes, as estimated from the text */
  const ct_cancel *cancel; /* polled once per KiB; may be NULL */
  const api_pointer *at;   /* location of the text in the request; NULL: the text is the document */
  size_t line;             /* number of the text's first line, for NDJSON; 0 means 1 */
  bool zeros; /* skip zero bytes after numbers and words: texts stored by older versions may contain
                 them */
} api_json_options;

/* Parses a text of any JSON value. The caller owns the result (json_decref). NULL with a fault:
 * MALFORMED_JSON for text that is not JSON (RFC 8259), with line, column and byte in the detail;
 * TOO_DEEP, BODY_TOO_LARGE, OUT_OF_MEMORY, DEADLINE_EXCEEDED. Valid JSON that cannot be represented
 * has its faults at the pointers of the values: OUT_OF_RANGE, a number beyond a double; BAD_VALUE,
 * a lone surrogate or U+0000 in a string or name; LIMIT_EXCEEDED, a number longer than
 * API_NUMBER_LITERAL_MAX; DUPLICATE_MEMBER, a repeated name. An integer beyond 64 bits becomes the
 * nearest double. */
json_t *api_json_parse(const char *bytes, size_t length, const api_json_options *options,
                       api_faults *faults);

/* Applies a merge patch (RFC 7396) to *target in place. *target may be replaced by another tree;
 * the caller keeps owning both *target and patch. False: out of memory. */
bool api_json_merge(json_t **target, json_t *patch);

#endif
