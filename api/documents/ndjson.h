/* NDJSON: one JSON value per line, fed in arbitrary pieces. The value of each complete line is read
 * and freed at once, so that memory is bounded by the results and one line. Empty lines are
 * ignored. Error pointers start with the record's index, from 0 (/3/colliders/0); error details
 * name the line, from 1. Reading stops at the first faulty line. */
#ifndef API_DOCUMENTS_NDJSON_H
#define API_DOCUMENTS_NDJSON_H

#include "documents/body_json.h"
#include "json/json_parser.h"

typedef struct api_ndjson_record {
  api_field field; /* JSON value of the record; its location (JSON pointer) is /n for record n */
  ct_text text;    /* the line, without its end */
  size_t number;   /* line number, from 1 */
} api_ndjson_record;

/* Consumes one record. False: stop, a fault was added. */
typedef bool (*api_ndjson_sink)(void *context, api_reader *reader, const api_ndjson_record *record);

typedef struct api_ndjson {
  api_reader reader; /* reader of the records; the arena of this reader is rewound after each
                        record */
  api_ndjson_sink sink;
  void *context;
  api_buffer line; /* the incomplete line received so far */
  size_t records;  /* number of records consumed */
  size_t lines;    /* number of complete lines, empty ones included */
  bool stopped;
} api_ndjson;

/* Initialises the reading. The objects that `reader` points to must outlive the ndjson. */
void api_ndjson_init(api_ndjson *ndjson, const api_reader *reader, api_ndjson_sink sink,
                     void *context);
void api_ndjson_free(api_ndjson *ndjson);
/* Reads the next piece of the input. False: a fault has stopped the reading. */
bool api_ndjson_feed(api_ndjson *ndjson, const char *bytes, size_t length);
/* Ends the input; the last line may lack its newline. False: a fault was added. */
bool api_ndjson_end(api_ndjson *ndjson);

/* Sink that appends bodies to an api_body_list (the context). LIMIT_EXCEEDED: more than
 * limits->bodies. BODY_TOO_LARGE: the bodies use more than limits->request_memory_bytes. */
bool api_ndjson_body(void *context, api_reader *reader, const api_ndjson_record *record);

/* Merge patches, stored as text until their scene is known. A zeroed list is empty and ready. */
typedef struct api_patch_lines {
  api_buffer text; /* JSON texts of the patches, each followed by a newline */
  size_t count;
} api_patch_lines;
/* Sink that appends merge patches to an api_patch_lines (the context). The limits are those of
 * api_ndjson_body. */
bool api_ndjson_patch(void *context, api_reader *reader, const api_ndjson_record *record);
bool api_apply_patch_lines(api_reader *reader, const api_patch_lines *patches, ct_draft *draft);
void api_patch_lines_free(api_patch_lines *patches);

#endif
