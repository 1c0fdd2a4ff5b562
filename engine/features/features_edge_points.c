/* Contact points of two crossing edges: their nearest points.
 *
 * Crossing edges may be separated at their nearest points: if a bar's lower face is tilted, only a
 * part of its edge is inside the other solid. The ends of the intersection line are used in this
 * case.
 */
#include "features/features.h"

/* Round-off of positions on edges, as a part of the edge's length. */
#define AT_ROUNDING 1e-14

/* The best points so far, and their squared distance. */
typedef struct best_points {
  double at[2], square;
} best_points;

static ct_vec3 evaluate_edge_point(const ct_feature_edge *e, double at) {
  return ct_add_scaled(e->p, e->e, at);
}

static double clamp_parameter(double at) { return ct_min2(ct_max2(at, 0.0), 1.0); }

static double project_onto_edge(const ct_feature_edge *e, ct_vec3 p) {
  return clamp_parameter(ct_dot(ct_sub(p, e->p), e->e) / ct_norm2(e->e));
}

static void keep_nearer_points(const ct_feature_edge edge[2], double at_a, double at_b,
                               best_points *best) {
  double square =
      ct_norm2(ct_sub(evaluate_edge_point(&edge[1], at_b), evaluate_edge_point(&edge[0], at_a)));
  if (square < best->square) *best = (best_points){{at_a, at_b}, square};
}

/* If the nearest points of the lines are not on both edges, an end of one edge is nearest to the
 * other. */
static best_points find_nearest_ends(const ct_feature_edge edge[2]) {
  best_points best = {{0.0, 0.0}, INFINITY};
  for (int i = 0; i < 2; i++) {
    keep_nearer_points(edge, i, project_onto_edge(&edge[1], evaluate_edge_point(&edge[0], i)),
                       &best);
    keep_nearer_points(edge, project_onto_edge(&edge[0], evaluate_edge_point(&edge[1], i)), i,
                       &best);
  }
  return best;
}

/* The gap between two positions on the edges. Coincident points get the common normal out of the
 * first edge. */
static ct_feature_gap make_edge_gap(const ct_feature_edge edge[2], double at_a, double at_b,
                                    ct_vec3 out, double slack) {
  ct_vec3 apart = ct_sub(evaluate_edge_point(&edge[0], at_a), evaluate_edge_point(&edge[1], at_b));
  ct_vec3 upright = ct_unit_or(ct_cross(edge[0].e, edge[1].e), edge[0].normal[0]);
  double length = ct_norm(apart);
  if (ct_dot(upright, out) < 0.0) upright = ct_neg(upright);
  return (ct_feature_gap){.at = {at_a, at_b},
                          .distance = 0.0 - length,
                          .normal = length > slack ? ct_unit_or(apart, upright) : upright};
}

static bool is_edge_parameter(double at) { return at >= -AT_ROUNDING && at <= 1.0 + AT_ROUNDING; }

static ct_feature_gap find_nearest_points(const ct_feature_edge edge[2], ct_vec3 out,
                                          double slack) {
  const ct_feature_edge *a = &edge[0], *b = &edge[1];
  ct_vec3 m = ct_cross(a->e, b->e), r = ct_sub(b->p, a->p);
  double square = ct_norm2(m),
         at[2] = {ct_dot(ct_cross(r, b->e), m) / square, ct_dot(ct_cross(r, a->e), m) / square};
  if (!(square > 0.0 && is_edge_parameter(at[0]) && is_edge_parameter(at[1]))) {
    best_points ends = find_nearest_ends(edge);
    return make_edge_gap(edge, ends.at[0], ends.at[1], out, slack);
  }
  m = ct_scale(m, 1.0 / sqrt(square));
  double height = ct_dot(m, r);
  bool turn = fabs(height) > slack ? height > 0.0 : ct_dot(m, out) < 0.0;
  return (ct_feature_gap){.at = {clamp_parameter(at[0]), clamp_parameter(at[1])},
                          .distance = 0.0 - fabs(height),
                          .normal = turn ? ct_neg(m) : m};
}

ct_feature_gap ct_feature_gap_of_edges(const ct_feature_edge edge[2], const ct_vec3 line[2],
                                       double slack) {
  ct_vec3 out = ct_sub(ct_add(edge[0].normal[0], edge[0].normal[1]),
                       ct_add(edge[1].normal[0], edge[1].normal[1]));
  ct_feature_gap nearest = find_nearest_points(edge, out, slack);
  if (ct_dot(nearest.normal, out) >= 0.0) return nearest;
  return make_edge_gap(edge, project_onto_edge(&edge[0], line[0]),
                       project_onto_edge(&edge[1], line[1]), out, slack);
}
