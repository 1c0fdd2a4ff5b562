// Hulls by CGAL in the peers' benchmark: exact predicates, as a surface mesh.
#include <CGAL/Exact_predicates_inexact_constructions_kernel.h>
#include <CGAL/Polygon_mesh_processing/measure.h>
#include <CGAL/Surface_mesh.h>
#include <CGAL/convex_hull_3.h>

#include <vector>

#include "peers.h"

namespace {

using Kernel = CGAL::Exact_predicates_inexact_constructions_kernel;
using Mesh = CGAL::Surface_mesh<Kernel::Point_3>;
using Clouds = std::vector<std::vector<Kernel::Point_3>>;

void *prepare(const bench_row *row) {
  auto *clouds = new Clouds(row->count);
  for (int i = 0; i < row->count; i++)
    for (int k = 0; k < row->cloud_points; k++) {
      const double *p = row->clouds[static_cast<size_t>(i) * row->cloud_points + k];
      (*clouds)[i].emplace_back(p[0], p[1], p[2]);
    }
  return clouds;
}

void hulls(const Clouds &clouds, double *values, bool measure) {
  for (const auto &cloud : clouds) {
    Mesh mesh;
    CGAL::convex_hull_3(cloud.begin(), cloud.end(), mesh);
    *values++ = mesh.number_of_vertices();
    *values++ = mesh.number_of_faces();
    *values++ = measure ? CGAL::to_double(CGAL::Polygon_mesh_processing::volume(mesh)) : 0;
  }
}

void build(void *opaque, const bench_row *, double *values) {
  hulls(*static_cast<Clouds *>(opaque), values, false);
}
void build_measured(void *opaque, const bench_row *, double *values) {
  hulls(*static_cast<Clouds *>(opaque), values, true);
}
bool takes(const bench_row *row) { return row->clouds != nullptr; }

} // namespace

extern "C" {
const bench_engine bench_cgal_hull[] = {
    {"CGAL convex_hull_3", false, true, takes, prepare, build, build_measured}};
const int bench_cgal_hull_count = 1;
}
