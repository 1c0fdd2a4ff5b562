/* Vertices and triangles of a file during its import, in metres. Bit-equal points can be joined. */
#ifndef API_IMPORT_TRIANGLE_SOUP_H
#define API_IMPORT_TRIANGLE_SOUP_H

#include "json/fields.h"

/* A zeroed soup with budget and triangles_max is empty and ready. */
typedef struct api_triangle_soup {
  ct_vec3 *vertices;
  size_t vertex_count, vertex_capacity;
  uint32_t (*triangles)[3];
  size_t triangle_count, triangle_capacity;
  uint32_t *slots; /* hash table of points: index + 1; 0: free */
  size_t slot_count;
  uint64_t key;  /* random key of the table, so that a file cannot be made to cause collisions */
  size_t budget; /* most bytes of all arrays */
  uint64_t triangles_max; /* at most CT_MESH_TRIANGLES_MAX */
} api_triangle_soup;

void api_triangle_soup_free(api_triangle_soup *soup);

/* All functions return false after adding a fault (OUT_OF_MEMORY, BODY_TOO_LARGE for the budget,
 * LIMIT_EXCEEDED). */

/* Reserves memory for this number of triangles; rejects too many before any allocation. */
bool api_triangle_soup_reserve(api_reader *reader, api_triangle_soup *soup, uint64_t triangles);
/* Adds a point without joining. */
bool api_triangle_soup_add_vertex(api_reader *reader, api_triangle_soup *soup, ct_vec3 p);
/* Returns the index of a bit-equal point, or adds the point. */
bool api_triangle_soup_weld_vertex(api_reader *reader, api_triangle_soup *soup, ct_vec3 p,
                                   uint32_t *index);
bool api_triangle_soup_add_triangle(api_reader *reader, api_triangle_soup *soup,
                                    const uint32_t corners[3]);

#endif
