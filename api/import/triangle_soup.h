/* Vertices and triangles of a file during its import, in metres. Points with equal coordinates can
 * be joined to one vertex. */
#ifndef API_IMPORT_TRIANGLE_SOUP_H
#define API_IMPORT_TRIANGLE_SOUP_H

#include "json/fields.h"

/* An otherwise zeroed soup with budget and triangles_max is empty and ready. */
typedef struct api_triangle_soup {
  ct_vec3 *vertices;
  size_t vertex_count, vertex_capacity;
  uint32_t (*triangles)[3];
  size_t triangle_count, triangle_capacity;
  uint32_t *slots; /* hash table of points: index of the vertex + 1; 0: free slot */
  size_t slot_count;
  uint64_t key;  /* hash key of the table; it depends on the file, so that a file cannot be made to
                    cause collisions */
  size_t budget; /* greatest memory of all arrays, bytes */
  uint64_t triangles_max; /* greatest number of triangles, at most CT_MESH_TRIANGLES_MAX */
} api_triangle_soup;

void api_triangle_soup_free(api_triangle_soup *soup);

/* All functions return false after adding a fault: OUT_OF_MEMORY, BODY_TOO_LARGE (the budget is
 * exceeded) or LIMIT_EXCEEDED. */

/* Reserves memory for `triangles` triangles; refuses a number above triangles_max before any
 * allocation. */
bool api_triangle_soup_reserve(api_reader *reader, api_triangle_soup *soup, uint64_t triangles);
/* Appends a vertex without searching for an equal one. */
bool api_triangle_soup_add_vertex(api_reader *reader, api_triangle_soup *soup, ct_vec3 p);
/* Sets *index to the vertex with equal coordinates, or appends one. */
bool api_triangle_soup_weld_vertex(api_reader *reader, api_triangle_soup *soup, ct_vec3 p,
                                   uint32_t *index);
bool api_triangle_soup_add_triangle(api_reader *reader, api_triangle_soup *soup,
                                    const uint32_t corners[3]);

#endif
