/* How a scene's records are laid out; what encoding and decoding share. After the head: the numbers
 * of both revisions, settings (as JSON, where they changed), of a base the scene's origin (since
 * format 2), rows, contact states. */
#ifndef API_RECORDS_RECORD_SCENE_H
#define API_RECORDS_RECORD_SCENE_H

#include "records/record_bytes.h"

/* Numbers that a revision is reported by. */
typedef struct api_record_numbers {
  uint64_t revision, next_serial, contacts_begun;
  uint32_t rows, count;
} api_record_numbers;

/* Bytes of them. */
#define API_RECORD_NUMBERS 32

/* All zero for NULL. */
api_record_numbers api_record_numbers_of(const ct_scene *scene);

/* Bits of a row: what follows its number. */
enum {
  API_ROW_NEW = 1,      /* serial; with a body and a pose */
  API_ROW_REMOVED = 2,  /* nothing, and no other bit */
  API_ROW_BODY = 4,     /* body */
  API_ROW_POSE = 8,     /* pose */
  API_ROW_VELOCITY = 16 /* velocity; of a new row: zero without */
};
/* Longest origin, bytes: that of a SHA-256 and more. */
#define API_ORIGIN_MAX 64

/* Bytes of a row, at least. */
#define API_ROW_BYTES 5

/* The record of `after` against `before`, or a base for NULL. False: there is no telling, or no
 * memory (out->failed). *same_names: `after` names the posted shapes that `before` does. */
bool api_record_put_scene(api_buffer *out, const ct_scene *before, const ct_scene *after,
                          bool *same_names);

#endif
