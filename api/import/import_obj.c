/* OBJ (Wavefront 1992): points and polygons. A first pass reads all points, since a face may refer
 * to any of them. */
#include "import/import.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* Steps between two polls of the cancel flag, less than 1 ms. A step is a line, a vertex of a face,
 * or a triangle of a fan that is tried. */
#define STEPS_PER_POLL 4096
/* Greatest number of vertices of a polygon. The search for a fan takes up to twice the square of
 * this number of steps: some ms. */
#define CORNERS_MAX 1024
/* Relative uncertainty of coordinates with six or seven digits. Tolerated are triangles of a fan
 * with a negative area of up to this fraction of the polygon's area, and vertices at a distance
 * from the polygon's plane of up to this fraction of its width. */
#define FILE_SLACK 1e-6

typedef struct obj_file {
  api_import *import;
  api_scanner scan;
  size_t points; /* number of points on the lines before the current one */
  size_t steps;  /* steps since the last poll of the cancel flag */
} obj_file;

typedef struct obj_face {
  uint32_t corners[CORNERS_MAX];
  size_t count;
  size_t line;
} obj_face;

/* Counts steps and polls the cancel flag every STEPS_PER_POLL steps. True: cancelled, and a fault
 * was added. */
static bool cancelled(obj_file *f, size_t steps) {
  f->steps += steps;
  if (f->steps < STEPS_PER_POLL) return false;
  f->steps = 0;
  return api_reader_cancelled(f->import->reader);
}

/* ---- lines ---------------------------------------------------------------------------------- */

static bool read_point(obj_file *f) {
  double numbers[3];
  ct_text word;
  size_t line = f->scan.line;
  for (int i = 0; i < 3; i++) {
    if (!api_scanner_word_on_line(&f->scan, &word))
      return api_import_refuse(f->import, API_PROBLEM_MALFORMED_FILE, line,
                               "a point needs three coordinates.");
    api_word_number kind = api_word_read(word, &numbers[i]);
    if (kind == API_WORD_NO_NUMBER) {
      char echo[API_ECHO_MAX + 4];
      return api_import_refuse(f->import, API_PROBLEM_MALFORMED_FILE, line,
                               "\"%s\" is not a number: a point needs three coordinates.",
                               api_echo(word, echo));
    }
    if (kind == API_WORD_NOT_FINITE) numbers[i] = HUGE_VAL;
  }
  ct_vec3 p;
  return api_import_point(f->import, numbers, "Line", line, &p) &&
         api_triangle_soup_add_vertex(f->import->reader, f->import->soup, p);
}

/* Reads a vertex of a face, "7", "7/2", "7//3" or "-1/2/3", and sets *out to the index of its
 * point. The numbers of texture coordinates and normals after the slashes are ignored. */
static bool read_corner(obj_file *f, ct_text word, uint32_t *out) {
  ct_text first = word;
  bool plain = true;
  for (size_t i = 0; i < word.length; i++) {
    if (word.bytes[i] == '/' && first.length == word.length) first.length = i;
    plain = plain && memchr("0123456789-/+", word.bytes[i], 13);
  }
  char echo[API_ECHO_MAX + 4];
  int64_t index, count = (int64_t)f->import->soup->vertex_count;
  api_echo(word, echo);
  if (!plain || !api_word_integer(first, &index))
    return api_import_refuse(
        f->import, API_PROBLEM_BAD_INDEX, f->scan.line,
        "\"%s\" is not a corner: expected integers separated by slashes, like 7/2/3.", echo);
  if (index < 0) index += (int64_t)f->points + 1;
  if (index < 1 || index > count)
    return api_import_refuse(f->import, API_PROBLEM_BAD_INDEX, f->scan.line,
                             "\"%s\" is not the number of a point; the file has %lld, numbered "
                             "from 1, and %zu before this line.",
                             echo, (long long)count, f->points);
  *out = (uint32_t)(index - 1);
  return true;
}

static bool same_point(const api_triangle_soup *soup, uint32_t a, uint32_t b) {
  assert(a < soup->vertex_count && b < soup->vertex_count);
  ct_vec3 p = soup->vertices[a], q = soup->vertices[b];
  return a == b || (p.x == q.x && p.y == q.y && p.z == q.z);
}

/* Removes vertices of a polygon that are at the same point as the vertex before, but keeps at least
 * three: a triangle without area is reported later. */
static void drop_repeated(const api_triangle_soup *soup, obj_face *polygon) {
  size_t kept = 0;
  for (size_t i = 0; i < polygon->count; i++) {
    size_t left = polygon->count - i;
    bool repeats = kept > 0 && same_point(soup, polygon->corners[kept - 1], polygon->corners[i]);
    if (!repeats || kept + left <= 3) polygon->corners[kept++] = polygon->corners[i];
  }
  while (kept > 3 && same_point(soup, polygon->corners[kept - 1], polygon->corners[0])) kept--;
  polygon->count = kept;
}

/* ---- polygons ------------------------------------------------------------------------------- */

static ct_vec3 corner(const api_triangle_soup *soup, const obj_face *polygon, size_t i) {
  return soup->vertices[polygon->corners[i % polygon->count]];
}

/* Returns twice the area vector of a polygon: the sum over the triangles around its first
 * vertex. */
static ct_vec3 area_vector(const api_triangle_soup *soup, const obj_face *polygon) {
  ct_vec3 sum = ct_vec(0, 0, 0), origin = corner(soup, polygon, 0);
  for (size_t i = 1; i + 1 < polygon->count; i++)
    sum = ct_add(sum, ct_cross(ct_sub(corner(soup, polygon, i), origin),
                               ct_sub(corner(soup, polygon, i + 1), origin)));
  return sum;
}

/* Returns the least signed area of a triangle in the fan around vertex `apex`, divided by the
 * polygon's area. Stops at the first triangle whose value is below `enough`. */
static double least_part(const api_triangle_soup *soup, const obj_face *polygon, size_t apex,
                         ct_vec3 area, double enough) {
  ct_vec3 origin = corner(soup, polygon, apex);
  double whole = ct_dot(area, area), least = 1.0;
  for (size_t i = 1; i + 1 < polygon->count && least >= enough; i++) {
    ct_vec3 b = ct_sub(corner(soup, polygon, apex + i), origin),
            c = ct_sub(corner(soup, polygon, apex + i + 1), origin);
    least = fmin(least, ct_dot(ct_cross(b, c), area) / whole);
  }
  return least;
}

/* Sets *out to the first vertex whose fan has only triangles of positive area; if there is none, to
 * the first whose fan covers the polygon within FILE_SLACK; to polygon->count if there is none
 * either. False: cancelled. */
static bool find_apex(obj_file *f, const obj_face *polygon, ct_vec3 area, size_t *out) {
  const double enough[] = {FILE_SLACK, -FILE_SLACK};
  for (int pass = 0; pass < 2; pass++)
    for (*out = 0; *out < polygon->count; ++*out) {
      if (cancelled(f, polygon->count)) return false;
      if (least_part(f->import->soup, polygon, *out, area, enough[pass]) >= enough[pass])
        return true;
    }
  return true;
}

static bool is_bent(const api_triangle_soup *soup, const obj_face *polygon, ct_vec3 area) {
  ct_vec3 normal = ct_scale(area, 1.0 / sqrt(ct_dot(area, area))),
          origin = corner(soup, polygon, 0);
  double widest = 0.0, off = 0.0;
  for (size_t i = 1; i < polygon->count; i++) {
    ct_vec3 d = ct_sub(corner(soup, polygon, i), origin);
    widest = fmax(widest, ct_max_abs(d));
    off = fmax(off, fabs(ct_dot(d, normal)));
  }
  return off > FILE_SLACK * widest;
}

static bool put_polygon(obj_file *f, obj_face *polygon) {
  api_import *import = f->import;
  api_triangle_soup *soup = import->soup;
  assert(polygon->count >= 3 && polygon->count <= CORNERS_MAX);
  size_t apex = 0;
  if (cancelled(f, polygon->count)) return false;
  drop_repeated(soup, polygon);
  assert(polygon->count >= 3);
  ct_vec3 area = area_vector(soup, polygon);
  double square = ct_dot(area, area);
  if (polygon->count > 3 && square > 0.0 && isfinite(square)) {
    if (is_bent(soup, polygon, area) && import->bent++ == 0) import->bent_line = polygon->line;
    if (!find_apex(f, polygon, area, &apex)) return false;
    if (apex == polygon->count)
      return api_import_refuse(import, API_PROBLEM_BAD_VALUE, polygon->line,
                               "the polygon of %zu corners is not convex, and no fan of triangles "
                               "covers it: split it into triangles.",
                               polygon->count);
  }
  assert(apex < polygon->count);
  for (size_t i = 1; i + 1 < polygon->count; i++) {
    const uint32_t corners[3] = {polygon->corners[apex],
                                 polygon->corners[(apex + i) % polygon->count],
                                 polygon->corners[(apex + i + 1) % polygon->count]};
    if (!api_triangle_soup_add_triangle(import->reader, soup, corners)) return false;
  }
  return true;
}

static bool read_face(obj_file *f) {
  obj_face polygon = {.line = f->scan.line};
  ct_text word;
  while (api_scanner_word_on_line(&f->scan, &word) && word.bytes[0] != '#') {
    if (polygon.count == CORNERS_MAX)
      return api_import_refuse(f->import, API_PROBLEM_LIMIT_EXCEEDED, polygon.line,
                               "a polygon has at most %d corners: split it into smaller ones.",
                               CORNERS_MAX);
    if (!read_corner(f, word, &polygon.corners[polygon.count])) return false;
    polygon.count++;
  }
  if (polygon.count < 3)
    return api_import_refuse(f->import, API_PROBLEM_MALFORMED_FILE, polygon.line,
                             "a face needs at least three corners, got %zu.", polygon.count);
  return put_polygon(f, &polygon);
}

/* ---- the file ------------------------------------------------------------------------------- */

static bool is_one_of(ct_text word, const char *const *list) {
  for (; *list; list++)
    if (api_text_equal(word, api_text(*list))) return true;
  return false;
}

/* Skips a line that is neither a point nor a face; counts it if it is geometry. False: its keyword
 * is unknown, and a fault was added. */
static bool skip_other_line(obj_file *f, ct_text word) {
  static const char *const plain[] = {"vt",         "vn",        "vp",       "g",        "o",
                                      "s",          "mg",        "mtllib",   "usemtl",   "usemap",
                                      "maplib",     "bevel",     "c_interp", "d_interp", "lod",
                                      "shadow_obj", "trace_obj", "call",     "csh",      NULL};
  static const char *const geometry[] = {"p",     "l",    "cstype", "deg",   "bmat", "step", "curv",
                                         "curv2", "surf", "parm",   "trim",  "hole", "scrv", "sp",
                                         "end",   "con",  "ctech",  "stech", "fo",   NULL};
  if (is_one_of(word, geometry)) {
    if (f->import->ignored++ == 0) f->import->ignored_line = f->scan.line;
    return true;
  }
  if (is_one_of(word, plain)) return true;
  char echo[API_ECHO_MAX + 4];
  return api_import_refuse(f->import, API_PROBLEM_MALFORMED_FILE, f->scan.line,
                           "\"%s\" is not a keyword of OBJ: correct or remove the line.",
                           api_echo(word, echo));
}

static bool read_line_of_pass(obj_file *f, ct_text word, bool faces) {
  if (word.bytes[0] == '#') return true;
  if (api_text_equal(word, api_text("v"))) {
    f->points++;
    return faces || read_point(f);
  }
  if (api_text_equal(word, api_text("f"))) return !faces || read_face(f);
  return faces || skip_other_line(f, word);
}

static bool read_lines(api_import *import, bool faces) {
  obj_file f = {
      import, {import->file.bytes, import->file.bytes + import->file.length, 1}, 0, STEPS_PER_POLL};
  do {
    ct_text word;
    if (cancelled(&f, 1)) return false;
    if (api_scanner_word_on_line(&f.scan, &word) && !read_line_of_pass(&f, word, faces))
      return false;
  } while (api_scanner_next_line(&f.scan));
  return true;
}

bool api_import_obj(api_import *import) {
  return read_lines(import, false) && read_lines(import, true);
}
