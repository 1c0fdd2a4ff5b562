/* Reads the method that a pair query requests, evaluates pairs by it, and puts its results. */
#include "results/method_json.h"

#include <assert.h>

#include "common/problem.h"

/* Least relative tolerance of MPR, which is the resolution of doubles, and greatest number of its
 * iterations, which exceeds that of any pair that converges. */
#define MPR_TOLERANCE_MIN 1e-16
#define MPR_ITERATIONS_MAX 10000

static const char *const words[] = {"auto", "gjkEpa", "mpr", "separatingAxis"};

static bool refuse(api_reader *reader, const api_field *field, const char *what, const char *with) {
  api_fault_at(reader->faults, API_PROBLEM_CONFLICTING_MEMBERS, &field->path,
               "\"%s\" requires method %s.", what, with);
  return false;
}

/* Reads tolerance and iterations of MPR. Values of absent members are those of out->mpr; zeros
 * there stand for the defaults. */
static bool read_portal_limits(api_reader *reader, const api_method_fields *fields,
                               api_method *out) {
  ct_mpr_options *mpr = &out->mpr;
  if (!(mpr->tolerance > 0.0)) mpr->tolerance = CT_MPR_TOLERANCE;
  uint64_t iterations = mpr->iterations_max > 0 ? mpr->iterations_max : CT_MPR_ITERATIONS;
  bool good = api_read_number(reader, fields->tolerance, MPR_TOLERANCE_MIN, 1.0, &mpr->tolerance);
  good = api_read_unsigned(reader, fields->iterations, 1, MPR_ITERATIONS_MAX, &iterations) && good;
  mpr->iterations_max = (uint32_t)iterations;
  return good;
}

static bool refuse_portal_limits(api_reader *reader, const api_method_fields *fields,
                                 const api_method *method) {
  const api_field *own[] = {fields->tolerance, fields->iterations};
  bool good = true;
  for (int i = 0; i < 2; i++)
    if (api_field_present(own[i]) && method->kind != API_METHOD_MPR)
      good = refuse(reader, own[i], own[i]->name, "mpr");
  return good;
}

bool api_read_method(api_reader *reader, const api_method_fields *fields, api_method *out) {
  size_t which = 0;
  out->cache = true;
  bool good = api_read_word(reader, fields->method, words, sizeof words / sizeof words[0], &which);
  good = read_portal_limits(reader, fields, out) && good;
  good = api_read_bool(reader, fields->cache, &out->cache) && good;
  if (!good) return false;
  out->kind = (api_method_kind)which;
  bool portal = out->kind == API_METHOD_MPR, axis = out->kind == API_METHOD_SEPARATING_AXIS;
  good = refuse_portal_limits(reader, fields, out);
  if (api_field_present(fields->cache) && !axis)
    good = refuse(reader, fields->cache, "cache", "separatingAxis");
  if (out->support_points && !portal)
    good = refuse(reader, fields->include, "supportPoints", "mpr");
  if (out->separating_plane && !axis)
    good = refuse(reader, fields->include, "separatingPlane", "separatingAxis");
  return good;
}

bool api_read_auto_or_portal(api_reader *reader, const api_method_fields *fields, api_method *out) {
  static const api_method_kind kinds[] = {API_METHOD_AUTO, API_METHOD_MPR};
  const char *const offered[] = {words[API_METHOD_AUTO], words[API_METHOD_MPR]};
  size_t which = out->kind == API_METHOD_MPR;
  bool good = api_read_word(reader, fields->method, offered, 2, &which);
  good = read_portal_limits(reader, fields, out) && good;
  out->kind = kinds[which];
  return good && refuse_portal_limits(reader, fields, out);
}

static bool supports_mpr(const ct_placed pair[2]) {
  return ct_mpr_is_supported(pair[0].shape->kind) && ct_mpr_is_supported(pair[1].shape->kind);
}

static void query_portal_method(const api_method *method, const ct_placed pair[2], double tolerance,
                                ct_pair_result *result, api_method_answer *out) {
  ct_pair_mpr(pair[0], pair[1], &method->mpr, &out->portal);
  ct_mpr_write_result(&out->portal, tolerance, result);
}

static void query_gjk_epa(const ct_placed pair[2], double tolerance, ct_workspace *workspace,
                          ct_pair_result *result) {
  const ct_pair_options options = {.tolerance = tolerance, .threshold = INFINITY};
  ct_pair_gjk_epa(pair[0], pair[1], &options, workspace, result);
}

static void query_separating_axis(const ct_placed pair[2], const api_method_memory *memory,
                                  api_method_answer *out) {
  bool polyhedra = out->by == API_METHOD_SEPARATING_AXIS;
  bool found =
      (memory->cache || !polyhedra) &&
      ct_pair_separating_plane(pair[0], pair[1], memory->cache, memory->workspace, &out->plane);
  if (!found && polyhedra)
    ct_pair_separating_axis(pair[0], pair[1], memory->workspace, &out->plane);
}

/* Returns the method by which the pair is evaluated: the requested one, or AUTO if that does not
 * support the pair. */
static api_method_kind select_method(api_method_kind requested, const ct_placed pair[2]) {
  bool supported = false;
  switch (requested) {
  case API_METHOD_AUTO: break;
  case API_METHOD_GJK_EPA: supported = ct_gjk_epa_is_supported(pair[0].shape, pair[1].shape); break;
  case API_METHOD_MPR: supported = supports_mpr(pair); break;
  case API_METHOD_SEPARATING_AXIS:
    supported = ct_separating_axis_is_supported(pair[0].shape, pair[1].shape);
    break;
  }
  return supported ? requested : API_METHOD_AUTO;
}

static void init_method_answer(const api_method *method, const ct_placed pair[2],
                               api_method_answer *out) {
  out->by = select_method(method->kind, pair);
  out->plane = (ct_separating_plane){.kind = CT_PLANE_NONE};
}

void api_apply_method(const api_method *method, const ct_placed pair[2], double tolerance,
                      const api_method_memory *memory, ct_pair_result *result,
                      api_method_answer *out) {
  init_method_answer(method, pair, out);
  if (out->by == API_METHOD_GJK_EPA) query_gjk_epa(pair, tolerance, memory->workspace, result);
  if (out->by == API_METHOD_MPR) query_portal_method(method, pair, tolerance, result, out);
  if (method->kind == API_METHOD_SEPARATING_AXIS) query_separating_axis(pair, memory, out);
}

/* Overlap by MPR. Each of MPR's two points belongs to one body only; a common point of both bodies
 * is preferred as the witness. */
static bool overlap_by_portal(const api_method *method, const ct_placed pair[2],
                              ct_workspace *workspace, ct_vec3 *witness, ct_mpr_result *portal) {
  ct_pair_mpr(pair[0], pair[1], &method->mpr, portal);
  if (portal->distance > 0.0) return false;
  if (!ct_pair_overlap(pair[0], pair[1], workspace, witness))
    *witness = ct_scale(ct_add(portal->point_a, portal->point_b), 0.5);
  return true;
}

bool api_test_overlap(const api_method *method, const ct_placed pair[2],
                      const api_method_memory *memory, ct_vec3 *witness, api_method_answer *out) {
  ct_workspace *workspace = memory->workspace;
  init_method_answer(method, pair, out);
  if (out->by == API_METHOD_GJK_EPA)
    return ct_pair_gjk_epa_overlap(pair[0], pair[1], workspace, witness);
  if (out->by == API_METHOD_MPR)
    return overlap_by_portal(method, pair, workspace, witness, &out->portal);
  if (method->kind == API_METHOD_SEPARATING_AXIS)
    return ct_pair_overlap_by_plane(pair[0], pair[1], memory->cache, workspace, &out->plane,
                                    witness);
  return ct_pair_overlap(pair[0], pair[1], workspace, witness);
}

static void put_support_points(api_buffer *buffer, const ct_mpr_result *p) {
  api_put_key(buffer, "supportPoints");
  api_put_byte(buffer, '[');
  for (uint32_t i = 0; i < p->support_count; i++) {
    api_put_item(buffer);
    api_put_byte(buffer, '{');
    api_put_member_vec3(buffer, "a", p->support_a[i]);
    api_put_member_vec3(buffer, "b", p->support_b[i]);
    api_put_byte(buffer, '}');
  }
  api_put_byte(buffer, ']');
}

static void put_plane(api_buffer *buffer, const ct_separating_plane *plane) {
  const char *kind = ct_plane_kind_word(plane->kind);
  api_put_key(buffer, "separatingPlane");
  api_put_byte(buffer, '{');
  api_put_member_string(buffer, "kind", api_text(kind));
  if (plane->feature_a != CT_NO_FEATURE)
    api_put_member_unsigned(buffer, "featureA", plane->feature_a);
  if (plane->feature_b != CT_NO_FEATURE)
    api_put_member_unsigned(buffer, "featureB", plane->feature_b);
  api_put_member_number(buffer, "separation", plane->separation);
  api_put_member_vec3(buffer, "normal", plane->normal);
  api_put_member_vec3(buffer, "pointA", plane->point_a);
  api_put_member_vec3(buffer, "pointB", plane->point_b);
  api_put_byte(buffer, '}');
}

static void put_method(api_buffer *buffer, const api_method_answer *answer) {
  assert((size_t)answer->by < sizeof words / sizeof words[0]);
  api_put_member_string(buffer, "method", api_text(words[answer->by]));
}

void api_put_method_answer(api_buffer *buffer, const api_method *method,
                           const api_method_answer *answer) {
  if (method->kind == API_METHOD_AUTO) return;
  put_method(buffer, answer);
  if (answer->by == API_METHOD_MPR) {
    api_put_member_vec3(buffer, "normalExact", answer->portal.normal_exact);
    api_put_member_number(buffer, "toleranceReached", answer->portal.tolerance_reached);
    if (method->support_points) put_support_points(buffer, &answer->portal);
  }
  if (method->separating_plane && answer->plane.kind != CT_PLANE_NONE)
    put_plane(buffer, &answer->plane);
}

void api_put_overlap_answer(api_buffer *buffer, const api_method *method,
                            const api_method_answer *answer) {
  put_method(buffer, answer);
  if (answer->by == API_METHOD_MPR) {
    api_put_member_number(buffer, "toleranceReached", answer->portal.tolerance_reached);
    if (method->support_points) put_support_points(buffer, &answer->portal);
  }
  if (method->separating_plane && answer->plane.kind != CT_PLANE_NONE)
    put_plane(buffer, &answer->plane);
}
