/* Arrays of meshes in JSON: vertices, and the corners of triangles and elements by numbers of
 * vertices. */
#ifndef API_SHAPES_MESH_ARRAYS_H
#define API_SHAPES_MESH_ARRAYS_H

#include "json/fields.h"

/* Items per check of the cancel flag: about 100 us. */
#define API_ITEMS_PER_POLL 1024

/* Reads at least `least` vertices into the reader's arena. */
bool api_read_vertices(api_reader *reader, const api_field *field, size_t least, ct_vec3 **out,
                       size_t *count);

/* Reads normals: one non-zero vector per vertex, of any length, as given. *out is in the reader's
 * arena; NULL if the member is absent. */
bool api_read_normals(api_reader *reader, const api_field *field, size_t vertex_count,
                      ct_vec3 **out);

/* Form of the items of a list of corners. */
typedef struct api_corner_form {
  const char *word; /* "triangle" */
  size_t corners;   /* corners per item, at most 8 */
  size_t most;      /* most items */
} api_corner_form;

/* Reads [[0, 1, 2], ...]: *count items with consecutive corners, in the reader's arena. BAD_INDEX
 * at a number that is not a vertex, or repeated within its item. */
bool api_read_corners(api_reader *reader, const api_field *field, const api_corner_form *form,
                      size_t vertices, uint32_t **out, size_t *count);

/* Elements of mixed types: counts[i] corners each, consecutive. */
typedef struct api_mixed_corners {
  uint32_t *corners;
  uint8_t *counts;
  size_t count;
} api_mixed_corners;

/* Reads at most `most` elements, each of 4, 5, 6 or 8 corners, into the reader's arena. WRONG_TYPE
 * for another number of corners. */
bool api_read_mixed_corners(api_reader *reader, const api_field *field, size_t most,
                            size_t vertices, api_mixed_corners *out);

/* Puts a member with an array of vectors, or of arrays of `each` numbers. */
void api_put_vectors(api_buffer *buffer, const char *name, const ct_vec3 *vectors, size_t count);
void api_put_corners(api_buffer *buffer, const char *name, const uint32_t *corners, size_t each,
                     size_t count);
/* Puts a member with elements of counts[i] corners each, the first ones `stride` apart. */
void api_put_mixed_corners(api_buffer *buffer, const char *name, const uint32_t *corners,
                           const uint8_t *counts, size_t stride, size_t count);

/* Reads surfaceIds: an array of 1 to `most` 32-bit numbers. *ids is in the reader's arena; NULL if
 * the member is absent. */
bool api_read_surface_ids(api_reader *reader, const api_field *field, size_t most,
                          const uint32_t **ids, size_t *count);
/* Puts ,"surfaceIds":[...]. */
void api_put_surface_ids(api_buffer *buffer, const uint32_t *ids, size_t count);

#endif
