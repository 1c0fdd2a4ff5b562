/* Finds the contact constraints of a step at the poses in its middle: points, impulses of the
 * previous step for the warm start, and target velocities.
 *
 * Targets of contacts that move over the bodies: the velocity problem is solved at the poses in the
 * middle of the step, and its velocities u move the bodies from there to the middle of the next
 * step, through the time h. On this path the gap g changes by h n.u + (h^2 / 2) c, with the
 * acceleration c of the gap that the velocities alone cause (ct_contact_free_acceleration). With
 * n.u >= 0 a body that rolls over a flat end would sink by h^2 |c| / 2 in each step. The target
 * therefore contains c, so that neither
 *
 *   g + h n.u + (h^2 / 2) c          in the middle of the next step, nor
 *   g + (h / 2) n.u + (h^2 / 8) c    at the end of this one
 *
 * is negative. Likewise a point that sticks has no slip at the end of the step, where its slip is
 * u_t + (h / 2) d, with d = w x (p' - v) of b less that of a: p' is the velocity at which the point
 * of contact moves in space (ct_contact_travel), v and w the velocities of a body's centre; c and d
 * include the angular acceleration of a free top. Without friction, and with both sides of the
 * constraint, the method is SHAKE (Ryckaert, Ciccotti, Berendsen 1977), of second order. Rotations
 * by an angle f in a step replace h^2 / 2 by h^2 (1 - cos f) / f^2, which is exact for a vertex. */
#include "base/array.h"
#include "linear/arena.h"
#include "mechanics/mechanics.h"
#include "mechanics/mechanics_curvature.h"
#include "scene/body.h"
#include "time_stepping/time_stepping.h"

#include <assert.h>

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

/* A contact moves if its surfaces move by more than this fraction of the smaller body's radius in a
 * step; below, the changes of gap and slip are this fraction squared. */
#define MOTION_PART 1e-5
/* A penetrating contact that moves is pushed out by its velocity target, at most at this fraction
 * of the speed at which loads press it together in one step: so it does not separate. */
#define PUSH_PART 0.5
/* A gap, or a change of gap or slip in a step, below this fraction of the tolerated depth is
 * round-off, and counts as zero. */
#define ROUNDOFF_PART 1e-3
/* Part of the tolerated depth that a correction leaves. */
#define LEFT_PART 0.5
/* Largest angle of rotation in a step for which the gap is predicted, rad. */
#define TURN_MAX 1.5

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

/* ---- motion of a contact --------------------------------------------------------------------- */

/* Both sides of a contact. */
typedef struct contact_sides {
  const ct_body_state *states[2]; /* NULL: static */
  ct_velocity velocities[2];
  ct_vec3 u;     /* velocity of b relative to a */
  double turn;   /* greater angular speed, rad/s */
  double radius; /* smaller radius of the moving bodies, m */
} contact_sides;

static contact_sides contact_sides_of(const ct_step *step, const ct_step_contact *t, bool before) {
  contact_sides s = {.radius = INFINITY,
                     .states = {ct_step_state(step, t->a), ct_step_state(step, t->b)}};
  for (int k = 0; k < 2; k++) {
    const ct_body_state *m = s.states[k];
    if (!m) continue;
    s.velocities[k] = before ? m->before : m->velocity;
    s.turn = ct_max2(s.turn, ct_norm(s.velocities[k].angular));
    s.radius = ct_min2(s.radius, m->radius);
  }
  s.u = ct_step_contact_velocity(step, t, before);
  return s;
}

/* True if the contact moves, is not so far apart that it cannot close in the step, and turns so
 * little that its path is predicted by its curvature. */
static bool is_contact_moving(const contact_sides *s, double distance, double time) {
  double path = time * (ct_norm(s->u) + s->turn * s->radius);
  return s->radius < INFINITY && path > MOTION_PART * s->radius && path > distance &&
         time * s->turn <= TURN_MAX;
}

static ct_surface surface_of(const ct_step *step, const ct_step_contact *t, bool of_b) {
  const ct_integration *common = step->stepping->common;
  uint32_t row = of_b ? t->row_b : t->row_a, index = of_b ? t->b : t->a,
           collider = of_b ? t->collider_b : t->collider_a;
  const ct_body *body = ct_scene_body(common->scene, row);
  ct_frame frame = ct_frame_of(index == CT_NO_ROW ? ct_scene_pose(common->scene, row)
                                                  : common->next[index].pose);
  ct_frame placed = ct_body_shape_frame(body, collider, &frame);
  ct_vec3 outward = of_b ? ct_neg(t->axes[0]) : t->axes[0];
  ct_vec3 point = ct_add_scaled(t->position, outward, -0.5 * t->distance);
  return ct_surface_at(ct_body_shape(body, collider), &placed, of_b ? t->feature_b : t->feature_a,
                       point, outward);
}

/* Returns the angular acceleration of a free top. */
static ct_vec3 gyroscopic_acceleration(const ct_body_state *m, ct_vec3 w) {
  return ct_mat_mul(m->inverse_inertia, ct_cross(ct_body_state_inertia(m, w), w));
}

/* A contact as a set of its two bodies, which have velocities only. */
typedef struct lone_contact {
  ct_mass_body bodies[2];
  ct_contact contact;
} lone_contact;

static void set_lone_contact(const ct_step *step, const ct_step_contact *t, const contact_sides *s,
                             lone_contact *out) {
  for (int k = 0; k < 2; k++) {
    const ct_body_state *m = s->states[k];
    ct_vec3 w = s->velocities[k].angular;
    out->bodies[k] = (ct_mass_body){.mobility = CT_FIXED,
                                    .center = m ? m->position : t->position,
                                    .velocity = s->velocities[k],
                                    .angular_acceleration = ct_body_state_is_dynamic(m)
                                                                ? gyroscopic_acceleration(m, w)
                                                                : ct_vec(0, 0, 0)};
  }
  out->contact = (ct_contact){.a = 0,
                              .b = 1,
                              .position = t->position,
                              .normal = t->axes[0],
                              .distance = t->distance,
                              .surface_a = surface_of(step, t, false),
                              .surface_b = surface_of(step, t, true)};
}

/* Returns the rate of the slip, m/s^2: d of the head of this file. Zero if the motion of the point
 * of contact is unknown. */
static ct_vec3 slip_rate(const ct_contact_set *set, const contact_sides *s) {
  ct_vec3 moves, rate = ct_vec(0, 0, 0);
  if (!ct_contact_travel(set, &set->contacts[0], &moves)) return rate;
  for (int k = 0; k < 2; k++) {
    const ct_mass_body *body = &set->bodies[k];
    ct_vec3 arm = ct_sub(set->contacts[0].position, body->center),
            turns = ct_cross(s->velocities[k].angular, ct_sub(moves, s->velocities[k].linear));
    rate = ct_add_scaled(rate, ct_add(turns, ct_cross(body->angular_acceleration, arm)),
                         k ? 1.0 : -1.0);
  }
  return rate;
}

/* ---- shifts of targets
 * --------------------------------------------------------------------------------- */

/* Returns (1 - cos f) / f^2 * 2, which is 1 for small angles. */
static double versine_part(double f) {
  assert(f <= TURN_MAX);
  return 1.0 - f * f / 12.0 + f * f * f * f / 360.0;
}

/* Greatest speed at which the target may push out a penetrating contact, m/s: 0 unless the contact
 * also acted in the previous step. */
static double push_speed(const ct_step *step, const ct_step_contact *t) {
  if (!t->acted || t->overlaps) return 0.0;
  const ct_body_state *states[2] = {ct_step_state(step, t->a), ct_step_state(step, t->b)};
  double pressing = 0.0;
  for (int k = 0; k < 2; k++) {
    const ct_body_state *m = states[k];
    if (!m) continue;
    ct_vec3 gained = ct_sub(m->free.linear, m->before.linear);
    pressing += (k ? -1.0 : 1.0) * ct_dot(t->axes[0], gained);
  }
  return PUSH_PART * ct_max2(pressing, 0.0);
}

/* Returns the least normal velocity of a contact that moves, m/s. */
static double moving_target(const ct_step *step, const ct_step_contact *t, double c, double turn) {
  double h = step->result.time;
  double whole = 0.5 * h * h * c * versine_part(turn * h),
         half = 0.125 * h * h * c * versine_part(0.5 * turn * h);
  double tolerance = step->stepping->depth_tolerance;
  if (fabs(whole) <= ROUNDOFF_PART * tolerance && t->distance >= -tolerance) return t->target;
  bool acts = ct_max_abs(t->impulse) > 0.0;
  if (t->distance > step->stepping->common->options.contact_tolerance && !acts) {
    /* Another feature may touch first: only less approach is required, never more allowed. */
    whole = ct_min2(whole, 0.0);
    half = ct_min2(half, 0.0);
  }
  double gap = ct_max2(t->distance, -h * push_speed(step, t));
  if (fabs(gap) <= ROUNDOFF_PART * tolerance) gap = 0.0;
  return ct_max2(-(gap + whole) / h, -(2.0 * ct_max2(gap, 0.0) + 2.0 * half) / h);
}

/* Sets the shifts of a contact. Returns by how much they change, m/s. */
static double set_contact_shifts(const ct_step *step, ct_step_contact *t, bool before) {
  double past[3], change = 0.0;
  for (int k = 0; k < 3; k++) {
    past[k] = t->shift[k];
    t->shift[k] = 0.0;
  }
  contact_sides s = contact_sides_of(step, t, before);
  if (!t->bounces && is_contact_moving(&s, t->distance, step->result.time)) {
    lone_contact lone;
    set_lone_contact(step, t, &s, &lone);
    const ct_contact_set set = {lone.bodies, 2, &lone.contact, 1};
    double c = ct_contact_free_acceleration(&set, &lone.contact, NULL), h = step->result.time;
    t->shift[0] = moving_target(step, t, c, s.turn) - t->target;
    ct_vec3 rate = slip_rate(&set, &s);
    for (int k = 1; k < 3; k++) t->shift[k] = -0.5 * h * ct_dot(t->axes[k], rate);
    double most = ct_max2(fabs(t->shift[0]), ct_max2(fabs(t->shift[1]), fabs(t->shift[2])));
    if (h * most <= ROUNDOFF_PART * step->stepping->depth_tolerance)
      for (int k = 0; k < 3; k++) t->shift[k] = 0.0;
  }
  for (int k = 0; k < 3; k++) change = ct_max2(change, fabs(t->shift[k] - past[k]));
  return change;
}

double ct_step_set_shifts(const ct_step *step, bool before) {
  const ct_step_contacts *found = &step->stepping->found;
  double change = 0.0;
  assert(!step->at_start);
  for (size_t i = 0; i < found->count; i++)
    change = ct_max2(change, set_contact_shifts(step, &found->items[i], before));
  return change * step->result.time;
}

double ct_step_excess_depth(const ct_step *step, const ct_step_contact *t) {
  const ct_time_stepping *stepping = step->stepping;
  if (t->overlaps && stepping->common->options.keep_overlap) return 0.0;
  double depth = -t->distance, tolerance = stepping->depth_tolerance;
  if (depth <= tolerance) return 0.0;
  contact_sides s = contact_sides_of(step, t, false);
  bool is_pushed = !t->bounces && is_contact_moving(&s, t->distance, step->result.time) &&
                   depth - tolerance <= step->result.time * push_speed(step, t);
  return is_pushed ? 0.0 : depth - LEFT_PART * tolerance;
}
