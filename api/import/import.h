/* Imports STL and OBJ files: reads them into vertices, in metres, and triangles. */
#ifndef API_IMPORT_IMPORT_H
#define API_IMPORT_IMPORT_H

#include "import/text_scanner.h"
#include "import/triangle_soup.h"

/* A unit of length: metres = number * times / over, both integers, so that the conversion of a
 * number is rounded only once. */
typedef struct api_unit {
  const char *word;
  double times, over;
} api_unit;

/* Finds a unit by its word: m, mm, cm, um, in or ft. NULL: unknown word. */
const api_unit *api_unit_of(ct_text word);
#define API_UNIT_WORDS "m, mm, cm, um, in, ft"

typedef struct api_import {
  api_reader *reader;
  ct_text file;
  const api_unit *unit;
  api_triangle_soup *soup; /* receives the file's vertices and triangles; must be empty at the
                              start */
  /* OBJ: number of ignored elements and of polygons that are not planar, each with the line of the
   * first one. */
  size_t ignored, ignored_line;
  size_t bent, bent_line;
} api_import;

/* The importers append to the soup. They return false after adding a fault at a byte (binary STL)
 * or a line: MALFORMED_FILE (the file is truncated or not of the format), BAD_VALUE (a coordinate
 * is not finite), OUT_OF_RANGE (a coordinate is beyond 1e9 m), BAD_INDEX (a face of OBJ has an
 * invalid vertex index), a fault of api_triangle_soup, or DEADLINE_EXCEEDED. */

/* Imports STL. The file is binary if its length matches its number of triangles, even if it begins
 * with "solid"; otherwise it is text. Points with equal coordinates are joined to one vertex.
 * Normals and attributes are ignored. */
bool api_import_stl(api_import *import);
/* Imports the lines v (points) and f (polygons) of OBJ. A polygon is split into a fan of triangles
 * around its first vertex for which all triangles have the polygon's orientation; a polygon without
 * such a vertex is rejected (BAD_VALUE). Equal points are not joined. Normals, texture coordinates,
 * groups and materials are ignored; points, lines and free-form geometry are ignored and
 * counted. */
bool api_import_obj(api_import *import);

/* Converts a point of the file to metres and checks it. False with a fault that names the position
 * in the file: `place` ("Line" or "Byte") and its number `at`. */
bool api_import_point(api_import *import, const double numbers[3], const char *place, size_t at,
                      ct_vec3 *out);
/* Adds a fault whose detail begins with the line's number. Returns false. */
__attribute__((format(printf, 4, 5))) bool api_import_refuse(api_import *import, api_problem_id id,
                                                             size_t line, const char *detail, ...);

#endif
