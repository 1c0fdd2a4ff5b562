/* Files of triangles: STL and OBJ to points in metres and triangles. */
#ifndef API_IMPORT_IMPORT_H
#define API_IMPORT_IMPORT_H

#include "import/text_scanner.h"
#include "import/triangle_soup.h"

/* A file's unit of length: metres = number * times / over. Two whole numbers, so that what is read
 * from a float is rounded once. */
typedef struct api_unit {
  const char *word;
  double times, over;
} api_unit;

/* m, mm, cm, um, in, ft. NULL: none of these. */
const api_unit *api_unit_of(ct_text word);
#define API_UNIT_WORDS "m, mm, cm, um, in, ft"

typedef struct api_import {
  api_reader *reader;
  ct_text file;
  const api_unit *unit;
  api_triangle_soup *soup; /* empty */
  /* What an OBJ file holds beside triangles and polygons that lie in a plane: how much, and the
   * line of the first. */
  size_t ignored, ignored_line;
  size_t bent, bent_line;
} api_import;

/* Both add to the soup. False: a fault that names the byte (binary STL) or the line: MALFORMED_FILE
 * for what is not a whole file of the format, BAD_VALUE for a coordinate that is not finite,
 * OUT_OF_RANGE for one beyond 1e9 m, BAD_INDEX for a face of OBJ, those of the soup, or
 * DEADLINE_EXCEEDED. */

/* Binary if the length is what the count of triangles asks for, whatever the first word; else text.
 * Points of equal bits are joined. Normals and attributes are passed over. */
bool api_import_stl(api_import *import);
/* v and f; the polygons of f are cut into fans of triangles about the first corner from which every
 * triangle faces the polygon's way; where there is none the polygon is refused (BAD_VALUE). Points
 * stay as given. Normals, texture coordinates, groups and materials are passed over; points, lines
 * and free-form geometry too, but counted. */
bool api_import_obj(api_import *import);

/* A point of the file, read at `place` ("Line", "Byte") number `at`, in metres. False with a fault.
 */
bool api_import_point(api_import *import, const double numbers[3], const char *place, size_t at,
                      ct_vec3 *out);
/* A fault with a line's number. Returns false. */
__attribute__((format(printf, 4, 5))) bool api_import_refuse(api_import *import, api_problem_id id,
                                                             size_t line, const char *detail, ...);

#endif
