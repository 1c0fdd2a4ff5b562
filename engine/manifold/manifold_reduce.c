/* Order of contact points, and the four that stand for many. */
#include "manifold/manifold.h"

#include "base/heap_sort.h"

#define KEPT_MAX 4
/* Places of so many points are worked out but once. */
#define SPOTS_MAX 16

static int compare_features(ct_feature p, ct_feature q) {
  if (p.kind != q.kind) return p.kind < q.kind ? -1 : 1;
  return p.index == q.index ? 0 : p.index < q.index ? -1 : 1;
}

/* By patch, features, number. */
static int compare(const ct_contact_point *p, const ct_contact_point *q) {
  if (p->patch != q->patch) return p->patch < q->patch ? -1 : 1;
  int order = compare_features(p->a, q->a);
  if (order == 0) order = compare_features(p->b, q->b);
  if (order) return order;
  return p->number == q->number ? 0 : p->number < q->number ? -1 : 1;
}

static bool before(const void *items, const void *by, size_t i, size_t j) {
  (void)by;
  return compare((const ct_contact_point *)items + i, (const ct_contact_point *)items + j) < 0;
}

static void swap(void *points, size_t i, size_t j) {
  ct_contact_point *point = points, moved = point[i];
  point[i] = point[j];
  point[j] = moved;
}

static void insertion_sort(ct_contact_point *points, uint32_t count) {
  for (uint32_t i = 1; i < count; i++) {
    ct_contact_point p = points[i];
    uint32_t k = i;
    for (; k > 0 && compare(&points[k - 1], &p) > 0; k--) points[k] = points[k - 1];
    points[k] = p;
  }
}

void ct_contacts_move_front(ct_contact_point *points, uint32_t k) {
  ct_contact_point p = points[k];
  for (; k > 0; k--) points[k] = points[k - 1];
  points[0] = p;
}

uint32_t ct_contacts_unique(ct_contact_point *points, uint32_t count) {
  uint32_t kept = 0;
  for (uint32_t i = 0; i < count; i++) {
    if (kept == 0 || compare(&points[kept - 1], &points[i]) != 0) points[kept++] = points[i];
    else if (points[i].distance < points[kept - 1].distance) points[kept - 1] = points[i];
  }
  return kept;
}

void ct_contacts_order(ct_contact_point *points, uint32_t count) {
  if (count <= 16) insertion_sort(points, count);
  else (void)ct_heap_sort(points, count, NULL, before, swap, NULL);
}

void ct_contacts_deepest_first(ct_contact_point *points, uint32_t count, double tie) {
  uint32_t deepest = 0;
  double least = INFINITY;
  for (uint32_t i = 0; i < count; i++) least = ct_min2(least, points[i].distance);
  while (deepest < count && points[deepest].distance > least + tie) deepest++;
  if (deepest > 0 && deepest < count) ct_contacts_move_front(points, deepest);
}

/* Places in the view. */
typedef struct spot {
  double x, y;
} spot;

static spot spot_of(const ct_contact_point *p, const ct_view *view) {
  ct_vec3 middle = ct_scale(ct_add(p->point_a, p->point_b), 0.5);
  return (spot){ct_dot(view->x, middle), ct_dot(view->y, middle)};
}

double ct_contacts_depth_tie(const ct_contact_point *points, uint32_t count, const ct_view *view, double slack) {
  double most = 0.0;
  spot first = count > 1 ? spot_of(&points[0], view) : (spot){0.0, 0.0};
  for (uint32_t i = 1; i < count; i++) {
    spot p = spot_of(&points[i], view);
    most = ct_max2(most, (p.x - first.x) * (p.x - first.x) + (p.y - first.y) * (p.y - first.y));
  }
  return ct_max2(CT_CONTACT_TIE * sqrt(most), 2.0 * slack);
}

/* Twice the signed area of a triangle. */
static double area(spot p, spot q, spot r) { return (q.x - p.x) * (r.y - p.y) - (q.y - p.y) * (r.x - p.x); }

typedef struct chosen {
  const ct_contact_point *points;
  uint32_t count;
  const ct_view *view;
  const spot *all; /* [count] or NULL */
  uint32_t at[KEPT_MAX];
  spot spots[KEPT_MAX];
  uint32_t kept;
  double square; /* of the distance from the first to the farthest: that of the second */
} chosen;

static spot spot_at(const chosen *c, uint32_t i) { return c->all ? c->all[i] : spot_of(&c->points[i], c->view); }

static bool is_kept(const chosen *c, uint32_t i) {
  for (uint32_t k = 0; k < c->kept; k++)
    if (c->at[k] == i) return true;
  return false;
}

/* What a point adds to those chosen: distance from the first, area with two, area outside of three. */
static double gain(const chosen *c, spot p) {
  const spot *s = c->spots;
  if (c->kept == 1) return (p.x - s[0].x) * (p.x - s[0].x) + (p.y - s[0].y) * (p.y - s[0].y);
  double whole = area(s[0], s[1], p);
  if (c->kept == 2) return fabs(whole);
  double sense = area(s[0], s[1], s[2]) < 0.0 ? -1.0 : 1.0;
  return ct_max2(ct_max2(-sense * whole, -sense * area(s[1], s[2], p)), -sense * area(s[2], s[0], p));
}

/* Of points on one line the other end: the farthest from the second, if it is beyond the first. */
static void take_other_end(chosen *c) {
  chosen from = {.spots = {c->spots[1]}, .kept = 1};
  uint32_t best = c->count;
  double most = c->square * (1.0 + CT_CONTACT_TIE), beyond = most;
  for (uint32_t i = 0; i < c->count; i++) most = ct_max2(most, gain(&from, spot_at(c, i)));
  for (uint32_t i = 0; i < c->count && best == c->count && most > beyond; i++)
    if (gain(&from, spot_at(c, i)) * (1.0 + CT_CONTACT_TIE) >= most) best = i;
  if (best < c->count) c->at[c->kept++] = best;
}

/* Takes the point that adds most, the first of those that add as much to a tie; false when none adds more than `least`. */
static bool take_best(chosen *c, double least) {
  double most = least;
  for (uint32_t i = 0; i < c->count; i++)
    if (!is_kept(c, i)) most = ct_max2(most, gain(c, spot_at(c, i)));
  if (!(most > least)) return false;
  if (c->kept == 1) c->square = most;
  uint32_t best = 0;
  while (is_kept(c, best) || !(gain(c, spot_at(c, best)) >= most - CT_CONTACT_TIE * c->square)) best++;
  c->at[c->kept] = best;
  c->spots[c->kept++] = spot_at(c, best);
  return true;
}

uint32_t ct_contacts_reduce(ct_contact_point *points, uint32_t count, const ct_view *view, double slack) {
  if (count <= KEPT_MAX) return count;
  spot all[SPOTS_MAX];
  for (uint32_t i = 0; i < count && count <= SPOTS_MAX; i++) all[i] = spot_of(&points[i], view);
  chosen c = {.points = points, .count = count, .view = view, .all = count <= SPOTS_MAX ? all : NULL, .at = {0}, .kept = 1};
  c.spots[0] = spot_at(&c, 0);
  if (take_best(&c, 4.0 * slack * slack)) {
    double least = ct_max2(2.0 * CT_CONTACT_TIE * c.square, 2.0 * slack * sqrt(c.square));
    if (take_best(&c, least)) take_best(&c, least);
    else take_other_end(&c);
  }
  /* The places stay in order: those chosen move to the front. */
  uint32_t kept = 0;
  for (uint32_t i = 0; i < count; i++)
    if (is_kept(&c, i)) points[kept++] = points[i];
  return kept;
}
