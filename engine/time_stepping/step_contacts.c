/* The contacts of a step: found at the poses in its middle, each with what it gave in the step
 * before. */
#include "advance/advance.h"
#include <contact/mechanics.h>

#include <stdlib.h>
#include <string.h>

/* Contacts that are apart take part from the first when they would close at so many times the
 * present speed. */
#define APPROACH_SLACK 2.0

/* A margin stays until less than this part of it is needed. */
#define MARGIN_LEAST_PART 0.125

/* ---- how far to look ------------------------------------------------------------------------ */

static double speed_of(const ct_body_state *m) {
  double spin = ct_norm(m->velocity.angular), past = ct_norm(m->before.angular);
  double turning =
      ct_max2(spin, past) > 0.0 && m->radius < INFINITY ? ct_max2(spin, past) * m->radius : 0.0;
  return ct_max2(ct_norm(m->velocity.linear), ct_norm(m->before.linear)) + turning;
}

/* What the two fastest bodies close in a step. */
static double closed_in_step(const ct_step *step) {
  const ct_advance *advance = step->advance;
  double first = 0.0, second = 0.0;
  for (size_t i = 0; i < advance->moved_count; i++) {
    double speed = speed_of(&advance->next[i]);
    second = ct_max2(second, ct_min2(first, speed));
    first = ct_max2(first, speed);
  }
  return ct_max2(step->time * (first + second), advance->options.contact_tolerance);
}

/* A power of two, which changes seldom: pairs that have not moved need not be asked again. */
static double margin_of(const ct_step *step) {
  const ct_advance *advance = step->advance;
  if (advance->options.margin > 0.0) return advance->options.margin;
  int exponent;
  double wanted = closed_in_step(step);
  (void)frexp(wanted, &exponent);
  bool fits = wanted <= advance->margin && wanted > MARGIN_LEAST_PART * advance->margin;
  return fits ? advance->margin : ldexp(1.0, exponent);
}

/* ---- finding -------------------------------------------------------------------------------- */

typedef struct touch_sink {
  ct_step *step;
  ct_status status;
  uint32_t row_a, row_b, collider_a, collider_b; /* that the material is of */
  ct_pair_material material;
} touch_sink;

static bool make_room(ct_step_contacts *contacts, size_t count) {
  if (count <= contacts->room) return true;
  size_t room = count > 2 * contacts->room ? count : 2 * contacts->room;
  ct_step_contact *items = realloc(contacts->items, room * sizeof *items);
  if (!items) return false;
  contacts->items = items;
  contacts->room = room;
  return true;
}

static ct_pair_material material_of(const ct_scene *scene, const ct_hit *hit) {
  ct_text a = ct_body_material(ct_scene_body(scene, hit->a), hit->collider_a);
  return ct_scene_pair_material(scene, a,
                                ct_body_material(ct_scene_body(scene, hit->b), hit->collider_b));
}

static void add_point(touch_sink *sink, const ct_hit *hit, const ct_contact_point *p) {
  const ct_advance *advance = sink->step->advance;
  ct_step_contacts *asked = &sink->step->advance->asked;
  ct_step_contact *t = &asked->items[asked->count++];
  *t = (ct_step_contact){.row_a = hit->a,
                         .row_b = hit->b,
                         .collider_a = hit->collider_a,
                         .collider_b = hit->collider_b,
                         .feature_a = p->a,
                         .feature_b = p->b,
                         .number = p->number,
                         .a = advance->moved_of[hit->a],
                         .b = advance->moved_of[hit->b],
                         .position = ct_lerp(p->point_a, p->point_b, 0.5),
                         .axes = {p->normal},
                         .distance = p->distance,
                         .material = sink->material};
  ct_contact_tangents(p->normal, &t->axes[1], &t->axes[2]);
}

static bool is_dynamic(const ct_advance *advance, uint32_t row) {
  uint32_t index = advance->moved_of[row];
  return index != CT_NO_ROW && advance->next[index].is_dynamic;
}

static bool take_hit(void *context, const ct_hit *hit) {
  touch_sink *sink = context;
  ct_advance *advance = sink->step->advance;
  ct_step_contacts *asked = &advance->asked;
  if (!is_dynamic(advance, hit->a) && !is_dynamic(advance, hit->b)) return true;
  if (asked->count + hit->point_count > advance->options.contacts_max) sink->status = CT_LIMIT;
  else if (!make_room(asked, asked->count + hit->point_count)) sink->status = CT_OUT_OF_MEMORY;
  if (sink->status != CT_OK) return false;
  sink->material = material_of(advance->scene, hit);
  for (size_t k = 0; k < hit->point_count; k++) add_point(sink, hit, &hit->points[k]);
  return true;
}

/* Contacts of the rows that are marked. */
static ct_status ask(ct_step *step, double margin) {
  ct_advance *advance = step->advance;
  for (size_t i = 0; i < advance->moved_count; i++)
    advance->overrides[i] = (ct_override){advance->next[i].row, advance->next[i].pose};
  ct_query_options options = {.kind = CT_QUERY_CONTACTS,
                              .clearance = margin,
                              .tolerance = advance->options.contact_tolerance,
                              .detail = CT_DETAIL_MANIFOLD,
                              .broadphase = CT_BROADPHASE_GRID,
                              .where_a = advance->moving_rows};
  touch_sink sink = {.step = step};
  ct_status status = ct_advance_run_query(advance, &options, step->workspace, take_hit, &sink);
  return status == CT_OK ? sink.status : status;
}

/* Rows that are not where they were in the middle of the step before; all of them when more has to
 * be seen than then. */
static size_t mark_moving(const ct_step *step, double margin) {
  ct_advance *advance = step->advance;
  size_t count = 0;
  for (size_t i = 0; i < advance->moved_count; i++) {
    bool moving = margin > advance->margin || !ct_body_state_is_fixed(&advance->now[i]);
    advance->moving_rows[advance->now[i].row] = moving;
    count += moving;
  }
  return count;
}

/* ---- what they gave before ------------------------------------------------------------------ */

/* Order of the pairs of colliders, as the query goes through them. */
static int compare_pairs(const ct_step_contact *x, const ct_step_contact *y) {
  if (x->row_a != y->row_a) return x->row_a < y->row_a ? -1 : 1;
  if (x->row_b != y->row_b) return x->row_b < y->row_b ? -1 : 1;
  if (x->collider_a != y->collider_a) return x->collider_a < y->collider_a ? -1 : 1;
  if (x->collider_b != y->collider_b) return x->collider_b < y->collider_b ? -1 : 1;
  return 0;
}

static bool same_features(const ct_step_contact *x, const ct_step_contact *y) {
  return x->feature_a.kind == y->feature_a.kind && x->feature_a.index == y->feature_a.index &&
         x->feature_b.kind == y->feature_b.kind && x->feature_b.index == y->feature_b.index &&
         x->number == y->number;
}

static size_t pair_end(const ct_step_contacts *contacts, size_t begin) {
  size_t end = begin + 1;
  while (end < contacts->count &&
         compare_pairs(&contacts->items[begin], &contacts->items[end]) == 0)
    end++;
  return end;
}

static void take_over(const ct_step_contacts *found, size_t begin, size_t end,
                      const ct_step_contacts *past, size_t from) {
  size_t to = pair_end(past, from);
  for (size_t i = begin; i < end; i++)
    for (size_t k = from; k < to; k++)
      if (same_features(&found->items[i], &past->items[k]))
        found->items[i].impulse = past->items[k].impulse;
}

static void match(const ct_step_contacts *found, const ct_step_contacts *past) {
  size_t from = 0;
  for (size_t begin = 0, end; begin < found->count; begin = end) {
    end = pair_end(found, begin);
    while (from < past->count && compare_pairs(&past->items[from], &found->items[begin]) < 0)
      from++;
    if (from < past->count && compare_pairs(&past->items[from], &found->items[begin]) == 0)
      take_over(found, begin, end, past, from);
  }
}

static bool is_kept(const ct_advance *advance, const ct_step_contact *t) {
  return !advance->moving_rows[t->row_a] && !advance->moving_rows[t->row_b];
}

/* What was asked, and in between what is kept of the step before, in the order of pairs. */
static bool merge(ct_advance *advance) {
  ct_step_contacts *found = &advance->found;
  const ct_step_contacts *past = &advance->contacts, *asked = &advance->asked;
  if (!make_room(found, past->count + asked->count)) return false;
  found->count = 0;
  size_t k = 0;
  for (size_t i = 0; i < past->count; i++) {
    if (!is_kept(advance, &past->items[i])) continue;
    while (k < asked->count && compare_pairs(&asked->items[k], &past->items[i]) < 0)
      found->items[found->count++] = asked->items[k++];
    found->items[found->count] = past->items[i];
    found->items[found->count++].kept = true;
  }
  while (k < asked->count) found->items[found->count++] = asked->items[k++];
  return true;
}

/* ---- what they ask for ---------------------------------------------------------------------- */

static ct_vec3 point_velocity(const ct_body_state *m, ct_velocity velocity, ct_vec3 point) {
  return ct_add(velocity.linear, ct_cross(velocity.angular, ct_sub(point, m->position)));
}

static ct_vec3 relative_velocity(const ct_advance *advance, const ct_step_contact *t, bool before) {
  ct_vec3 u = ct_vec(0, 0, 0);
  const ct_body_state *a = t->a == CT_NO_ROW ? NULL : &advance->next[t->a],
                      *b = t->b == CT_NO_ROW ? NULL : &advance->next[t->b];
  if (b) u = point_velocity(b, before ? b->before : b->velocity, t->position);
  if (a) u = ct_sub(u, point_velocity(a, before ? a->before : a->velocity, t->position));
  return u;
}

/* A contact that touches, or would in this step if nothing else changed, is hit at once: with
 * restitution when the approach is fast enough. Else what is apart may come to touch and no nearer.
 */
static void set_law(const ct_step *step, ct_step_contact *t) {
  const ct_advance_options *o = &step->advance->options;
  t->before = relative_velocity(step->advance, t, true);
  double normal = ct_dot(t->axes[0], t->before),
         free = ct_dot(t->axes[0], relative_velocity(step->advance, t, false));
  ct_vec3 along = ct_add_scaled(t->before, t->axes[0], -normal);
  bool sliding = ct_norm(along) > o->velocity_tolerance,
       contacts = t->distance <= o->contact_tolerance;
  t->friction = o->frictionless ? 0.0
                : sliding       ? t->material.dynamic_friction
                                : t->material.static_friction;
  t->bounces = t->material.restitution > 0.0 && normal < -o->rest_velocity &&
               (contacts || t->distance + step->time * free < 0.0);
  bool acted = ct_max_abs(t->impulse) > 0.0,
       nears = t->distance + APPROACH_SLACK * step->time * ct_min2(normal, free) < 0.0;
  t->takes_part = contacts || acted || nears;
  t->target = t->bounces ? -t->material.restitution * normal
              : contacts ? 0.0
                         : -t->distance / step->time;
}

ct_status ct_step_find_contacts(ct_step *step) {
  ct_advance *advance = step->advance;
  double margin = margin_of(step);
  advance->asked.count = 0;
  ct_status status = mark_moving(step, margin) ? ask(step, margin) : CT_OK;
  if (status != CT_OK) return status;
  match(&advance->asked, &advance->contacts);
  if (!merge(advance)) return CT_OUT_OF_MEMORY;
  if (advance->found.count > advance->options.contacts_max) return CT_LIMIT;
  step->margin = margin;
  for (size_t i = 0; i < advance->found.count; i++) set_law(step, &advance->found.items[i]);
  return CT_OK;
}

bool ct_step_add_speculative(ct_step *step) {
  ct_step_contacts *found = &step->advance->found;
  bool more = false;
  for (size_t i = 0; i < found->count; i++) {
    ct_step_contact *t = &found->items[i];
    if (t->takes_part ||
        ct_dot(t->axes[0], relative_velocity(step->advance, t, false)) >= t->target)
      continue;
    t->takes_part = more = true;
  }
  return more;
}
