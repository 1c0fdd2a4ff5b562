/* JSON text to jansson's tree, with the bounds that jansson lacks (depth, memory, length of a number), and merge patches. */
#ifndef API_JSON_JSON_PARSER_H
#define API_JSON_JSON_PARSER_H

#include "common/problem.h"

/* Once, before any thread parses: seeds jansson's hashes, and sets its allocation so that want of memory cannot harm the parser. */
void api_json_start(void);

typedef struct api_json_options {
  size_t depth;            /* levels of arrays and objects */
  uint64_t memory;         /* bytes that the tree may take, as estimated from the text */
  const ct_cancel *cancel; /* polled every KiB; may be NULL */
  const api_pointer *at;   /* where errors point; NULL: the document */
  size_t line;             /* number of the text's first line, for NDJSON; 0: 1 */
  bool zeros;              /* zero bytes behind numbers and words are passed over: texts that were once taken so are kept so */
} api_json_options;

/* The tree, owned by the caller (json_decref), or NULL with a fault: MALFORMED_JSON where the text is not JSON after RFC 8259 (with
 * line, column and byte in the detail), TOO_DEEP, BODY_TOO_LARGE, OUT_OF_MEMORY, DEADLINE_EXCEEDED. Any JSON value may stand at the
 * top. JSON that cannot be kept has faults at their pointers: a number beyond a double OUT_OF_RANGE, half of a surrogate pair or
 * U+0000 in a string or a name BAD_VALUE, a number of more characters than API_NUMBER_LITERAL_MAX LIMIT_EXCEEDED, a name that
 * occurs twice in an object DUPLICATE_MEMBER. An integer beyond 64 bits is the nearest double. */
json_t *api_json_parse(const char *bytes, size_t length, const api_json_options *options, api_faults *faults);

/* RFC 7396: applies patch to *target in place (*target may be replaced; both trees stay the caller's). False: out of memory. */
bool api_json_merge(json_t **target, json_t *patch);

#endif
