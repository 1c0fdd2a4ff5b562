/* Finds the contact constraints of a step at the poses in its middle, each with its impulse of the
 * previous step for the warm start. */
#include "base/array.h"
#include "linear/arena.h"
#include "time_stepping/time_stepping.h"
#include <contact/mechanics.h>

#include <assert.h>
#include <string.h>

/* A separated contact takes part from the first pass on if it would close at this multiple of its
 * present approach speed. */
#define APPROACH_SLACK 2.0

/* The previous query margin is reused while at least this fraction of it is needed. */
#define MARGIN_LEAST_PART 0.125

/* Largest number of points of a patch that may close in the step; number of points of a patch that
 * are used in any case, for bodies that are hit in the step. */
#define CLOSE_MAX 8
#define FEW 4
#define SELECTED -1.0 /* mark of a selected point */

/* ---- margin of the query --------------------------------------------------------------------- */

static double greatest_point_speed(const ct_body_state *m) {
  double spin = ct_norm(m->velocity.angular), past = ct_norm(m->before.angular);
  double turning =
      ct_max2(spin, past) > 0.0 && m->radius < INFINITY ? ct_max2(spin, past) * m->radius : 0.0;
  return ct_max2(ct_norm(m->velocity.linear), ct_norm(m->before.linear)) + turning;
}

/* Returns an upper bound of the distance by which two bodies can approach in the step, m. */
static double bound_approach_in_step(const ct_step *step) {
  const ct_time_stepping *stepping = step->stepping;
  double first = 0.0, second = 0.0;
  for (size_t i = 0; i < stepping->common->moved_count; i++) {
    double speed = greatest_point_speed(&stepping->common->next[i]);
    second = ct_max2(second, ct_min2(first, speed));
    first = ct_max2(first, speed);
  }
  return ct_max2(step->result.time * (first + second), stepping->common->options.contact_tolerance);
}

/* Returns the clearance of the contact query, m. It is rounded up to a power of two, so that it
 * changes seldom: after a change, pairs that have not moved must be queried again. */
static double choose_query_margin(const ct_step *step) {
  const ct_time_stepping *stepping = step->stepping;
  if (stepping->common->options.margin > 0.0) return stepping->common->options.margin;
  int exponent;
  double wanted = bound_approach_in_step(step);
  (void)frexp(wanted, &exponent);
  bool fits = wanted <= stepping->margin && wanted > MARGIN_LEAST_PART * stepping->margin;
  return fits ? stepping->margin : ldexp(1.0, exponent);
}

/* ---- contact search -------------------------------------------------------------------------- */

typedef struct contact_sink {
  ct_step *step;
  ct_status status;
  uint32_t row_a, row_b, collider_a, collider_b; /* colliders for which `material` was computed */
  ct_pair_material material;
} contact_sink;

static bool reserve_contacts(ct_step_contacts *contacts, size_t count) {
  assert(contacts->count <= contacts->room);
  return ct_array_reserve(&contacts->items, &contacts->room, count, sizeof *contacts->items);
}

static ct_pair_material material_of_hit(const ct_scene *scene, const ct_contacts_hit *hit) {
  ct_text a = ct_body_material(ct_scene_body(scene, hit->a), hit->collider_a);
  return ct_scene_pair_material(scene, a,
                                ct_body_material(ct_scene_body(scene, hit->b), hit->collider_b));
}

static void add_contact_point(contact_sink *sink, const ct_contacts_hit *hit,
                              const ct_contact_point *p) {
  assert(fabs(ct_norm(p->normal) - 1.0) < 1e-9);
  const ct_time_stepping *stepping = sink->step->stepping;
  ct_step_contacts *queried = &sink->step->stepping->queried;
  ct_step_contact *t = &queried->items[queried->count++];
  *t = (ct_step_contact){.row_a = hit->a,
                         .row_b = hit->b,
                         .collider_a = hit->collider_a,
                         .collider_b = hit->collider_b,
                         .feature_a = p->a,
                         .feature_b = p->b,
                         .number = p->number,
                         .a = stepping->common->moved_of[hit->a],
                         .b = stepping->common->moved_of[hit->b],
                         .position = ct_lerp(p->point_a, p->point_b, 0.5),
                         .axes = {p->normal},
                         .distance = p->distance,
                         .material = sink->material};
  ct_contact_tangents(p->normal, &t->axes[1], &t->axes[2]);
}

/* ---- selection of points --------------------------------------------------------------------- */

/* Returns the distance by which points of the pair may close in the step, m: a bound from the
 * velocities, and what gravity adds. */
static double closing_distance(const ct_step *step, const ct_contacts_hit *hit) {
  const ct_integration *common = step->stepping->common;
  const uint32_t rows[2] = {hit->a, hit->b};
  double speed = step->result.time * ct_norm(common->options.gravity);
  for (int k = 0; k < 2; k++) {
    uint32_t index = common->moved_of[rows[k]];
    if (index != CT_NO_ROW) speed += greatest_point_speed(&common->next[index]);
  }
  return ct_max2(step->result.time * speed, common->options.contact_tolerance);
}

/* Returns the point of [begin, end), not selected yet and at most `reach` apart, that is farthest
 * from the selected ones; the nearest pair of surfaces if none is selected; end: none is left. */
static size_t find_next_point(const ct_contacts_hit *hit, size_t begin, size_t end, double reach,
                              const double *away) {
  size_t best = end;
  for (size_t i = begin; i < end; i++) {
    if (!(away[i] > 0.0) || hit->points[i].distance > reach) continue;
    bool better =
        best == end || (away[i] == away[best] ? hit->points[i].distance < hit->points[best].distance
                                              : away[i] > away[best]);
    if (better) best = i;
  }
  return best;
}

static void select_point(const ct_contacts_hit *hit, size_t begin, size_t end, size_t chosen,
                         double *away) {
  for (size_t i = begin; i < end; i++) {
    ct_vec3 apart = ct_sub(hit->points[i].point_a, hit->points[chosen].point_a);
    if (away[i] >= 0.0) away[i] = ct_min2(away[i], ct_dot(apart, apart));
  }
  away[chosen] = SELECTED;
}

/* Selects points of the patch [begin, end): of those that may close in the step at most CLOSE_MAX,
 * far from each other, and more until there are FEW. A manifold of four points among all within the
 * margin would omit points that touch, and the bodies would sink there. Selected points get away
 * SELECTED, others the square of their distance from the selected ones. */
static void select_patch(const ct_contacts_hit *hit, size_t begin, size_t end, double reach,
                         double *away) {
  for (size_t i = begin; i < end; i++) away[i] = INFINITY;
  size_t count = 0, next;
  while (count < CLOSE_MAX && (next = find_next_point(hit, begin, end, reach, away)) < end) {
    select_point(hit, begin, end, next, away);
    count++;
  }
  while (count < FEW && (next = find_next_point(hit, begin, end, INFINITY, away)) < end) {
    select_point(hit, begin, end, next, away);
    count++;
  }
}

/* Adds the selected points of a hit. CT_OUT_OF_MEMORY. */
static ct_status add_selected_points(contact_sink *sink, const ct_contacts_hit *hit) {
  ct_arena *arena = sink->step->arena;
  ct_arena_mark mark = ct_arena_enter(arena);
  double *away = ct_arena_alloc_doubles(arena, hit->point_count);
  double reach = closing_distance(sink->step, hit);
  for (size_t begin = 0, end; away && begin < hit->point_count; begin = end) {
    for (end = begin + 1; end < hit->point_count; end++)
      if (hit->points[end].patch != hit->points[begin].patch) break;
    if (end - begin > FEW) select_patch(hit, begin, end, reach, away);
    else
      for (size_t i = begin; i < end; i++) away[i] = SELECTED;
  }
  for (size_t i = 0; away && i < hit->point_count; i++)
    if (away[i] == SELECTED) add_contact_point(sink, hit, &hit->points[i]);
  ct_arena_leave(arena, mark);
  return away ? CT_OK : CT_OUT_OF_MEMORY;
}

static bool add_step_contacts(void *context, const ct_contacts_hit *hit) {
  contact_sink *sink = context;
  ct_time_stepping *stepping = sink->step->stepping;
  ct_step_contacts *queried = &stepping->queried;
  if (!ct_integration_is_dynamic(stepping->common, hit->a) &&
      !ct_integration_is_dynamic(stepping->common, hit->b))
    return true;
  if (queried->count + hit->point_count > stepping->common->options.contacts_max)
    sink->status = CT_LIMIT;
  else if (!reserve_contacts(queried, queried->count + hit->point_count))
    sink->status = CT_OUT_OF_MEMORY;
  if (sink->status != CT_OK) return false;
  sink->material = material_of_hit(stepping->common->scene, hit);
  sink->status = add_selected_points(sink, hit);
  return sink->status == CT_OK;
}

/* Queries the contacts of the rows marked in moving_rows, into stepping->queried. */
static ct_status query_step_contacts(ct_step *step, double margin) {
  ct_time_stepping *stepping = step->stepping;
  for (size_t i = 0; i < stepping->common->moved_count; i++)
    stepping->common->overrides[i] =
        (ct_override){stepping->common->next[i].row, stepping->common->next[i].pose};
  const ct_query_contacts_options contacts = {stepping->common->options.contact_tolerance,
                                              CT_DETAIL_FULL};
  ct_query_options options = {.clearance = margin,
                              .broadphase = CT_BROADPHASE_GRID,
                              .where_a = stepping->common->moving_rows};
  contact_sink sink = {.step = step};
  ct_status status = ct_integration_run_contacts(stepping->common, &options, &contacts,
                                                 step->workspace, add_step_contacts, &sink);
  return status == CT_OK ? sink.status : status;
}

/* Marks the rows whose pose differs from that in the middle of the previous step, or all rows if
 * the margin has grown. Returns the number of marked rows. */
static size_t mark_moving(const ct_step *step, double margin) {
  ct_time_stepping *stepping = step->stepping;
  size_t count = 0;
  for (size_t i = 0; i < stepping->common->moved_count; i++) {
    const ct_body_state *m = &stepping->common->now[i];
    bool moving = margin > stepping->margin || m->is_corrected || !ct_body_state_is_fixed(m);
    stepping->common->moving_rows[stepping->common->now[i].row] = moving;
    count += moving;
  }
  return count;
}

/* ---- warm start ------------------------------------------------------------------------------ */

/* Compares two contacts by their pair of colliders, in the order in which a query reports pairs. */
static int compare_pairs(const ct_step_contact *x, const ct_step_contact *y) {
  if (x->row_a != y->row_a) return x->row_a < y->row_a ? -1 : 1;
  if (x->row_b != y->row_b) return x->row_b < y->row_b ? -1 : 1;
  if (x->collider_a != y->collider_a) return x->collider_a < y->collider_a ? -1 : 1;
  if (x->collider_b != y->collider_b) return x->collider_b < y->collider_b ? -1 : 1;
  return 0;
}

static bool have_equal_features(const ct_step_contact *x, const ct_step_contact *y) {
  return x->feature_a.kind == y->feature_a.kind && x->feature_a.index == y->feature_a.index &&
         x->feature_b.kind == y->feature_b.kind && x->feature_b.index == y->feature_b.index &&
         x->number == y->number;
}

static size_t find_pair_end(const ct_step_contacts *contacts, size_t begin) {
  size_t end = begin + 1;
  while (end < contacts->count &&
         compare_pairs(&contacts->items[begin], &contacts->items[end]) == 0)
    end++;
  return end;
}

static void copy_pair(const ct_step_contacts *found, size_t begin, size_t end,
                      const ct_step_contacts *past, size_t from) {
  size_t to = find_pair_end(past, from);
  bool overlaps = false;
  for (size_t k = from; k < to; k++) overlaps = overlaps || past->items[k].overlaps;
  for (size_t i = begin; i < end; i++) {
    found->items[i].overlaps = overlaps;
    for (size_t k = from; k < to; k++)
      if (have_equal_features(&found->items[i], &past->items[k])) {
        found->items[i].impulse = past->items[k].impulse;
        found->items[i].closed_at_start = past->items[k].closed_at_start;
      }
  }
}

static void match_impulses(const ct_step_contacts *found, const ct_step_contacts *past) {
  size_t from = 0;
  for (size_t begin = 0, end; begin < found->count; begin = end) {
    end = find_pair_end(found, begin);
    while (from < past->count && compare_pairs(&past->items[from], &found->items[begin]) < 0)
      from++;
    if (from < past->count && compare_pairs(&past->items[from], &found->items[begin]) == 0)
      copy_pair(found, begin, end, past, from);
  }
}

static bool is_unmoved(const ct_time_stepping *stepping, const ct_step_contact *t) {
  return !stepping->common->moving_rows[t->row_a] && !stepping->common->moving_rows[t->row_b];
}

/* Merges the contacts queried in this step with those of unmoved pairs from the previous step into
 * stepping->found, in the order of pairs. False: out of memory. */
static bool merge_contacts(ct_time_stepping *stepping) {
  ct_step_contacts *found = &stepping->found;
  const ct_step_contacts *past = &stepping->contacts, *queried = &stepping->queried;
  if (!reserve_contacts(found, past->count + queried->count)) return false;
  found->count = 0;
  size_t k = 0;
  for (size_t i = 0; i < past->count; i++) {
    if (!is_unmoved(stepping, &past->items[i])) continue;
    while (k < queried->count && compare_pairs(&queried->items[k], &past->items[i]) < 0)
      found->items[found->count++] = queried->items[k++];
    found->items[found->count] = past->items[i];
    found->items[found->count++].kept = true;
  }
  while (k < queried->count) found->items[found->count++] = queried->items[k++];
  assert(found->count <= past->count + queried->count);
  return true;
}

/* ---- targets of velocities ------------------------------------------------------------------- */

ct_vec3 ct_step_contact_velocity(const ct_step *step, const ct_step_contact *t, bool before) {
  ct_vec3 u = ct_vec(0, 0, 0);
  const ct_body_state *a = ct_step_state(step, t->a), *b = ct_step_state(step, t->b);
  if (b) u = ct_body_state_point_velocity(b, before ? b->before : b->velocity, t->position);
  if (a)
    u = ct_sub(u, ct_body_state_point_velocity(a, before ? a->before : a->velocity, t->position));
  return u;
}

/* Sets friction, target velocity and restitution of a contact, and whether it takes part. A contact
 * that is closed, or would close within this step at its velocity without impulses, has restitution
 * if it approaches faster than rest_velocity. The target of a separated contact permits closing,
 * but no interpenetration. */
static void set_contact_law(const ct_step *step, ct_step_contact *t) {
  assert(step->result.time > 0.0);
  const ct_advance_options *o = &step->stepping->common->options;
  bool is_deep = t->distance < -step->stepping->depth_tolerance;
  bool overlaps_at_start =
      step->marks_overlap && t->distance < -CT_STEP_DEPTH_AT_REST * step->stepping->depth_tolerance;
  t->overlaps = is_deep && (t->overlaps || overlaps_at_start);
  for (int k = 0; k < 3; k++) t->shift[k] = 0.0;
  t->before = ct_step_contact_velocity(step, t, true);
  double normal = ct_dot(t->axes[0], t->before),
         free = ct_dot(t->axes[0], ct_step_contact_velocity(step, t, false));
  ct_vec3 along = ct_add_scaled(t->before, t->axes[0], -normal);
  bool sliding = ct_norm(along) > o->velocity_tolerance,
       contacts = t->distance <= o->contact_tolerance;
  t->friction = o->frictionless ? 0.0
                : sliding       ? t->material.dynamic_friction
                                : t->material.static_friction;
  t->bounces = t->material.restitution > 0.0 && normal < -o->rest_velocity &&
               (contacts || t->distance + step->result.time * free < 0.0);
  bool is_first = step->stepping->common->state.steps == 0;
  t->acted = ct_max_abs(t->impulse) > 0.0 || (is_first && t->closed_at_start);
  bool nears = t->distance + APPROACH_SLACK * step->result.time * ct_min2(normal, free) < 0.0;
  t->takes_part = contacts || t->acted || nears;
  t->target = t->bounces ? -t->material.restitution * normal
              : contacts ? 0.0
                         : -t->distance / step->result.time;
}

ct_status ct_step_find_contacts(ct_step *step) {
  ct_time_stepping *stepping = step->stepping;
  double margin = choose_query_margin(step);
  stepping->queried.count = 0;
  ct_status status = mark_moving(step, margin) ? query_step_contacts(step, margin) : CT_OK;
  if (status != CT_OK) return status;
  match_impulses(&stepping->queried, &stepping->contacts);
  if (!merge_contacts(stepping)) return CT_OUT_OF_MEMORY;
  if (stepping->found.count > stepping->common->options.contacts_max) return CT_LIMIT;
  step->margin = margin;
  for (size_t i = 0; i < stepping->found.count; i++)
    set_contact_law(step, &stepping->found.items[i]);
  return CT_OK;
}

bool ct_step_add_speculative(ct_step *step) {
  ct_step_contacts *found = &step->stepping->found;
  bool more = false;
  for (size_t i = 0; i < found->count; i++) {
    ct_step_contact *t = &found->items[i];
    if (t->takes_part ||
        ct_dot(t->axes[0], ct_step_contact_velocity(step, t, false)) >= t->target + t->shift[0])
      continue;
    t->takes_part = more = true;
  }
  return more;
}
