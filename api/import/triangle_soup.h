/* Triangles in the making: points and indices of an imported file, in metres. Points may be joined
 * by their bits as they come. */
#ifndef API_IMPORT_TRIANGLE_SOUP_H
#define API_IMPORT_TRIANGLE_SOUP_H

#include "json/fields.h"

/* A zeroed soup with budget and triangles_max is empty and ready. */
typedef struct api_triangle_soup {
  ct_vec3 *vertices;
  size_t vertex_count, vertex_capacity;
  uint32_t (*triangles)[3];
  size_t triangle_count, triangle_capacity;
  uint32_t *slots; /* of the table that finds a point: index + 1, 0: free */
  size_t slot_count;
  uint64_t key;  /* of the table; such that whoever made the file cannot foresee its places */
  size_t budget; /* bytes that all this may take */
  uint64_t triangles_max; /* at most CT_MESH_TRIANGLES_MAX */
} api_triangle_soup;

void api_triangle_soup_free(api_triangle_soup *soup);

/* False from any of these: a fault has been added (OUT_OF_MEMORY, BODY_TOO_LARGE for the budget,
 * LIMIT_EXCEEDED). */

/* Room for as many triangles: refuses too many before any memory is taken. */
bool api_triangle_soup_reserve(api_reader *reader, api_triangle_soup *soup, uint64_t triangles);
/* Adds a point as it is. */
bool api_triangle_soup_add_vertex(api_reader *reader, api_triangle_soup *soup, ct_vec3 p);
/* The index of a point that is bit-equal to p, or of p as a new one. */
bool api_triangle_soup_weld_vertex(api_reader *reader, api_triangle_soup *soup, ct_vec3 p,
                                   uint32_t *index);
bool api_triangle_soup_add_triangle(api_reader *reader, api_triangle_soup *soup,
                                    const uint32_t corners[3]);

#endif
