// Hulls by Bullet in the peers' benchmark. It rounds the points to a grid of integers first.
#define BT_USE_DOUBLE_PRECISION
#include <LinearMath/btConvexHullComputer.h>

#include "peers.h"

namespace {

double volume_of(const btConvexHullComputer &hull) {
  double six = 0;
  for (int f = 0; f < hull.faces.size(); f++) {
    const auto *first = &hull.edges[hull.faces[f]];
    const btVector3 &a = hull.vertices[first->getSourceVertex()];
    for (auto *e = first->getNextEdgeOfFace(); e != first; e = e->getNextEdgeOfFace())
      six += a.dot(hull.vertices[e->getSourceVertex()].cross(hull.vertices[e->getTargetVertex()]));
  }
  return std::fabs(six) / 6;
}

void hulls(const bench_row *row, double *values, bool measure) {
  for (int i = 0; i < row->count; i++) {
    btConvexHullComputer hull;
    hull.compute(row->clouds[static_cast<size_t>(i) * row->cloud_points], 3 * sizeof(double),
                 row->cloud_points, 0, 0);
    *values++ = hull.vertices.size();
    *values++ = hull.faces.size();
    *values++ = measure ? volume_of(hull) : 0;
  }
}

void *prepare(const bench_row *row) { return const_cast<bench_row *>(row); }
void build(void *, const bench_row *row, double *values) { hulls(row, values, false); }
void build_measured(void *, const bench_row *row, double *values) { hulls(row, values, true); }
bool takes(const bench_row *row) { return row->clouds != nullptr; }

} // namespace

extern "C" {
const bench_engine bench_bullet_hull[] = {
    {"Bullet convex hull computer", false, true, takes, prepare, build, build_measured}};
const int bench_bullet_hull_count = 1;
}
