/* NDJSON: one JSON value per line, fed in arbitrary pieces. Each complete line is read and its JSON
 * value freed at once, so that memory is bounded by the results and one line. Empty lines are
 * ignored. Pointers start with the record's index from 0 (/3/colliders/0), details name the line
 * from 1. Reading stops at the first faulty line. */
#ifndef API_DOCUMENTS_NDJSON_H
#define API_DOCUMENTS_NDJSON_H

#include "documents/body_json.h"
#include "json/json_parser.h"

typedef struct api_ndjson_record {
  api_field field; /* its path is /n */
  ct_text text;    /* the line, without its end */
  size_t number;   /* line number, from 1 */
} api_ndjson_record;

/* Consumes one record. False: a fault was added. */
typedef bool (*api_ndjson_sink)(void *context, api_reader *reader, const api_ndjson_record *record);

typedef struct api_ndjson {
  api_reader reader; /* its arena is rewound after each record */
  api_ndjson_sink sink;
  void *context;
  api_buffer line; /* the incomplete line received so far */
  size_t records;  /* complete and consumed */
  size_t lines;    /* complete, empty ones included */
  bool stopped;
} api_ndjson;

/* The reader's pointers must outlive the ndjson. */
void api_ndjson_init(api_ndjson *ndjson, const api_reader *reader, api_ndjson_sink sink,
                     void *context);
void api_ndjson_free(api_ndjson *ndjson);
/* False: stopped by a fault. */
bool api_ndjson_feed(api_ndjson *ndjson, const char *bytes, size_t length);
/* Ends the input; the last line may lack its newline. */
bool api_ndjson_end(api_ndjson *ndjson);

/* Sink for bodies; context is an api_body_list. LIMIT_EXCEEDED beyond limits->bodies;
 * BODY_TOO_LARGE if the bodies take more than limits->request_memory_bytes. */
bool api_ndjson_body(void *context, api_reader *reader, const api_ndjson_record *record);

/* Merge patches, stored as text until the scene is known. A zeroed list is empty and ready. */
typedef struct api_patch_lines {
  api_buffer text; /* lines, each ended by a newline */
  size_t count;
} api_patch_lines;
/* Sink for merge patches; context is an api_patch_lines. The limits are those of bodies. */
bool api_ndjson_patch(void *context, api_reader *reader, const api_ndjson_record *record);
bool api_apply_patch_lines(api_reader *reader, const api_patch_lines *patches, ct_draft *draft);
void api_patch_lines_free(api_patch_lines *patches);

#endif
