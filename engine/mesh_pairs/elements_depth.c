/* Depth of a tetmesh or hexmesh in another one or in a convex body: the greatest depth of a pair of
 * elements, where each element is the convex hull of its vertices.
 *
 * Elements of the second body are processed in order, those of the first by a query of their tree.
 * The depth of a pair is bounded by the overlap of its boxes along one axis, and by the extent of
 * one body beyond a face plane of the other: a translation of this length separates them. */
#include "mesh_pairs/elements_depth.h"

#include "pair/workspace.h"
#include "shape/tapered_capsule.h"

/* Cost of a pair of elements in steps of 100 ns, for polling the cancel flag. */
#define STEPS_PER_PAIR 32u

typedef struct element_search {
  const ct_cell_input *in;
  const ct_elements_view *a, *b; /* elements of the bodies; a is NULL if the first body is convex */
  ct_shape shape_a, shape_b;     /* one element of each body, with the body's rounding radius and
                                    margin; or the convex body */
  ct_cell_input pair;            /* the present pair of elements, in the frame of the first body */
  ct_aabb box_b;                 /* AABB of b's element, in the frame of the first body */
  uint32_t element_b;
  double slack;   /* upper bound of the round-off error in a computed upper bound of a pair's depth,
                     m */
  uint32_t count; /* number of overlapping pairs so far */
  ct_cell_result best;
  double lower, upper; /* bounds of the least distance over the pairs evaluated */
  uint32_t best_a, best_b;
  bool stopped;
} element_search;

bool ct_elements_have_depth(const ct_cell_input *in) {
  ct_kind a = in->shape_a->kind, b = in->shape_b->kind;
  return ct_kind_has_elements(b) && (ct_kind_has_elements(a) || !ct_kind_is_mesh(a));
}

static ct_shape make_element_shape(const ct_shape *body) {
  return (ct_shape){.kind = CT_KIND_CONVEX, .margin = ct_shape_growth(body)};
}

/* Returns the length of the shortest translation along a coordinate axis that separates two
 * boxes. */
static double compute_box_overlap(const ct_aabb *a, const ct_aabb *b) {
  double x = ct_min2(a->max.x - b->min.x, b->max.x - a->min.x),
         y = ct_min2(a->max.y - b->min.y, b->max.y - a->min.y);
  return ct_min2(ct_min2(x, y), ct_min2(a->max.z - b->min.z, b->max.z - a->min.z));
}

/* Returns the length of the shortest translation along a face normal of a hull that separates the
 * other core from it, but at most `most`; negative if they are separated. Both are in the frame of
 * the pair, radii included. */
static double bound_depth_by_faces(const ct_convex_proxy *hull, const ct_convex_proxy *other,
                                   double most) {
  const ct_hull_view *view = hull->view;
  for (uint32_t f = 0; f < view->face_count; f++) {
    ct_vec3 n = {view->nx[f], view->ny[f], view->nz[f]};
    double level = view->offset[f] + hull->radius[0];
    if (hull->turned) {
      n = ct_mat_mul(hull->rotation, n);
      level += ct_dot(n, hull->center);
    }
    most = ct_min2(most, level + ct_proxy_support_value(other, ct_neg(n)));
  }
  return most;
}

/* Returns an upper bound of the depth of the pair. If it is negative by more than round-off, the
 * pair is separated. */
static double bound_element_depth(const element_search *s, const ct_aabb *box_a) {
  double depth_bound =
      bound_depth_by_faces(&s->pair.b, &s->pair.a, compute_box_overlap(box_a, &s->box_b));
  return s->a ? bound_depth_by_faces(&s->pair.a, &s->pair.b, depth_bound) : depth_bound;
}

/* True if the present pair has lower element numbers than the deepest one so far, compared first by
 * the element of the first body. */
static bool element_pair_precedes(const element_search *s, uint32_t a) {
  return a != s->best_a ? a < s->best_a : s->element_b < s->best_b;
}

/* Evaluates a pair of elements with overlapping boxes. False: end the search. */
static bool evaluate_element_pair(element_search *s, uint32_t a, const ct_aabb *box_a) {
  if (ct_mesh_is_cancelled(&s->in->workspace->mesh, STEPS_PER_PAIR)) s->stopped = true;
  if (s->stopped) return false;
  double depth_bound = bound_element_depth(s, box_a) + s->slack;
  if (depth_bound < 0.0 || !ct_convex_overlap(&s->pair, NULL)) return true;
  s->count++;
  if (s->count > 1 && -depth_bound > s->best.distance) return true;
  ct_cell_result r = {.status = CT_PAIR_OK};
  ct_cell_convex_convex(&s->pair, &r);
  bool first = s->count == 1;
  s->lower = first ? r.lower : ct_min2(s->lower, r.lower);
  s->upper = first ? r.upper : ct_min2(s->upper, r.upper);
  if (!first && (r.distance > s->best.distance ||
                 (r.distance == s->best.distance && !element_pair_precedes(s, a))))
    return true;
  s->best = r;
  s->best_a = a;
  s->best_b = s->element_b;
  return true;
}

/* Callback of the tree query: evaluates an element of the first body, whose frame is that of the
 * pair. */
static bool visit_element_a(void *context, uint32_t element) {
  element_search *s = context;
  s->shape_a.hull = s->a->hulls[element];
  ct_proxy_place(&s->shape_a, NULL, &s->pair.a);
  ct_aabb box = ct_aabb_expand(s->a->boxes[element], s->shape_a.margin);
  return evaluate_element_pair(s, element, &box);
}

static void place_element_b(element_search *s, uint32_t element) {
  s->element_b = element;
  s->shape_b.hull = s->b->hulls[element];
  ct_proxy_place(&s->shape_b, &s->in->relative, &s->pair.b);
  s->box_b = ct_shape_aabb(&s->shape_b, &s->in->relative);
}

/* Searches the pairs if both bodies have elements. The boxes of the tree do not include rounding
 * radius and margin. */
static void search_element_pairs(element_search *s) {
  const ct_elements_view *b = s->b;
  ct_aabb whole = ct_mesh_get(s->a->surface)->box;
  for (uint32_t e = 0; e < b->element_count && !s->stopped; e++) {
    if (ct_mesh_is_cancelled(&s->in->workspace->mesh, 1)) s->stopped = true;
    place_element_b(s, e);
    ct_aabb query_box = ct_aabb_expand(s->box_b, s->shape_a.margin + s->slack);
    if (ct_aabb_overlap(&whole, &query_box))
      ct_tree_query(s->a->tree, &query_box, visit_element_a, s, NULL);
  }
}

static bool visit_element_b(void *context, uint32_t element) {
  element_search *s = context;
  const ct_frame own = {{{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}}, {0.0, 0.0, 0.0}};
  place_element_b(s, element);
  ct_aabb box = ct_shape_aabb(s->in->shape_a, &own);
  return !ct_aabb_overlap(&box, &s->box_b) || evaluate_element_pair(s, CT_NO_ELEMENT, &box);
}

/* Searches the pairs if the first body is convex, by a query of the second body's tree with its
 * box. */
static void search_convex_elements(element_search *s) {
  const ct_frame *relative = &s->in->relative;
  ct_frame inverse = {ct_mat_transpose(relative->rotation), {0.0, 0.0, 0.0}};
  inverse.position = ct_neg(ct_mat_mul(inverse.rotation, relative->position));
  ct_aabb box =
      ct_aabb_expand(ct_shape_aabb(s->in->shape_a, &inverse), s->shape_b.margin + s->slack);
  s->pair.a = s->in->a;
  ct_tree_query(s->b->tree, &box, visit_element_b, s, NULL);
}

bool ct_elements_deepest(const ct_cell_input *in, ct_cell_result *result) {
  element_search s = {.in = in, .pair = *in, .b = ct_elements_get(in->shape_b->elements)};
  bool both = ct_kind_has_elements(in->shape_a->kind);
  s.shape_b = make_element_shape(in->shape_b);
  s.pair.shape_b = &s.shape_b;
  s.pair.threshold = INFINITY;
  s.slack = CT_ROUNDOFF_FACTOR * CT_UNIT_ROUNDOFF *
            (ct_proxy_scale(&in->a, &in->b) + ct_norm(in->relative.position));
  /* Search the pairs of overlapping elements. */
  if (both) {
    s.a = ct_elements_get(in->shape_a->elements);
    s.shape_a = make_element_shape(in->shape_a);
    s.pair.shape_a = &s.shape_a;
    search_element_pairs(&s);
  } else {
    search_convex_elements(&s);
  }
  if (s.count == 0) return false;
  /* Write the deepest pair; the bounds are the least ones over all pairs. */
  bool crossed = result->crossed;
  uint32_t iterations = result->iterations;
  *result = s.best;
  result->iterations += iterations;
  result->crossed = crossed;
  result->lower = ct_min2(s.lower, s.best.distance);
  result->upper = ct_max2(ct_min2(s.upper, s.best.upper), s.best.distance);
  result->depth_kind = CT_DEPTH_ELEMENT;
  result->triangle_a = result->triangle_b = CT_NO_TRIANGLE;
  result->element_a = s.best_a;
  result->element_b = s.best_b;
  result->element_pairs = s.count;
  /* If cancelled, pairs that were not evaluated may be as deep as the smaller body. */
  if (!s.stopped) return true;
  result->status = CT_PAIR_ITERATION_LIMIT;
  result->lower =
      ct_min2(result->lower, -2.0 * ct_min2(in->a.size, in->b.size) - ct_shape_growth(in->shape_a) -
                                 ct_shape_growth(in->shape_b));
  return true;
}

/* Returns the element that a surface triangle belongs to, or CT_NO_ELEMENT. */
static uint32_t find_owning_element(const ct_shape *shape, uint32_t triangle) {
  if (!ct_kind_has_elements(shape->kind) || triangle == CT_NO_TRIANGLE) return CT_NO_ELEMENT;
  return ct_elements_of_triangle(ct_elements_get(shape->elements), triangle);
}

void ct_elements_surface_contact(const ct_cell_input *in, ct_cell_result *result) {
  result->depth_kind = CT_DEPTH_ELEMENT;
  result->element_a = find_owning_element(in->shape_a, result->triangle_a);
  result->element_b = find_owning_element(in->shape_b, result->triangle_b);
  result->element_pairs = 1;
}
