/* First contact of two bodies: the least over their pairs of colliders. */
#include "motion/impact.h"

#include <assert.h>

/* A normal velocity this small against the velocities that it comes from may be rounding, and is not parting. */
#define PARTING_SLACK (256.0 * CT_UNIT_ROUNDOFF)
typedef struct first_contact {
  const ct_impact_bodies *bodies;
  ct_impact *impact;
  bool initial; /* a pair is in contact at the start, and is not parting */
  bool parting; /* a pair is, and parts */
  double depth; /* the least distance of these; of `initial` ones once there is one */
  bool met;     /* the impact is a contact */
  double upper; /* of the contacts met */
  double lower; /* least of the pairs that met */
  double lost;  /* least of those that nothing is known of from there on */
  double free;  /* least of all */
  bool ended;   /* one of the lost ran out of iterations */
} first_contact;

static double spread(const ct_impact_side *side, const ct_impact_place *at) {
  double arm = side->arm < INFINITY ? side->arm : 0.0;
  return ct_norm(at->velocity.linear) + side->spin * arm;
}

/* In contact at the start: is that where the pair is to stay? */
static bool note_initial(first_contact *first, const ct_impact_pair *pair, const ct_impact_sample *s) {
  ct_impact told = *first->impact;
  ct_impact_tell(s, &told);
  bool parting = told.normal_velocity > PARTING_SLACK * (spread(&pair->a, &s->a) + spread(&pair->b, &s->b));
  bool known = first->initial || (first->parting && parting);
  if (first->initial && parting) return false;
  if (!known || s->result.distance < first->depth) {
    first->depth = s->result.distance;
    if (!first->met || !parting) *first->impact = told;
  }
  first->initial = first->initial || !parting;
  first->parting = first->parting || parting;
  return parting && !first->initial;
}

/* The pair met: *at is before that, *met in contact. */
static void note_contact(first_contact *first, ct_impact_search *search, const ct_impact_sample *at, const ct_impact_sample *met) {
  ct_impact_sample root = *met;
  ct_impact_take_normal(at, &root);
  search->most = search->options->iterations_max;
  bool passed = search->passed > 0.0;
  if (met->time > search->certain && !passed) {
    if (at->result.distance > 0.0) ct_impact_root(search, at, met, &root);
    else root = *at;
    if (root.time < search->certain) root = *met;
  }
  if (search->status != CT_OK) return;
  double upper = passed ? search->passed : ct_impact_nearer(search, &root, met->time, false);
  first->lower = ct_min2(first->lower, search->certain);
  if (first->met && !(root.time < first->impact->time)) return;
  first->met = true;
  first->upper = upper;
  ct_impact_tell(&root, first->impact);
}

static void note_lost(first_contact *first, const ct_impact_search *search, double from) {
  first->lost = ct_min2(first->lost, from);
  first->ended = first->ended || search->ended;
}

static void follow(first_contact *first, ct_impact_search *search, ct_impact_sample *at) {
  ct_impact_sample met;
  ct_impact_outcome outcome = ct_impact_advance(search, at, &met);
  if (outcome == CT_OUTCOME_MET) note_contact(first, search, at, &met);
  if (outcome == CT_OUTCOME_LOST) note_lost(first, search, search->free);
  first->free = ct_min2(first->free, search->free);
}

static void note_graze(first_contact *first, const ct_impact_search *search) {
  ct_impact *impact = first->impact;
  if (!search->grazed || (impact->flags & CT_IMPACT_FLAG_GRAZE && impact->graze_time <= search->graze_time)) return;
  impact->flags |= CT_IMPACT_FLAG_GRAZE;
  impact->graze_time = search->graze_time;
  impact->graze_distance = search->graze_distance;
}

static ct_impact_search search_of(const first_contact *first, const ct_impact_pair *pair) {
  const ct_impact_options *options = first->bodies->options;
  ct_impact_search search = {.options = options, .workspace = first->bodies->workspace, .pair = *pair, .status = CT_OK};
  /* Once the start is a contact, or another is known, what comes later does not matter. */
  search.limit = first->initial ? options->begin : first->met ? first->impact->time : options->end;
  return search;
}

static bool skips_pairs(void *context, const ct_impact_pair *whole) {
  const first_contact *first = context;
  const ct_impact_search search = search_of(first, whole);
  double time = first->bodies->options->begin;
  return ct_impact_skip(&search, &time);
}

static ct_status visit_pair(void *context, const ct_impact_pair *pair) {
  first_contact *first = context;
  const ct_impact_options *options = first->bodies->options;
  ct_impact_search search = search_of(first, pair);
  ct_impact_sample at, parted;
  ct_impact_outcome outcome = ct_impact_start(&search, options->begin, &at);
  if (outcome == CT_OUTCOME_LOST && search.status == CT_OK) {
    if (ct_sample_apart(&at) && !first->initial) follow(first, &search, &at);
    else if (!ct_sample_apart(&at)) {
      note_lost(first, &search, options->begin);
      first->free = options->begin;
    }
  } else if (outcome == CT_OUTCOME_MET && note_initial(first, pair, &at)) {
    first->free = options->begin;
    if (ct_impact_leave(&search, &at, &parted) == CT_OUTCOME_FREE) follow(first, &search, &parted);
  }
  if (search.status == CT_OK) note_graze(first, &search);
  first->impact->iterations += search.distances;
  return search.status;
}

/* What the pairs come to together. */
static void conclude(const first_contact *first) {
  const ct_impact_options *options = first->bodies->options;
  ct_impact *impact = first->impact;
  if (first->parting && !first->initial) impact->flags |= CT_IMPACT_FLAG_SEPARATING_AT_START;
  if (first->initial || (first->parting && !first->met)) {
    impact->event = CT_IMPACT_INITIAL;
    impact->lower = impact->upper = impact->free_until = options->begin;
    if (first->initial) impact->flags = 0;
    return;
  }
  impact->free_until = ct_min2(first->free, options->end);
  if (first->met && !(first->lost < first->lower)) {
    impact->event = CT_IMPACT_CONTACT;
    impact->lower = ct_min2(first->lower, impact->time);
    impact->upper = first->upper;
    impact->free_until = ct_min2(impact->free_until, impact->lower);
    if (impact->flags & CT_IMPACT_FLAG_GRAZE && impact->graze_time > impact->upper)
      impact->flags &= ~(uint32_t)CT_IMPACT_FLAG_GRAZE;
  } else {
    impact->event = first->lost < INFINITY ? CT_IMPACT_UNDECIDED : CT_IMPACT_NONE;
    if (first->lost < INFINITY) impact->status = first->ended ? CT_PAIR_ITERATION_LIMIT : CT_PAIR_DEGENERATE;
    impact->time = options->end;
  }
  if (!(impact->flags & CT_IMPACT_FLAG_GRAZE)) impact->graze_time = impact->graze_distance = 0.0;
}

ct_status ct_body_impact(ct_mover a, ct_mover b, const ct_impact_options *options, ct_workspace *workspace, ct_impact *impact) {
  assert(options->begin >= 0.0 && options->begin <= options->end && options->iterations_max > 0);
  assert(options->end <= ct_path_duration(a.path) && options->end <= ct_path_duration(b.path));
  *impact = (ct_impact){.event = CT_IMPACT_NONE, .time = options->end, .free_until = options->end};
  if (ct_body_collider_count(a.body) == 0 || ct_body_collider_count(b.body) == 0) return CT_OK;
  ct_impact_bodies bodies = ct_impact_bodies_of(a, b, options, workspace);
  if (options->method == CT_IMPACT_BISECTION) return ct_impact_bisect(&bodies, impact);
  first_contact first = {.bodies = &bodies, .impact = impact, .lower = INFINITY, .lost = INFINITY, .free = INFINITY};
  const ct_impact_visitor visitor = {visit_pair, skips_pairs};
  ct_status status = ct_impact_each_pair(&bodies, &visitor, &first);
  if (status == CT_OK) conclude(&first);
  return status;
}
