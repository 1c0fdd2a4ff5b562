/* Motion by the elastic law from event to event: contacts begin where a distance comes to 0 and end
 * where it leaves it, at the first double of time at which that is so; between events the pairs in
 * contact stay the same, as in Modia3D. */
#include "compliant/compliant_motion.h"

#include <stdlib.h>
#include <string.h>

/* Part of the time that the next step is given of what the error would allow, and by how much a
 * step may grow or shrink. */
#define SAFETY 0.9
#define GROWTH_MAX 5.0
#define SHRINK_MAX 0.1
/* Steps are not made smaller than so many u of the time: round-off would be all that they see. */
#define STEP_MIN_U 64.0

/* ---- made and let go ------------------------------------------------------------------------ */

void ct_elastic_destroy(ct_elastic *elastic) {
  if (!elastic) return;
  free(elastic->bodies);
  free(elastic->flow);
  free(elastic->trial);
  free(elastic->stage);
  for (int s = 0; s < CT_FLOW_STAGES; s++) free(elastic->rates[s]);
  free(elastic->nears.items);
  free(elastic->members);
  free(elastic);
}

/* Every body that a contact may have must be of a known material. */
static bool materials_known(const ct_scene *scene) {
  for (uint32_t row = 0; row < ct_scene_rows(scene); row++) {
    const ct_body *body = ct_scene_body(scene, row);
    for (size_t i = 0; body && i < ct_body_collider_count(body); i++)
      if (!ct_scene_elastic_solid(scene, row, (uint32_t)i, NULL)) return false;
  }
  return true;
}

ct_status ct_elastic_create(ct_advance *advance) {
  if (!materials_known(advance->scene)) return CT_NOT_FOUND;
  ct_elastic *elastic = advance->elastic = calloc(1, sizeof *elastic);
  if (!elastic) return CT_OUT_OF_MEMORY;
  size_t count = advance->moved_count + 1;
  elastic->bodies = malloc(count * sizeof *elastic->bodies);
  elastic->flow = malloc(count * sizeof *elastic->flow);
  elastic->trial = malloc(count * sizeof *elastic->trial);
  elastic->stage = malloc(count * sizeof *elastic->stage);
  bool good = elastic->bodies && elastic->flow && elastic->trial && elastic->stage;
  for (int s = 0; s < CT_FLOW_STAGES; s++) {
    elastic->rates[s] = calloc(count, sizeof *elastic->rates[s]);
    good = good && elastic->rates[s];
  }
  if (!good) return CT_OUT_OF_MEMORY;
  if (!(advance->options.tolerance > 0.0)) advance->options.tolerance = CT_ADVANCE_TOLERANCE;
  for (size_t i = 0; i < advance->moved_count; i++) advance->moving_rows[advance->now[i].row] = 1;
  memcpy(elastic->bodies, advance->now, advance->moved_count * sizeof *advance->now);
  for (size_t i = 0; i < advance->moved_count; i++) {
    const ct_body_state *m = &advance->now[i];
    elastic->flow[i] = (ct_flow){.position = m->position,
                                 .rotation = m->pose.rotation,
                                 .velocity = m->velocity.linear,
                                 .spin = m->is_dynamic ? m->angular_momentum : m->velocity.angular};
  }
  return CT_OK;
}

/* ---- who is in contact ---------------------------------------------------------------------- */

/* Is the membership another than what was looked at last says? */
static bool has_changed(const ct_elastic *elastic) {
  size_t in = 0;
  for (size_t k = 0; k < elastic->nears.count; k++) {
    if (elastic->nears.items[k].distance > 0.0) continue;
    if (in == elastic->member_count ||
        ct_elastic_pair_compare(&elastic->members[in], &elastic->nears.items[k]) != 0)
      return true;
    in++;
  }
  return in < elastic->member_count;
}

/* A new contact, by how fast it comes. */
static ct_elastic_contact begun(const ct_advance *advance, const ct_elastic_candidate *near) {
  const ct_scene *scene = advance->scene;
  static const ct_elastic_pair none = {0};
  ct_elastic_solid a = {0}, b = {0};
  ct_scene_elastic_solid(scene, near->a, near->collider_a, &a);
  ct_scene_elastic_solid(scene, near->b, near->collider_b, &b);
  ct_pair_material material = ct_scene_pair_material(
      scene, ct_body_collider(ct_scene_body(scene, near->a), near->collider_a).material,
      ct_body_collider(ct_scene_body(scene, near->b), near->collider_b).material);
  if (advance->options.frictionless)
    material.static_friction = material.dynamic_friction = material.rolling_friction = 0.0;
  double approach = fabs(ct_elastic_force(advance, near, &none).depth_rate);
  return (ct_elastic_contact){
      .a = near->a,
      .b = near->b,
      .collider_a = near->collider_a,
      .collider_b = near->collider_b,
      .approach = approach,
      .pair = ct_elastic_pair_of(&a, &b, &material, approach, &advance->options.elastic)};
}

/* The pair as it was looked at last; NULL: out of reach. */
static const ct_elastic_candidate *near_of(const ct_elastic *elastic, const ct_elastic_contact *m) {
  size_t low = 0, high = elastic->nears.count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (ct_elastic_pair_compare(m, &elastic->nears.items[middle]) > 0) low = middle + 1;
    else high = middle;
  }
  return low < elastic->nears.count && ct_elastic_pair_compare(m, &elastic->nears.items[low]) == 0
             ? &elastic->nears.items[low]
             : NULL;
}

static double normal_velocity(const ct_advance *advance, const ct_elastic_candidate *near) {
  static const ct_elastic_pair none = {0};
  return near ? -ct_elastic_force(advance, near, &none).depth_rate : 0.0;
}

static ct_status tell(ct_advance *advance, ct_advance_event_kind kind, double time,
                      const ct_elastic_contact *m, const ct_elastic_candidate *near) {
  return ct_advance_add_event(
      advance, &(ct_advance_event){.kind = kind,
                                   .time = time,
                                   .row_a = m->a,
                                   .row_b = m->b,
                                   .collider_a = m->collider_a,
                                   .collider_b = m->collider_b,
                                   .normal_velocity = normal_velocity(advance, near)});
}

/* Contacts that ended at the time, then those that began, if `members` are those of now. */
static ct_status tell_changes(ct_advance *advance, double time, const ct_elastic_contact *members,
                              size_t count) {
  const ct_elastic *elastic = advance->elastic;
  ct_status status = CT_OK;
  for (size_t i = 0; i < elastic->member_count && status == CT_OK; i++) {
    const ct_elastic_candidate *near = near_of(elastic, &elastic->members[i]);
    if (!near || near->distance > 0.0)
      status = tell(advance, CT_ADVANCE_EVENT_ENDED, time, &elastic->members[i], near);
  }
  for (size_t i = 0; i < count && status == CT_OK; i++) {
    const ct_elastic_candidate *near = near_of(elastic, &members[i]);
    if (ct_elastic_find_contact(elastic, near) == elastic->member_count)
      status = tell(advance, CT_ADVANCE_EVENT_BEGAN, time, &members[i], near);
  }
  return status;
}

/* Makes the membership what was looked at last, at the time, says. Contacts that go on keep their
 * law. */
static ct_status set_members(ct_advance *advance, double time) {
  ct_elastic *elastic = advance->elastic;
  size_t count = 0, kept = 0;
  for (size_t k = 0; k < elastic->nears.count; k++)
    count += elastic->nears.items[k].distance <= 0.0;
  ct_elastic_contact *members = malloc((count + 1) * sizeof *members);
  if (!members) return CT_OUT_OF_MEMORY;
  count = 0;
  for (size_t k = 0; k < elastic->nears.count; k++) {
    const ct_elastic_candidate *near = &elastic->nears.items[k];
    if (near->distance > 0.0) continue;
    size_t old = ct_elastic_find_contact(elastic, near);
    kept += old < elastic->member_count;
    members[count++] = old < elastic->member_count ? elastic->members[old] : begun(advance, near);
  }
  ct_status status = tell_changes(advance, time, members, count);
  if (status != CT_OK) {
    free(members);
    return status;
  }
  advance->state.events += (elastic->member_count - kept) + (count - kept);
  free(elastic->members);
  elastic->members = members;
  elastic->member_count = count;
  elastic->first_known = false;
  return CT_OK;
}

/* ---- a step --------------------------------------------------------------------------------- */

static double next_step(double time, double error) {
  double factor = error > 0.0 ? SAFETY / ct_fifth_root(error) : GROWTH_MAX;
  return time * ct_max2(SHRINK_MAX, ct_min2(GROWTH_MAX, factor));
}

static double least_step(const ct_advance *advance) {
  return STEP_MIN_U * CT_UNIT_ROUNDOFF * ct_max2(advance->state.time, advance->options.time_step);
}

/* What the next step, of so long at most, may meet. */
static ct_status look_from(ct_advance *advance, const ct_flow *flow, double step,
                           ct_workspace *workspace) {
  advance->elastic->horizon = ct_min2(step, advance->options.time_step);
  return ct_elastic_find_candidates(advance, flow, ct_elastic_find_candidates_ahead(advance),
                                    workspace);
}

/* Tries the time, and less where that is too much for the tolerance. *time is what was tried last,
 * *error what it came to. */
static ct_status try_within(ct_advance *advance, double *time, ct_workspace *workspace,
                            double *error) {
  ct_elastic *elastic = advance->elastic;
  double least = least_step(advance);
  for (;;) {
    if (ct_cancel_raised(advance->options.cancel)) return CT_CANCELLED;
    ct_status status = ct_elastic_try_step(advance, *time, workspace, error);
    if (status != CT_OK) return status;
    elastic->step = next_step(*time, *error);
    if (*error <= 1.0 || *time <= least) break;
    *time = ct_max2(elastic->step, least);
  }
  if (!ct_advance_is_within_limits(advance, elastic->bodies, 0.0,
                                   ct_max2(*time, advance->options.time_step)))
    return CT_LIMIT;
  return look_from(advance, elastic->trial, elastic->step, workspace);
}

/* The first double of time at which the membership has changed: it has at `time`, and not at the
 * start. `trial`, and what was looked at, are of that instant afterwards. */
static ct_status find_change(ct_advance *advance, double *time, ct_workspace *workspace) {
  double low = 0.0, high = *time, start = advance->state.time, error;
  for (;;) {
    double middle = 0.5 * (low + high);
    if (!(start + low < start + middle && start + middle < start + high)) break;
    if (ct_cancel_raised(advance->options.cancel)) return CT_CANCELLED;
    ct_status status = ct_elastic_try_step(advance, middle, workspace, &error);
    if (status == CT_OK)
      status = ct_elastic_find_candidates(advance, advance->elastic->trial, 0.0, workspace);
    if (status != CT_OK) return status;
    if (has_changed(advance->elastic)) high = middle;
    else low = middle;
  }
  *time = high;
  ct_status status = ct_elastic_try_step(advance, high, workspace, &error);
  return status == CT_OK
             ? look_from(advance, advance->elastic->trial, advance->elastic->step, workspace)
             : status;
}

/* `trial` becomes what is now. */
static void accept(ct_advance *advance, double time, double error) {
  ct_elastic *elastic = advance->elastic;
  ct_advance_state *state = &advance->state;
  ct_flow *flow = elastic->flow;
  elastic->flow = elastic->trial;
  elastic->trial = flow;
  ct_flow *first = elastic->rates[0];
  elastic->rates[0] = elastic->rates[CT_FLOW_STAGES - 1];
  elastic->rates[CT_FLOW_STAGES - 1] = first;
  elastic->rate_sums[0] = elastic->rate_sums[CT_FLOW_STAGES - 1];
  memcpy(advance->now, elastic->bodies, advance->moved_count * sizeof *advance->now);
  state->time = time < advance->options.duration - state->time ? state->time + time
                                                               : advance->options.duration;
  state->steps++;
  advance->pace = time;
  advance->pace_row = elastic->worst;
  state->not_converged += error > 1.0;
  state->residual = ct_max2(state->residual, error * advance->options.tolerance);
  state->contact_impulse = elastic->trial_sums.impulse;
  state->work += elastic->trial_sums.work;
  state->penetration = 0.0;
  for (size_t k = 0; k < elastic->nears.count; k++)
    state->penetration = ct_max2(state->penetration, -elastic->nears.items[k].distance);
}

/* The first look: who is in contact at the start. */
static ct_status begin(ct_advance *advance, ct_workspace *workspace) {
  ct_status status = ct_elastic_find_candidates(advance, advance->elastic->flow, 0.0, workspace);
  if (status == CT_OK) status = set_members(advance, 0.0);
  if (status == CT_OK) advance->elastic->step = advance->options.time_step;
  return status;
}

/* How everything changes at the start of the step, and what it may meet: known from the step
 * before, unless something is new: who is in contact, the loads, or that the step before has
 * failed. */
static ct_status prepare(ct_advance *advance, ct_workspace *workspace) {
  ct_elastic *elastic = advance->elastic;
  ct_status status = elastic->step > 0.0 ? CT_OK : begin(advance, workspace);
  if (status != CT_OK) return status;
  if (elastic->first_known && !elastic->torn && advance->last_time != 0.0) return CT_OK;
  memcpy(elastic->bodies, advance->now, advance->moved_count * sizeof *advance->now);
  status = ct_elastic_first_rates(advance, workspace);
  if (status == CT_OK) status = look_from(advance, elastic->flow, elastic->step, workspace);
  elastic->torn = status != CT_OK;
  return status;
}

static ct_status go_on(ct_advance *advance, ct_workspace *workspace, bool *done) {
  ct_elastic *elastic = advance->elastic;
  ct_advance_state *state = &advance->state;
  double left = advance->options.duration - state->time;
  *done = !(left > 0.0);
  if (*done) return CT_OK;
  ct_status status = prepare(advance, workspace);
  if (status != CT_OK) return status;
  advance->last_time = advance->options.time_step;
  double time = ct_min2(elastic->step, ct_elastic_step_ahead(advance)), error = 0.0;
  time = ct_min2(ct_max2(time, least_step(advance)), left);
  status = try_within(advance, &time, workspace, &error);
  bool changed = status == CT_OK && has_changed(elastic);
  if (changed) status = find_change(advance, &time, workspace);
  if (changed && status == CT_OK) status = set_members(advance, state->time + time);
  if (status != CT_OK) return status;
  accept(advance, time, error);
  *done = !(state->time < advance->options.duration);
  state->contacts = elastic->member_count;
  ct_advance_sum_energy(advance);
  return CT_OK;
}

ct_status ct_elastic_step(ct_advance *advance, ct_workspace *workspace, bool *done) {
  ct_elastic *elastic = advance->elastic;
  double step = elastic->step, last_time = advance->last_time;
  ct_status status = go_on(advance, workspace, done);
  if (status == CT_OK) return CT_OK;
  /* Nothing has changed. */
  elastic->torn = true;
  elastic->step = step;
  advance->last_time = last_time;
  advance->reported.count = 0;
  if (step > 0.0) return status;
  /* Not even that contacts have begun. */
  elastic->member_count = 0;
  elastic->first_known = false;
  advance->state.events = 0;
  return status;
}
