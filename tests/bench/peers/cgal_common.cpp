// Common solids by CGAL in the peers' benchmark: intersections of half-spaces about a given inner
// point, and corefinement of meshes.
#include <CGAL/Convex_hull_3/dual/halfspace_intersection_3.h>
#include <CGAL/Convex_hull_3/dual/halfspace_intersection_with_constructions_3.h>
#include <CGAL/Exact_predicates_inexact_constructions_kernel.h>
#include <CGAL/Polygon_mesh_processing/corefinement.h>
#include <CGAL/Surface_mesh.h>

#include <cmath>
#include <vector>

#include "peers.h"

namespace {

using Kernel = CGAL::Exact_predicates_inexact_constructions_kernel;
using Mesh = CGAL::Surface_mesh<Kernel::Point_3>;

struct Pair {
  std::vector<Kernel::Plane_3> planes;
  Kernel::Point_3 inside;
  Mesh mesh[2];
};
using Pairs = std::vector<Pair>;

Mesh mesh_of(const bench_body &body) {
  Mesh mesh;
  std::vector<Mesh::Vertex_index> vertices;
  for (int v = 0; v < body.vertex_count; v++)
    vertices.push_back(
        mesh.add_vertex(Kernel::Point_3(body.vertex[v][0], body.vertex[v][1], body.vertex[v][2])));
  for (int f = 0; f < body.face_count; f++)
    mesh.add_face(vertices[body.face[f][0]], vertices[body.face[f][1]], vertices[body.face[f][2]]);
  return mesh;
}

void *prepare(const bench_row *row) {
  auto *pairs = new Pairs(row->count);
  for (int i = 0; i < row->count; i++) {
    Pair &pair = (*pairs)[i];
    for (int k = 0; k < 2; k++) {
      const bench_body &body = row->bodies[i][k];
      for (int f = 0; f < body.face_count; f++)
        pair.planes.emplace_back(body.plane[f][0], body.plane[f][1], body.plane[f][2],
                                 -body.plane[f][3]);
      pair.mesh[k] = mesh_of(body);
    }
    pair.inside = Kernel::Point_3(row->inside[i][0], row->inside[i][1], row->inside[i][2]);
  }
  return pairs;
}

// About a vertex, each face a fan: Polygon_mesh_processing's own needs triangles, and cutting
// slivers into them may fail.
double volume_of(const Mesh &mesh) {
  if (mesh.number_of_vertices() == 0) return 0;
  const Kernel::Point_3 apex = mesh.point(*mesh.vertices().begin());
  double volume = 0;
  for (auto face : mesh.faces()) {
    std::vector<Kernel::Point_3> p;
    for (auto v : CGAL::vertices_around_face(mesh.halfedge(face), mesh)) p.push_back(mesh.point(v));
    for (size_t i = 2; i < p.size(); i++)
      volume += std::fabs(CGAL::volume(apex, p[0], p[i - 1], p[i]));
  }
  return volume;
}

// What one way of asking answers, with the volume or without.
template <typename Solve> void solids(void *opaque, double *values, bool measure, Solve solve) {
  for (auto &pair : *static_cast<Pairs *>(opaque)) {
    Mesh mesh;
    bool good = false;
    try {
      good = solve(pair, mesh);
    } catch (...) {
    }
    *values++ = !good ? BENCH_FAILED : measure ? volume_of(mesh) : 0;
  }
}

bool halfspaces(const Pair &pair, Mesh &mesh) {
  CGAL::halfspace_intersection_3(pair.planes.begin(), pair.planes.end(), mesh,
                                 boost::make_optional(pair.inside));
  return true;
}

bool constructions(const Pair &pair, Mesh &mesh) {
  CGAL::halfspace_intersection_with_constructions_3(pair.planes.begin(), pair.planes.end(), mesh,
                                                    boost::make_optional(pair.inside));
  return true;
}

bool corefined(const Pair &pair, Mesh &mesh) {
  Mesh a = pair.mesh[0], b = pair.mesh[1];
  return CGAL::Polygon_mesh_processing::corefine_and_compute_intersection(a, b, mesh);
}

void by_halfspaces(void *state, const bench_row *, double *values) {
  solids(state, values, false, halfspaces);
}
void by_halfspaces_measured(void *state, const bench_row *, double *values) {
  solids(state, values, true, halfspaces);
}
void by_constructions(void *state, const bench_row *, double *values) {
  solids(state, values, false, constructions);
}
void by_constructions_measured(void *state, const bench_row *, double *values) {
  solids(state, values, true, constructions);
}
void by_corefinement(void *state, const bench_row *, double *values) {
  solids(state, values, false, corefined);
}
void by_corefinement_measured(void *state, const bench_row *, double *values) {
  solids(state, values, true, corefined);
}

bool takes(const bench_row *row) { return row->bodies != nullptr; }

} // namespace

extern "C" {
const bench_engine bench_cgal_common[] = {
    {"CGAL halfspace, inner point given", false, true, takes, prepare, by_halfspaces,
     by_halfspaces_measured},
    {"CGAL halfspace with constructions, inner point given", false, true, takes, prepare,
     by_constructions, by_constructions_measured},
    {"CGAL corefinement", false, true, takes, prepare, by_corefinement, by_corefinement_measured},
};
const int bench_cgal_common_count = 3;
}
