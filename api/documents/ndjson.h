/* NDJSON: one JSON value a line, fed in arbitrary pieces; each line is decoded when it is complete and its tree freed at once, so
 * that memory is that of the decoded values and one line. Empty lines are skipped. Pointers start with the record's number from 0
 * (/3/colliders/0), details name the line's number from 1. Reading stops at the first faulty line. */
#ifndef API_DOCUMENTS_NDJSON_H
#define API_DOCUMENTS_NDJSON_H

#include "documents/body_json.h"
#include "json/json_parser.h"

typedef struct api_ndjson_record {
  api_field field; /* its path is /n */
  ct_text text;    /* the line, without its end */
  size_t number;   /* of the line, from 1 */
} api_ndjson_record;

/* Takes one record. False: a fault was added. */
typedef bool (*api_ndjson_sink)(void *context, api_reader *reader, const api_ndjson_record *record);

typedef struct api_ndjson {
  api_reader reader; /* its arena is rewound after each line */
  api_ndjson_sink sink;
  void *context;
  api_buffer line; /* the part of a line that has arrived */
  size_t records;  /* complete and taken */
  size_t lines;    /* complete, empty ones included */
  bool stopped;
} api_ndjson;

/* Keeps the reader's pointers. */
void api_ndjson_init(api_ndjson *ndjson, const api_reader *reader, api_ndjson_sink sink, void *context);
void api_ndjson_free(api_ndjson *ndjson);
/* False: stopped; the faults say why. */
bool api_ndjson_feed(api_ndjson *ndjson, const char *bytes, size_t length);
/* The last line may lack its newline. */
bool api_ndjson_end(api_ndjson *ndjson);

/* Sink that decodes bodies; context is an api_body_list. LIMIT_EXCEEDED beyond limits->bodies, BODY_TOO_LARGE when the bodies take
 * more than limits->request_memory_bytes. */
bool api_ndjson_body(void *context, api_reader *reader, const api_ndjson_record *record);

/* Merge patches by line, kept as text until the scene is known. A zeroed one is ready. */
typedef struct api_patch_lines {
  api_buffer text; /* lines, each ended by a newline */
  size_t count;
} api_patch_lines;
/* Sink that keeps patches; context is an api_patch_lines. Limits as for bodies. */
bool api_ndjson_patch(void *context, api_reader *reader, const api_ndjson_record *record);
bool api_apply_patch_lines(api_reader *reader, const api_patch_lines *patches, ct_draft *draft);
void api_patch_lines_free(api_patch_lines *patches);

#endif
