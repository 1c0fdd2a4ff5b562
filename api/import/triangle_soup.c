/* Arrays that grow within a budget, and a hash table of vertices by their coordinates (open
 * addressing). */
#include "import/triangle_soup.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"

#define FIRST_CAPACITY 1024

void api_triangle_soup_free(api_triangle_soup *soup) {
  free(soup->vertices);
  free(soup->triangles);
  free(soup->slots);
  *soup = (api_triangle_soup){0};
}

static size_t bytes_of(const api_triangle_soup *soup) {
  return soup->vertex_capacity * sizeof *soup->vertices +
         soup->triangle_capacity * sizeof *soup->triangles + soup->slot_count * sizeof *soup->slots;
}

/* False: `more` bytes would exceed the budget, and a fault was added. */
static bool fits_budget(api_reader *reader, const api_triangle_soup *soup, size_t more) {
  if (bytes_of(soup) + more <= soup->budget) return true;
  api_fault *fault = api_fault_plain(reader->faults, API_PROBLEM_BODY_TOO_LARGE,
                                     "The triangles need more memory than a request may use "
                                     "(requestMemoryBytes): send a mesh with fewer triangles.");
  api_fault_limit(fault, (double)reader->limits->request_memory_bytes, NAN);
  return false;
}

/* Resizes an array of the soup, as api_array_resize, to more items. False: a fault was added, also
 * if the budget would be exceeded. */
static bool grow_soup_array(api_reader *reader, const api_triangle_soup *soup, void *array,
                            size_t *capacity, size_t count, size_t size) {
  assert(count > *capacity);
  if (!fits_budget(reader, soup, (count - *capacity) * size)) return false;
  if (api_array_resize(array, capacity, count, size)) return true;
  api_fault_memory(reader->faults);
  return false;
}

static bool refuse_triangles(api_reader *reader, const api_triangle_soup *soup,
                             uint64_t triangles) {
  api_fault *fault = api_fault_plain(reader->faults, API_PROBLEM_LIMIT_EXCEEDED,
                                     "The file has %llu%s triangles, a mesh has at most %llu "
                                     "(meshTriangles): simplify or split it.",
                                     (unsigned long long)triangles,
                                     triangles == soup->triangles_max + 1 ? " or more" : "",
                                     (unsigned long long)soup->triangles_max);
  api_fault_limit(fault, (double)soup->triangles_max, (double)triangles);
  return false;
}

static bool reserve_triangles(api_reader *reader, api_triangle_soup *soup, size_t capacity) {
  return grow_soup_array(reader, soup, &soup->triangles, &soup->triangle_capacity, capacity,
                         sizeof *soup->triangles);
}

bool api_triangle_soup_reserve(api_reader *reader, api_triangle_soup *soup, uint64_t triangles) {
  if (triangles > soup->triangles_max) return refuse_triangles(reader, soup, triangles);
  return triangles <= soup->triangle_capacity || reserve_triangles(reader, soup, (size_t)triangles);
}

bool api_triangle_soup_add_vertex(api_reader *reader, api_triangle_soup *soup, ct_vec3 p) {
  if (soup->vertex_count == soup->vertex_capacity) {
    size_t capacity = soup->vertex_capacity ? 2 * soup->vertex_capacity : FIRST_CAPACITY;
    if (soup->vertex_count == CT_MESH_VERTICES_MAX) {
      api_fault *fault = api_fault_plain(reader->faults, API_PROBLEM_LIMIT_EXCEEDED,
                                         "A mesh has at most %d vertices: simplify or split it.",
                                         CT_MESH_VERTICES_MAX);
      api_fault_limit(fault, CT_MESH_VERTICES_MAX, NAN);
      return false;
    }
    if (capacity > CT_MESH_VERTICES_MAX) capacity = CT_MESH_VERTICES_MAX;
    if (!grow_soup_array(reader, soup, &soup->vertices, &soup->vertex_capacity, capacity,
                         sizeof *soup->vertices))
      return false;
  }
  assert(soup->vertex_count < soup->vertex_capacity);
  soup->vertices[soup->vertex_count++] = p;
  return true;
}

bool api_triangle_soup_add_triangle(api_reader *reader, api_triangle_soup *soup,
                                    const uint32_t corners[3]) {
  assert(corners[0] < soup->vertex_count && corners[1] < soup->vertex_count &&
         corners[2] < soup->vertex_count);
  if (soup->triangle_count >= soup->triangles_max)
    return refuse_triangles(reader, soup, soup->triangles_max + 1);
  if (soup->triangle_count == soup->triangle_capacity) {
    size_t capacity = soup->triangle_capacity ? 2 * soup->triangle_capacity : FIRST_CAPACITY;
    if (!reserve_triangles(reader, soup, capacity)) return false;
  }
  assert(soup->triangle_count < soup->triangle_capacity);
  memcpy(soup->triangles[soup->triangle_count++], corners, sizeof *soup->triangles);
  return true;
}

/* ---- lookup of equal points (hash table) ---------------------------------------------------- */

/* Mixes the bits of a hash: the finaliser of SplitMix64 (Steele, Lea, Flood 2014). */
static uint64_t mix(uint64_t z) {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

static size_t home(const api_triangle_soup *soup, ct_vec3 p) {
  assert(soup->slot_count > 0 && (soup->slot_count & (soup->slot_count - 1)) == 0);
  uint64_t bits[3];
  memcpy(bits, &p, sizeof bits);
  uint64_t hash = soup->key;
  for (int i = 0; i < 3; i++) hash = mix(hash + bits[i] * 0x9e3779b97f4a7c15u);
  return (size_t)hash & (soup->slot_count - 1);
}

/* Returns the slot of the vertex with the coordinates of p (compared with ==), or the free slot in
 * which it is to be stored. */
static size_t find(const api_triangle_soup *soup, ct_vec3 p) {
  size_t at = home(soup, p);
  while (soup->slots[at]) {
    ct_vec3 q = soup->vertices[soup->slots[at] - 1];
    if (q.x == p.x && q.y == p.y && q.z == p.z) break;
    at = (at + 1) & (soup->slot_count - 1);
  }
  return at;
}

static bool widen(api_reader *reader, api_triangle_soup *soup) {
  size_t count = soup->slot_count ? 2 * soup->slot_count : 2 * FIRST_CAPACITY;
  if (!fits_budget(reader, soup, count * sizeof *soup->slots)) return false;
  uint32_t *slots = calloc(count, sizeof *slots);
  if (!slots) {
    api_fault_memory(reader->faults);
    return false;
  }
  free(soup->slots);
  soup->slots = slots;
  soup->slot_count = count;
  for (size_t i = 0; i < soup->vertex_count; i++)
    slots[find(soup, soup->vertices[i])] = (uint32_t)i + 1;
  return true;
}

bool api_triangle_soup_weld_vertex(api_reader *reader, api_triangle_soup *soup, ct_vec3 p,
                                   uint32_t *index) {
  /* Keep the table at most two thirds full. */
  if (3 * (soup->vertex_count + 1) > 2 * soup->slot_count && !widen(reader, soup)) return false;
  size_t at = find(soup, p);
  if (!soup->slots[at]) {
    if (!api_triangle_soup_add_vertex(reader, soup, p)) return false;
    soup->slots[at] = (uint32_t)soup->vertex_count;
  }
  *index = soup->slots[at] - 1;
  assert(*index < soup->vertex_count);
  return true;
}
