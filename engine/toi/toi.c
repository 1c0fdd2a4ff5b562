/* First contact of two bodies: the minimum over their pairs of colliders. */
#include "toi/toi.h"

#include <assert.h>
#include <string.h>

/* A normal velocity below this fraction of the velocities from which it is computed may be
 * round-off; the pair then does not count as separating. */
#define SEPARATING_SLACK (256.0 * CT_UNIT_ROUNDOFF)
/* Groups of colliders are tested at MARKS fixed times of the motion and at its end only, so that
 * the poses of the bodies are computed once per time for all groups. */
#define MARKS 32
typedef struct motion_marks {
  bool is_set[MARKS + 1];
  ct_toi_sample poses[MARKS + 1];
} motion_marks;

typedef struct first_contact {
  const ct_toi_bodies *bodies;
  motion_marks *marks;
  ct_toi *impact;
  bool initial;    /* a pair is in contact at the start and not separating */
  bool separating; /* a pair is in contact at the start and separating */
  double depth;    /* least signed distance of the pairs of colliders in contact at the start, m; if
                      some of these pairs do not separate, the least of those that do not */
  bool has_contact;        /* `impact` contains a contact after the start */
  double upper;            /* upper end of the time bracket of the contact in `impact`, s */
  double lower;            /* lower end of the time bracket: least apart_until of the pairs of
                              colliders with a contact, s */
  double undecided_from;   /* earliest time from which a pair is undecided, s */
  double free_until;       /* time until which all pairs of colliders are certainly apart (least
                              free_until of any pair), s */
  bool out_of_evaluations; /* an undecided pair reached its sample limit */
} first_contact;

static double speed_scale(const ct_toi_side *side, const ct_toi_side_pose *at) {
  double arm = side->arm < INFINITY ? side->arm : 0.0;
  return ct_norm(at->velocity.linear) + side->spin * arm;
}

/* Records that a pair is in contact at the start. Returns true if the pair separates, so that its
 * search continues. */
static bool record_initial_contact(first_contact *first, const ct_toi_pair *pair,
                                   const ct_toi_sample *s) {
  ct_toi reported = *first->impact;
  ct_toi_write_result(s, &reported);
  bool half_spaces = s->result.status == CT_PAIR_UNSUPPORTED;
  bool separating =
      !half_spaces && reported.normal_velocity > SEPARATING_SLACK * (speed_scale(&pair->a, &s->a) +
                                                                     speed_scale(&pair->b, &s->b));
  bool known = first->initial || (first->separating && separating);
  if (first->initial && separating) return false;
  if (!known || s->result.distance < first->depth) {
    first->depth = s->result.distance;
    if (!first->has_contact || !separating) *first->impact = reported;
  }
  first->initial = first->initial || !separating;
  first->separating = first->separating || separating;
  return separating && !first->initial;
}

/* Records the contact of a pair: *at is the last sample before the contact, *contact the first
 * sample in contact. */
static void record_pair_contact(first_contact *first, ct_toi_search *search,
                                const ct_toi_sample *at, ct_toi_sample *contact) {
  assert(at->time <= contact->time);
  ct_toi_set_normal(&search->pair, at, contact);
  ct_toi_sample root = *contact;
  search->evaluations_max = search->options->iterations_max;
  /* The distance has no root if open surfaces pass through each other, or if half-spaces rotate:
   * half-spaces overlap at infinity as soon as their normals are not opposite. */
  bool passed = search->passage_time > 0.0, at_once = contact->result.status == CT_PAIR_UNSUPPORTED;
  if (contact->time > search->apart_until && !passed && !at_once) {
    if (at->result.distance > 0.0) ct_toi_root(search, at, contact, &root);
    else root = *at;
    if (root.time < search->apart_until) root = *contact;
  }
  if (search->status != CT_OK) return;
  double upper =
      passed ? search->passage_time : ct_toi_narrow_bracket(search, &root, contact->time, false);
  first->lower = ct_min2(first->lower, search->apart_until);
  if (first->has_contact && !(root.time < first->impact->time)) return;
  first->has_contact = true;
  first->upper = upper;
  ct_toi_write_result(&root, first->impact);
}

static void record_undecided(first_contact *first, const ct_toi_search *search, double from) {
  first->undecided_from = ct_min2(first->undecided_from, from);
  first->out_of_evaluations = first->out_of_evaluations || search->out_of_evaluations;
}

static void advance_pair(first_contact *first, ct_toi_search *search, ct_toi_sample *at) {
  ct_toi_sample contact;
  ct_toi_outcome outcome = ct_toi_advance(search, at, &contact);
  if (outcome == CT_TOI_OUTCOME_CONTACT) record_pair_contact(first, search, at, &contact);
  if (outcome == CT_TOI_OUTCOME_UNDECIDED) record_undecided(first, search, search->free_until);
  first->free_until = ct_min2(first->free_until, search->free_until);
}

static void record_first_graze(first_contact *first, const ct_toi_search *search) {
  ct_toi *impact = first->impact;
  if (!search->grazed ||
      (impact->flags & CT_TOI_FLAG_GRAZE && impact->graze_time <= search->graze_time))
    return;
  impact->flags |= CT_TOI_FLAG_GRAZE;
  impact->graze_time = search->graze_time;
  impact->graze_distance = search->graze_distance;
  impact->graze_end = search->graze_end;
}

/* Returns the time up to which pairs are searched: contacts later than a known one are irrelevant,
 * and after a contact at the start nothing is searched. */
static double search_limit_of(const first_contact *first) {
  const ct_toi_options *options = first->bodies->options;
  return first->initial ? options->begin : first->has_contact ? first->impact->time : options->end;
}

static ct_toi_search pair_search_of(const first_contact *first, const ct_toi_pair *pair) {
  const ct_toi_options *options = first->bodies->options;
  ct_toi_search search = {
      .options = options, .workspace = first->bodies->workspace, .pair = *pair, .status = CT_OK};
  search.limit = search_limit_of(first);
  return search;
}

/* True if two groups cannot contain the first contact. key: time until which they are certainly
 * apart; -INFINITY if not even at the start. */
static bool is_late_pair(void *context, double key) { return key >= search_limit_of(context); }

static double mark_time(const ct_toi_options *o, uint32_t mark) {
  return mark == MARKS ? o->end : o->begin + (o->end - o->begin) * ((double)mark / MARKS);
}

/* Returns the last mark at or before the time. */
static uint32_t mark_at(const ct_toi_options *o, double time) {
  double width = o->end - o->begin, part = width > 0.0 ? (time - o->begin) / width * MARKS : 0.0;
  uint32_t mark = part < MARKS ? (uint32_t)part : MARKS;
  assert(mark <= MARKS);
  return mark > 0 && mark_time(o, mark) > time ? mark - 1 : mark;
}

/* Returns the poses of the bodies at a mark, which are computed once for all groups. */
static const ct_toi_sample *bodies_at_mark(first_contact *first, const ct_toi_pair *groups,
                                           uint32_t mark) {
  ct_toi_sample *poses = &first->marks->poses[mark];
  if (!first->marks->is_set[mark])
    ct_toi_place_pair(groups, mark_time(first->bodies->options, mark), poses);
  first->marks->is_set[mark] = true;
  return poses;
}

static bool can_skip_groups(void *context, const ct_toi_pair *groups, double *key) {
  first_contact *first = context;
  const ct_toi_options *options = first->bodies->options;
  double limit = search_limit_of(first), time = ct_max2(options->begin, *key);
  for (uint32_t mark = mark_at(options, time), next;; mark = next) {
    bool near;
    const ct_toi_sample *poses = bodies_at_mark(first, groups, mark);
    double left = limit - poses->time, step = ct_toi_ball_time(groups, poses, left, &near);
    if (step > 0.0 && step >= left) return true;
    double later = ct_toi_later(poses->time, step);
    if (later > time) *key = time = later;
    next = mark_at(options, time);
    if (next <= mark) return is_late_pair(context, *key);
  }
}

static ct_status search_pair_of_colliders(void *context, const ct_toi_pair *pair, double key) {
  first_contact *first = context;
  const ct_toi_options *options = first->bodies->options;
  ct_toi_search search = pair_search_of(first, pair);
  ct_toi_sample at, separated;
  ct_toi_outcome outcome = ct_toi_start(&search, options->begin, key, &at);
  /* apart at the start: advance to the contact. In contact and separating: search until the pair
   * is apart, then advance */
  if (outcome == CT_TOI_OUTCOME_UNDECIDED && search.status == CT_OK) {
    if (ct_sample_is_apart(&at) && !first->initial) advance_pair(first, &search, &at);
    else if (!ct_sample_is_apart(&at)) {
      record_undecided(first, &search, options->begin);
      first->free_until = options->begin;
    }
  } else if (outcome == CT_TOI_OUTCOME_CONTACT && record_initial_contact(first, pair, &at)) {
    first->free_until = options->begin;
    if (ct_toi_search_separation(&search, &at, &separated) == CT_TOI_OUTCOME_FREE)
      advance_pair(first, &search, &separated);
    else if (search.status == CT_OK && at.time < options->end)
      record_undecided(first, &search, options->begin);
  }
  if (search.status == CT_OK) record_first_graze(first, &search);
  first->impact->iterations += search.distances;
  return search.status;
}

/* Returns the status of the result: if a pair is undecided, whether because of the sample limit or
 * of round-off. */
static ct_pair_status undecided_status(const first_contact *first) {
  if (!(first->undecided_from < INFINITY)) return CT_PAIR_OK;
  return first->out_of_evaluations ? CT_PAIR_ITERATION_LIMIT : CT_PAIR_DEGENERATE;
}

/* Combines the results of all pairs of colliders into event, bracket and flags. */
static void combine_pairs(const first_contact *first) {
  const ct_toi_options *options = first->bodies->options;
  ct_toi *impact = first->impact;
  if (first->separating && !first->initial) impact->flags |= CT_TOI_FLAG_SEPARATING_AT_START;
  /* contact at the start that does not separate, or is not followed by another contact */
  if (first->initial || (first->separating && !first->has_contact)) {
    impact->event = CT_TOI_INITIAL;
    impact->lower = impact->upper = impact->free_until = options->begin;
    if (first->initial) impact->flags = 0;
    else impact->status = undecided_status(first);
    return;
  }
  impact->free_until = ct_min2(first->free_until, options->end);
  /* report the first contact, unless a pair is undecided before it */
  if (first->has_contact && !(first->undecided_from < first->lower)) {
    impact->event = CT_TOI_CONTACT;
    impact->lower = ct_min2(first->lower, impact->time);
    impact->upper = first->upper;
    impact->free_until = ct_min2(impact->free_until, impact->lower);
    assert(impact->free_until <= impact->lower && impact->lower <= impact->time);
    assert(impact->time <= impact->upper);
    if (impact->flags & CT_TOI_FLAG_GRAZE && impact->graze_time > impact->upper)
      impact->flags &= ~(uint32_t)CT_TOI_FLAG_GRAZE;
  } else {
    impact->event = first->undecided_from < INFINITY ? CT_TOI_UNDECIDED : CT_TOI_NONE;
    impact->status = undecided_status(first);
    impact->time = options->end;
  }
  if (!(impact->flags & CT_TOI_FLAG_GRAZE))
    impact->graze_time = impact->graze_distance = impact->graze_end = 0.0;
}

ct_status ct_toi_first(const ct_toi_bodies *bodies, ct_toi *impact) {
  const ct_toi_options *options = bodies->options;
  *impact = (ct_toi){.event = CT_TOI_NONE, .time = options->end, .free_until = options->end};
  motion_marks marks;
  memset(marks.is_set, 0, sizeof marks.is_set);
  first_contact first = {.bodies = bodies,
                         .marks = &marks,
                         .impact = impact,
                         .lower = INFINITY,
                         .undecided_from = INFINITY,
                         .free_until = INFINITY};
  const ct_toi_visitor visitor = {search_pair_of_colliders, can_skip_groups, is_late_pair};
  ct_status status = ct_toi_each_pair(bodies, &visitor, &first);
  if (status == CT_OK) combine_pairs(&first);
  return status;
}

bool ct_toi_is_within(const ct_toi_options *options, double duration) {
  return options->begin >= 0.0 && options->begin <= options->end && options->end <= duration;
}

bool ct_toi_is_supported(ct_moving_body a, ct_moving_body b, const ct_toi_options *options) {
  if (!a.body || !a.path || !b.body || !b.path) return false;
  return ct_toi_is_within(options, ct_min2(ct_path_duration(a.path), ct_path_duration(b.path)));
}

ct_status ct_body_toi(ct_moving_body a, ct_moving_body b, const ct_toi_options *options,
                      ct_workspace *workspace, ct_toi *impact) {
  if (!ct_toi_is_supported(a, b, options)) return CT_LIMIT;
  ct_toi_options own = *options;
  if (own.iterations_max == 0) own.iterations_max = CT_TOI_ITERATIONS;
  options = &own;
  *impact = (ct_toi){.event = CT_TOI_NONE, .time = options->end, .free_until = options->end};
  if (ct_body_collider_count(a.body) == 0 || ct_body_collider_count(b.body) == 0) return CT_OK;
  ct_toi_bodies bodies;
  ct_status status = ct_toi_bodies_set(&bodies, a, b, options, workspace);
  if (status != CT_OK) return status;
  return options->method == CT_TOI_BISECTION ? ct_toi_bisect(&bodies, impact)
                                             : ct_toi_first(&bodies, impact);
}
