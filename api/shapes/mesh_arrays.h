/* Arrays of meshes in JSON: vertices, and the corners of triangles and elements by numbers of
 * vertices. */
#ifndef API_SHAPES_MESH_ARRAYS_H
#define API_SHAPES_MESH_ARRAYS_H

#include "json/fields.h"

/* Items between two looks at the cancel flag: some 100 us. */
#define API_ITEMS_PER_POLL 1024

/* `least` vertices at least; in the reader's arena. */
bool api_read_vertices(api_reader *reader, const api_field *field, size_t least, ct_vec3 **out,
                       size_t *count);

/* normals: an array of as many vectors as there are vertices, of any length but 0, as given; *out
 * is in the reader's arena, NULL where the member is absent. */
bool api_read_normals(api_reader *reader, const api_field *field, size_t vertex_count,
                      ct_vec3 **out);

/* What a list of corners is of. */
typedef struct api_corner_form {
  const char *word; /* "triangle" */
  size_t corners;   /* of each, at most 8 */
  size_t most;      /* so many of them */
} api_corner_form;

/* [[0, 1, 2], ...]: *count items, their corners side by side in the reader's arena. BAD_INDEX at a
 * number that names no vertex, or one that the item names already. */
bool api_read_corners(api_reader *reader, const api_field *field, const api_corner_form *form,
                      size_t vertices, uint32_t **out, size_t *count);

/* Elements of mixed types: counts[i] corners of each, side by side. */
typedef struct api_mixed_corners {
  uint32_t *corners;
  uint8_t *counts;
  size_t count;
} api_mixed_corners;

/* The same of at most `most` elements, each of 4, 5, 6 or 8 corners; *out is in the reader's arena.
 * WRONG_TYPE for another number of corners. */
bool api_read_mixed_corners(api_reader *reader, const api_field *field, size_t most,
                            size_t vertices, api_mixed_corners *out);

/* A member with an array of vectors, or of arrays of `each` numbers. */
void api_put_vectors(api_buffer *buffer, const char *name, const ct_vec3 *vectors, size_t count);
void api_put_corners(api_buffer *buffer, const char *name, const uint32_t *corners, size_t each,
                     size_t count);
/* The same of elements with counts[i] corners each, the first ones `stride` apart. */
void api_put_mixed_corners(api_buffer *buffer, const char *name, const uint32_t *corners,
                           const uint8_t *counts, size_t stride, size_t count);

/* surfaceIds: an array of 1 to `most` numbers of 32 bits; *ids, in the reader's arena, is NULL
 * where there are none. */
bool api_read_surface_ids(api_reader *reader, const api_field *field, size_t most,
                          const uint32_t **ids, size_t *count);
/* Puts ,"surfaceIds":[...]. */
void api_put_surface_ids(api_buffer *buffer, const uint32_t *ids, size_t count);

#endif
