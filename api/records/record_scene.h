/* Layout of a scene's records, shared by encoding and decoding. The head is followed by the numbers
 * of the previous and the new revision, the settings as JSON if they changed, the scene's origin in
 * a base (since format 2), the changed rows, and the changed contact states. */
#ifndef API_RECORDS_RECORD_SCENE_H
#define API_RECORDS_RECORD_SCENE_H

#include "records/record_bytes.h"

/* Numbers that identify a revision of a scene: its counters, and its numbers of rows and bodies. */
typedef struct api_record_numbers {
  uint64_t revision, next_serial, contacts_begun;
  uint32_t rows, count;
} api_record_numbers;

/* Length of an encoded api_record_numbers, bytes. */
#define API_RECORD_NUMBERS 32

/* Returns the numbers of a scene; all are 0 if scene is NULL. */
api_record_numbers api_record_numbers_of(const ct_scene *scene);

/* Flag bits of a row. They state what follows the row's index in the record. */
enum {
  API_ROW_NEW = 1,      /* its serial number, then a body and a pose */
  API_ROW_REMOVED = 2,  /* nothing, and no other bit is set */
  API_ROW_BODY = 4,     /* body */
  API_ROW_POSE = 8,     /* pose */
  API_ROW_VELOCITY = 16 /* its velocity; a new row without this bit has velocity zero */
};
/* Greatest length of an origin, bytes: more than that of a SHA-256 in hexadecimal digits. */
#define API_ORIGIN_MAX 64

/* Least length of an encoded row, bytes. */
#define API_ROW_BYTES 5

/* Puts a record of the changes from `before` to `after`, or a base if before is NULL. *same_names:
 * true if both scenes refer to the same posted shapes. False: the changes cannot be represented, or
 * out of memory (out->failed). */
bool api_record_put_scene(api_buffer *out, const ct_scene *before, const ct_scene *after,
                          bool *same_names);

#endif
