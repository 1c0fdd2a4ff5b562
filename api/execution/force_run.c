/* Solves islands with the engine and puts one result for each island. */
#include "execution/force_run.h"

#include <assert.h>
#include <stdlib.h>

#include "execution/cost_estimate.h"
#include "results/force_json.h"

/* Greatest number of ranges among which the islands are divided. */
#define FORCE_RANGES 256

/* Allocates zeroed memory for the result of one island. */
static void *alloc_result(api_range_run *run, size_t bytes) {
  void *memory = calloc(1, bytes ? bytes : 1);
  if (!memory) run->range->memory = true;
  return memory;
}

static void set_contact_limit(api_range_run *run, api_contact_limit limit_kind, size_t contacts,
                              size_t most) {
  api_force_outcome *outcome = &run->range->force;
  outcome->limit_kind = limit_kind;
  outcome->contacts = contacts;
  outcome->contacts_limit = most;
}

/* Records which limit an island's contacts exceed. o: options of resting forces; NULL for
 * impulses. */
static void report_contact_limit(api_range_run *run, const ct_island *island,
                                 const ct_resting_options *o) {
  size_t n = island->set.count, most = CT_LCP_ITERATIVE_MAX;
  unsigned sides = o && o->directions ? o->directions : CT_RESTING_DIRECTIONS;
  run->range->force.sides = sides;
  if (o && o->friction == CT_RESTING_FRICTION_NONE) {
    if (o->lcp_method == CT_LCP_ENUMERATION) most = CT_LCP_ENUMERATION_MAX;
    else if (o->lcp_method == CT_LCP_DANTZIG || o->lcp_method == CT_LCP_BLOCK_PIVOTING ||
             o->lcp_method == CT_LCP_LEMKE)
      most = CT_LCP_DIRECT_MAX;
  }
  if (o && o->friction == CT_RESTING_FRICTION_POLYHEDRAL && n * (sides + 2) > CT_LCP_DIRECT_MAX)
    set_contact_limit(run, API_CONTACT_LIMIT_PYRAMID, n, CT_LCP_DIRECT_MAX);
  else if (n > most) set_contact_limit(run, API_CONTACT_LIMIT_METHOD, n, most);
  else set_contact_limit(run, API_CONTACT_LIMIT_COUPLED, n, CT_DELASSUS_BLOCKS_MAX);
}

static void record_failure(api_range_run *run, const ct_island *island, ct_status status,
                           const ct_resting_options *resting) {
  assert(status != CT_OK);
  run->range->status = status;
  if (status == CT_LIMIT) report_contact_limit(run, island, resting);
}

/* ---- impulses ------------------------------------------------------------------------------- */

/* Stores the velocities after the impulses, indexed by the bodies' rows in the scene. A dynamic
 * body belongs to only one island, so that ranges write different rows. */
static void store_velocities(api_task *task, const ct_island *island,
                             const ct_velocity *velocities) {
  assert(!task->after || task->question.writes);
  for (size_t i = 0; task->after && i < island->set.body_count; i++)
    if (island->set.bodies[i].mobility == CT_DYNAMIC)
      task->after[island->rows[i]] = (api_velocity_after){velocities[i], true};
}

bool api_run_impulse_island(api_range_run *run, const ct_island *island) {
  const api_query *q = &run->task->question;
  size_t contacts = island->set.count, bodies = island->set.body_count;
  ct_impulse_result result = {0};
  void *memory =
      alloc_result(run, contacts * (sizeof *result.contacts + sizeof *result.certificate) +
                            bodies * sizeof *result.velocities);
  if (!memory) return false;
  result.contacts = memory;
  result.velocities = (ct_velocity *)(void *)(result.contacts + contacts);
  result.certificate = (double *)(void *)(result.velocities + bodies);
  ct_status status = ct_impulse_solve(&island->set, &q->force.impulse, run->arena, &result);
  if (status == CT_OK) {
    const api_force_island island_context = {q->scene, island, !q->force.mechanics.only_given};
    /* law_ignored: simultaneous contacts are solved by their own laws, so that a requested law has
     * no effect. */
    bool law_ignored = q->force.law_given && contacts > 1 &&
                       q->force.impulse.simultaneity != CT_SIMULTANEITY_SEQUENTIAL;
    api_put_impulse(&run->range->text, &island_context, &result, law_ignored);
    if (!result.converged) run->range->force.diverged = true;
    api_solver_counts_add(run->solved, result.iterations,
                          !result.converged && !result.contradictory);
    store_velocities(run->task, island, result.velocities);
  } else {
    record_failure(run, island, status, NULL);
  }
  free(memory);
  return status == CT_OK;
}

/* ---- resting forces ------------------------------------------------------------------------- */

/* Allocates the arrays of an island's result in one block. */
static void *alloc_resting_result(api_range_run *run, const ct_contact_set *set,
                                  ct_resting_result *result) {
  size_t n = set->count, bodies = set->body_count;
  void *memory = alloc_result(
      run, n * (sizeof *result->contacts + sizeof *result->holding + sizeof *result->certificate) +
               bodies * (sizeof *result->bodies + sizeof *result->motion));
  if (!memory) return NULL;
  result->contacts = memory;
  result->bodies = (ct_body_acceleration *)(void *)(result->contacts + n);
  result->motion = (ct_velocity *)(void *)(result->bodies + bodies);
  result->holding = (ct_vec3 *)(void *)(result->motion + bodies);
  result->certificate = (double *)(void *)(result->holding + n);
  return memory;
}

/* Puts the matrix A and the vector b of the contact system as requested. A is left out if the
 * island has more contacts than direct methods accept, because of its size. */
static bool put_contact_system(api_range_run *run, const ct_contact_set *set) {
  const api_force *force = &run->task->question.force;
  size_t n = set->count;
  bool matrix = force->put_matrix && n <= CT_LCP_DIRECT_MAX;
  if (!matrix && !force->put_vector) return true;
  double *memory = alloc_result(run, (n + (matrix ? n * n : 0)) * sizeof *memory);
  if (!memory) return false;
  ct_resting_system(set, matrix ? memory + n : NULL, memory);
  if (matrix) api_put_rows(&run->range->text, "A", memory + n, n, n);
  if (force->put_vector) api_put_numbers(&run->range->text, "b", memory, n);
  free(memory);
  return true;
}

static void record_stability(api_range_run *run, const ct_resting_result *result) {
  api_force_outcome *outcome = &run->range->force;
  if (!result->converged) outcome->diverged = true;
  if (result->stability == CT_STABILITY_FALLS || result->stability == CT_STABILITY_MOVING)
    outcome->falls = true;
  else if (result->stability != CT_STABILITY_STAYS) outcome->undecided = true;
}

bool api_run_resting_island(api_range_run *run, const ct_island *island) {
  const api_query *q = &run->task->question;
  ct_resting_result result = {0};
  void *memory = alloc_resting_result(run, &island->set, &result);
  if (!memory) return false;
  ct_status status = ct_resting_solve(&island->set, &q->force.resting, run->arena, &result);
  if (status == CT_OK) {
    const api_force_island island_context = {q->scene, island, !q->force.mechanics.only_given};
    api_put_resting(&run->range->text, &island_context, &q->force.resting, &result);
    bool left_out = q->force.put_matrix && island->set.count > CT_LCP_DIRECT_MAX;
    api_put_resting_flags(&run->range->text, &result, left_out);
    if (put_contact_system(run, &island->set)) api_put_byte(&run->range->text, '}');
    record_stability(run, &result);
    api_solver_counts_add(run->solved, result.iterations,
                          result.status == CT_RESTING_STATUS_NOT_CONVERGED);
  } else {
    record_failure(run, island, status, &q->force.resting);
  }
  free(memory);
  return status == CT_OK && !run->range->memory;
}

/* ---- islands -------------------------------------------------------------------------------- */

static bool has_island_result(const api_query *q, const ct_island *island) {
  return !q->kind->force->contacts_only || island->set.count > 0;
}

/* Solves the islands [begin, end) and puts their results. */
static void run_islands(api_range_run *run, const ct_mechanics *mechanics, size_t begin,
                        size_t end) {
  const api_query *q = &run->task->question;
  assert(begin <= end && end <= ct_mechanics_islands(mechanics));
  for (size_t i = begin; i < end; i++) {
    const ct_island island = ct_mechanics_island(mechanics, i);
    if (i < q->from.item || !has_island_result(q, &island)) continue;
    if (ct_cancel_raised(run->plan->cancel)) run->range->status = CT_CANCELLED;
    if (run->range->status != CT_OK) return;
    api_put_item(&run->range->text);
    if (!q->kind->force->run_island(run, &island)) return;
    if (!api_mark_result(run, (api_mark){.item = (uint32_t)i, .after = CT_NO_ROW})) return;
  }
}

/* If the request sets no friction model, friction cones are used if any contact has friction. */
static void resolve_friction(api_force *force, const ct_mechanics *mechanics) {
  if (force->friction_given) return;
  for (size_t i = 0; i < ct_mechanics_islands(mechanics); i++) {
    const ct_contact_set set = ct_mechanics_island(mechanics, i).set;
    for (size_t k = 0; k < set.count; k++)
      if (set.contacts[k].material.static_friction > 0.0)
        force->resting.friction = CT_RESTING_FRICTION_CONE;
  }
}

static ct_mechanics *prepare_mechanics(api_range_run *run) {
  api_query *q = &run->task->question;
  ct_mechanics *mechanics = NULL;
  run->range->status =
      ct_mechanics_prepare(q->scene, &q->force.mechanics, run->workspace, &mechanics);
  if (run->range->status == CT_LIMIT)
    set_contact_limit(run, API_CONTACT_LIMIT_MEMORY, 0, q->force.mechanics.contacts_max);
  if (mechanics) resolve_friction(&q->force, mechanics);
  for (size_t i = 0; mechanics && i < ct_mechanics_islands(mechanics); i++) {
    const ct_island island = ct_mechanics_island(mechanics, i);
    run->task->islands += has_island_result(q, &island);
  }
  if (q->writes)
    run->task->after = alloc_result(run, ct_scene_rows(q->scene) * sizeof *run->task->after);
  return mechanics;
}

/* Divides a force query into ranges: the first range finds contacts and islands; if `shared`, the
 * further ranges divide the islands among them. There are at most as many islands as bodies of the
 * scene. */
ct_status api_plan_forces(const api_plan *plan, api_task *task, bool shared) {
  (void)plan;
  const api_query *q = &task->question;
  const ct_mechanics_options *o = &q->force.mechanics;
  size_t rows = ct_scene_rows(q->scene);
  task->items = 1;
  /* The elastic law costs little compared with the search for contacts: one range does both. */
  if (shared && q->kind->force->run_island)
    task->items += rows < FORCE_RANGES ? rows : FORCE_RANGES;
  task->cost = API_ISLAND_NS * (double)(rows + o->given_count);
  if (o->only_given) return CT_OK;
  double finding;
  ct_query_options contact_query = q->options;
  contact_query.clearance = o->contact_tolerance;
  ct_status status =
      api_estimate_contacts_cost(q->scene, NULL, &contact_query, CT_QUERY_CONTACTS, &finding);
  task->cost += finding;
  return status;
}

void api_run_forces(api_range_run *run, size_t begin, size_t end) {
  api_task *task = run->task;
  size_t shares = task->range_count - 1, index = begin;
  assert(end == begin + 1 && index <= shares); /* the number of a range is that of its only work
                                                  item */
  (void)end;
  ct_mechanics *own = index == 0 ? prepare_mechanics(run) : NULL;
  if (index == 0 && shares > 0) {
    task->mechanics = own;
  } else if (own) {
    run_islands(run, own, 0, ct_mechanics_islands(own));
    ct_mechanics_destroy(own);
  } else if (task->mechanics) {
    assert(shares > 0); /* task->mechanics is set only for several ranges */
    size_t count = ct_mechanics_islands(task->mechanics);
    run_islands(run, task->mechanics, count * (index - 1) / shares, count * index / shares);
  }
}

/* Puts the tolerances that were used for impulses or resting forces. */
static void put_force_tolerances(api_buffer *out, const api_force *force) {
  api_put_member_number(out, "contactTolerance", force->mechanics.contact_tolerance);
  if (force->mechanics.volumes) api_put_volume_tolerances(out, &force->volumetric);
  api_put_member_number(out, "velocityTolerance", force->velocity_tolerance);
}

/* True if the page has all islands: only then does it report convergence. */
static bool has_all_islands(const api_task *task, const api_page *page) {
  return !page->truncated && !task->question.resumed;
}

void api_put_impulse_members(api_buffer *out, const api_task *task, const api_page *page) {
  const api_force *force = &task->question.force;
  put_force_tolerances(out, force);
  if (force->impulse.rest_velocity > 0.0)
    api_put_member_number(out, "restVelocity", force->impulse.rest_velocity);
  if (has_all_islands(task, page)) api_put_member_bool(out, "converged", !page->force.diverged);
}

void api_put_resting_members(api_buffer *out, const api_task *task, const api_page *page) {
  const api_force *force = &task->question.force;
  put_force_tolerances(out, force);
  api_put_member_string(out, "friction",
                        api_text(api_resting_friction_word(force->resting.friction)));
  if (force->resting.friction != CT_RESTING_FRICTION_NONE && !force->resting.acceleration_level)
    api_put_member_number(out, "timeStep", force->resting.time_step);
  if (!has_all_islands(task, page)) return;
  api_put_member_bool(out, "converged", !page->force.diverged);
  if (page->force.falls || !page->force.undecided)
    api_put_member_bool(out, "stable", !page->force.falls);
}
