/* STL (3D Systems 1988). A binary file has an arbitrary header of 80 bytes, the number of
 * triangles, and 50 bytes per triangle (normal, three points as floats, an attribute). A text file
 * consists of words. The length of the file decides between the two, since a binary file may also
 * begin with "solid". */
#include "import/import.h"

#include <assert.h>
#include <string.h>

#define HEADER_BYTES 84
#define COUNT_AT 80
#define FACET_BYTES 50
#define NORMAL_BYTES 12
/* Facets between two polls of the cancel flag, less than 1 ms. */
#define FACETS_PER_POLL 4096
/* Length of the start of a file that is inspected to recognise text, bytes. */
#define PROBE_BYTES 512

static uint32_t read_u32(const char *bytes) {
  const unsigned char *b = (const unsigned char *)bytes;
  return b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

static double read_float(const char *bytes) {
  uint32_t bits = read_u32(bytes);
  float value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

/* ---- binary --------------------------------------------------------------------------------- */

static bool read_facet(api_import *import, size_t at) {
  assert(at + FACET_BYTES <= import->file.length);
  uint32_t corners[3];
  for (size_t c = 0; c < 3; c++) {
    size_t place = at + NORMAL_BYTES * (c + 1);
    const char *bytes = import->file.bytes + place;
    const double numbers[3] = {read_float(bytes), read_float(bytes + 4), read_float(bytes + 8)};
    ct_vec3 p;
    if (!api_import_point(import, numbers, "Byte", place, &p)) return false;
    if (!api_triangle_soup_weld_vertex(import->reader, import->soup, p, &corners[c])) return false;
  }
  return api_triangle_soup_add_triangle(import->reader, import->soup, corners);
}

static bool read_binary(api_import *import) {
  size_t count = read_u32(import->file.bytes + COUNT_AT);
  if (!api_triangle_soup_reserve(import->reader, import->soup, count)) return false;
  for (size_t i = 0; i < count; i++) {
    if (i % FACETS_PER_POLL == 0 && api_reader_cancelled(import->reader)) return false;
    if (!read_facet(import, HEADER_BYTES + i * FACET_BYTES)) return false;
  }
  return true;
}

/* ---- text ----------------------------------------------------------------------------------- */

typedef struct text_file {
  api_import *import;
  api_scanner scan;
} text_file;

static bool refuse_word(text_file *f, const char *wanted, ct_text word) {
  char echo[API_ECHO_MAX + 4];
  return api_import_refuse(f->import, API_PROBLEM_MALFORMED_FILE, f->scan.line,
                           "\"%s\" where %s is expected.", api_echo(word, echo), wanted);
}

static bool refuse_end(text_file *f, const char *wanted) {
  return api_import_refuse(f->import, API_PROBLEM_MALFORMED_FILE, f->scan.line,
                           "the file is incomplete: it ends where %s is expected.", wanted);
}

/* Reads one or two words and checks that they are `first` and, unless it is NULL, `second`. False:
 * a fault was added. */
static bool expect(text_file *f, const char *first, const char *second) {
  const char *wanted[2] = {first, second};
  for (int i = 0; i < 2 && wanted[i]; i++) {
    ct_text word;
    if (!api_scanner_next_word(&f->scan, &word)) return refuse_end(f, wanted[i]);
    if (!api_word_equals(word, wanted[i])) return refuse_word(f, wanted[i], word);
  }
  return true;
}

static bool read_stl_vertex(text_file *f, ct_vec3 *out) {
  double numbers[3] = {0};
  size_t line = f->scan.line;
  for (int i = 0; i < 3; i++) {
    ct_text word;
    if (!api_scanner_next_word(&f->scan, &word)) return refuse_end(f, "a coordinate");
    line = f->scan.line;
    api_word_number kind = api_word_read(word, &numbers[i]);
    if (kind == API_WORD_NO_NUMBER) return refuse_word(f, "a coordinate", word);
    if (kind == API_WORD_NOT_FINITE) numbers[i] = HUGE_VAL;
  }
  return api_import_point(f->import, numbers, "Line", line, out);
}

/* Reads the rest of a facet after the word "facet" and adds its triangle. */
static bool read_text_facet(text_file *f) {
  uint32_t corners[3];
  ct_text word;
  if (!expect(f, "normal", NULL)) return false;
  /* Skip the three words of the normal without parsing them: many programs write nan for a triangle
   * without area. */
  for (int i = 0; i < 3; i++)
    if (!api_scanner_next_word(&f->scan, &word)) return refuse_end(f, "a normal");
  if (!expect(f, "outer", "loop")) return false;
  for (int c = 0; c < 3; c++) {
    ct_vec3 p;
    if (!expect(f, "vertex", NULL) || !read_stl_vertex(f, &p)) return false;
    if (!api_triangle_soup_weld_vertex(f->import->reader, f->import->soup, p, &corners[c]))
      return false;
  }
  return expect(f, "endloop", "endfacet") &&
         api_triangle_soup_add_triangle(f->import->reader, f->import->soup, corners);
}

/* Reads the rest of a solid after the word "solid": a name up to the end of the line, facets, and
 * "endsolid" with a name. */
static bool read_solid(text_file *f) {
  api_scanner_next_line(&f->scan);
  for (size_t i = 0;; i++) {
    ct_text word;
    if (i % FACETS_PER_POLL == 0 && api_reader_cancelled(f->import->reader)) return false;
    if (!api_scanner_next_word(&f->scan, &word)) return refuse_end(f, "endsolid");
    if (api_word_equals(word, "endsolid")) break;
    if (!api_word_equals(word, "facet")) return refuse_word(f, "facet or endsolid", word);
    if (!read_text_facet(f)) return false;
  }
  api_scanner_next_line(&f->scan);
  return true;
}

static bool read_text(api_import *import) {
  text_file f = {import, {import->file.bytes, import->file.bytes + import->file.length, 1}};
  ct_text word;
  while (api_scanner_next_word(&f.scan, &word)) {
    if (!api_word_equals(word, "solid")) return refuse_word(&f, "solid", word);
    if (!read_solid(&f)) return false;
  }
  return true;
}

/* ---- format detection ----------------------------------------------------------------------- */

static bool looks_like_text(ct_text file) {
  ct_text word;
  api_scanner scan = {file.bytes, file.bytes + file.length, 1};
  if (!api_scanner_next_word(&scan, &word) || !api_word_equals(word, "solid")) return false;
  for (size_t i = 0; i < file.length && i < PROBE_BYTES; i++) {
    unsigned char c = (unsigned char)file.bytes[i];
    if (c < ' ' && !strchr("\t\n\v\f\r", c)) return false;
    if (c == 0) return false;
  }
  return true;
}

/* Refuses a file that is neither text nor a binary file whose length matches its number of
 * triangles: most likely a truncated binary file. */
static bool refuse_length(api_import *import) {
  api_faults *faults = import->reader->faults;
  size_t length = import->file.length;
  if (length < HEADER_BYTES) {
    api_fault_plain(faults, API_PROBLEM_MALFORMED_FILE,
                    "Byte %zu: the file ends within the head; a binary STL file has at least %d "
                    "bytes, and a text one begins with solid.",
                    length, HEADER_BYTES);
    return false;
  }
  unsigned long long count = read_u32(import->file.bytes + COUNT_AT);
  unsigned long long wanted = HEADER_BYTES + FACET_BYTES * count;
  api_fault_plain(
      faults, API_PROBLEM_MALFORMED_FILE,
      length < wanted
          ? "Byte %zu: the file ends here; the %llu triangles counted at byte 80 need %llu "
            "bytes."
          : "The file has %zu bytes; the %llu triangles counted at byte 80 need %llu.",
      length, count, wanted);
  return false;
}

bool api_import_stl(api_import *import) {
  size_t length = import->file.length;
  bool binary =
      length >= HEADER_BYTES &&
      length == HEADER_BYTES + FACET_BYTES * (uint64_t)read_u32(import->file.bytes + COUNT_AT);
  if (binary) return read_binary(import);
  return looks_like_text(import->file) ? read_text(import) : refuse_length(import);
}
