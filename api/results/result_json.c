/* Results of pairs of bodies as JSON. */
#include "results/result_json.h"

#include <assert.h>
#include <contact/hull.h>

#include "results/features_json.h"
#include "results/force_json.h"

static const char *relation_word(ct_relation relation) {
  switch (relation) {
  case CT_SEPARATED: return "separated";
  case CT_TOUCHING: return "touching";
  case CT_PENETRATING: return "penetrating";
  case CT_CONTAINING: return "containing";
  case CT_CONTAINED: return "contained";
  }
  return "";
}

static const char *status_word(ct_pair_status status) {
  switch (status) {
  case CT_PAIR_OK: return "ok";
  case CT_PAIR_DEGENERATE: return "degenerate";
  case CT_PAIR_ITERATION_LIMIT: return "iterationLimit";
  case CT_PAIR_UNSUPPORTED: return "unsupported";
  }
  return "";
}

const char *api_broadphase_word(ct_broadphase broadphase) {
  switch (broadphase) {
  case CT_BROADPHASE_AUTO: return "auto";
  case CT_BROADPHASE_TREE: return "tree";
  case CT_BROADPHASE_SWEEP: return "sweep";
  case CT_BROADPHASE_SWEEP_SINGLE_AXIS: return "sweepSingleAxis";
  case CT_BROADPHASE_HYBRID: return "hybrid";
  case CT_BROADPHASE_GRID: return "grid";
  case CT_BROADPHASE_BRUTE_FORCE: return "bruteForce";
  }
  return "";
}

void api_put_id(api_buffer *buffer, const char *name, ct_text id) {
  api_put_key(buffer, name);
  api_put_string(buffer, id);
}

static void put_collider_id(api_buffer *buffer, const char *name, ct_text id, uint32_t index) {
  if (id.length > 0) api_put_id(buffer, name, id);
  else api_put_member_unsigned(buffer, name, index);
}

void api_put_collider_name(api_buffer *buffer, const char *name, const ct_body *body,
                           uint32_t index) {
  assert(ct_body_collider_count(body) <= 1 || index < ct_body_collider_count(body));
  if (ct_body_collider_count(body) > 1)
    put_collider_id(buffer, name, ct_body_collider(body, index).id, index);
}

void api_put_surface(api_buffer *buffer, const ct_body *a, const ct_body *b) {
  if (ct_body_has_surface(a) || ct_body_has_surface(b))
    api_put_member_bool(buffer, "surface", true);
}

void api_put_surface_of(api_buffer *buffer, const ct_body *a, uint32_t collider_a, const ct_body *b,
                        uint32_t collider_b) {
  const ct_shape p = ct_body_collider(a, collider_a).shape,
                 q = ct_body_collider(b, collider_b).shape;
  if (ct_shape_is_surface(&p) || ct_shape_is_surface(&q))
    api_put_member_bool(buffer, "surface", true);
}

void api_put_flags(api_buffer *buffer, const char *const *words, size_t count) {
  if (count == 0) return;
  api_put_key(buffer, "flags");
  api_put_byte(buffer, '[');
  for (size_t i = 0; i < count; i++) {
    api_put_item(buffer);
    api_put_string(buffer, api_text(words[i]));
  }
  api_put_byte(buffer, ']');
}

size_t api_pair_flag_words(uint32_t flags, const char *words[API_PAIR_FLAGS_MAX]) {
  size_t count = 0;
  if (flags & CT_FLAG_NORMAL_ARBITRARY) words[count++] = "normalArbitrary";
  if (flags & CT_FLAG_WITNESS_NOT_UNIQUE) words[count++] = "witnessNotUnique";
  if (flags & CT_FLAG_TOLERANCE_RAISED) words[count++] = "toleranceRaised";
  if (flags & CT_FLAG_CENTRES_COINCIDE) words[count++] = "centresCoincide";
  if (flags & CT_FLAG_PLANAR_MINKOWSKI) words[count++] = "planarMinkowski";
  assert(count <= API_PAIR_FLAGS_MAX);
  return count;
}

void api_put_status_words(api_buffer *buffer, ct_pair_status status, const char *const *flags,
                          size_t count) {
  api_put_member_string(buffer, "status", api_text(status_word(status)));
  api_put_flags(buffer, flags, count);
}

void api_put_status(api_buffer *buffer, ct_pair_status status, uint32_t flags) {
  const char *words[API_PAIR_FLAGS_MAX];
  api_put_status_words(buffer, status, words, api_pair_flag_words(flags, words));
}

/* Puts depthKind, the kind of a penetration depth; "none" for crossing surfaces. */
void api_put_depth_kind(api_buffer *buffer, const ct_pair_result *r) {
  static const char *const words[] = {[CT_DEPTH_MINIMAL] = "minimal",
                                      [CT_DEPTH_FEATURE] = "feature",
                                      [CT_DEPTH_ELEMENT] = "element",
                                      [CT_DEPTH_NONE] = "none"};
  if (r->status == CT_PAIR_UNSUPPORTED || r->distance > 0.0) return;
  if (r->distance < 0.0 || r->depth_kind != CT_DEPTH_MINIMAL)
    api_put_member_string(buffer, "depthKind", api_text(words[r->depth_kind]));
}

/* Puts the mesh triangles that contain the points, by the caller's numbers. */
static void put_triangles(api_buffer *buffer, const ct_pair_result *r) {
  if (r->triangle_a != CT_NO_TRIANGLE) api_put_member_unsigned(buffer, "triangleA", r->triangle_a);
  if (r->triangle_b != CT_NO_TRIANGLE) api_put_member_unsigned(buffer, "triangleB", r->triangle_b);
}

/* Puts the elements that contain the points. */
static void put_elements(api_buffer *buffer, const ct_pair_result *r) {
  if (r->element_a != CT_NO_ELEMENT) api_put_member_unsigned(buffer, "elementA", r->element_a);
  if (r->element_b != CT_NO_ELEMENT) api_put_member_unsigned(buffer, "elementB", r->element_b);
  if (r->element_pairs)
    api_put_member_unsigned(buffer, "overlappingElementPairs", r->element_pairs);
}

void api_put_pair_geometry(api_buffer *buffer, const ct_pair_result *r) {
  if (r->status == CT_PAIR_UNSUPPORTED) {
    api_put_member_bool(buffer, "overlap", r->relation != CT_SEPARATED);
  } else {
    api_put_member_number(buffer, "distance", r->distance);
    api_put_member_number(buffer, "lowerBound", r->lower_bound);
    api_put_member_number(buffer, "upperBound", r->upper_bound);
    api_put_member_vec3(buffer, "normal", r->normal);
    api_put_member_vec3(buffer, "pointA", r->point_a);
    api_put_member_vec3(buffer, "pointB", r->point_b);
    api_put_member_vec3(buffer, "position", ct_scale(ct_add(r->point_a, r->point_b), 0.5));
    put_triangles(buffer, r);
    put_elements(buffer, r);
  }
  api_put_member_string(buffer, "relation", api_text(relation_word(r->relation)));
}

static bool has_surface_ids(const ct_shape *shape) {
  if (shape->kind == CT_KIND_CONVEX)
    return ct_hull_get(ct_hull_outer(shape->hull))->surface_ids != NULL;
  if (ct_kind_has_elements(shape->kind))
    return ct_elements_get(shape->elements)->surface_ids != NULL;
  return shape->surface_ids != NULL && ct_kind_surface_count(shape->kind) > 0;
}

static api_surface place_surface(const ct_collider *collider, ct_pose pose) {
  if (!has_surface_ids(&collider->shape)) return (api_surface){.has_ids = false};
  return (api_surface){collider->shape,
                       ct_frame_mul(ct_frame_of(pose), ct_frame_of(collider->pose)), true};
}

api_surface api_surface_of(const ct_body *body, uint32_t collider, ct_pose pose) {
  const ct_collider placed = ct_body_collider(body, collider);
  return place_surface(&placed, pose);
}

void api_put_surface_id(api_buffer *buffer, const char *name, const api_surface *surface,
                        ct_vec3 point, ct_vec3 outward) {
  if (!surface->has_ids) return;
  ct_vec3 local = ct_to_local(surface->frame, point),
          along = ct_mat_tmul(surface->frame.rotation, outward);
  api_put_member_unsigned(buffer, name, ct_shape_surface_at(&surface->shape, local, along));
}

/* Puts the surface ids at a point of each body. */
static void put_surfaces(api_buffer *buffer, const api_surface of[2], ct_vec3 point_a,
                         ct_vec3 point_b, ct_vec3 normal) {
  api_put_surface_id(buffer, "surfaceA", &of[0], point_a, normal);
  api_put_surface_id(buffer, "surfaceB", &of[1], point_b, ct_neg(normal));
}

/* What a result reports of its bodies, read before the result is written. */
typedef struct named_pair {
  ct_text id[2];
  size_t collider_count[2];
  ct_collider collider[2];
  bool surface; /* a body has a collider that is a surface */
} named_pair;

static void read_named_pair(const api_pair_answer *answer, named_pair *out) {
  assert(answer->a && answer->b);
  *out = (named_pair){
      .id = {ct_body_id(answer->a), ct_body_id(answer->b)},
      .collider_count = {ct_body_collider_count(answer->a), ct_body_collider_count(answer->b)},
      .collider = {ct_body_collider(answer->a, answer->collider_a),
                   ct_body_collider(answer->b, answer->collider_b)},
      .surface = ct_body_has_surface(answer->a) || ct_body_has_surface(answer->b)};
}

static void find_surfaces(const api_pair_answer *answer, const named_pair *bodies,
                          api_surface of[2]) {
  of[0] = place_surface(&bodies->collider[0], answer->pose_a);
  of[1] = place_surface(&bodies->collider[1], answer->pose_b);
}

static void put_distance(api_buffer *buffer, const api_pair_answer *answer,
                         const named_pair *bodies) {
  const ct_pair_result *r = answer->result;
  assert(r && (!answer->method || answer->by_method));
  api_surface surfaces[2];
  api_put_pair_geometry(buffer, r);
  find_surfaces(answer, bodies, surfaces);
  if (r->status != CT_PAIR_UNSUPPORTED)
    put_surfaces(buffer, surfaces, r->point_a, r->point_b, r->normal);
  /* The depth of MPR is an upper bound of the least depth, so it has no depthKind. */
  if (!answer->method || answer->by_method->by != API_METHOD_MPR) api_put_depth_kind(buffer, r);
  api_put_status(buffer, r->status, r->flags);
  if (answer->method) api_put_method_answer(buffer, answer->method, answer->by_method);
}

/* Names of pairs of features of a contact. */
static const char *const contact_words[4][4] = {
    [CT_FEATURE_SMOOTH] = {"smooth", "smoothVertex", "smoothEdge", "smoothFace"},
    [CT_FEATURE_VERTEX] = {"vertexSmooth", "vertexVertex", "vertexEdge", "vertexFace"},
    [CT_FEATURE_EDGE] = {"edgeSmooth", "edgeVertex", "edgeEdge", "edgeFace"},
    [CT_FEATURE_FACE] = {"faceSmooth", "faceVertex", "faceEdge", "faceFace"},
};

static void put_feature(api_buffer *buffer, ct_feature feature) {
  assert(feature.kind <= CT_FEATURE_FACE);
  static const char letters[] = {[CT_FEATURE_SMOOTH] = 's',
                                 [CT_FEATURE_VERTEX] = 'v',
                                 [CT_FEATURE_EDGE] = 'e',
                                 [CT_FEATURE_FACE] = 'f'};
  api_put_byte(buffer, letters[feature.kind]);
  api_put_unsigned(buffer, feature.index);
}

void api_put_contact_id(api_buffer *buffer, const char *name, const ct_contact_point *p) {
  api_put_key(buffer, name);
  api_put_byte(buffer, '"');
  put_feature(buffer, p->a);
  api_put_byte(buffer, '/');
  put_feature(buffer, p->b);
  if (p->number > 0) {
    api_put_byte(buffer, '.');
    api_put_unsigned(buffer, p->number);
  }
  if (p->patch > 0) {
    api_put_byte(buffer, '#');
    api_put_unsigned(buffer, p->patch);
  }
  api_put_byte(buffer, '"');
}

/* Puts the separating velocity of a contact point and the resulting class of the contact. */
static void put_point_velocity(api_buffer *buffer, const ct_contact_point *p,
                               const api_contact_velocity *motion) {
  const ct_contact contact = {.a = 0,
                              .b = 1,
                              .position = ct_scale(ct_add(p->point_a, p->point_b), 0.5),
                              .normal = p->normal};
  const ct_contact_set set = {
      .bodies = motion->bodies, .body_count = 2, .contacts = &contact, .count = 1};
  ct_contact_velocity v = ct_contact_relative_velocity(&set, &contact, motion->tolerance);
  api_put_member_vec3(buffer, "relativeVelocity", v.relative);
  api_put_member_number(buffer, "normalVelocity", v.normal);
  api_put_member_vec3(buffer, "tangentialVelocity", v.tangential);
  api_put_member_string(buffer, "class", api_text(api_velocity_class_word(v.velocity_class)));
  api_put_member_string(buffer, "slip", api_text(v.sliding ? "sliding" : "sticking"));
}

static void put_contact(api_buffer *buffer, const ct_contact_point *p,
                        const api_surface surfaces[2], const api_contact_velocity *motion) {
  api_put_item(buffer);
  api_put_byte(buffer, '{');
  api_put_contact_id(buffer, "id", p);
  api_put_member_string(buffer, "kind", api_text(contact_words[p->a.kind][p->b.kind]));
  api_put_member_vec3(buffer, "position", ct_scale(ct_add(p->point_a, p->point_b), 0.5));
  api_put_member_vec3(buffer, "pointA", p->point_a);
  api_put_member_vec3(buffer, "pointB", p->point_b);
  api_put_member_vec3(buffer, "normal", p->normal);
  api_put_member_number(buffer, "distance", p->distance);
  put_surfaces(buffer, surfaces, p->point_a, p->point_b, p->normal);
  if (motion) put_point_velocity(buffer, p, motion);
  api_put_byte(buffer, '}');
}

static void put_contacts(api_buffer *buffer, const api_pair_answer *answer,
                         const named_pair *bodies) {
  const ct_pair_result *r = answer->result;
  if (r->status == CT_PAIR_UNSUPPORTED) {
    api_put_member_bool(buffer, "overlap", r->relation != CT_SEPARATED);
  } else {
    api_put_member_number(buffer, "distance", r->distance);
    api_put_member_vec3(buffer, "normal", r->normal);
  }
  api_put_member_string(buffer, "relation", api_text(relation_word(r->relation)));
  api_put_depth_kind(buffer, r);
  api_put_key(buffer, "points");
  api_put_byte(buffer, '[');
  api_surface surfaces[2];
  find_surfaces(answer, bodies, surfaces);
  for (size_t i = 0; i < answer->point_count; i++)
    put_contact(buffer, &answer->points[i], surfaces, answer->motion);
  api_put_byte(buffer, ']');
  api_put_status(buffer, r->status, r->flags);
}

static void put_pose_gradient(api_buffer *buffer, const char *name, const ct_pose_gradient *part) {
  api_put_key(buffer, name);
  api_put_byte(buffer, '{');
  api_put_member_vec3(buffer, "translation", part->translation);
  api_put_member_vec3(buffer, "rotation", part->rotation);
  api_put_byte(buffer, '}');
}

/* Puts the gradient of the distance, if it exists. */
static void put_gradient(api_buffer *buffer, const api_pair_answer *answer) {
  ct_gradient gradient;
  if (!ct_pair_gradient(answer->result, answer->pose_a.position, answer->pose_b.position,
                        &gradient))
    return;
  api_put_key(buffer, "gradient");
  api_put_byte(buffer, '{');
  put_pose_gradient(buffer, "a", &gradient.a);
  put_pose_gradient(buffer, "b", &gradient.b);
  api_put_byte(buffer, '}');
}

static void put_overlap(api_buffer *buffer, const api_pair_answer *answer) {
  const api_method_answer *reported = answer->by_method;
  api_put_member_bool(buffer, "overlap", answer->overlap);
  if (answer->overlap) api_put_member_vec3(buffer, "position", answer->result->point_a);
  if (!answer->method) return;
  if (reported->by == API_METHOD_MPR)
    api_put_status(buffer, reported->portal.status, reported->portal.flags);
  api_put_overlap_answer(buffer, answer->method, reported);
}

/* Opens a result and puts the names of its bodies. */
static void open_pair_result(api_buffer *buffer, ct_text id_a, ct_text id_b) {
  api_put_byte(buffer, '{');
  api_put_id(buffer, "a", id_a);
  api_put_id(buffer, "b", id_b);
}

static void put_collider_names(api_buffer *buffer, const api_pair_answer *answer,
                               const named_pair *bodies) {
  if (bodies->collider_count[0] > 1)
    put_collider_id(buffer, "colliderA", bodies->collider[0].id, answer->collider_a);
  if (bodies->collider_count[1] > 1)
    put_collider_id(buffer, "colliderB", bodies->collider[1].id, answer->collider_b);
}

static void put_pair_surface(api_buffer *buffer, const ct_collider pair[2]) {
  if (ct_shape_is_surface(&pair[0].shape) || ct_shape_is_surface(&pair[1].shape))
    api_put_member_bool(buffer, "surface", true);
}

void api_put_pairs_result(api_buffer *buffer, const api_pair_answer *answer) {
  assert(answer->a && answer->b);
  open_pair_result(buffer, ct_body_id(answer->a), ct_body_id(answer->b));
  if (answer->explicit_pair) api_put_member_bool(buffer, "overlap", answer->overlap);
  api_put_byte(buffer, '}');
}

void api_put_overlap_result(api_buffer *buffer, const api_pair_answer *answer) {
  assert(answer->a && answer->b);
  open_pair_result(buffer, ct_body_id(answer->a), ct_body_id(answer->b));
  /* Only overlapping bodies have a pair of colliders. */
  if (answer->overlap) {
    api_put_collider_name(buffer, "colliderA", answer->a, answer->collider_a);
    api_put_collider_name(buffer, "colliderB", answer->b, answer->collider_b);
  }
  api_put_surface(buffer, answer->a, answer->b);
  put_overlap(buffer, answer);
  api_put_byte(buffer, '}');
}

void api_put_distance_result(api_buffer *buffer, const api_pair_answer *answer) {
  named_pair bodies;
  read_named_pair(answer, &bodies);
  open_pair_result(buffer, bodies.id[0], bodies.id[1]);
  put_collider_names(buffer, answer, &bodies);
  if (bodies.surface) api_put_member_bool(buffer, "surface", true);
  put_distance(buffer, answer, &bodies);
  if (answer->gradient) put_gradient(buffer, answer);
  api_put_byte(buffer, '}');
}

void api_put_contacts_result(api_buffer *buffer, const api_pair_answer *answer) {
  named_pair bodies;
  read_named_pair(answer, &bodies);
  open_pair_result(buffer, bodies.id[0], bodies.id[1]);
  put_collider_names(buffer, answer, &bodies);
  put_pair_surface(buffer, bodies.collider);
  put_contacts(buffer, answer, &bodies);
  api_put_byte(buffer, '}');
}

void api_put_features_result(api_buffer *buffer, const api_pair_answer *answer) {
  named_pair bodies;
  read_named_pair(answer, &bodies);
  open_pair_result(buffer, bodies.id[0], bodies.id[1]);
  put_collider_names(buffer, answer, &bodies);
  put_pair_surface(buffer, bodies.collider);
  api_put_feature(buffer, answer->feature, answer->features_status);
  api_put_byte(buffer, '}');
}
