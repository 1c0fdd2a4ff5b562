/* The elastic law of one contact (Hertz 1882; damping and regularisation as in Modia3D), and its
 * forces at all contacts of a scene. delta^1.5 is computed as delta sqrt(delta): a square root is
 * correctly rounded on every platform, a power is not. */
#include <contact/compliant.h>

#include <assert.h>
#include <stdlib.h>

/* ---- one contact ----------------------------------------------------------------------------- */

/* Exponent of the depth in Hertz' law of the normal force, as in Modia3D. */
#define HERTZ_EXPONENT 1.5

static double positive_or(double given, double standard) { return given > 0.0 ? given : standard; }

static double least_component(ct_vec3 v) { return ct_min2(ct_min2(v.x, v.y), v.z); }

static ct_vec3 hull_vertex(const ct_hull_view *view, uint32_t i) {
  return ct_vec(view->x[i], view->y[i], view->z[i]);
}

static double hull_edge(const ct_hull *hull) {
  const ct_hull_view *view = ct_hull_get(hull);
  double shortest = INFINITY;
  for (uint32_t e = 0; e < view->edge_count; e++) {
    ct_vec3 along = ct_sub(hull_vertex(view, view->edge_vertices[e][1]),
                           hull_vertex(view, view->edge_vertices[e][0]));
    shortest = ct_min2(shortest, ct_norm(along));
  }
  return shortest;
}

static double mesh_edge(const ct_mesh *mesh) {
  const ct_mesh_view *view = ct_mesh_get(mesh);
  double shortest = INFINITY;
  for (uint32_t t = 0; t < view->live_count; t++)
    for (int k = 0; k < 3; k++) {
      ct_vec3 along = ct_sub(view->vertices[view->corners[t][(k + 1) % 3]],
                             view->vertices[view->corners[t][k]]);
      shortest = ct_min2(shortest, ct_norm(along));
    }
  return shortest;
}

double ct_elastic_radius(const ct_shape *shape, bool *flat) {
  *flat = shape->kind == CT_KIND_BOX || shape->kind == CT_KIND_PLANE;
  switch (shape->kind) {
  case CT_KIND_SPHERE: return shape->sphere.radius;
  case CT_KIND_BOX: return least_component(shape->box.half);
  case CT_KIND_CAPSULE: return ct_min2(shape->capsule.radius_bottom, shape->capsule.radius_top);
  case CT_KIND_CYLINDER: return ct_min2(shape->cylinder.radius, shape->cylinder.half_length);
  case CT_KIND_CONE: return 0.5 * (shape->cone.radius_bottom + shape->cone.radius_top);
  case CT_KIND_ELLIPSOID: return least_component(shape->ellipsoid.radii);
  case CT_KIND_CONVEX: return 0.5 * hull_edge(shape->hull);
  case CT_KIND_MESH:
  case CT_KIND_TETMESH:
  case CT_KIND_HEXMESH:
  case CT_KIND_ELEMENTMESH: return 0.5 * mesh_edge(shape->mesh);
  default: return INFINITY;
  }
}

/* Effective radius of curvature of a pair of solids: 1 / (1/r_a + 1/r_b), where a half-space has r
 * = INFINITY. If exactly one solid is flat, it is the radius of the other. */
static double pair_radius(const ct_elastic_solid *a, const ct_elastic_solid *b) {
  if (a->flat != b->flat) return a->flat ? b->radius : a->radius;
  if (isinf(a->radius)) return b->radius;
  if (isinf(b->radius)) return a->radius;
  return a->radius * b->radius / (a->radius + b->radius);
}

static double stiffness(const ct_elastic_solid *solid) {
  return solid->youngs_modulus / (1.0 - solid->poisson_ratio * solid->poisson_ratio);
}

ct_elastic_pair ct_elastic_pair_of(const ct_elastic_solid *a, const ct_elastic_solid *b,
                                   const ct_pair_material *material, double approach,
                                   const ct_elastic_options *options) {
  double c_a = stiffness(a), c_b = stiffness(b),
         most = positive_or(options->damping_max, CT_ELASTIC_DAMPING_MAX);
  ct_elastic_pair pair = {.c_res = positive_or(options->stiffness_factor, 1.0) *
                                   (c_a * c_b / (c_a + c_b)),
                          .mu_geo = pair_radius(a, b),
                          .n_geo = HERTZ_EXPONENT,
                          .dynamic_friction = material->dynamic_friction,
                          .rolling_friction = material->rolling_friction};
  /* A product of two zero stiffnesses would give 0 / 0. */
  if (c_a == 0.0 || c_b == 0.0) pair.c_res = 0.0;
  if (a->radius == 0.0 || b->radius == 0.0) pair.mu_geo = a->flat == b->flat ? 0.0 : pair.mu_geo;
  pair.c_geo = 4.0 / 3.0 * sqrt(pair.mu_geo);
  pair.restitution = approach > positive_or(options->small_velocity, CT_ELASTIC_SMALL_VELOCITY)
                         ? material->restitution
                         : 0.0;
  double divisor = 5.0 * pair.restitution * approach;
  pair.damping = divisor > 0.0 ? ct_min2(most, 8.0 * (1.0 - pair.restitution) / divisor) : most;
  return pair;
}

ct_elastic_options ct_elastic_options_effective(const ct_elastic_options *options) {
  return (ct_elastic_options){
      .small_velocity = positive_or(options->small_velocity, CT_ELASTIC_SMALL_VELOCITY),
      .small_angular_velocity =
          positive_or(options->small_angular_velocity, CT_ELASTIC_SMALL_ANGULAR_VELOCITY),
      .stiffness_factor = positive_or(options->stiffness_factor, 1.0),
      .damping_max = positive_or(options->damping_max, CT_ELASTIC_DAMPING_MAX),
      .pull = options->pull};
}

double ct_regularised(double v, double s) {
  return v >= s ? v : v * v / s * (1.0 - v / (3.0 * s)) + s / 3.0;
}

/* Vector against v, of length |v| `size` / ct_regularised(|v|, small): `size` for |v| >= small, and
 * 0 at v = 0. */
static ct_vec3 regularised_resistance(ct_vec3 v, double size, double small) {
  return ct_scale(v, -size / ct_regularised(ct_norm(v), small));
}

ct_compliant_force ct_compliant_law(const ct_elastic_pair *pair, const ct_contact_set *set,
                                    const ct_contact *contact, const ct_elastic_options *options) {
  ct_contact_velocity velocity = ct_contact_relative_velocity(set, contact, 0.0);
  ct_vec3 spin =
      ct_sub(set->bodies[contact->b].velocity.angular, set->bodies[contact->a].velocity.angular);
  ct_compliant_force out = {.depth = -contact->distance,
                            .depth_rate = -velocity.normal,
                            .slip = velocity.slip,
                            .angular_speed = ct_norm(spin)};
  if (out.depth <= 0.0) return out;
  out.normal = pair->c_res * pair->c_geo * (out.depth * sqrt(out.depth)) *
               (1.0 + pair->damping * out.depth_rate);
  if (!options->pull) out.normal = ct_max2(out.normal, 0.0);
  /* Friction and rolling resistance are proportional to the compressive force, so an adhesive
   * contact has none. */
  double pressed = ct_max2(out.normal, 0.0);
  out.friction =
      regularised_resistance(velocity.tangential, pair->dynamic_friction * pressed,
                             positive_or(options->small_velocity, CT_ELASTIC_SMALL_VELOCITY));
  out.force = ct_add(ct_scale(contact->normal, out.normal), out.friction);
  out.torque = regularised_resistance(
      spin, pair->rolling_friction * pair->mu_geo * pressed,
      positive_or(options->small_angular_velocity, CT_ELASTIC_SMALL_ANGULAR_VELOCITY));
  out.tangential = ct_norm(out.friction);
  out.rolling = ct_norm(out.torque);
  return out;
}

bool ct_scene_elastic_solid(const ct_scene *scene, uint32_t row, uint32_t collider,
                            ct_elastic_solid *out) {
  ct_collider c = ct_body_collider(ct_scene_body(scene, row), collider);
  ct_material material = ct_scene_material(scene, c.material);
  if (!(material.youngs_modulus > 0.0 && material.poisson_ratio > 0.0)) return false;
  if (!out) return true;
  *out = (ct_elastic_solid){.youngs_modulus = material.youngs_modulus,
                            .poisson_ratio = material.poisson_ratio};
  out->radius = ct_elastic_radius(&c.shape, &out->flat);
  return true;
}

/* ---- all contacts of a scene ----------------------------------------------------------------- */

/* Number of contacts evaluated between two polls of the cancel flag: well below a millisecond. */
#define CONTACTS_PER_POLL 256

typedef struct solving {
  const ct_scene *scene;
  const ct_compliant_options *options;
  /* finds the records of the contact state; NULL: no contact state given */
  const ct_contact_index *index;
  ct_compliant_answer *out;
} solving;

static bool elastic_solid_of(const solving *s, uint32_t row, uint32_t collider,
                             ct_elastic_solid *out) {
  const ct_compliant_options *o = s->options;
  if (!(o->youngs_modulus > 0.0)) return ct_scene_elastic_solid(s->scene, row, collider, out);
  const ct_collider c = ct_body_collider(ct_scene_body(s->scene, row), collider);
  *out = (ct_elastic_solid){.youngs_modulus = o->youngs_modulus, .poisson_ratio = o->poisson_ratio};
  out->radius = ct_elastic_radius(&c.shape, &out->flat);
  return true;
}

/* Sets the approach velocity of a contact: from its record in the contact state, else the current
 * normal velocity. */
static void set_approach_velocity(const solving *s, const ct_contact_set *set,
                                  ct_compliant_contact *c) {
  const ct_contact *t = c->contact;
  const ct_contact_record *record =
      s->index ? ct_contact_index_find(s->index, c->a, c->b, t->collider_a, t->collider_b) : NULL;
  c->stored = record != NULL;
  c->approach =
      fabs(record ? record->normal_velocity : ct_contact_relative_velocity(set, t, 0.0).normal);
}

static bool solve_elastic_contact(const solving *s, const ct_contact_set *set,
                                  ct_compliant_contact *c) {
  ct_elastic_solid a, b;
  if (!elastic_solid_of(s, c->a, c->contact->collider_a, &a) ||
      !elastic_solid_of(s, c->b, c->contact->collider_b, &b))
    return false;
  set_approach_velocity(s, set, c);
  c->pair = ct_elastic_pair_of(&a, &b, &c->contact->material, c->approach, &s->options->elastic);
  c->force = ct_compliant_law(&c->pair, set, c->contact, &s->options->elastic);
  return true;
}

/* Adds the contact's force and its moment about the body's centre to the body's sum, times `sign`:
 * 1 for body b, -1 for body a. */
static void add_contact_force(ct_body_sum *sum, const ct_mass_body *body,
                              const ct_compliant_contact *c, double sign) {
  ct_vec3 moment = ct_cross(ct_sub(c->contact->position, body->center), c->force.force);
  sum->force = ct_add_scaled(sum->force, c->force.force, sign);
  sum->torque = ct_add_scaled(sum->torque, ct_add(moment, c->force.torque), sign);
}

/* Computes the forces of the contacts of one island, and their sums on its dynamic bodies. sums:
 * scratch memory for the bodies of the island. CT_NOT_FOUND: a solid's modulus is unknown;
 * CT_CANCELLED. */
static ct_status solve_elastic_island(const solving *s, const ct_island *island,
                                      ct_body_sum *sums) {
  const ct_contact_set *set = &island->set;
  for (size_t i = 0; i < set->body_count; i++) sums[i] = (ct_body_sum){.row = island->rows[i]};
  for (size_t i = 0; i < set->count; i++) {
    if (i % CONTACTS_PER_POLL == 0 && ct_cancel_raised(s->options->cancel)) return CT_CANCELLED;
    const ct_contact *t = &set->contacts[i];
    ct_compliant_contact *c = &s->out->contacts[island->numbers[i]];
    assert(t->a != t->b && t->a < set->body_count && t->b < set->body_count);
    *c = (ct_compliant_contact){.a = island->rows[t->a], .b = island->rows[t->b], .contact = t};
    if (!solve_elastic_contact(s, set, c)) return CT_NOT_FOUND;
    add_contact_force(&sums[t->a], &set->bodies[t->a], c, -1.0);
    add_contact_force(&sums[t->b], &set->bodies[t->b], c, 1.0);
  }
  for (size_t i = 0; i < set->body_count; i++)
    if (set->bodies[i].mobility == CT_DYNAMIC) s->out->bodies[s->out->body_count++] = sums[i];
  return CT_OK;
}

static int compare_rows_of_bodies(const void *x, const void *y) {
  uint32_t a = ((const ct_body_sum *)x)->row, b = ((const ct_body_sum *)y)->row;
  return (a > b) - (a < b);
}

static ct_status solve_elastic_islands(const solving *s, const ct_mechanics *mechanics) {
  size_t bodies = 0, most = 0;
  for (size_t i = 0; i < ct_mechanics_islands(mechanics); i++) {
    const ct_island island = ct_mechanics_island(mechanics, i);
    if (island.set.count == 0) continue;
    bodies += island.set.body_count;
    if (island.set.body_count > most) most = island.set.body_count;
  }
  s->out->contacts = malloc((ct_mechanics_count(mechanics) + 1) * sizeof *s->out->contacts);
  s->out->bodies = malloc((bodies + 1) * sizeof *s->out->bodies);
  ct_body_sum *sums = malloc((most + 1) * sizeof *sums);
  ct_status status = s->out->contacts && s->out->bodies && sums ? CT_OK : CT_OUT_OF_MEMORY;
  for (size_t i = 0; i < ct_mechanics_islands(mechanics) && status == CT_OK; i++) {
    const ct_island island = ct_mechanics_island(mechanics, i);
    if (island.set.count > 0) status = solve_elastic_island(s, &island, sums);
  }
  free(sums);
  if (status != CT_OK) return status;
  s->out->count = ct_mechanics_count(mechanics);
  qsort(s->out->bodies, s->out->body_count, sizeof *s->out->bodies, compare_rows_of_bodies);
  return CT_OK;
}

ct_status ct_compliant_solve(const ct_scene *scene, const ct_mechanics *mechanics,
                             const ct_compliant_options *options, ct_compliant_answer *out) {
  *out = (ct_compliant_answer){0};
  ct_contact_index *index = NULL;
  ct_status status = options->state
                         ? ct_contact_index_create(scene, options->state, options->cancel, &index)
                         : CT_OK;
  const solving s = {scene, options, index, out};
  if (status == CT_OK) status = solve_elastic_islands(&s, mechanics);
  ct_contact_index_destroy(index);
  if (status != CT_OK) ct_compliant_answer_free(out);
  return status;
}

void ct_compliant_answer_free(ct_compliant_answer *answer) {
  free(answer->contacts);
  free(answer->bodies);
  *answer = (ct_compliant_answer){0};
}
