/* The mechanics of a scene: dynamic bodies as masses under loads (Euler's equations; Goldstein
 * 2002, 5.5), the contacts between them (mechanics_contacts.c), and islands. An island is a set of
 * dynamic bodies connected by contacts, directly or through other dynamic bodies. Fixed and
 * kinematic bodies do not connect islands; each is a member of every island that it touches.
 * Islands are found by union-find towards the lowest body (Tarjan 1975), so they are in the order
 * of their first row. */
#include "mechanics/mechanics.h"
#include "mechanics/mechanics_contacts.h"

#include <assert.h>
#include <stdlib.h>

/* Range of an island's bodies and contacts in the arrays of all islands. */
typedef struct ct_island_range {
  size_t body, body_count;
  size_t contact, contact_count;
} ct_island_range;

/* Bodies and contacts are stored by islands; contacts refer to the bodies of their island by
 * index. */
struct ct_mechanics {
  ct_mass_body *bodies;
  uint32_t *rows; /* scene row of each body */
  ct_contact *contacts;
  uint32_t *numbers; /* [count] number of each contact before sorting by islands */
  size_t count;      /* contacts */
  ct_island_range *islands;
  size_t island_count;
};

/* ---- masses ---------------------------------------------------------------------------------- */

/* A pivot of an inertia matrix up to this fraction of its diagonal entry is round-off: the matrix
 * is singular. */
#define SINGULAR_PART (16.0 * CT_UNIT_ROUNDOFF)

static ct_vec3 zero_vector(void) { return ct_vec(0.0, 0.0, 0.0); }

/* Inverts a symmetric matrix by its factors L D L' (Golub, Van Loan 2013, 4.1). False: it is not
 * positive definite, or singular to round-off. */
static bool invert_inertia(const ct_mat3 *m, ct_mat3 *out) {
  double d1 = m->rx.x;
  if (!(d1 > 0.0)) return false;
  double l21 = m->rx.y / d1, l31 = m->rx.z / d1;
  double d2 = m->ry.y - l21 * m->rx.y, c32 = m->ry.z - l31 * m->rx.y;
  if (!(d2 > SINGULAR_PART * m->ry.y)) return false;
  double l32 = c32 / d2, d3 = m->rz.z - l31 * m->rx.z - l32 * c32;
  if (!(d3 > SINGULAR_PART * m->rz.z)) return false;
  double e1 = 1.0 / d1, e2 = 1.0 / d2, e3 = 1.0 / d3;
  if (!(isfinite(e1) && isfinite(e2) && isfinite(e3))) return false;
  double l = l21 * l32 - l31; /* the last row of the inverse of L is (l, -l32, 1) */
  ct_vec3 last = ct_scale(ct_vec(l, -l32, 1.0), e3);
  out->rx = ct_vec(e1 + l21 * (l21 * e2) + l * last.x, -l21 * e2 - l32 * last.x, last.x);
  out->ry = ct_vec(out->rx.y, e2 + l32 * (l32 * e3), last.y);
  out->rz = ct_vec(last.x, last.y, last.z);
  return true;
}

/* Returns R M R' for a symmetric matrix M, made exactly symmetric. */
static ct_mat3 rotate_symmetric(ct_mat3 r, ct_mat3 m) {
  ct_mat3 t = ct_mat_mat(ct_mat_mat(r, m), ct_mat_transpose(r));
  t.ry.x = t.rx.y;
  t.rz.x = t.rx.z;
  t.rz.y = t.ry.z;
  return t;
}

/* Sets mass, inertia and the acceleration without contacts and loads: gravity, and that of the
 * gyroscopic torque. False: the inertia is singular, or the mass not positive. */
static bool set_dynamic_body(const ct_mass_properties *mass, const ct_frame *frame, ct_vec3 gravity,
                             ct_mass_body *out) {
  ct_mat3 inverse;
  if (!(mass->mass > 0.0) || !isfinite(1.0 / mass->mass) ||
      !invert_inertia(&mass->inertia, &inverse))
    return false;
  out->mobility = CT_DYNAMIC;
  out->mass = mass->mass;
  out->inverse_mass = 1.0 / mass->mass;
  out->inertia = rotate_symmetric(frame->rotation, mass->inertia);
  out->inverse_inertia = rotate_symmetric(frame->rotation, inverse);
  out->center = ct_to_parent(*frame, mass->center);
  out->force = ct_scale(gravity, mass->mass);
  out->linear_acceleration = gravity;
  ct_vec3 w = out->velocity.angular, momentum = ct_mat_mul(out->inertia, w);
  out->angular_acceleration = ct_mat_mul(out->inverse_inertia, ct_cross(momentum, w));
  return true;
}

static void set_immovable_body(ct_mass_body *out, ct_mobility mobility, ct_vec3 center) {
  *out = (ct_mass_body){.mobility = mobility, .center = center};
}

bool ct_scene_mass_body(const ct_scene *scene, uint32_t row, const ct_pose *pose,
                        const ct_velocity *velocity, ct_vec3 gravity, ct_mass_body *out) {
  const ct_body *body = ct_scene_body(scene, row);
  const ct_motion *motion = body ? ct_body_motion(body) : NULL;
  set_immovable_body(out, CT_FIXED, pose->position);
  if (!motion) return true;
  ct_frame frame = ct_frame_of(*pose);
  ct_mass_properties mass;
  bool overlap_ignored, known = ct_body_mass(body, &mass, &overlap_ignored);
  if (motion->is_kinematic) {
    ct_vec3 center = motion->has_center ? motion->center : known ? mass.center : zero_vector();
    set_immovable_body(out, CT_KINEMATIC, ct_to_parent(frame, center));
    out->velocity = *velocity;
    if (motion->acceleration) {
      out->linear_acceleration = motion->acceleration->linear;
      out->angular_acceleration = motion->acceleration->angular;
    }
    return true;
  }
  if (!known) return false;
  out->velocity = *velocity;
  if (set_dynamic_body(&mass, &frame, gravity, out)) return true;
  set_immovable_body(out, CT_FIXED, pose->position);
  return false;
}

/* Adds a force, and a torque about the centre of mass, and the accelerations that they cause.
 * Bodies that are not dynamic are not changed. */
static void load_mass_body(ct_mass_body *body, ct_vec3 force, ct_vec3 torque) {
  if (body->mobility != CT_DYNAMIC) return;
  body->force = ct_add(body->force, force);
  body->torque = ct_add(body->torque, torque);
  body->linear_acceleration = ct_add_scaled(body->linear_acceleration, force, body->inverse_mass);
  body->angular_acceleration =
      ct_add(body->angular_acceleration, ct_mat_mul(body->inverse_inertia, torque));
}

double ct_scene_velocity_tolerance(double contact_tolerance, ct_vec3 gravity) {
  return fmax(sqrt(2.0 * ct_norm(gravity) * contact_tolerance), CT_VELOCITY_TOLERANCE_MIN);
}

/* ---- bodies of a query ----------------------------------------------------------------------- */

static ct_velocity find_row_velocity(const ct_mechanics_parts *parts, uint32_t row) {
  const ct_row_velocity *list = parts->options->velocities;
  size_t low = 0, high = parts->options->velocity_count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (list[middle].row == row) return list[middle].velocity;
    if (list[middle].row < row) low = middle + 1;
    else high = middle;
  }
  return ct_scene_velocity(parts->scene, row);
}

/* Makes the body of a row, under gravity, with its pose and velocity in the scene or, if given in
 * the options, hypothetical ones. False: a dynamic body without a valid mass. */
static bool make_mass_body(const ct_mechanics_parts *parts, uint32_t row, ct_mass_body *out) {
  const ct_mechanics_options *o = parts->options;
  ct_pose pose = ct_override_pose(parts->scene, o->overrides, o->override_count, row);
  ct_velocity velocity = find_row_velocity(parts, row);
  return ct_scene_mass_body(parts->scene, row, &pose, &velocity, parts->gravity, out);
}

static void apply_loads(ct_mechanics_parts *parts) {
  for (size_t i = 0; i < parts->options->load_count; i++) {
    const ct_load *load = &parts->options->loads[i];
    if (parts->place[load->row] == CT_NO_ROW) continue;
    ct_mass_body *body = &parts->bodies[parts->place[load->row]];
    ct_vec3 torque = load->torque;
    if (load->has_at)
      torque = ct_add(torque, ct_cross(ct_sub(load->at, body->center), load->force));
    load_mass_body(body, load->force, torque);
  }
}

static bool is_row_dynamic(const ct_scene *scene, uint32_t row) {
  const ct_body *body = ct_scene_body(scene, row);
  const ct_motion *motion = body ? ct_body_motion(body) : NULL;
  return motion && !motion->is_kinematic;
}

/* Number of bodies processed between two polls of the cancel flag: well below a millisecond. */
#define ROWS_PER_POLL 256

static ct_status collect_dynamic_bodies(ct_mechanics_parts *parts) {
  size_t most = 0;
  parts->place = malloc(((size_t)parts->row_count + 1) * sizeof *parts->place);
  if (!parts->place) return CT_OUT_OF_MEMORY;
  for (uint32_t row = 0; row < parts->row_count; row++) most += is_row_dynamic(parts->scene, row);
  parts->dynamic = malloc((most + 1) * sizeof *parts->dynamic);
  parts->bodies = malloc((most + 1) * sizeof *parts->bodies);
  if (!parts->dynamic || !parts->bodies) return CT_OUT_OF_MEMORY;
  for (uint32_t row = 0; row < parts->row_count; row++) {
    if (row % ROWS_PER_POLL == 0 && ct_cancel_raised(parts->options->cancel)) return CT_CANCELLED;
    parts->place[row] = CT_NO_ROW;
    if (!is_row_dynamic(parts->scene, row) ||
        !make_mass_body(parts, row, &parts->bodies[parts->dynamic_count]))
      continue;
    parts->place[row] = (uint32_t)parts->dynamic_count;
    parts->dynamic[parts->dynamic_count++] = row;
  }
  apply_loads(parts);
  return CT_OK;
}

/* ---- islands --------------------------------------------------------------------------------- */

typedef struct island_builder {
  const ct_mechanics_parts *parts;
  uint32_t *parent;  /* [dynamic_count] union-find parent; the root is the lowest body of an
                        island */
  uint32_t *island;  /* [dynamic_count] number of each body's island, or CT_NO_ROW */
  uint8_t *selected; /* [dynamic_count] 1: belongs to an island, because it has a contact or is
                        requested */
  uint64_t *members; /* [member_count] for each body of an island: number of the island << 32 | row
                        of the body; ascending */
  size_t member_count;
} island_builder;

static uint32_t find_island_root(uint32_t *parent, uint32_t i) {
  while (parent[i] != i) {
    parent[i] = parent[parent[i]];
    i = parent[i];
  }
  return i;
}

/* Returns the index of a dynamic body of the contact, a if both are dynamic. */
static uint32_t find_dynamic_body(const ct_mechanics_parts *parts, const ct_contact *t) {
  assert(parts->place[t->a] != CT_NO_ROW || parts->place[t->b] != CT_NO_ROW);
  return parts->place[t->a] != CT_NO_ROW ? parts->place[t->a] : parts->place[t->b];
}

static void unite_contact_bodies(island_builder *l) {
  const ct_mechanics_parts *parts = l->parts;
  for (uint32_t i = 0; i < parts->dynamic_count; i++) l->parent[i] = i;
  for (size_t k = 0; k < parts->count; k++) {
    const ct_contact *t = &parts->contacts[k];
    uint32_t a = parts->place[t->a], b = parts->place[t->b];
    l->selected[find_dynamic_body(parts, t)] = 1;
    if (a == CT_NO_ROW || b == CT_NO_ROW) continue;
    l->selected[b] = 1;
    a = find_island_root(l->parent, a);
    b = find_island_root(l->parent, b);
    l->parent[a > b ? a : b] = a > b ? b : a;
  }
}

/* Marks the dynamic bodies that the caller's options select. */
static void select_requested_bodies(island_builder *l) {
  const ct_mechanics_parts *parts = l->parts;
  const ct_mechanics_options *o = parts->options;
  if (o->explicit_pairs) {
    for (size_t k = 0; k < o->pair_count; k++) {
      const uint32_t ends[2] = {o->pairs[k].a, o->pairs[k].b};
      for (int i = 0; i < 2; i++)
        if (parts->place[ends[i]] != CT_NO_ROW) l->selected[parts->place[ends[i]]] = 1;
    }
    return;
  }
  for (size_t i = 0; i < parts->dynamic_count; i++) {
    uint32_t row = parts->dynamic[i];
    bool selected = (!o->where_a && !o->where_b) || (o->where_a && o->where_a[row]) ||
                    (o->where_b && o->where_b[row]);
    if (selected) l->selected[i] = 1;
  }
}

/* Numbers the islands in the order of their lowest body, and returns their number. */
static size_t number_islands(island_builder *l) {
  size_t count = 0;
  for (uint32_t i = 0; i < l->parts->dynamic_count; i++) {
    uint32_t root = find_island_root(l->parent, i);
    l->island[i] = root != i ? l->island[root] : l->selected[i] ? (uint32_t)count++ : CT_NO_ROW;
  }
  return count;
}

static int compare_members(const void *x, const void *y) {
  uint64_t a = *(const uint64_t *)x, b = *(const uint64_t *)y;
  return (a > b) - (a < b);
}

static void add_island_member(island_builder *l, uint32_t island, uint32_t row) {
  assert(island != CT_NO_ROW);
  l->members[l->member_count++] = (uint64_t)island << 32 | row;
}

/* Lists the members of all islands; a body that is not dynamic is listed once for each island that
 * it touches. */
static void list_island_members(island_builder *l) {
  const ct_mechanics_parts *parts = l->parts;
  for (size_t i = 0; i < parts->dynamic_count; i++)
    if (l->island[i] != CT_NO_ROW) add_island_member(l, l->island[i], parts->dynamic[i]);
  for (size_t k = 0; k < parts->count; k++) {
    const ct_contact *t = &parts->contacts[k];
    uint32_t island = l->island[find_dynamic_body(parts, t)];
    if (parts->place[t->a] == CT_NO_ROW) add_island_member(l, island, t->a);
    if (parts->place[t->b] == CT_NO_ROW) add_island_member(l, island, t->b);
  }
  qsort(l->members, l->member_count, sizeof *l->members, compare_members);
  size_t kept = 0;
  for (size_t i = 0; i < l->member_count; i++)
    if (i == 0 || l->members[i] != l->members[kept - 1]) l->members[kept++] = l->members[i];
  l->member_count = kept;
}

/* ---- arrays by island ------------------------------------------------------------------------ */

static void write_island_bodies(const island_builder *l, ct_mechanics *out) {
  for (size_t i = 0; i < l->member_count; i++) {
    ct_island_range *range = &out->islands[l->members[i] >> 32];
    uint32_t row = (uint32_t)l->members[i], place = l->parts->place[row];
    if (range->body_count++ == 0) range->body = i;
    out->rows[i] = row;
    if (place != CT_NO_ROW) out->bodies[i] = l->parts->bodies[place];
    else make_mass_body(l->parts, row, &out->bodies[i]);
  }
}

static uint32_t find_local_index(const ct_mechanics *out, const ct_island_range *range,
                                 uint32_t row) {
  const uint32_t *rows = out->rows + range->body;
  size_t low = 0, high = range->body_count;
  while (high - low > 1) {
    size_t middle = low + (high - low) / 2;
    if (rows[middle] <= row) low = middle;
    else high = middle;
  }
  assert(rows[low] == row);
  return (uint32_t)low;
}

/* Writes the contacts sorted by islands; within an island they stay in the order found. */
static void write_island_contacts(const island_builder *l, ct_mechanics *out) {
  const ct_mechanics_parts *parts = l->parts;
  for (size_t k = 0; k < parts->count; k++)
    out->islands[l->island[find_dynamic_body(parts, &parts->contacts[k])]].contact_count++;
  size_t at = 0;
  for (size_t i = 0; i < out->island_count; i++) {
    out->islands[i].contact = at;
    at += out->islands[i].contact_count;
    out->islands[i].contact_count = 0;
  }
  for (size_t k = 0; k < parts->count; k++) {
    ct_island_range *range =
        &out->islands[l->island[find_dynamic_body(parts, &parts->contacts[k])]];
    size_t to = range->contact + range->contact_count++;
    out->numbers[to] = (uint32_t)k;
    out->contacts[to] = parts->contacts[k];
    out->contacts[to].a = find_local_index(out, range, parts->contacts[k].a);
    out->contacts[to].b = find_local_index(out, range, parts->contacts[k].b);
  }
  out->count = parts->count;
}

static ct_status build_islands(island_builder *l, ct_mechanics *out) {
  unite_contact_bodies(l);
  select_requested_bodies(l);
  out->island_count = number_islands(l);
  list_island_members(l);
  out->islands = calloc(out->island_count + 1, sizeof *out->islands);
  out->bodies = malloc((l->member_count + 1) * sizeof *out->bodies);
  out->rows = malloc((l->member_count + 1) * sizeof *out->rows);
  out->contacts = malloc((l->parts->count + 1) * sizeof *out->contacts);
  out->numbers = malloc((l->parts->count + 1) * sizeof *out->numbers);
  if (!out->islands || !out->bodies || !out->rows || !out->contacts || !out->numbers)
    return CT_OUT_OF_MEMORY;
  write_island_bodies(l, out);
  write_island_contacts(l, out);
  return CT_OK;
}

/* Finds the islands and fills *out, which must be zero. Returns CT_OUT_OF_MEMORY. */
static ct_status link_islands(const ct_mechanics_parts *parts, ct_mechanics *out) {
  size_t dynamic = parts->dynamic_count;
  island_builder l = {.parts = parts,
                      .parent = malloc((dynamic + 1) * sizeof *l.parent),
                      .island = malloc((dynamic + 1) * sizeof *l.island),
                      .selected = calloc(dynamic + 1, 1),
                      .members = malloc((dynamic + parts->count + 1) * sizeof *l.members)};
  bool got = l.parent && l.island && l.selected && l.members;
  ct_status status = got ? build_islands(&l, out) : CT_OUT_OF_MEMORY;
  free(l.parent);
  free(l.island);
  free(l.selected);
  free(l.members);
  return status;
}

/* ---- preparation and access ------------------------------------------------------------------ */

static void free_mechanics_parts(ct_mechanics_parts *parts) {
  free(parts->place);
  free(parts->dynamic);
  free(parts->bodies);
  free(parts->contacts);
}

bool ct_contact_set_stands(const ct_contact_set *set) {
  for (size_t i = 0; i < set->count; i++) {
    const ct_contact *t = &set->contacts[i];
    if (t->a == t->b || t->a >= set->body_count || t->b >= set->body_count ||
        ct_max_abs(t->normal) == 0.0)
      return false;
  }
  return true;
}

/* True if given contacts, loads and velocities refer to existing rows, and each given contact to
 * two different bodies and a nonzero normal. */
static bool are_inputs_valid(const ct_scene *scene, const ct_mechanics_options *o) {
  uint32_t rows = ct_scene_rows(scene);
  for (size_t i = 0; i < o->given_count; i++) {
    const ct_given_contact *g = &o->given[i];
    if (g->a == g->b || g->a >= rows || g->b >= rows || ct_max_abs(g->normal) == 0.0) return false;
    if (!ct_scene_body(scene, g->a) || !ct_scene_body(scene, g->b)) return false;
  }
  for (size_t i = 0; i < o->load_count; i++)
    if (o->loads[i].row >= rows) return false;
  for (size_t i = 0; i < o->velocity_count; i++)
    if (o->velocities[i].row >= rows) return false;
  return true;
}

ct_status ct_mechanics_prepare(const ct_scene *scene, const ct_mechanics_options *options,
                               ct_workspace *workspace, ct_mechanics **out) {
  if (!are_inputs_valid(scene, options)) return CT_LIMIT;
  ct_mechanics *mechanics = calloc(1, sizeof *mechanics);
  if (!mechanics) return CT_OUT_OF_MEMORY;
  ct_mechanics_parts parts = {.scene = scene,
                              .options = options,
                              .gravity =
                                  options->gravity ? *options->gravity : ct_scene_gravity(scene),
                              .row_count = ct_scene_rows(scene)};
  ct_status status = collect_dynamic_bodies(&parts);
  if (status == CT_OK) status = ct_mechanics_find(&parts, workspace);
  if (status == CT_OK) status = link_islands(&parts, mechanics);
  free_mechanics_parts(&parts);
  if (status == CT_OK) *out = mechanics;
  else ct_mechanics_destroy(mechanics);
  return status;
}

void ct_mechanics_destroy(ct_mechanics *mechanics) {
  if (!mechanics) return;
  free(mechanics->bodies);
  free(mechanics->rows);
  free(mechanics->contacts);
  free(mechanics->numbers);
  free(mechanics->islands);
  free(mechanics);
}

size_t ct_mechanics_count(const ct_mechanics *mechanics) { return mechanics->count; }

size_t ct_mechanics_islands(const ct_mechanics *mechanics) { return mechanics->island_count; }

ct_island ct_mechanics_island(const ct_mechanics *mechanics, size_t index) {
  assert(index < mechanics->island_count);
  const ct_island_range *r = &mechanics->islands[index];
  return (ct_island){.set = {.bodies = mechanics->bodies + r->body,
                             .body_count = r->body_count,
                             .contacts = mechanics->contacts + r->contact,
                             .count = r->contact_count},
                     .rows = mechanics->rows + r->body,
                     .numbers = mechanics->numbers + r->contact};
}
