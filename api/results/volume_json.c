/* Volumetric contacts as JSON: reads the members of a query, puts results. */
#include "results/volume_json.h"

#include <assert.h>

#include "common/problem.h"
#include "results/intersection_stages_json.h"
#include "results/result_json.h"

/* Least geometric epsilon, m: the default for the smallest possible shape. */
#define EPSILON_MIN (CT_EPSILON_PART * CT_SIZE_MIN)

/* ---- queries -------------------------------------------------------------------------------- */

bool api_read_epsilon(api_reader *reader, const api_field *field, double *out) {
  return api_read_number(reader, field, EPSILON_MIN, CT_SIZE_MAX, out);
}

static bool read_weighting(api_reader *reader, const api_field *field, api_volume *out) {
  const char *words[CT_WEIGHTING_COUNT];
  size_t which =
      out->options.method == CT_VOLUME_SOLFEC ? CT_WEIGHTING_SQUARED : CT_WEIGHTING_LINEAR;
  for (int w = 0; w < CT_WEIGHTING_COUNT; w++) words[w] = ct_weighting_word((ct_weighting)w);
  if (!api_read_word(reader, field, words, CT_WEIGHTING_COUNT, &which)) return false;
  out->options.weighting = (ct_weighting)which;
  return true;
}

static bool read_method(api_reader *reader, const api_field *field, api_volume *out) {
  const char *words[CT_VOLUME_METHOD_COUNT];
  size_t which = CT_VOLUME_AUTO;
  for (int m = 0; m < CT_VOLUME_METHOD_COUNT; m++)
    words[m] = ct_volume_method_word((ct_volume_method)m);
  if (!api_read_word(reader, field, words, CT_VOLUME_METHOD_COUNT, &which)) return false;
  out->options.method = (ct_volume_method)which;
  return true;
}

/* Reads {threshold?, minArea?, minDistance?, present?}. */
static bool read_sparsify(api_reader *reader, const api_field *field, api_volume *out) {
  ct_query_sparsify *s = &out->sparsify;
  *s = (ct_query_sparsify){.threshold = CT_SPARSIFY_THRESHOLD,
                           .bytes_max = (size_t)reader->limits->request_memory_bytes};
  if (!api_field_present(field)) return true;
  api_field m[] = {
      {.name = "threshold"}, {.name = "minArea"}, {.name = "minDistance"}, {.name = "present"}};
  if (!api_read_object(reader, field, m, 4)) return false;
  out->present = m[3];
  out->sparsifies = true;
  out->has_min_distance = api_field_present(&m[2]);
  bool good = api_read_number(reader, &m[0], 0.0, 1.0, &s->threshold);
  good = api_read_number(reader, &m[1], 0.0, CT_SIZE_MAX * CT_SIZE_MAX, &s->min_area) && good;
  return api_read_number(reader, &m[2], 0.0, CT_SIZE_MAX, &s->min_distance) && good;
}

/* True if the geometric epsilon has an effect on the query. */
static bool uses_epsilon(const api_volume *v) {
  return v->options.method == CT_VOLUME_SOLFEC || (v->sparsifies && !v->has_min_distance);
}

bool api_read_volume(api_reader *reader, const api_volume_fields *fields, api_volume *out) {
  bool good = read_method(reader, fields->method, out);
  good = read_weighting(reader, fields->weighting, out) && good;
  good = read_sparsify(reader, fields->sparsify, out) && good;
  good = api_read_epsilon(reader, fields->epsilon, &out->options.epsilon) && good;
  good = api_read_bool(reader, fields->triangles, &out->options.triangles) && good;
  out->has_epsilon = api_field_present(fields->epsilon);
  if (out->options.stages && out->sparsifies) {
    api_fault_at(reader->faults, API_PROBLEM_CONFLICTING_MEMBERS, &fields->include->path,
                 "include \"stages\" cannot be combined with sparsify: remove one of the two.");
    return false;
  }
  return good && api_reject_unused(reader, fields->epsilon, !uses_epsilon(out),
                                   "method solfec, or sparsify without minDistance");
}

void api_put_volume_tolerances(api_buffer *buffer, const api_volume *v) {
  if (uses_epsilon(v)) api_put_member_number(buffer, "epsilon", v->options.epsilon);
  if (!v->sparsifies) return;
  api_put_key(buffer, "sparsify");
  api_put_byte(buffer, '{');
  api_put_member_number(buffer, "threshold", v->sparsify.threshold);
  api_put_member_number(buffer, "minArea", v->sparsify.min_area);
  api_put_member_number(buffer, "minDistance", v->sparsify.min_distance);
  api_put_byte(buffer, '}');
}

void api_resolve_volume(api_volume *volume, const ct_scene *scene, double *clearance,
                        const char **warning) {
  bool solfec = volume->options.method == CT_VOLUME_SOLFEC;
  double *epsilon = &volume->options.epsilon;
  if (uses_epsilon(volume)) {
    double least = ct_scene_default_epsilon(scene), set = ct_scene_geometric_epsilon(scene);
    if (!volume->has_epsilon) *epsilon = set > 0.0 ? set : least;
    if (*epsilon > CT_EPSILON_LARGE / CT_EPSILON_PART * least)
      *warning = "The geometric epsilon is more than a tenth of the smallest collider's radius: "
                 "use a smaller one.";
  }
  if (!volume->has_min_distance) volume->sparsify.min_distance = *epsilon;
  *clearance = solfec ? *epsilon : 0.0;
}

/* ---- results -------------------------------------------------------------------------------- */

static void put_names(api_buffer *buffer, const ct_body *a, const ct_body *b,
                      const ct_volume_hit *hit) {
  api_put_id(buffer, "a", ct_body_id(a));
  api_put_id(buffer, "b", ct_body_id(b));
  api_put_collider_name(buffer, "colliderA", a, hit->collider_a);
  api_put_collider_name(buffer, "colliderB", b, hit->collider_b);
  api_put_surface_of(buffer, a, hit->collider_a, b, hit->collider_b);
  if (!hit->contact) return;
  if (hit->contact->element_a != CT_NO_ELEMENT)
    api_put_member_unsigned(buffer, "elementA", hit->contact->element_a);
  if (hit->contact->element_b != CT_NO_ELEMENT)
    api_put_member_unsigned(buffer, "elementB", hit->contact->element_b);
}

static void put_status(api_buffer *buffer, ct_pair_status status, uint32_t flags) {
  const char *words[CT_VOLUME_FLAG_COUNT];
  size_t count = 0;
  for (uint32_t row = 0; row < CT_VOLUME_FLAG_COUNT; row++)
    if (flags >> row & 1) words[count++] = ct_volume_flag_word(row);
  api_put_status_words(buffer, status, words, count);
}

static void put_triangle(api_buffer *buffer, const ct_volume_triangle *t) {
  api_put_item(buffer);
  api_put_byte(buffer, '{');
  api_put_key(buffer, "vertices");
  api_put_byte(buffer, '[');
  for (int i = 0; i < 3; i++) {
    api_put_item(buffer);
    api_put_vec3(buffer, t->vertex[i]);
  }
  api_put_byte(buffer, ']');
  api_put_owner(buffer, t->owner, t->face_a, t->face_b);
  api_put_byte(buffer, '}');
}

static void put_volume_triangles(api_buffer *buffer, const ct_volume_hit *hit) {
  api_put_key(buffer, "triangles");
  api_put_byte(buffer, '[');
  assert(hit->triangles || hit->contact->triangle_count == 0);
  for (uint32_t i = 0; i < hit->contact->triangle_count; i++)
    put_triangle(buffer, &hit->triangles[i]);
  api_put_byte(buffer, ']');
}

/* Puts the members of a contact. Volumes that are undefined, patch areas that are undefined and
 * surfaces of curved bodies are left out. */
static void put_volume_contact(api_buffer *buffer, const ct_volume_hit *hit) {
  const ct_volume_contact *c = hit->contact;
  if (!(c->flags & CT_VOLUME_FLAG_VOLUME_UNDEFINED)) {
    api_put_member_number(buffer, "volume", c->volume);
    if (c->flags & CT_VOLUME_FLAG_VOLUME_INEXACT)
      api_put_member_number(buffer, "volumeError", c->volume_error);
    api_put_member_vec3(buffer, "centroid", c->centroid);
  }
  api_put_member_vec3(buffer, "position", c->position);
  api_put_member_vec3(buffer, "normal", c->normal);
  api_put_member_number(buffer, "area", c->area);
  if (c->area_defined) api_put_member_number(buffer, "patchArea", c->patch_area);
  else api_put_member_bool(buffer, "areaDefined", false);
  api_put_member_number(buffer, "rawGap", c->raw_gap);
  api_put_member_number(buffer, "gap", c->gap);
  api_put_member_number(buffer, "depthAlongNormal", c->depth_along_normal);
  if (c->surface_a != CT_NO_FACE) api_put_member_unsigned(buffer, "surfaceA", c->surface_a);
  if (c->surface_b != CT_NO_FACE) api_put_member_unsigned(buffer, "surfaceB", c->surface_b);
  if (c->triangle_count > 0) put_volume_triangles(buffer, hit);
  if (hit->list && c->stages.point_count > 0) api_put_stages(buffer, c, hit->list);
  put_status(buffer, c->status, c->flags);
}

/* Puts a pair without common volume: the midpoint of its closest points, normal and gap if it is
 * separated. */
static void put_apart(api_buffer *buffer, const ct_volume_hit *hit) {
  const ct_pair_result *r = &hit->result;
  bool reported = r->status != CT_PAIR_UNSUPPORTED && !hit->overlap;
  if (reported) {
    api_put_member_number(buffer, "volume", 0.0);
    api_put_member_vec3(buffer, "position", ct_scale(ct_add(r->point_a, r->point_b), 0.5));
    api_put_member_vec3(buffer, "normal", r->normal);
    api_put_member_number(buffer, "area", 0.0);
    api_put_member_number(buffer, "gap", ct_max2(r->distance, 0.0));
  }
  put_status(buffer, r->status, hit->flags);
}

void api_put_volume_answer(api_buffer *buffer, const ct_body *a, const ct_body *b,
                           const ct_volume_hit *hit) {
  api_put_byte(buffer, '{');
  put_names(buffer, a, b, hit);
  if (hit->contact) put_volume_contact(buffer, hit);
  else put_apart(buffer, hit);
  api_put_byte(buffer, '}');
}

void api_put_volume_sums(api_buffer *buffer, const ct_body *a, const ct_body *b,
                         const ct_volume_hit *hit) {
  const ct_volume_total *t = hit->total;
  assert(t);
  api_put_byte(buffer, '{');
  api_put_id(buffer, "a", ct_body_id(a));
  api_put_id(buffer, "b", ct_body_id(b));
  api_put_collider_name(buffer, "colliderA", a, hit->collider_a);
  api_put_collider_name(buffer, "colliderB", b, hit->collider_b);
  api_put_member_unsigned(buffer, "contacts", t->contacts);
  api_put_member_number(buffer, "volume", t->volume);
  if (t->volume_error > CT_VOLUME_RELATIVE_ERROR * t->volume)
    api_put_member_number(buffer, "volumeError", t->volume_error);
  api_put_member_vec3(buffer, "centroid", t->centroid);
  api_put_member_number(buffer, "patchArea", t->patch_area);
  api_put_status(buffer, t->status, 0);
  api_put_byte(buffer, '}');
}

void api_put_removed(api_buffer *buffer, const ct_body *a, const ct_body *b,
                     const ct_volume_hit *hit) {
  static const char *const reasons[] = {[CT_KEPT] = "",
                                        [CT_REMOVED_AREA] = "area",
                                        [CT_REMOVED_ADJACENT_RATIO] = "adjacentRatio",
                                        [CT_REMOVED_DUPLICATE] = "duplicate"};
  api_put_byte(buffer, '{');
  put_names(buffer, a, b, hit);
  api_put_member_string(buffer, "reason", api_text(reasons[hit->sparsified]));
  api_put_member_vec3(buffer, "position", hit->contact->position);
  api_put_member_number(buffer, "area", hit->contact->area);
  api_put_byte(buffer, '}');
}
