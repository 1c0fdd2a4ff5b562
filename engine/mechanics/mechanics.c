/* The mechanics of a scene: its bodies as masses, the contacts between them, and the islands that
 * those make. */
#include "mechanics/mechanics_build.h"

#include <stdlib.h>

/* ---- bodies --------------------------------------------------------------------------------- */

static ct_velocity velocity_of(const ct_mechanics_parts *parts, uint32_t row) {
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

bool ct_mechanics_body(const ct_mechanics_parts *parts, uint32_t row, ct_mass_body *out) {
  const ct_mechanics_options *o = parts->options;
  ct_pose pose = ct_override_pose(parts->scene, o->overrides, o->override_count, row);
  ct_velocity velocity = velocity_of(parts, row);
  return ct_scene_mass_body(parts->scene, row, &pose, &velocity, parts->gravity, out);
}

static void load_bodies(ct_mechanics_parts *parts) {
  for (size_t i = 0; i < parts->options->load_count; i++) {
    const ct_load *load = &parts->options->loads[i];
    if (parts->place[load->row] == CT_NO_ROW) continue;
    ct_mass_body *body = &parts->bodies[parts->place[load->row]];
    ct_vec3 torque = load->torque;
    if (load->has_at)
      torque = ct_add(torque, ct_cross(ct_sub(load->at, body->center), load->force));
    ct_mass_body_load(body, load->force, torque);
  }
}

static bool is_dynamic(const ct_scene *scene, uint32_t row) {
  const ct_body *body = ct_scene_body(scene, row);
  const ct_motion *motion = body ? ct_body_motion(body) : NULL;
  return motion && !motion->is_kinematic;
}

/* Rows between two looks at the cancel flag: well below a millisecond. */
#define ROWS_PER_POLL 256

static ct_status find_dynamic(ct_mechanics_parts *parts) {
  size_t most = 0;
  parts->place = malloc(((size_t)parts->row_count + 1) * sizeof *parts->place);
  if (!parts->place) return CT_OUT_OF_MEMORY;
  for (uint32_t row = 0; row < parts->row_count; row++) most += is_dynamic(parts->scene, row);
  parts->dynamic = malloc((most + 1) * sizeof *parts->dynamic);
  parts->bodies = malloc((most + 1) * sizeof *parts->bodies);
  if (!parts->dynamic || !parts->bodies) return CT_OUT_OF_MEMORY;
  for (uint32_t row = 0; row < parts->row_count; row++) {
    if (row % ROWS_PER_POLL == 0 && ct_cancel_raised(parts->options->cancel)) return CT_CANCELLED;
    parts->place[row] = CT_NO_ROW;
    if (!is_dynamic(parts->scene, row) ||
        !ct_mechanics_body(parts, row, &parts->bodies[parts->dynamic_count]))
      continue;
    parts->place[row] = (uint32_t)parts->dynamic_count;
    parts->dynamic[parts->dynamic_count++] = row;
  }
  load_bodies(parts);
  return CT_OK;
}

/* ---- the whole ------------------------------------------------------------------------------ */

static void free_parts(ct_mechanics_parts *parts) {
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

/* Do contacts, loads and velocities that are given name bodies of the scene, and contacts two of
 * them and a normal? */
static bool given_fit(const ct_scene *scene, const ct_mechanics_options *o) {
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
  if (!given_fit(scene, options)) return CT_LIMIT;
  ct_mechanics *mechanics = calloc(1, sizeof *mechanics);
  if (!mechanics) return CT_OUT_OF_MEMORY;
  ct_mechanics_parts parts = {.scene = scene,
                              .options = options,
                              .gravity =
                                  options->gravity ? *options->gravity : ct_scene_gravity(scene),
                              .row_count = ct_scene_rows(scene)};
  ct_status status = find_dynamic(&parts);
  if (status == CT_OK) status = ct_mechanics_find(&parts, workspace);
  if (status == CT_OK) status = ct_mechanics_link(&parts, mechanics);
  free_parts(&parts);
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
  const ct_island_range *r = &mechanics->islands[index];
  return (ct_island){.set = {.bodies = mechanics->bodies + r->body,
                             .body_count = r->body_count,
                             .contacts = mechanics->contacts + r->contact,
                             .count = r->contact_count},
                     .rows = mechanics->rows + r->body,
                     .numbers = mechanics->numbers + r->contact};
}
