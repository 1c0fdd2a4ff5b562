/* How far two surfaces that cross can move before they may part: an edge of one that pierces a
 * triangle of the other.
 *
 * It goes on piercing it while neither end of the edge has come to the triangle, and none of the
 * triangle's edges to it: between them the two are linked, and only so parted. No point moves
 * farther against another than the bound on all directions says.
 */
#include "toi/toi.h"
#include "triangle/triangle_distance.h"

/* Pairs of triangles that are gone through; of more, only the one that was found to cross. */
#define LINK_PAIRS_MAX 64
/* Rounding of placed corners and of the distances between them, in units of u of their sizes. */
#define LINK_SLACK 128.0

typedef struct link_side {
  const ct_mesh_view *view;
  const ct_frame *frame;
  uint32_t found;
} link_side;

static link_side side_of(const ct_toi_side *side, const ct_toi_side_pose *at, uint32_t found) {
  return (link_side){ct_mesh_get(side->shape->mesh), &at->shape, found};
}

static ct_triangle placed(const link_side *side, const uint32_t corners[3]) {
  ct_triangle t;
  for (int i = 0; i < 3; i++) t.v[i] = ct_to_parent(*side->frame, side->view->vertices[corners[i]]);
  return t;
}

/* Of the edges of the one that pierce the other: how far the freest is from not doing so. */
static double freest(const ct_triangle *edges, const ct_triangle *t) {
  double best = 0.0;
  for (int i = 0; i < 3; i++) {
    const ct_vec3 edge[2] = {edges->v[i], edges->v[(i + 1) % 3]};
    if (!ct_segment_meets(edge[0], edge[1], t, NULL)) continue;
    double least = INFINITY;
    ct_gap gap;
    for (int k = 0; k < 2; k++)
      if (ct_point_gap(edge[k], t, INFINITY, &gap)) least = ct_min2(least, gap.distance);
    for (int k = 0; k < 3; k++) {
      const ct_triangle rim = {{t->v[k], t->v[(k + 1) % 3], t->v[(k + 1) % 3]}};
      if (ct_segment_gap(edge, &rim, INFINITY, &gap)) least = ct_min2(least, gap.distance);
    }
    best = ct_max2(best, least);
  }
  return best;
}

static double freest_of(const ct_triangle *a, const ct_triangle *b) {
  return ct_max2(freest(a, b), freest(b, a));
}

double ct_toi_crossing_lasts(const ct_toi_pair *pair, const ct_toi_sample *s) {
  const link_side a = side_of(&pair->a, &s->a, s->result.triangle_a),
                  b = side_of(&pair->b, &s->b, s->result.triangle_b);
  double best = 0.0;
  if ((uint64_t)a.view->live_count * b.view->live_count <= LINK_PAIRS_MAX) {
    for (uint32_t i = 0; i < a.view->live_count; i++) {
      ct_triangle first = placed(&a, a.view->corners[i]);
      for (uint32_t j = 0; j < b.view->live_count; j++) {
        ct_triangle second = placed(&b, b.view->corners[j]);
        best = ct_max2(best, freest_of(&first, &second));
      }
    }
  } else if (a.found != CT_NO_TRIANGLE && b.found != CT_NO_TRIANGLE) {
    ct_triangle first = placed(&a, a.view->triangles[a.found]),
                second = placed(&b, b.view->triangles[b.found]);
    best = freest_of(&first, &second);
  }
  double far_a = ct_norm(s->a.pivot) + ct_norm(s->a.shape.position),
         far_b = ct_norm(s->b.pivot) + ct_norm(s->b.shape.position);
  double size = (far_a + far_b) + (pair->a.reach + pair->b.reach);
  return best - LINK_SLACK * CT_UNIT_ROUNDOFF * size - s->slack;
}
