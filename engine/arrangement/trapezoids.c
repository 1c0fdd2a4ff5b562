/* Trapezoidal decomposition of a region of a plane. The plane is projected to two coordinate axes;
 * a sweep visits slabs along the first axis, which the ends of the border segments separate. */
#include "arrangement/trapezoids.h"

#include "base/array.h"
#include "base/heap_sort.h"

#include <assert.h>

#include <stdlib.h>

#define NONE UINT32_MAX

/* A border segment, directed from its left end p to its right end q. */
typedef struct ct_sweep_segment {
  ct_vec3 p, q;
  /* projected ends: first coordinates left < right, second coordinates at_left and at_right */
  double left, right, at_left, at_right;
  /* winding number above the segment minus winding number below it */
  int32_t winding_change;
  /* index of the segment that bounds the open trapezoid above this one, or NONE */
  uint32_t upper;
  double start; /* first coordinate at which the open trapezoid above this segment starts */
  /* last slab in which this segment was the lower side of a trapezoid */
  uint32_t slab;
} ct_sweep_segment;

typedef struct slab_sweep {
  ct_sweep_segment *segment;
  const double *cut;
  uint32_t *active, *open;
  size_t count, cuts, active_count, open_count;
  ct_trapezoid_sink sink;
  void *context;
} slab_sweep;

void ct_trapezoid_scratch_free(ct_trapezoid_scratch *m) {
  free(m->segment);
  free(m->cut);
  free(m->active);
  free(m->open);
}

static double get_coordinate(const ct_vec3 *p, int axis) {
  return axis == 0 ? p->x : axis == 1 ? p->y : p->z;
}

/* Chooses the projection axes so that polygons that are counter-clockwise with the normal up stay
 * counter-clockwise. */
static void choose_projection_axes(ct_vec3 normal, int axes[2]) {
  ct_vec3 size = {fabs(normal.x), fabs(normal.y), fabs(normal.z)};
  int along = size.x >= size.y && size.x >= size.z ? 0 : size.y >= size.z ? 1 : 2;
  bool up = get_coordinate(&normal, along) > 0.0;
  axes[0] = (along + (up ? 1 : 2)) % 3;
  axes[1] = (along + (up ? 2 : 1)) % 3;
}

static bool make_sweep_segment(const ct_border_segment *b, const int axes[2],
                               ct_sweep_segment *out) {
  double u = get_coordinate(&b->p, axes[0]), v = get_coordinate(&b->q, axes[0]);
  bool turned = u > v;
  if (u == v || b->weight == 0) return false;
  *out = (ct_sweep_segment){
      .p = turned ? b->q : b->p, .q = turned ? b->p : b->q, .upper = NONE, .slab = NONE};
  out->left = turned ? v : u;
  out->right = turned ? u : v;
  out->at_left = get_coordinate(&out->p, axes[1]);
  out->at_right = get_coordinate(&out->q, axes[1]);
  out->winding_change = turned ? -b->weight : b->weight;
  return true;
}

static double compute_segment_height(const ct_sweep_segment *s, double u) {
  return s->at_left + (u - s->left) / (s->right - s->left) * (s->at_right - s->at_left);
}

static ct_vec3 compute_segment_point(const ct_sweep_segment *s, double u) {
  if (u <= s->left) return s->p;
  return u >= s->right ? s->q : ct_lerp(s->p, s->q, (u - s->left) / (s->right - s->left));
}

static bool emit_triangle(const slab_sweep *c, ct_vec3 p, ct_vec3 q, ct_vec3 r) {
  const ct_vec3 t[3] = {p, q, r};
  return ct_norm2(ct_cross(ct_sub(q, p), ct_sub(r, p))) == 0.0 || c->sink(c->context, t);
}

/* Emits the trapezoid whose lower side is on segment `lower`; it ends at the first coordinate
 * `end`. */
static bool finish_trapezoid(slab_sweep *c, uint32_t lower, double end) {
  ct_sweep_segment *s = &c->segment[lower];
  const ct_sweep_segment *t = &c->segment[s->upper];
  ct_vec3 corner[4] = {compute_segment_point(s, s->start), compute_segment_point(s, end),
                       compute_segment_point(t, end), compute_segment_point(t, s->start)};
  s->upper = NONE;
  return emit_triangle(c, corner[0], corner[1], corner[2]) &&
         emit_triangle(c, corner[0], corner[2], corner[3]);
}

static bool continue_trapezoid(slab_sweep *c, uint32_t lower, uint32_t upper, uint32_t slab,
                               double at) {
  ct_sweep_segment *s = &c->segment[lower];
  bool was_open = s->upper != NONE;
  s->slab = slab;
  if (s->upper == upper) return true;
  if (was_open && !finish_trapezoid(c, lower, at)) return false;
  if (!was_open) c->open[c->open_count++] = lower;
  s->upper = upper;
  s->start = at;
  return true;
}

/* Sorts the active segments by their height in the middle of a slab, lowest first. Insertion sort,
 * because the order of the previous slab is nearly right. */
static void sort_active_segments(slab_sweep *c, double middle) {
  for (size_t i = 1; i < c->active_count; i++) {
    uint32_t moved = c->active[i];
    double height = compute_segment_height(&c->segment[moved], middle);
    size_t k = i;
    for (; k > 0; k--) {
      double below = compute_segment_height(&c->segment[c->active[k - 1]], middle);
      if (below < height || (below == height && c->active[k - 1] < moved)) break;
      c->active[k] = c->active[k - 1];
    }
    c->active[k] = moved;
  }
}

static bool sweep_slab(slab_sweep *c, uint32_t slab) {
  double from = c->cut[slab], to = c->cut[slab + 1];
  int32_t winding = 0;
  uint32_t lower = NONE;
  sort_active_segments(c, 0.5 * (from + to));
  for (size_t i = 0; i < c->active_count; i++) {
    int32_t before = winding;
    winding += c->segment[c->active[i]].winding_change;
    if (before < 1 && winding >= 1) lower = c->active[i];
    if (before >= 1 && winding < 1 && !continue_trapezoid(c, lower, c->active[i], slab, from))
      return false;
  }
  size_t kept = 0;
  for (size_t i = 0; i < c->open_count; i++) {
    uint32_t open = c->open[i];
    if (c->segment[open].slab == slab) c->open[kept++] = open;
    else if (!finish_trapezoid(c, open, from)) return false;
  }
  c->open_count = kept;
  return true;
}

static bool sweep_segment_precedes(const void *items, const void *by, size_t i, size_t j) {
  const ct_sweep_segment *s = (const ct_sweep_segment *)items + i,
                         *t = (const ct_sweep_segment *)items + j;
  (void)by;
  if (s->left != t->left) return s->left < t->left;
  if (s->at_left != t->at_left) return s->at_left < t->at_left;
  if (s->right != t->right) return s->right < t->right;
  return s->at_right != t->at_right ? s->at_right < t->at_right
                                    : s->winding_change < t->winding_change;
}

static void swap_sweep_segments(void *items, size_t i, size_t j) {
  ct_sweep_segment *s = items, kept = s[i];
  s[i] = s[j];
  s[j] = kept;
}

static bool number_precedes(const void *items, const void *by, size_t i, size_t j) {
  (void)by;
  return ((const double *)items)[i] < ((const double *)items)[j];
}

static void swap_numbers(void *items, size_t i, size_t j) {
  double *x = items, kept = x[i];
  x[i] = x[j];
  x[j] = kept;
}

static bool sweep_slabs(slab_sweep *c) {
  size_t next = 0;
  for (uint32_t slab = 0; slab + 1 < c->cuts; slab++) {
    size_t kept = 0;
    if (c->cut[slab] == c->cut[slab + 1]) continue;
    for (size_t i = 0; i < c->active_count; i++)
      if (c->segment[c->active[i]].right > c->cut[slab]) c->active[kept++] = c->active[i];
    c->active_count = kept;
    for (; next < c->count && c->segment[next].left <= c->cut[slab]; next++)
      c->active[c->active_count++] = (uint32_t)next;
    if (!sweep_slab(c, slab)) return false;
  }
  for (size_t i = 0; i < c->open_count; i++)
    if (!finish_trapezoid(c, c->open[i], c->cut[c->cuts - 1])) return false;
  return true;
}

bool ct_trapezoids_of(ct_trapezoid_scratch *m, const ct_border_segment *border, size_t count,
                      ct_vec3 normal, ct_trapezoid_sink sink, void *context) {
  assert(sink);
  int axes[2];
  if (count == 0) return true;
  /* Reserve scratch memory for all segments. */
  if (!ct_array_reserve(&m->segment, &m->segment_room, count, sizeof *m->segment) ||
      !ct_array_reserve(&m->cut, &m->cut_room, 2 * count, sizeof *m->cut) ||
      !ct_array_reserve(&m->active, &m->active_room, count, sizeof *m->active) ||
      !ct_array_reserve(&m->open, &m->open_room, count, sizeof *m->open))
    return false;
  slab_sweep c = {.segment = m->segment,
                  .cut = m->cut,
                  .active = m->active,
                  .open = m->open,
                  .sink = sink,
                  .context = context};
  /* Project the segments; their end points define the cuts between slabs. */
  choose_projection_axes(normal, axes);
  for (size_t i = 0; i < count; i++) {
    if (!make_sweep_segment(&border[i], axes, &c.segment[c.count])) continue;
    m->cut[c.cuts++] = c.segment[c.count].left;
    m->cut[c.cuts++] = c.segment[c.count++].right;
  }
  /* Sweep from left to right. */
  ct_heap_sort(m->segment, c.count, NULL, sweep_segment_precedes, swap_sweep_segments, NULL);
  ct_heap_sort(m->cut, c.cuts, NULL, number_precedes, swap_numbers, NULL);
  return c.cuts == 0 || sweep_slabs(&c);
}
