/* Does a mesh meet itself? Its tree against itself, then exact signs for pairs of triangles.
 *
 * Neighbours always touch, so what they share is taken off: of two triangles with an edge in common the one may lie folded on the
 * other, of two with a corner in common what is beyond the corner reaches the opposite side of one of them. In a sound mesh nearly
 * all neighbours are told apart by doubles with a bound of their error; only the rest asks exact predicates. The number of steps is
 * bounded, so that long thin triangles whose boxes all overlap do not take a time that grows with their square.
 */
#include "base/predicates.h"
#include "narrow/mesh_pair.h"

#include <assert.h>

/* Steps for each triangle, beyond a number that any mesh may take; a sound mesh takes about 100. A step is 2 to 8 ns. */
#define STEPS_PER_TRIANGLE 512u
#define STEPS_FREE 4000000u
/* What an exact decision counts: it may take some us. */
#define EXACT_STEPS 128u
/* Steps between two looks at the cancel flag: below 1 ms. */
#define POLL_STEPS 65536u
/* What the doubles below lose, of the size of their factors: less than 30 u. */
#define FILTER (64.0 * CT_UNIT_ROUNDOFF)
/* Descending a tree against itself, two pairs wait per level, and below them one for each level of the two halves. */
#define STACK_SIZE (4 * CT_MESH_DEPTH_MAX + 8)

typedef struct walk {
  const ct_mesh_view *view;
  const ct_cancel *cancel;
  uint64_t left, until_poll; /* steps */
  bool cancelled, meets;
  uint32_t at[2]; /* positions of the triangles that meet */
} walk;

/* False: the walk is over, out of steps or cancelled. */
static bool spend(walk *w, uint32_t steps) {
  if (w->left < steps) return false;
  w->left -= steps;
  if (w->until_poll > steps) {
    w->until_poll -= steps;
    return true;
  }
  w->until_poll = POLL_STEPS;
  w->cancelled = ct_cancel_raised(w->cancel);
  return !w->cancelled;
}

/* ---- two triangles ---- */

/* The corners of two triangles by what they share: s[0..shared) are both's, the rest is each one's own. */
typedef struct couple {
  int shared;
  ct_vec3 s[3], a[3], b[3];
} couple;

static couple couple_of(const ct_mesh_view *view, uint32_t i, uint32_t j) {
  const uint32_t *p = view->corners[i], *q = view->corners[j];
  couple c = {0};
  int own_a = 0, own_b = 0;
  for (int k = 0; k < 3; k++) {
    bool both = p[k] == q[0] || p[k] == q[1] || p[k] == q[2];
    if (both) c.s[c.shared++] = view->vertices[p[k]];
    else c.a[own_a++] = view->vertices[p[k]];
    if (q[k] != p[0] && q[k] != p[1] && q[k] != p[2]) c.b[own_b++] = view->vertices[q[k]];
  }
  return c;
}

/* Do the far corners lie on opposite sides of the common edge, as doubles can tell? Then neither is folded on the other. */
static bool surely_unfolded(const couple *c) {
  ct_vec3 e = ct_sub(c->s[1], c->s[0]), a = ct_sub(c->a[0], c->s[0]), b = ct_sub(c->b[0], c->s[0]);
  double ee = ct_norm2(e), along_a = ct_dot(a, e), along_b = ct_dot(b, e);
  double size = ct_norm(a) * ct_norm(b) * ee;
  return ct_dot(a, b) * ee - along_a * along_b < -FILTER * size;
}

/* Are the signs of (s1 - s0) x (a - s0) and (s1 - s0) x (b - s0) the same, seen along an axis where neither is 0? */
static bool on_one_side(const couple *c) {
  for (int axis = 0; axis < 3; axis++) {
    ct_vec3 from[4] = {c->s[0], c->s[1], c->a[0], c->b[0]};
    ct_vec2 q[4];
    for (int k = 0; k < 4; k++) {
      ct_vec3 v = from[k];
      q[k] = axis == 0 ? (ct_vec2){v.y, v.z} : axis == 1 ? (ct_vec2){v.z, v.x} : (ct_vec2){v.x, v.y};
    }
    int side = ct_orient2d(q[0], q[1], q[2]);
    if (side != 0) return side == ct_orient2d(q[0], q[1], q[3]);
  }
  return false;
}

static bool folded(const couple *c) { return ct_orient3d(c->s[0], c->s[1], c->a[0], c->b[0]) == 0 && on_one_side(c); }

/* Does a plane through the common corner part the rest of the triangles, as doubles can tell? */
static bool surely_parted(const couple *c) {
  ct_vec3 d[4];
  double size[4];
  ct_vec3 n = {0.0, 0.0, 0.0};
  for (int k = 0; k < 4; k++) {
    d[k] = ct_sub(k < 2 ? c->a[k] : c->b[k - 2], c->s[0]);
    size[k] = ct_norm(d[k]);
    n = ct_add_scaled(n, d[k], (k < 2 ? 1.0 : -1.0) / size[k]);
  }
  double floor = FILTER * ct_norm(n);
  for (int k = 0; k < 4; k++)
    if (!((k < 2 ? 1.0 : -1.0) * ct_dot(n, d[k]) > floor * size[k])) return false;
  return true;
}

static bool meet_beyond_corner(const couple *c) {
  ct_triangle a = {{c->s[0], c->a[0], c->a[1]}}, b = {{c->s[0], c->b[0], c->b[1]}};
  return ct_segment_meets(c->a[0], c->a[1], &b, NULL) || ct_segment_meets(c->b[0], c->b[1], &a, NULL);
}

/* Does a plane across the way from centre to centre part the triangles, as doubles can tell? */
static bool surely_apart(const ct_triangle *a, const ct_triangle *b) {
  ct_vec3 d[6], n = {0.0, 0.0, 0.0};
  double size = 0.0, most = -INFINITY, least = INFINITY;
  for (int k = 0; k < 6; k++) {
    d[k] = ct_sub(k < 3 ? a->v[k] : b->v[k - 3], a->v[0]);
    n = ct_add_scaled(n, d[k], k < 3 ? -1.0 : 1.0);
    size = ct_max2(size, ct_norm2(d[k]));
  }
  for (int k = 0; k < 3; k++) {
    most = ct_max2(most, ct_dot(n, d[k]));
    least = ct_min2(least, ct_dot(n, d[k + 3]));
  }
  return least - most > FILTER * ct_norm(n) * sqrt(size);
}

/* Have the triangles at two positions a point in common that is not one of a corner or an edge of both? */
static bool meet(walk *w, uint32_t i, uint32_t j, bool *over) {
  couple c = couple_of(w->view, i, j);
  if (c.shared == 3) return true;
  ct_triangle a = ct_mesh_triangle(w->view, i), b = ct_mesh_triangle(w->view, j);
  if (c.shared == 2 ? surely_unfolded(&c) : c.shared == 1 ? surely_parted(&c) : surely_apart(&a, &b)) return false;
  *over = !spend(w, EXACT_STEPS);
  if (c.shared == 2) return folded(&c);
  return c.shared == 1 ? meet_beyond_corner(&c) : ct_triangles_meet(&a, &b, NULL);
}

/* ---- the tree ---- */

static ct_box box_at(const ct_mesh_view *view, uint32_t position) {
  ct_triangle t = ct_mesh_triangle(view, position);
  return ct_box_union(ct_box_union((ct_box){t.v[0], t.v[0]}, (ct_box){t.v[1], t.v[1]}), (ct_box){t.v[2], t.v[2]});
}

/* Two leaves, or one with itself. False: the walk is over. */
static bool test_leaves(walk *w, uint32_t first, uint32_t second) {
  const ct_mesh_node *n = &w->view->nodes[first], *m = &w->view->nodes[second];
  ct_box boxes[CT_MESH_LEAF_MAX];
  for (uint32_t l = 0; l < m->count; l++) boxes[l] = box_at(w->view, m->first + l);
  for (uint32_t k = 0; k < n->count; k++) {
    ct_box box = box_at(w->view, n->first + k);
    for (uint32_t l = first == second ? k + 1 : 0; l < m->count; l++) {
      if (!ct_box_overlap(&box, &boxes[l])) continue;
      bool over = !spend(w, 8);
      w->meets = !over && meet(w, n->first + k, m->first + l, &over);
      if (!w->meets && !over) continue;
      w->at[0] = n->first + k;
      w->at[1] = m->first + l;
      return false;
    }
  }
  return spend(w, 4 + n->count * m->count);
}

typedef struct waiting {
  uint32_t first, second;
} waiting;

/* The pairs below a pair; 0 for two leaves. */
static int open_pair(const ct_mesh_view *view, waiting at, waiting out[3]) {
  const ct_mesh_node *n = &view->nodes[at.first], *m = &view->nodes[at.second];
  if (n->count > 0 && m->count > 0) return 0;
  if (at.first == at.second) {
    out[0] = (waiting){n->first, n->first + 1};
    out[1] = (waiting){n->first + 1, n->first + 1};
    out[2] = (waiting){n->first, n->first};
    return 3;
  }
  bool opens_first = m->count > 0 || (n->count == 0 && n->radius >= m->radius);
  uint32_t child = opens_first ? n->first : m->first;
  for (uint32_t k = 0; k < 2; k++) out[k] = opens_first ? (waiting){child + k, at.second} : (waiting){at.first, child + k};
  return 2;
}

/* UNKNOWN: out of steps or cancelled. */
static ct_mesh_self descend(walk *w) {
  waiting stack[STACK_SIZE], below[3];
  int top = 0;
  stack[top++] = (waiting){0, 0};
  while (top > 0) {
    waiting at = stack[--top];
    if (!spend(w, 2)) return CT_MESH_SELF_UNKNOWN;
    if (!ct_box_overlap(&w->view->nodes[at.first].box, &w->view->nodes[at.second].box)) continue;
    int count = open_pair(w->view, at, below);
    if (count == 0 && !test_leaves(w, at.first, at.second)) return w->meets ? CT_MESH_SELF_MEETS : CT_MESH_SELF_UNKNOWN;
    assert(top + count <= STACK_SIZE);
    for (int k = 0; k < count; k++) stack[top++] = below[k];
  }
  return CT_MESH_SELF_FREE;
}

ct_status ct_mesh_self_test(const ct_mesh *mesh, const ct_cancel *cancel, ct_mesh_self *out, uint32_t triangles[2]) {
  const ct_mesh_view *view = ct_mesh_get(mesh);
  uint64_t steps = STEPS_FREE + (uint64_t)view->live_count * STEPS_PER_TRIANGLE;
  walk w = {.view = view, .cancel = cancel, .left = steps, .until_poll = POLL_STEPS};
  ct_mesh_self self = descend(&w);
  if (w.cancelled) return CT_CANCELLED;
  *out = self;
  if (self == CT_MESH_SELF_MEETS) {
    uint32_t a = view->order[w.at[0]], b = view->order[w.at[1]];
    triangles[0] = a < b ? a : b;
    triangles[1] = a < b ? b : a;
  }
  return CT_OK;
}
