/* Encodes scenes and posted shapes as records for a store, and decodes them. A scene is stored as
 * one base record, which contains the whole scene, followed by records of its later changes in
 * order. Applying them restores the scene bit for bit: rows, serial numbers, revisions, poses, the
 * original spelling of texts, and contact states with their data. The server decides where records
 * are stored.
 *
 * A record starts with a magic number and the number of its format and ends with a digest of the
 * preceding bytes. Records of a newer format are rejected; those of older formats are decoded. */
#ifndef API_RECORD_H
#define API_RECORD_H

#include <api/api.h>

/* Number of the format in which records are encoded; formats from 1 on are decoded.
 *   1: ids of 1 to 128 letters, digits and . _ ~ : @ -
 *   2: ids of any UTF-8 up to 256 bytes; a base contains its scene's origin; contact states contain
 *      their method, and each contact whether a shape of its pair is read as a surface
 *   3: meshes and elements with moved vertices contain their origin; colliders contain the surface
 *      ids of primitives; shapes may be of kind elementmesh
 *   4: the settings of a scene may contain its time */
#define API_RECORD_FORMAT 4

typedef struct api_record {
  bool base;   /* true: the record contains the whole scene; false: the changes since the previous
                  revision */
  char *bytes; /* freed by api_record_free */
  size_t length;
  bool has_shapes; /* false: the scene refers to the same posted shapes as the previous revision */
  char *shapes;    /* ids of the posted shapes to which the scene refers, ascending, each once and
                      followed by a zero byte; freed by api_record_free */
  size_t shapes_length;
} api_record;

/* Encodes the changes from `before` to `after`. A base is encoded instead if `before` is NULL, if
 * the scene was replaced by PUT, if its rows were renumbered, or if `after` no longer refers to a
 * posted shape, because that shape may be deleted while the scene's records remain. False: out of
 * memory. May be called on any thread; neither scene is modified. Cost: O(chunks + rows of unshared
 * chunks + changes); of a base O(scene). */
bool api_record_change(const ct_scene *before, const ct_scene *after, api_record *out);
bool api_record_base(const ct_scene *scene, api_record *out);
/* Encodes the shape of a POST (API_TARGET_SHAPE_WRITE): its body and its import options. out->bytes
 * is NULL if the call created no shape. May be called before or after the shape is committed.
 * False: out of memory. */
bool api_record_shape(const api_call *call, api_record *out);
void api_record_free(api_record *record);

typedef enum api_restored {
  API_RESTORED,
  API_RESTORE_DAMAGED, /* the record is truncated, altered, or of another scene */
  API_RESTORE_NEWER,   /* the record has a newer format than this program decodes */
  API_RESTORE_MEMORY
} api_restored;

/* Buffer size for the sentence that describes why a record is rejected. */
#define API_RESTORE_WHY 160

/* Rebuilds the revision that the record describes; the caller owns *after. before: the revision to
 * which a record of changes applies; ignored for a base, and may then be NULL. shapes: the posted
 * shapes to which the scene may refer. Every length and number of the record is checked, so that
 * arbitrary bytes are rejected safely. The daemon's limits do not apply: a stored scene is restored
 * even if the limits are lower now. Cost: O(record), and the rebuilding of hulls and meshes. */
api_restored api_record_apply(const api_shape_table *shapes, const ct_scene *before,
                              const char *bytes, size_t length, const ct_scene **after,
                              char why[API_RESTORE_WHY]);
/* Rebuilds the shape of a record. *after: a reference to a new table with the shape added, or to
 * `shapes` itself if it contains the shape already. */
api_restored api_record_apply_shape(const api_service *service, const api_shape_table *shapes,
                                    const char *bytes, size_t length, const api_shape_table **after,
                                    char why[API_RESTORE_WHY]);

#endif
