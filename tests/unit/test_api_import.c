/* Import of STL and OBJ in process: a cube with known points and triangles in every notation; files
 * truncated at every byte; the lines and offsets that faults name. */
#include <float.h>
#include <math.h>
#include <signal.h>
#include <sys/time.h>

#include "common/limits.h"
#include "import/import.h"
#include "tests/support/check.h"

#define FACETS 12
#define BINARY_BYTES (84 + 50 * FACETS)

/* The unit cube, counter-clockwise from outside. */
static const float points[8][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0},
                                   {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}};
static const int facets[FACETS][3] = {{0, 2, 1}, {0, 3, 2}, {4, 5, 6}, {4, 6, 7},
                                      {0, 1, 5}, {0, 5, 4}, {1, 2, 6}, {1, 6, 5},
                                      {2, 3, 7}, {2, 7, 6}, {3, 0, 4}, {3, 4, 7}};

typedef struct bench {
  api_limits limits;
  api_faults faults;
  api_arena arena;
  api_reader reader;
  api_triangle_soup soup;
  api_import import;
} bench;

static void bench_start(bench *b, const char *bytes, size_t length, const char *unit) {
  memset(b, 0, sizeof *b);
  api_limits_default(&b->limits);
  b->reader = (api_reader){.faults = &b->faults, .limits = &b->limits, .arena = &b->arena};
  b->soup = (api_triangle_soup){.key = 5, .budget = 1u << 24, .triangles_max = 100};
  b->import = (api_import){.reader = &b->reader,
                           .file = {bytes, length},
                           .unit = api_unit_of(api_text(unit)),
                           .soup = &b->soup};
}

static void bench_end(bench *b) { api_triangle_soup_free(&b->soup); }

/* The file is refused with the problem, and its detail contains the words. */
static void check_refused(bool (*read)(api_import *), const char *bytes, size_t length,
                          api_problem_id id, const char *words) {
  bench b;
  bench_start(&b, bytes, length, "m");
  bool good = read(&b.import);
  const char *detail = b.faults.count ? b.faults.items[0].detail : "";
  if (good || b.faults.count == 0 || b.faults.id != id || !strstr(detail, words))
    CHECK_FAIL("\"%.60s\": %s, problem %d, \"%s\" should hold \"%s\"", bytes,
               good ? "read" : "refused", (int)b.faults.id, detail, words);
  bench_end(&b);
}

static void put_u32(char *at, uint32_t v) {
  for (int i = 0; i < 4; i++) at[i] = (char)(v >> 8 * i & 255);
}

static void put_float(char *at, float v) {
  uint32_t bits;
  memcpy(&bits, &v, sizeof bits);
  put_u32(at, bits);
}

static void binary_cube(char out[BINARY_BYTES], const char *head) {
  memset(out, 0, BINARY_BYTES);
  snprintf(out, 80, "%s", head);
  put_u32(out + 80, FACETS);
  for (int f = 0; f < FACETS; f++)
    for (int c = 0; c < 3; c++)
      for (int i = 0; i < 3; i++)
        put_float(out + 84 + 50 * f + 12 * (c + 1) + 4 * i, points[facets[f][c]][i]);
}

static size_t text_cube(char *out, size_t room, const char *end) {
  size_t n = (size_t)snprintf(out, room, "solid a cube of mine%s", end);
  for (int f = 0; f < FACETS; f++) {
    n += (size_t)snprintf(out + n, room - n, " facet normal nan 0 -1%s  outer loop%s", end, end);
    for (int c = 0; c < 3; c++) {
      const float *p = points[facets[f][c]];
      n += (size_t)snprintf(out + n, room - n, "   vertex %e %g %.3f%s", p[0], p[1], p[2], end);
    }
    n += (size_t)snprintf(out + n, room - n, "  endloop%s endfacet%s", end, end);
  }
  return n + (size_t)snprintf(out + n, room - n, "endsolid a cube of mine%s", end);
}

/* Eight points, twelve triangles of the cube of side `side`. */
static void check_cube(const bench *b, double side) {
  CHECK_INT(b->faults.count, 0);
  CHECK_INT(b->soup.vertex_count, 8);
  CHECK_INT(b->soup.triangle_count, FACETS);
  for (size_t f = 0; f < b->soup.triangle_count && f < FACETS; f++)
    for (int c = 0; c < 3; c++) {
      ct_vec3 p = b->soup.vertices[b->soup.triangles[f][c]];
      const float *q = points[facets[f][c]];
      if (p.x != (double)q[0] * side || p.y != (double)q[1] * side || p.z != (double)q[2] * side)
        CHECK_FAIL("corner %d of triangle %zu is %g %g %g", c, f, p.x, p.y, p.z);
    }
}

static void binary_stl_is_read_whatever_its_head_says(void) {
  static const char *const heads[] = {"", "a cube", "solid cube", "solid\nfacet normal 0 0 1"};
  for (size_t i = 0; i < sizeof heads / sizeof heads[0]; i++) {
    char file[BINARY_BYTES];
    binary_cube(file, heads[i]);
    bench b;
    bench_start(&b, file, sizeof file, "m");
    CHECK(api_import_stl(&b.import));
    check_cube(&b, 1.0);
    bench_end(&b);
  }
}

static void text_stl_is_read_with_any_line_ends_and_case(void) {
  static const char *const ends[] = {"\n", "\r\n", " \n\n\t"};
  for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
    char file[8192];
    size_t length = text_cube(file, sizeof file, ends[i]);
    for (int upper = 0; upper < 2; upper++) {
      for (size_t k = 0; upper && k < length; k++)
        if (file[k] >= 'a' && file[k] <= 'z') file[k] = (char)(file[k] - 'a' + 'A');
      bench b;
      bench_start(&b, file, length, "m");
      CHECK(api_import_stl(&b.import));
      check_cube(&b, 1.0);
      bench_end(&b);
    }
  }
}

static void every_unit_is_its_length_in_metres(void) {
  /* Exact to the last bit: the cube's sides are whole numbers, so each coordinate is the double
   * nearest to the exact product. */
  static const struct {
    const char *word;
    double side;
  } units[] = {{"m", 1},         {"mm", 0.001},  {"cm", 0.01},
               {"um", 0.000001}, {"in", 0.0254}, {"ft", 0.3048}};
  char file[BINARY_BYTES];
  binary_cube(file, "");
  for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
    bench b;
    bench_start(&b, file, sizeof file, units[i].word);
    CHECK(api_import_stl(&b.import));
    check_cube(&b, units[i].side);
    bench_end(&b);
  }
  CHECK(api_unit_of(api_text("inch")) == NULL && api_unit_of(api_text("")) == NULL &&
        api_unit_of(api_text("MM")) == NULL);
}

static void a_binary_file_cut_anywhere_is_refused(void) {
  char file[BINARY_BYTES + 1] = {0};
  binary_cube(file, "cube");
  for (size_t length = 0; length < BINARY_BYTES; length++) {
    char at[32];
    snprintf(at, sizeof at, "Byte %zu", length);
    check_refused(api_import_stl, file, length, API_PROBLEM_MALFORMED_FILE, at);
  }
  check_refused(api_import_stl, file, BINARY_BYTES + 1, API_PROBLEM_MALFORMED_FILE, "need 684");
  binary_cube(file, "solid cube");
  check_refused(api_import_stl, file, BINARY_BYTES - 1, API_PROBLEM_MALFORMED_FILE, "Byte 683");
}

static void a_text_file_cut_at_any_word_is_refused(void) {
  char file[8192];
  size_t length = text_cube(file, sizeof file, "\n");
  size_t last = length - strlen("endsolid a cube of mine\n") + strlen("endsolid");
  for (size_t n = 0; n < last; n++) {
    bench b;
    bench_start(&b, file, n, "m");
    if (api_import_stl(&b.import)) CHECK_FAIL("%zu bytes are read", n);
    CHECK(b.faults.count == 1 && b.faults.id == API_PROBLEM_MALFORMED_FILE);
    bench_end(&b);
  }
}

static void faults_of_stl_are_told_with_their_place(void) {
  char file[BINARY_BYTES];
  const float bad[] = {NAN, INFINITY, -INFINITY};
  for (int i = 0; i < 3; i++) {
    binary_cube(file, "");
    put_float(file + 84 + 50 * 7 + 12 * 2 + 4, bad[i]);
    check_refused(api_import_stl, file, sizeof file, API_PROBLEM_BAD_VALUE,
                  "Byte 458: the y coordinate");
  }
  binary_cube(file, "");
  put_float(file + 84 + 12, 2e9f);
  check_refused(api_import_stl, file, sizeof file, API_PROBLEM_OUT_OF_RANGE, "Byte 96");
  memset(file + 84, 0xff, 12); /* a normal that is NaN is ignored */
  put_float(file + 84 + 12, FLT_TRUE_MIN);
  bench b;
  bench_start(&b, file, sizeof file, "m");
  CHECK(api_import_stl(&b.import));
  bench_end(&b);
  static const struct {
    const char *text;
    api_problem_id id;
    const char *words;
  } rows[] = {
      {"solid\nfacet normal 0 0 1\nouter loop\nvertex 0 0 nan\n", API_PROBLEM_BAD_VALUE, "Line 4"},
      {"solid\nfacet normal 0 0 1\nouter loop\nvertex 0 0 1e999\n", API_PROBLEM_BAD_VALUE,
       "Line 4"},
      {"solid\nfacet normal 0 0 1\nouter loop\nvertex 0 0 1e10\n", API_PROBLEM_OUT_OF_RANGE,
       "Line 4"},
      {"solid\nfacet normal 0 0 1\nouter loop\nvertex 0 0 1,5\n", API_PROBLEM_MALFORMED_FILE,
       "Line 4: \"1,5\""},
      {"solid\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 0 0 0\nvertex 0 0 0\nvertex 0 "
       "0 0\n",
       API_PROBLEM_MALFORMED_FILE, "Line 7"},
      {"solid x\nfacte normal", API_PROBLEM_MALFORMED_FILE, "Line 2: \"facte\""},
      {"solid x\nendsolid x\nmore", API_PROBLEM_MALFORMED_FILE, "Line 3"},
      {"ply\nformat ascii", API_PROBLEM_MALFORMED_FILE, "Byte 16"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
    check_refused(api_import_stl, rows[i].text, strlen(rows[i].text), rows[i].id, rows[i].words);
}

static void too_many_triangles_are_refused_before_memory_is_taken(void) {
  char file[BINARY_BYTES];
  binary_cube(file, "");
  bench b;
  bench_start(&b, file, sizeof file, "m");
  b.soup.triangles_max = FACETS - 1;
  CHECK(!api_import_stl(&b.import));
  CHECK_INT(b.faults.id, API_PROBLEM_LIMIT_EXCEEDED);
  CHECK(b.soup.triangles == NULL && b.soup.vertices == NULL);
  bench_end(&b);
  bench_start(&b, file, sizeof file, "m");
  b.soup.budget = 1000;
  CHECK(!api_import_stl(&b.import));
  CHECK_INT(b.faults.id, API_PROBLEM_BODY_TOO_LARGE);
  bench_end(&b);
}

static void many_points_are_joined_by_their_bits(void) {
  /* A strip: 2 (n + 1) points, 2 n triangles. */
  enum { N = 5000 };
  bench b;
  bench_start(&b, "", 0, "m");
  b.soup.triangles_max = 3 * N;
  for (int i = 0; i < N; i++) {
    double a = i / 7.0, c = (i + 1) / 7.0;
    const ct_vec3 quad[4] = {{a, 0, 0}, {c, 0, 0}, {c, 1, 0}, {a, 1, 0}};
    uint32_t at[4];
    for (int k = 0; k < 4; k++)
      CHECK(api_triangle_soup_weld_vertex(&b.reader, &b.soup, quad[k], &at[k]));
    CHECK(api_triangle_soup_add_triangle(&b.reader, &b.soup,
                                         (const uint32_t[3]){at[0], at[1], at[2]}));
    CHECK(api_triangle_soup_add_triangle(&b.reader, &b.soup,
                                         (const uint32_t[3]){at[0], at[2], at[3]}));
  }
  CHECK_INT(b.soup.vertex_count, 2 * (N + 1));
  CHECK_INT(b.soup.triangle_count, 2 * N);
  bench_end(&b);
}

#define CUBE_POINTS "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\nv 1 0 1\nv 1 1 1\nv 0 1 1\n"

static void obj_is_read_in_its_spellings(void) {
  static const char *const files[] = {
      /* triangles, indices from 1 */
      CUBE_POINTS "f 1 3 2\nf 1 4 3\nf 5 6 7\nf 5 7 8\nf 1 2 6\nf 1 6 5\nf 2 3 7\nf 2 7 6\nf 3 4 "
                  "8\nf 3 8 7\nf 4 1 5\nf 4 5 8\n",
      /* with texture coordinates and normals, groups, materials, comments, joined lines, CR LF line
         ends */
      "# a cube\r\nmtllib x.mtl\r\no cube\r\n" CUBE_POINTS
      "vt 0 0\nvn 0 0 1\ng side\nusemtl red\ns off\nf 1/1 3/1 \\\n 2/1\nf "
      "1//1 4//1 3//1 # why\nf 5/1/1 6/1/1 7/1/1\nf 5 7 8\nf 1 2 6\nf 1 6 5\n"
      "f 2 3 7\nf 2 7 6\nf 3 4 8\nf 3 8 7\nf 4 1 5\nf 4 5 8",
      /* indices relative to the end, and faces before their points */
      "f 1 3 2\n" CUBE_POINTS "f -8 -5 -6\nf -4 -3 -2\nf -4 -2 -1\nf 1 2 6\nf 1 6 5\nf 2 3 7\nf 2 "
      "7 6\nf 3 4 8\nf 3 8 7\nf 4 1 5\nf 4 5 8\n",
  };
  for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
    bench b;
    bench_start(&b, files[i], strlen(files[i]), "m");
    CHECK(api_import_obj(&b.import));
    if (b.faults.count) CHECK_FAIL("%s", b.faults.items[0].detail);
    check_cube(&b, 1.0);
    bench_end(&b);
  }
}

/* Area vector of all triangles. A triangulation of a plane polygon has the area vector of the
 * polygon. */
static ct_vec3 area_of(const api_triangle_soup *soup) {
  ct_vec3 sum = {0, 0, 0};
  for (size_t t = 0; t < soup->triangle_count; t++) {
    ct_vec3 a = soup->vertices[soup->triangles[t][0]], b = soup->vertices[soup->triangles[t][1]],
            c = soup->vertices[soup->triangles[t][2]];
    sum = ct_add(sum, ct_scale(ct_cross(ct_sub(b, a), ct_sub(c, a)), 0.5));
  }
  return sum;
}

static double absolute_area(const api_triangle_soup *soup) {
  double sum = 0;
  for (size_t t = 0; t < soup->triangle_count; t++) {
    api_triangle_soup one = {
        .vertices = soup->vertices, .triangles = soup->triangles + t, .triangle_count = 1};
    sum += ct_norm(area_of(&one));
  }
  return sum;
}

static void polygons_become_triangles_that_cover_them_once(void) {
  static const struct {
    const char *text;
    size_t triangles;
    double area;
    size_t bent;
  } rows[] = {
      {"v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3 4\n", 2, 1.0, 0},
      {"v 0 0 0\nv 2 0 0\nv 3 2 0\nv 1 3 0\nv -1 2 0\nf 1 2 3 4 5\n", 3, 8.0, 0},
      /* a corner in the middle of a side: no triangle is degenerate */
      {"v 0 0 0\nv 1 0 0\nv 2 0 0\nv 2 2 0\nv 0 2 0\nf 1 2 3 4 5\n", 3, 4.0, 0},
      /* an arrow: only its tip and its notch see all corners */
      {"v 0 0 0\nv 2 1 0\nv 0 2 0\nv 0.5 1 0\nf 1 2 3 4\n", 2, 1.5, 0},
      /* a corner twice */
      {"v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 2 3 4 1\n", 2, 1.0, 0},
      /* a saddle */
      {"v 0 0 0\nv 1 0 0\nv 1 1 0.5\nv 0 1 0\nf 1 2 3 4\n", 2, -1.0, 1},
  };
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    bench b;
    bench_start(&b, rows[i].text, strlen(rows[i].text), "m");
    CHECK(api_import_obj(&b.import));
    CHECK_INT(b.soup.triangle_count, rows[i].triangles);
    CHECK_INT(b.import.bent, rows[i].bent);
    if (rows[i].area > 0) {
      CHECK_NEAR(area_of(&b.soup).z, rows[i].area, 1e-12);
      CHECK_NEAR(absolute_area(&b.soup), rows[i].area, 1e-12);
    }
    bench_end(&b);
  }
}

static void what_obj_holds_beside_faces_is_counted(void) {
  static const char file[] = "v 0 0 0\nv 1 0 0\nv 0 1 0\nl 1 2\np 1\ncstype bezier\nf 1 2 3\n";
  bench b;
  bench_start(&b, file, sizeof file - 1, "m");
  CHECK(api_import_obj(&b.import));
  CHECK_INT(b.soup.triangle_count, 1);
  CHECK_INT(b.import.ignored, 3);
  CHECK_INT(b.import.ignored_line, 4);
  bench_end(&b);
}

static void faults_of_obj_are_told_with_their_line(void) {
#define THREE "v 0 0 0\nv 1 0 0\nv 0 1 0\n"
  static const struct {
    const char *text;
    api_problem_id id;
    const char *words;
  } rows[] = {
      {THREE "f 1 2 4\n", API_PROBLEM_BAD_INDEX, "Line 4: \"4\""},
      {THREE "f 0 1 2\n", API_PROBLEM_BAD_INDEX, "Line 4: \"0\""},
      {THREE "f -4 1 2\n", API_PROBLEM_BAD_INDEX, "Line 4: \"-4\""},
      {"f -1 1 2\n" THREE, API_PROBLEM_BAD_INDEX, "Line 1: \"-1\""},
      {THREE "f 1 2 1.5\n", API_PROBLEM_BAD_INDEX, "Line 4: \"1.5\""},
      {THREE "f 1 2 2147483648\n", API_PROBLEM_BAD_INDEX, "Line 4"},
      {THREE "f 1 2 4294967297\n", API_PROBLEM_BAD_INDEX, "Line 4"},
      {THREE "f 1 2 99999999999999999999\n", API_PROBLEM_BAD_INDEX, "Line 4"},
      {THREE "f 1 2 3/x\n", API_PROBLEM_BAD_INDEX, "Line 4"},
      {THREE "f a b c\n", API_PROBLEM_BAD_INDEX, "Line 4"},
      {THREE "f 1 2\n", API_PROBLEM_MALFORMED_FILE, "Line 4"},
      {"v 0 0\nf 1 1 1\n", API_PROBLEM_MALFORMED_FILE, "Line 1"},
      {"\nv 0 0 x\n", API_PROBLEM_MALFORMED_FILE, "Line 2: \"x\""},
      {"v 0 0 inf\n", API_PROBLEM_BAD_VALUE, "Line 1"},
      {"v 0 0 1e300\n", API_PROBLEM_OUT_OF_RANGE, "Line 1"},
      {"<html>\n", API_PROBLEM_MALFORMED_FILE, "Line 1: \"<html>\""},
      /* a U: no corner sees all of it */
      {"v 0 0 0\nv 3 0 0\nv 3 2 0\nv 2 2 0\nv 2 1 0\nv 1 1 0\nv 1 2 0\nv 0 2 0\nf 1 2 3 4 5 6 7 "
       "8\n",
       API_PROBLEM_BAD_VALUE, "Line 9"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
    check_refused(api_import_obj, rows[i].text, strlen(rows[i].text), rows[i].id, rows[i].words);
}

static void a_raised_flag_ends_the_reading(void) {
  char file[BINARY_BYTES];
  binary_cube(file, "");
  bench b;
  bench_start(&b, file, sizeof file, "m");
  ct_cancel *cancel = ct_cancel_create();
  ct_cancel_raise(cancel);
  b.reader.cancel = cancel;
  CHECK(!api_import_stl(&b.import));
  CHECK_INT(b.faults.id, API_PROBLEM_DEADLINE_EXCEEDED);
  bench_end(&b);
  ct_cancel_destroy(cancel);
}

static ct_cancel *alarm_flag;
static void raise_flag(int signal) {
  (void)signal;
  ct_cancel_raise(alarm_flag);
}

/* Fewer lines than the former interval between two polls of the cancel flag, but polygons that take
 * long. */
static void a_flag_raised_among_large_polygons_ends_the_reading(void) {
  enum { CORNERS = 200, FACES = 3000 };
  size_t room = CORNERS * 64 + FACES * (CORNERS * 4 + 8), length = 0;
  char *file = malloc(room);
  /* A disc with a notch to its centre, the only corner whose fan triangulates it well. */
  for (int i = 1; i < CORNERS; i++) {
    double angle = 6.2 * i / CORNERS;
    length +=
        (size_t)snprintf(file + length, room - length, "v %.9f %.9f 0\n", cos(angle), sin(angle));
  }
  length += (size_t)snprintf(file + length, room - length, "v 0 0 0\n");
  for (int f = 0; f < FACES; f++) {
    length += (size_t)snprintf(file + length, room - length, "f");
    for (int i = 1; i <= CORNERS; i++)
      length += (size_t)snprintf(file + length, room - length, " %d", i);
    length += (size_t)snprintf(file + length, room - length, "\n");
  }
  bench b;
  bench_start(&b, file, length, "m");
  b.soup.budget = 1u << 28;
  b.soup.triangles_max = CORNERS * FACES;
  b.reader.cancel = alarm_flag = ct_cancel_create();
  signal(SIGALRM, raise_flag);
  struct itimerval soon = {.it_value = {0, 5000}};
  setitimer(ITIMER_REAL, &soon, NULL);
  CHECK(!api_import_obj(&b.import));
  CHECK_INT(b.faults.id, API_PROBLEM_DEADLINE_EXCEEDED);
  CHECK(b.soup.triangle_count < CORNERS * FACES / 2);
  bench_end(&b);
  ct_cancel_destroy(alarm_flag);
  free(file);
}

static void a_polygon_of_too_many_corners_is_refused(void) {
  char file[8192] = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf";
  size_t length = strlen(file);
  for (int i = 0; i < 1025; i++)
    length += (size_t)snprintf(file + length, sizeof file - length, " %d", i % 3 + 1);
  check_refused(api_import_obj, file, length, API_PROBLEM_LIMIT_EXCEEDED,
                "Line 4: a polygon has at most 1024 corners");
}

static const check_test tests[] = {
    {"binary_stl_is_read_whatever_its_head_says", binary_stl_is_read_whatever_its_head_says},
    {"text_stl_is_read_with_any_line_ends_and_case", text_stl_is_read_with_any_line_ends_and_case},
    {"every_unit_is_its_length_in_metres", every_unit_is_its_length_in_metres},
    {"a_binary_file_cut_anywhere_is_refused", a_binary_file_cut_anywhere_is_refused},
    {"a_text_file_cut_at_any_word_is_refused", a_text_file_cut_at_any_word_is_refused},
    {"faults_of_stl_are_told_with_their_place", faults_of_stl_are_told_with_their_place},
    {"too_many_triangles_are_refused_before_memory_is_taken",
     too_many_triangles_are_refused_before_memory_is_taken},
    {"many_points_are_joined_by_their_bits", many_points_are_joined_by_their_bits},
    {"obj_is_read_in_its_spellings", obj_is_read_in_its_spellings},
    {"polygons_become_triangles_that_cover_them_once",
     polygons_become_triangles_that_cover_them_once},
    {"what_obj_holds_beside_faces_is_counted", what_obj_holds_beside_faces_is_counted},
    {"faults_of_obj_are_told_with_their_line", faults_of_obj_are_told_with_their_line},
    {"a_raised_flag_ends_the_reading", a_raised_flag_ends_the_reading},
    {"a_flag_raised_among_large_polygons_ends_the_reading",
     a_flag_raised_among_large_polygons_ends_the_reading},
    {"a_polygon_of_too_many_corners_is_refused", a_polygon_of_too_many_corners_is_refused},
};
CHECK_MAIN(tests)
