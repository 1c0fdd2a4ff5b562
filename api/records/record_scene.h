/* Layout of a scene's records, shared by encoding and decoding. After the head: the numbers of both
 * revisions, settings (as JSON, if they changed), for a base the scene's origin (since format 2),
 * rows, contact states. */
#ifndef API_RECORDS_RECORD_SCENE_H
#define API_RECORDS_RECORD_SCENE_H

#include "records/record_bytes.h"

/* Numbers that identify a revision. */
typedef struct api_record_numbers {
  uint64_t revision, next_serial, contacts_begun;
  uint32_t rows, count;
} api_record_numbers;

/* Encoded bytes of api_record_numbers. */
#define API_RECORD_NUMBERS 32

/* Returns the numbers of a scene; zeros for NULL. */
api_record_numbers api_record_numbers_of(const ct_scene *scene);

/* Flag bits of a row; the content that follows the row's number. */
enum {
  API_ROW_NEW = 1,      /* serial; with a body and a pose */
  API_ROW_REMOVED = 2,  /* no content, no other bit */
  API_ROW_BODY = 4,     /* body */
  API_ROW_POSE = 8,     /* pose */
  API_ROW_VELOCITY = 16 /* velocity; a new row without it: zero */
};
/* Most bytes of an origin: more than a SHA-256. */
#define API_ORIGIN_MAX 64

/* Least bytes of a row. */
#define API_ROW_BYTES 5

/* Puts a record of the changes from `before` to `after`, or a base if before is NULL. False: the
 * changes cannot be represented, or out of memory (out->failed). *same_names: both scenes name the
 * same posted shapes. */
bool api_record_put_scene(api_buffer *out, const ct_scene *before, const ct_scene *after,
                          bool *same_names);

#endif
