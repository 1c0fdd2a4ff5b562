/* Sparsification of contacts: each rule by hand, invariants of the rules, and every outcome against
 * a literal implementation of the rules. */
#include "tests/support/check.h"

#include <contact/sparsify.h>
#include <time.h>

/* Pieces of a body in a row: neighbours are adjacent. */
static bool in_a_row(void *context, uint32_t body, uint32_t piece, uint32_t other) {
  (void)context;
  (void)body;
  return piece + 1 == other || other + 1 == piece;
}

static bool never(void *context, uint32_t body, uint32_t piece, uint32_t other) {
  (void)context;
  (void)body;
  (void)piece;
  (void)other;
  return false;
}

static ct_sparsify_options options_of(double threshold, double min_area, double min_distance) {
  return (ct_sparsify_options){.threshold = threshold,
                               .min_area = min_area,
                               .min_distance = min_distance,
                               .adjacent = in_a_row};
}

/* A new contact of bodies 0 and 1, with its index as id. */
static ct_sparse_contact contact(uint32_t id, uint32_t piece_a, uint32_t piece_b, double area,
                                 double x) {
  return (ct_sparse_contact){.body_a = 0,
                             .body_b = 1,
                             .piece_a = piece_a,
                             .piece_b = piece_b,
                             .id = id,
                             .area_defined = true,
                             .area = area,
                             .position = {x, 0, 0}};
}

static void check_outcome(const ct_sparse_contact *contacts, size_t count,
                          const ct_sparsify_options *o, const ct_sparsified *expected) {
  ct_sparsified out[8];
  CHECK_INT(ct_sparsify(contacts, count, o, out), CT_OK);
  for (size_t i = 0; i < count; i++) CHECK_INT(out[i], expected[i]);
}

/* Row 13, rule a: a contact below the least area is removed; one equal to it stays. */
static void row_13_a_contact_below_the_least_area_goes(void) {
  const ct_sparse_contact contacts[] = {contact(0, 0, 0, 0.5, 0), contact(1, 9, 9, 0.25, 5),
                                        contact(2, 5, 5, 0.125, 9)};
  const ct_sparsified expected[] = {CT_KEPT, CT_KEPT, CT_REMOVED_AREA};
  ct_sparsify_options o = options_of(0, 0.25, 0);
  check_outcome(contacts, 3, &o, expected);
}

/* Row 13, rule b: beside a contact more than a hundred times as large, on an adjacent piece of
 * either body, or on the same piece. */
static void row_13_b_a_contact_beside_a_much_larger_one_goes(void) {
  const ct_sparse_contact contacts[] = {
      contact(0, 3, 50, 1.0, 0),    contact(1, 4, 10, 0.005, 1), /* neighbour on a's side */
      contact(2, 10, 51, 0.005, 2),                              /* on b's side */
      contact(3, 3, 90, 0.005, 3),                               /* the same piece of a */
      contact(4, 5, 52, 0.005, 4),                               /* two pieces away on both sides */
      contact(5, 2, 49, 0.01, 5),                                /* exactly at the threshold */
  };
  const ct_sparsified expected[] = {CT_KEPT,
                                    CT_REMOVED_ADJACENT_RATIO,
                                    CT_REMOVED_ADJACENT_RATIO,
                                    CT_REMOVED_ADJACENT_RATIO,
                                    CT_KEPT,
                                    CT_KEPT};
  ct_sparsify_options o = options_of(CT_SPARSIFY_THRESHOLD, 0, 0);
  check_outcome(contacts, 6, &o, expected);
  ct_sparse_contact others = contact(1, 4, 10, 0.005, 1);
  others.body_b = 2; /* not the same two bodies */
  const ct_sparse_contact two[] = {contacts[0], others};
  const ct_sparsified both[] = {CT_KEPT, CT_KEPT};
  check_outcome(two, 2, &o, both);
  others = (ct_sparse_contact){.body_a = 1,
                               .body_b = 0,
                               .piece_a = 10,
                               .piece_b = 4,
                               .id = 1,
                               .area_defined = true,
                               .area = 0.005};
  const ct_sparse_contact turned[] = {contacts[0], others};
  const ct_sparsified one[] = {CT_KEPT, CT_REMOVED_ADJACENT_RATIO};
  check_outcome(turned, 2, &o, one);
}

/* Row 13, rule b': of contacts at one position that share a body the last stays; a carried one
 * always does. */
static void row_13_b_prime_of_duplicates_the_later_stays(void) {
  ct_sparse_contact contacts[] = {contact(0, 0, 0, 1, 0), contact(1, 5, 5, 1, 0x1.fp-10),
                                  contact(2, 9, 9, 1, 0x1p-9 + 0x1.fp-10)};
  contacts[1].body_b = 2; /* shares body 0 alone */
  const ct_sparsified expected[] = {CT_REMOVED_DUPLICATE, CT_KEPT, CT_KEPT};
  ct_sparsify_options o = options_of(CT_SPARSIFY_THRESHOLD, 0, 0x1p-10);
  check_outcome(contacts, 3, &o, expected);
  contacts[1].body_a = 3; /* shares no body */
  const ct_sparsified apart[] = {CT_KEPT, CT_KEPT, CT_KEPT};
  check_outcome(contacts, 3, &o, apart);
  contacts[1].body_a = 0;
  contacts[0].carried = true;
  const ct_sparsified old[] = {CT_KEPT, CT_REMOVED_DUPLICATE, CT_KEPT};
  check_outcome(contacts, 3, &o, old);
  contacts[0].carried = false;
  contacts[1].position.x = 0x1p-9; /* exactly the margin away */
  contacts[2].position.x = 1;
  check_outcome(contacts, 3, &o, apart);
}

/* Points differ by the margin on one axis alone: far enough. */
static void duplicates_are_near_on_every_axis(void) {
  ct_sparsify_options o = options_of(0, 0, 0.5);
  for (int axis = 0; axis < 3; axis++) {
    ct_sparse_contact contacts[] = {contact(0, 0, 0, 1, 0.9), contact(1, 9, 9, 1, 0)};
    contacts[0].position = (ct_vec3){0.9, -0.9, 0.9};
    const ct_sparsified near[] = {CT_REMOVED_DUPLICATE, CT_KEPT}, apart[] = {CT_KEPT, CT_KEPT};
    check_outcome(contacts, 2, &o, near);
    double *at[] = {&contacts[0].position.x, &contacts[0].position.y, &contacts[0].position.z};
    *at[axis] = axis == 1 ? -1.0 : 1.0;
    check_outcome(contacts, 2, &o, apart);
  }
}

/* A contact removed for its area is not a duplicate of another, so that one of a pair always stays.
 */
static void what_an_area_removes_replaces_nothing(void) {
  ct_sparsify_options o = options_of(0.5, 0.1, 1);
  const ct_sparse_contact small[] = {contact(0, 0, 0, 0.1, 0), contact(1, 9, 9, 0.05, 0)};
  const ct_sparsified first[] = {CT_KEPT, CT_REMOVED_AREA};
  check_outcome(small, 2, &o, first);
  const ct_sparse_contact chain[] = {contact(0, 20, 20, 0.4, 0), contact(1, 9, 9, 0.4, 0),
                                     contact(2, 10, 10, 1, 7)};
  const ct_sparsified stays[] = {CT_KEPT, CT_REMOVED_ADJACENT_RATIO, CT_KEPT};
  check_outcome(chain, 3, &o, stays);
}

static void contacts_without_an_area_are_left_to_the_last_rule(void) {
  ct_sparse_contact contacts[] = {contact(0, 0, 0, 0, 0), contact(1, 0, 0, 1, 5),
                                  contact(2, 1, 1, 1, 0)};
  contacts[0].area_defined = false;
  const ct_sparsified expected[] = {CT_KEPT, CT_KEPT, CT_KEPT},
                      replaced[] = {CT_REMOVED_DUPLICATE, CT_KEPT, CT_KEPT};
  ct_sparsify_options o = options_of(1, 0.5, 0);
  check_outcome(contacts, 3, &o, expected);
  o.min_distance = 0.1;
  check_outcome(contacts, 3, &o, replaced);
}

/* ---- the rules, literally -------------------------------------------------------------------- */

static bool shares_body(const ct_sparse_contact *c, const ct_sparse_contact *k) {
  return c->body_a == k->body_a || c->body_a == k->body_b || c->body_b == k->body_a ||
         c->body_b == k->body_b;
}

static bool is_adjacent(const ct_sparsify_options *o, uint32_t body, uint32_t p, uint32_t q) {
  return p == q || o->adjacent(o->context, body, p, q);
}

/* True if c and k join the same bodies, on pieces that are adjacent on either body. */
static bool joins_adjacent(const ct_sparsify_options *o, const ct_sparse_contact *c,
                           const ct_sparse_contact *k) {
  if (c->body_a == k->body_a && c->body_b == k->body_b &&
      (is_adjacent(o, c->body_a, c->piece_a, k->piece_a) ||
       is_adjacent(o, c->body_b, c->piece_b, k->piece_b)))
    return true;
  return c->body_a == k->body_b && c->body_b == k->body_a &&
         (is_adjacent(o, c->body_a, c->piece_a, k->piece_b) ||
          is_adjacent(o, c->body_b, c->piece_b, k->piece_a));
}

static bool much_smaller(const ct_sparsify_options *o, const ct_sparse_contact *c,
                         const ct_sparse_contact *k) {
  return c->area_defined && k->area_defined && c->area < o->threshold * k->area;
}

static void literal(const ct_sparse_contact *contacts, size_t count, const ct_sparsify_options *o,
                    ct_sparsified *out) {
  for (size_t i = 0; i < count; i++) {
    const ct_sparse_contact *c = &contacts[i];
    out[i] = CT_KEPT;
    if (c->carried || !c->area_defined) continue;
    for (size_t j = 0; j < count; j++)
      if (j != i && much_smaller(o, c, &contacts[j]) && joins_adjacent(o, c, &contacts[j]))
        out[i] = CT_REMOVED_ADJACENT_RATIO;
    if (c->area < o->min_area) out[i] = CT_REMOVED_AREA;
  }
  for (size_t i = 0; i < count; i++) {
    const ct_sparse_contact *c = &contacts[i];
    if (c->carried || out[i] != CT_KEPT) continue;
    for (size_t j = 0; j < count; j++) {
      const ct_sparse_contact *k = &contacts[j];
      if (j == i || !shares_body(c, k) || out[j] == CT_REMOVED_AREA ||
          out[j] == CT_REMOVED_ADJACENT_RATIO)
        continue;
      double apart =
          fmax(fabs(c->position.x - k->position.x),
               fmax(fabs(c->position.y - k->position.y), fabs(c->position.z - k->position.z)));
      if (!much_smaller(o, c, k) && apart < 2.0 * o->min_distance && (c->id < k->id || k->carried))
        out[i] = CT_REMOVED_DUPLICATE;
    }
  }
}

/* ---- dense sets ------------------------------------------------------------------------------ */

#define CROWD 400

/* Contacts of a few bodies of pieces in a row, at points of a lattice of width `step`, in the same
 * and in neighbouring cells, some off the lattice. */
static void crowd(check_random *r, ct_sparse_contact *out, size_t count, double step,
                  double reach) {
  for (size_t i = 0; i < count; i++) {
    uint32_t body = (uint32_t)(check_next(r) % 3);
    out[i] = (ct_sparse_contact){.body_a = body,
                                 .body_b = body + 1 + (uint32_t)(check_next(r) % 2),
                                 .piece_a = (uint32_t)(check_next(r) % 40),
                                 .piece_b = (uint32_t)(check_next(r) % 40),
                                 .id = (uint32_t)i,
                                 .carried = check_next(r) % 16 == 0,
                                 .area_defined = check_next(r) % 8 != 0,
                                 .area = ldexp(1.0, -(int)(check_next(r) % 12))};
    double *at[] = {&out[i].position.x, &out[i].position.y, &out[i].position.z};
    for (int k = 0; k < 3; k++) {
      double off = check_next(r) % 2 ? check_uniform(r, -step, step) : 0.0;
      *at[k] = step * floor(check_uniform(r, -reach, reach)) + off;
    }
    if (check_next(r) % 2) {
      uint32_t turn = out[i].body_a;
      out[i].body_a = out[i].body_b;
      out[i].body_b = turn;
    }
  }
}

static ct_sparsify_options random_options(check_random *r, int round) {
  static const double thresholds[] = {0.01, 0.1, 1.0, 0.0}, areas[] = {0.0, 0x1p-9},
                      distances[] = {0.5, 0.25, 1.0, 1e-12};
  ct_sparsify_options o = options_of(thresholds[check_next(r) % 4], areas[check_next(r) % 2],
                                     distances[check_next(r) % 4]);
  if (round % 8 == 0) o.adjacent = never;
  return o;
}

/* Extents from a few lattice steps, many contacts per cell, to thousands of cells; far from the
 * origin too. */
static void outcomes_are_those_of_the_literal_rules(void) {
  static ct_sparse_contact contacts[CROWD];
  static ct_sparsified out[CROWD], truth[CROWD];
  static const double reaches[] = {1, 3, 8, 1e9};
  check_random r = {131};
  size_t seen[4] = {0};
  for (int round = 0; round < 300; round++) {
    crowd(&r, contacts, CROWD, round % 5 == 0 ? 0.75 : 1.0, reaches[round % 4]);
    ct_sparsify_options o = random_options(&r, round);
    CHECK_INT(ct_sparsify(contacts, CROWD, &o, out), CT_OK);
    literal(contacts, CROWD, &o, truth);
    for (size_t i = 0; i < CROWD; i++) {
      CHECK_INT(out[i], truth[i]);
      seen[out[i]]++;
    }
  }
  for (int k = 0; k < 4; k++) CHECK(seen[k] > 1000);
}

static void carried_contacts_stay_and_zeros_remove_nothing(void) {
  static ct_sparse_contact contacts[CROWD];
  static ct_sparsified out[CROWD];
  check_random r = {132};
  for (int round = 0; round < 50; round++) {
    crowd(&r, contacts, CROWD, 1.0, 2);
    ct_sparsify_options o = random_options(&r, round);
    CHECK_INT(ct_sparsify(contacts, CROWD, &o, out), CT_OK);
    for (size_t i = 0; i < CROWD; i++) CHECK(!contacts[i].carried || out[i] == CT_KEPT);
    o = options_of(0, 0, 0);
    CHECK_INT(ct_sparsify(contacts, CROWD, &o, out), CT_OK);
    for (size_t i = 0; i < CROWD; i++) CHECK_INT(out[i], CT_KEPT);
  }
}

static void the_order_of_the_contacts_does_not_matter(void) {
  static ct_sparse_contact contacts[CROWD], shuffled[CROWD];
  static ct_sparsified out[CROWD], other[CROWD];
  check_random r = {133};
  for (int round = 0; round < 50; round++) {
    crowd(&r, contacts, CROWD, 1.0, 3);
    ct_sparsify_options o = random_options(&r, round);
    CHECK_INT(ct_sparsify(contacts, CROWD, &o, out), CT_OK);
    memcpy(shuffled, contacts, sizeof shuffled);
    for (size_t i = CROWD - 1; i > 0; i--) {
      size_t j = check_next(&r) % (i + 1);
      ct_sparse_contact c = shuffled[i];
      shuffled[i] = shuffled[j];
      shuffled[j] = c;
    }
    CHECK_INT(ct_sparsify(shuffled, CROWD, &o, other), CT_OK);
    for (size_t i = 0; i < CROWD; i++) CHECK_INT(other[i], out[shuffled[i].id]);
  }
}

/* Each removed contact leaves the one that caused its removal, so a second run removes nothing. */
static void a_second_time_removes_nothing(void) {
  static ct_sparse_contact contacts[CROWD];
  static ct_sparsified out[CROWD];
  check_random r = {134};
  for (int round = 0; round < 50; round++) {
    crowd(&r, contacts, CROWD, 1.0, 3);
    ct_sparsify_options o = random_options(&r, round);
    CHECK_INT(ct_sparsify(contacts, CROWD, &o, out), CT_OK);
    size_t kept = 0;
    for (size_t i = 0; i < CROWD; i++)
      if (out[i] == CT_KEPT) contacts[kept++] = contacts[i];
    CHECK(kept > 0);
    CHECK_INT(ct_sparsify(contacts, kept, &o, out), CT_OK);
    for (size_t i = 0; i < kept; i++) CHECK_INT(out[i], CT_KEPT);
  }
}

/* ---- many ----------------------------------------------------------------------------------- */

static double seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* All at one position, then each alone: comparing all pairs would take 256 times as long for 16
 * times as many contacts. */
static void cost_is_near_linear(void) {
  enum { FEW = 2500, MANY = 16 * FEW };
  ct_sparse_contact *contacts = malloc(MANY * sizeof *contacts);
  ct_sparsified *out = malloc(MANY * sizeof *out);
  ct_sparsify_options o = options_of(CT_SPARSIFY_THRESHOLD, 0, 0.5);
  for (int alone = 0; alone < 2; alone++) {
    double took[2];
    for (int k = 0; k < 2; k++) {
      uint32_t count = k ? MANY : FEW;
      for (uint32_t i = 0; i < count; i++) {
        contacts[i] = contact(i, i, i, 1.0 + i % 7, alone ? 2.0 * (i % 400) : 0.0);
        contacts[i].position.y = alone ? 2.0 * (i / 400) : 0.0;
      }
      double begin = seconds();
      CHECK_INT(ct_sparsify(contacts, count, &o, out), CT_OK);
      took[k] = seconds() - begin;
      size_t kept = 0;
      for (uint32_t i = 0; i < count; i++) kept += out[i] == CT_KEPT;
      CHECK_INT(kept, alone ? count : 1);
    }
    CHECK(took[1] < 100.0 * took[0]);
  }
  free(contacts);
  free(out);
}

static void a_raised_flag_stops_the_computation(void) {
  ct_cancel *cancel = ct_cancel_create();
  ct_cancel_raise(cancel);
  ct_sparsify_options o = options_of(0, 0, 1);
  o.cancel = cancel;
  const ct_sparse_contact one = contact(0, 0, 0, 1, 0);
  ct_sparsified out;
  CHECK_INT(ct_sparsify(&one, 1, &o, &out), CT_CANCELLED);
  o.cancel = NULL;
  CHECK_INT(ct_sparsify(&one, 0, &o, &out), CT_OK);
  ct_cancel_destroy(cancel);
}

static const check_test tests[] = {
    {"row 13, rule a: contact below the least area goes",
     row_13_a_contact_below_the_least_area_goes},
    {"row 13, rule b: a contact beside a much larger one goes",
     row_13_b_a_contact_beside_a_much_larger_one_goes},
    {"row 13, rule b': of duplicates the later stays",
     row_13_b_prime_of_duplicates_the_later_stays},
    {"duplicates_are_near_on_every_axis", duplicates_are_near_on_every_axis},
    {"what_an_area_removes_replaces_nothing", what_an_area_removes_replaces_nothing},
    {"contacts_without_an_area_are_left_to_the_last_rule",
     contacts_without_an_area_are_left_to_the_last_rule},
    {"outcomes_are_those_of_the_literal_rules", outcomes_are_those_of_the_literal_rules},
    {"carried_contacts_stay_and_zeros_remove_nothing",
     carried_contacts_stay_and_zeros_remove_nothing},
    {"the_order_of_the_contacts_does_not_matter", the_order_of_the_contacts_does_not_matter},
    {"a_second_time_removes_nothing", a_second_time_removes_nothing},
    {"cost_is_near_linear", cost_is_near_linear},
    {"a_raised_flag_stops_the_computation", a_raised_flag_stops_the_computation},
};

CHECK_MAIN(tests)
