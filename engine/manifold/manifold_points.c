/* Contact points of a pair: their list, patches, order, and reduction to at most four points per
 * patch.
 *
 * The reduction follows Erin Catto (2007): it selects the deepest point, the farthest point from
 * it, the point with the largest triangle, then the point with the largest area outside this
 * triangle. Ties are broken by order, so that the choice does not depend on round-off. Patches are
 * disjoint sets with path halving (Tarjan, van Leeuwen 1984). */
#include "manifold/manifold.h"

#include "base/array.h"
#include "base/heap_sort.h"

#include <assert.h>
#include <stdlib.h>

/* Greatest number of points of a reduced patch. */
#define KEPT_MAX 4
/* Greatest number of points whose projections are computed once and stored. */
#define SPOTS_MAX 16

/* ---- scratch memory ------------------------------------------------------------------------- */

static void release_manifold_part(void *part) {
  ct_manifold_scratch *memory = part;
  for (int i = 0; i < 2; i++) {
    free(memory->outline[i].corners.items);
    free(memory->outline[i].slopes.items);
    free(memory->cut[i].items);
  }
  free(memory->points);
  free(memory->root);
  free(memory->contacts);
  free(memory->link);
}

const ct_workspace_part_type ct_manifold_part_type = {sizeof(ct_manifold_scratch),
                                                      offsetof(ct_manifold_scratch, out_of_memory),
                                                      release_manifold_part};
_Static_assert(sizeof(ct_manifold_scratch) <= CT_WORKSPACE_PART_MAX, "the part fits its slot");

/* ---- the list ------------------------------------------------------------------------------- */

bool ct_contacts_reserve(ct_manifold_scratch *m, uint32_t count) {
  return ct_array_reserve32(&m->points, &m->capacity, count, sizeof *m->points);
}

void ct_contacts_push(ct_contacts *c, const ct_contact_point *point) {
  ct_manifold_scratch *m = c->memory;
  if (!ct_contacts_reserve(m, m->count + 1)) {
    c->failed = true;
    return;
  }
  assert(m->count < m->capacity);
  m->points[m->count++] = *point;
}

void ct_contacts_add(ct_contacts *c, const ct_contact_candidate *candidate) {
  if (!(candidate->distance <= c->reach)) return;
  ct_vec3 other = ct_add_scaled(candidate->at, c->view.normal,
                                candidate->on_second ? -candidate->distance : candidate->distance);
  const ct_contact_point point = {.a = candidate->a,
                                  .b = candidate->b,
                                  .point_a = candidate->on_second ? other : candidate->at,
                                  .point_b = candidate->on_second ? candidate->at : other,
                                  .normal = c->view.normal,
                                  .distance = candidate->distance,
                                  .number = candidate->number};
  ct_contacts_push(c, &point);
}

/* ---- disjoint sets -------------------------------------------------------------------------- */

bool ct_groups_open(ct_contacts *c, uint32_t count) {
  ct_manifold_scratch *m = c->memory;
  if (count > m->root_capacity) {
    uint32_t *root = realloc(m->root, count * sizeof *root);
    c->failed = c->failed || !root;
    if (!root) return false;
    m->root = root;
    m->root_capacity = count;
  }
  for (uint32_t i = 0; i < count; i++) m->root[i] = CT_NO_GROUP;
  return true;
}

uint32_t ct_groups_find(uint32_t *root, uint32_t i) {
  assert(root[i] != CT_NO_GROUP);
  while (root[i] != i) {
    assert(root[i] < i); /* the lowest number of a set represents it */
    root[i] = root[root[i]];
    i = root[i];
  }
  return i;
}

void ct_groups_join(uint32_t *root, uint32_t i, uint32_t k) {
  i = ct_groups_find(root, i);
  k = ct_groups_find(root, k);
  if (i < k) root[k] = i;
  else root[i] = k;
}

/* ---- order ---------------------------------------------------------------------------------- */

static int order_contact_features(ct_feature p, ct_feature q) {
  if (p.kind != q.kind) return p.kind < q.kind ? -1 : 1;
  return p.index == q.index ? 0 : p.index < q.index ? -1 : 1;
}

/* Compares by patch, then features, then number. */
static int order_contact_points(const ct_contact_point *p, const ct_contact_point *q) {
  if (p->patch != q->patch) return p->patch < q->patch ? -1 : 1;
  int order = order_contact_features(p->a, q->a);
  if (order == 0) order = order_contact_features(p->b, q->b);
  if (order) return order;
  return p->number == q->number ? 0 : p->number < q->number ? -1 : 1;
}

static bool is_point_before(const void *items, const void *by, size_t i, size_t j) {
  (void)by;
  return order_contact_points((const ct_contact_point *)items + i,
                              (const ct_contact_point *)items + j) < 0;
}

static void swap_contact_points(void *points, size_t i, size_t j) {
  ct_contact_point *point = points, saved = point[i];
  point[i] = point[j];
  point[j] = saved;
}

static void insertion_sort_points(ct_contact_point *points, uint32_t count) {
  for (uint32_t i = 1; i < count; i++) {
    ct_contact_point p = points[i];
    uint32_t k = i;
    for (; k > 0 && order_contact_points(&points[k - 1], &p) > 0; k--) points[k] = points[k - 1];
    points[k] = p;
  }
}

void ct_contacts_move_front(ct_contact_point *points, uint32_t k) {
  ct_contact_point p = points[k];
  for (; k > 0; k--) points[k] = points[k - 1];
  points[0] = p;
}

uint32_t ct_contacts_unique(ct_contact_point *points, uint32_t count) {
  uint32_t retained = 0;
  for (uint32_t i = 0; i < count; i++) {
    if (retained == 0 || order_contact_points(&points[retained - 1], &points[i]) != 0)
      points[retained++] = points[i];
    else if (points[i].distance < points[retained - 1].distance) points[retained - 1] = points[i];
  }
  return retained;
}

void ct_contacts_order(ct_contact_point *points, uint32_t count) {
  if (count <= 16) insertion_sort_points(points, count);
  else (void)ct_heap_sort(points, count, NULL, is_point_before, swap_contact_points, NULL);
}

void ct_contacts_deepest_first(ct_contact_point *points, uint32_t count, double tie) {
  assert(tie >= 0.0);
  uint32_t deepest = 0;
  double least = INFINITY;
  for (uint32_t i = 0; i < count; i++) least = ct_min2(least, points[i].distance);
  while (deepest < count && points[deepest].distance > least + tie) deepest++;
  if (deepest > 0 && deepest < count) ct_contacts_move_front(points, deepest);
}

/* ---- reduction ------------------------------------------------------------------------------ */

/* Position in the view. */
typedef struct view_position {
  double x, y;
} view_position;

static view_position project_midpoint(const ct_contact_point *p, const ct_view *view) {
  ct_vec3 middle = ct_scale(ct_add(p->point_a, p->point_b), 0.5);
  return (view_position){ct_dot(view->x, middle), ct_dot(view->y, middle)};
}

double ct_contacts_depth_tie(const ct_contact_point *points, uint32_t count, const ct_view *view,
                             double slack) {
  double most = 0.0;
  view_position first = count > 1 ? project_midpoint(&points[0], view) : (view_position){0.0, 0.0};
  for (uint32_t i = 1; i < count; i++) {
    view_position p = project_midpoint(&points[i], view);
    most = ct_max2(most, (p.x - first.x) * (p.x - first.x) + (p.y - first.y) * (p.y - first.y));
  }
  return ct_max2(CT_CONTACT_TIE * sqrt(most), 2.0 * slack);
}

/* Returns twice the signed area of the triangle p, q, r. */
static double compute_twice_area(view_position p, view_position q, view_position r) {
  return (q.x - p.x) * (r.y - p.y) - (q.y - p.y) * (r.x - p.x);
}

typedef struct selection {
  const ct_contact_point *points;
  uint32_t count;
  const ct_view *view;
  const view_position *all; /* [count] stored projections, or NULL */
  uint32_t at[KEPT_MAX];
  view_position spots[KEPT_MAX];
  uint32_t retained;
  double square; /* squared distance from the first to the second selected point */
} selection;

static view_position get_projection(const selection *c, uint32_t i) {
  return c->all ? c->all[i] : project_midpoint(&c->points[i], c->view);
}

static bool is_selected(const selection *c, uint32_t i) {
  for (uint32_t k = 0; k < c->retained; k++)
    if (c->at[k] == i) return true;
  return false;
}

/* Returns the gain of a candidate: with one point selected, the squared distance from it; with two,
 * twice the area of the triangle; with three, twice the greatest area that the candidate adds
 * outside their triangle. */
static double compute_gain(const selection *c, view_position p) {
  const view_position *s = c->spots;
  if (c->retained == 1) return (p.x - s[0].x) * (p.x - s[0].x) + (p.y - s[0].y) * (p.y - s[0].y);
  double whole = compute_twice_area(s[0], s[1], p);
  if (c->retained == 2) return fabs(whole);
  double sense = compute_twice_area(s[0], s[1], s[2]) < 0.0 ? -1.0 : 1.0;
  return ct_max2(ct_max2(-sense * whole, -sense * compute_twice_area(s[1], s[2], p)),
                 -sense * compute_twice_area(s[2], s[0], p));
}

/* For collinear points: selects the point farthest from the second selected point, if it is beyond
 * the first. */
static void select_other_end(selection *c) {
  selection from = {.spots = {c->spots[1]}, .retained = 1};
  uint32_t best = c->count;
  double most = c->square * (1.0 + CT_CONTACT_TIE), beyond = most;
  for (uint32_t i = 0; i < c->count; i++)
    most = ct_max2(most, compute_gain(&from, get_projection(c, i)));
  for (uint32_t i = 0; i < c->count && best == c->count && most > beyond; i++)
    if (compute_gain(&from, get_projection(c, i)) * (1.0 + CT_CONTACT_TIE) >= most) best = i;
  if (best < c->count) c->at[c->retained++] = best;
}

/* Selects the first point with the largest gain, within a tie. False: no gain exceeds `least`. */
static bool select_best(selection *c, double least) {
  double most = least;
  for (uint32_t i = 0; i < c->count; i++)
    if (!is_selected(c, i)) most = ct_max2(most, compute_gain(c, get_projection(c, i)));
  if (!(most > least)) return false;
  if (c->retained == 1) c->square = most;
  assert(c->retained < KEPT_MAX);
  uint32_t best = 0;
  while (is_selected(c, best) ||
         !(compute_gain(c, get_projection(c, best)) >= most - CT_CONTACT_TIE * c->square))
    best++;
  c->at[c->retained] = best;
  c->spots[c->retained++] = get_projection(c, best);
  return true;
}

uint32_t ct_contacts_reduce(ct_contact_point *points, uint32_t count, const ct_view *view,
                            double slack) {
  if (count <= KEPT_MAX) return count;
  view_position all[SPOTS_MAX];
  for (uint32_t i = 0; i < count && count <= SPOTS_MAX; i++)
    all[i] = project_midpoint(&points[i], view);
  selection c = {.points = points,
                 .count = count,
                 .view = view,
                 .all = count <= SPOTS_MAX ? all : NULL,
                 .at = {0},
                 .retained = 1};
  c.spots[0] = get_projection(&c, 0);
  if (select_best(&c, 4.0 * slack * slack)) {
    double least = ct_max2(2.0 * CT_CONTACT_TIE * c.square, 2.0 * slack * sqrt(c.square));
    if (select_best(&c, least)) select_best(&c, least);
    else select_other_end(&c);
  }
  assert(c.retained >= 1 && c.retained <= KEPT_MAX && c.at[0] == 0);
  /* Move the selected points to the front; they keep their order. */
  uint32_t retained = 0;
  for (uint32_t i = 0; i < count; i++)
    if (is_selected(&c, i)) points[retained++] = points[i];
  return retained;
}
