/* Imports files of triangles: STL and OBJ to vertices in metres and triangles. */
#ifndef API_IMPORT_IMPORT_H
#define API_IMPORT_IMPORT_H

#include "import/text_scanner.h"
#include "import/triangle_soup.h"

/* A unit of length: metres = number * times / over. Two integers, so that the conversion of a float
 * is rounded once. */
typedef struct api_unit {
  const char *word;
  double times, over;
} api_unit;

/* Finds a unit: m, mm, cm, um, in, ft. NULL: none of these. */
const api_unit *api_unit_of(ct_text word);
#define API_UNIT_WORDS "m, mm, cm, um, in, ft"

typedef struct api_import {
  api_reader *reader;
  ct_text file;
  const api_unit *unit;
  api_triangle_soup *soup; /* receives the triangles; empty before */
  /* OBJ: number and first line of ignored elements, and of polygons that are not planar. */
  size_t ignored, ignored_line;
  size_t bent, bent_line;
} api_import;

/* The importers add to the soup. False with a fault at the byte (binary STL) or line:
 * MALFORMED_FILE for a file that is not complete or not of the format, BAD_VALUE for a coordinate
 * that is not finite, OUT_OF_RANGE for one beyond 1e9 m, BAD_INDEX for a face of OBJ, the faults of
 * the soup, or DEADLINE_EXCEEDED. */

/* Imports STL. The file is binary if its length matches its number of triangles, even if it begins
 * with "solid"; otherwise it is text. Bit-equal points are joined. Normals and attributes are
 * ignored. */
bool api_import_stl(api_import *import);
/* Imports v and f of OBJ. A polygon is split into a fan of triangles about its first corner for
 * which all triangles face the polygon's side; a polygon without such a corner is rejected
 * (BAD_VALUE). Points are not joined. Normals, texture coordinates, groups and materials are
 * ignored; points, lines and free-form geometry are ignored and counted. */
bool api_import_obj(api_import *import);

/* Converts a point of the file to metres and checks it; the fault names `place` ("Line", "Byte")
 * number `at`. */
bool api_import_point(api_import *import, const double numbers[3], const char *place, size_t at,
                      ct_vec3 *out);
/* Adds a fault with a line's number. Returns false. */
__attribute__((format(printf, 4, 5))) bool api_import_refuse(api_import *import, api_problem_id id,
                                                             size_t line, const char *detail, ...);

#endif
