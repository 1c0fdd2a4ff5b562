/* Arrays of meshes in JSON: vertices, and the triangles or elements as arrays of vertex indices. A
 * corner is one entry of such an array. */
#ifndef API_SHAPES_MESH_ARRAYS_H
#define API_SHAPES_MESH_ARRAYS_H

#include "json/fields.h"

/* Number of array elements read between two polls of the cancel flag: approximately 100 us. */
#define API_ITEMS_PER_POLL 1024

/* Reads an array of at least `least` vertices into the reader's arena. */
bool api_read_vertices(api_reader *reader, const api_field *field, size_t least, ct_vec3 **out,
                       size_t *count);

/* Reads normals: one vector per vertex, of any length except 0; they are not normalised. *out is in
 * the reader's arena; NULL if the member is absent. */
bool api_read_normals(api_reader *reader, const api_field *field, size_t vertex_count,
                      ct_vec3 **out);

/* Required form of an array of triangles or elements. */
typedef struct api_corner_form {
  const char *word; /* word for messages: "triangle" */
  size_t corners;   /* number of vertices per triangle or element, at most 8 */
  size_t most;      /* greatest number of items */
} api_corner_form;

/* Reads items such as [[0, 1, 2], ...]: *count items, whose vertex indices follow each other in
 * *out, in the reader's arena. BAD_INDEX at a number that is not an index below `vertices`, or that
 * occurs earlier in its item. */
bool api_read_corners(api_reader *reader, const api_field *field, const api_corner_form *form,
                      size_t vertices, uint32_t **out, size_t *count);

/* Elements of mixed types: element i has counts[i] vertices; the indices of all elements follow
 * each other. */
typedef struct api_mixed_corners {
  uint32_t *corners;
  uint8_t *counts;
  size_t count;
} api_mixed_corners;

/* Reads at most `most` elements, each with 4, 5, 6 or 8 vertices, into the reader's arena.
 * WRONG_TYPE for another number of vertices. */
bool api_read_mixed_corners(api_reader *reader, const api_field *field, size_t most,
                            size_t vertices, api_mixed_corners *out);

/* Put the member `name`: an array of vectors, or of arrays of `each` vertex indices. */
void api_put_vectors(api_buffer *buffer, const char *name, const ct_vec3 *vectors, size_t count);
void api_put_corners(api_buffer *buffer, const char *name, const uint32_t *corners, size_t each,
                     size_t count);
/* Puts the member `name` with elements of counts[i] vertex indices each; the indices of consecutive
 * elements begin `stride` apart. */
void api_put_mixed_corners(api_buffer *buffer, const char *name, const uint32_t *corners,
                           const uint8_t *counts, size_t stride, size_t count);

/* Reads surfaceIds: an array of 1 to `most` 32-bit numbers. *ids is in the reader's arena; NULL if
 * the member is absent. */
bool api_read_surface_ids(api_reader *reader, const api_field *field, size_t most,
                          const uint32_t **ids, size_t *count);
/* Puts the member "surfaceIds":[...]. */
void api_put_surface_ids(api_buffer *buffer, const uint32_t *ids, size_t count);

#endif
