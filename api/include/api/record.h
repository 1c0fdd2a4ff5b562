/* The durable form of scenes and posted shapes: bytes that a store keeps, and back. A scene is kept
 * as one base, which tells all of it, and the changes that were made to it since, in order;
 * applying them gives the scene again to the last bit: rows, serials, revisions, poses, texts as
 * they were spelled, contact states with what they have stored. Where the bytes live is the
 * server's.
 *
 * Every record begins with a mark and the format's number and ends with a digest of all before it.
 * A newer format is refused; of older ones those that are named here are read. */
#ifndef API_RECORD_H
#define API_RECORD_H

#include <api/api.h>

/* The format that is written; those from 1 on are read.
 *   1: ids of 1 to 128 letters, digits and . _ ~ : @ -
 *   2: ids of any UTF-8 up to 256 bytes; a base has the origin of its scene; contact states have
 * their method, and their contacts whether one of the pair is read as a surface 3: meshes and
 * elements whose vertices were moved have their origin, too; colliders have the surface ids of
 *      primitives; shapes may be of kind elementmesh */
#define API_RECORD_FORMAT 3

typedef struct api_record {
  bool base;   /* tells the whole scene; else what changed against the revision before */
  char *bytes; /* owned; api_record_free */
  size_t length;
  bool has_shapes; /* false: the scene names the posted shapes that it named before */
  char *shapes; /* ids of the posted shapes that the scene names, ascending, each once, each ended
                   by a zero; owned */
  size_t shapes_length;
} api_record;

/* What `after` changes against `before`, of the same lineage; a base where before is NULL, of
 * another lineage (the scene was put again), where the rows were numbered again, or where `after`
 * names a posted shape no more: it may go, while its records are kept. False: out of memory. Any
 * thread; neither scene is changed. Cost: O(chunks + rows of chunks that are not shared + what
 * changed); of a base O(scene). */
bool api_record_change(const ct_scene *before, const ct_scene *after, api_record *out);
bool api_record_base(const ct_scene *scene, api_record *out);
/* What a call that posted a shape (API_TARGET_SHAPE_WRITE, POST) keeps: its body and how it was to
 * be read; bytes are NULL where it has made no new one. To be asked for before the shape is
 * committed, or after. False: out of memory. */
bool api_record_shape(const api_call *call, api_record *out);
void api_record_free(api_record *record);

typedef enum api_restored {
  API_RESTORED,
  API_RESTORE_DAMAGED, /* cut short, changed, or not of the scene it is applied to */
  API_RESTORE_NEWER,   /* of a format that this program does not know */
  API_RESTORE_MEMORY
} api_restored;

/* Room for a sentence that tells what is wrong. */
#define API_RESTORE_WHY 160

/* The revision after the record; the caller owns it. before: NULL for a base, which takes nothing
 * from it. shapes: those that the scene may name. Every length and number of the record is checked:
 * bytes of any content are answered, never crashed on. The limits of a daemon are for what is new:
 * what was taken once is taken back. Cost: O(record), with the hulls and meshes of its bodies
 * rebuilt. */
api_restored api_record_apply(const api_shape_table *shapes, const ct_scene *before,
                              const char *bytes, size_t length, const ct_scene **after,
                              char why[API_RESTORE_WHY]);
/* A table with the shape of the record, too: a reference, to the same table where it is there
 * already. */
api_restored api_record_apply_shape(const api_service *service, const api_shape_table *shapes,
                                    const char *bytes, size_t length, const api_shape_table **after,
                                    char why[API_RESTORE_WHY]);

#endif
