// FCL in the peers' benchmark: both of its solvers for hulls, collide() for primitives.
#include <fcl/fcl.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "peers.h"

namespace {

using fcl::Vector3d;

fcl::Transform3d transform_of(const double q[4], const double p[3]) {
  double m[9];
  bench_matrix(q, m);
  fcl::Transform3d t = fcl::Transform3d::Identity();
  for (int r = 0; r < 3; r++)
    for (int c = 0; c < 3; c++) t.linear()(r, c) = m[3 * r + c];
  t.translation() = Vector3d(p[0], p[1], p[2]);
  return t;
}

using Placements = std::vector<fcl::Transform3d, Eigen::aligned_allocator<fcl::Transform3d>>;

struct Hulls {
  std::vector<std::shared_ptr<fcl::Convexd>> shapes;
  Placements a, b;
  fcl::detail::GJKSolver_libccd<double> libccd;
  fcl::detail::GJKSolver_indep<double> indep;
};

void *prepare_hulls(const bench_row *row) {
  auto *s = new Hulls;
  for (int i = 0; i < BENCH_HULLS; i++) {
    const bench_hull &hull = row->hulls[i];
    auto vertices = std::make_shared<std::vector<Vector3d>>();
    auto faces = std::make_shared<std::vector<int>>();
    for (int v = 0; v < hull.vertex_count; v++)
      vertices->emplace_back(hull.vertex[v][0], hull.vertex[v][1], hull.vertex[v][2]);
    for (int f = 0; f < hull.face_count; f++) {
      faces->push_back(3);
      faces->insert(faces->end(), hull.face[f], hull.face[f] + 3);
    }
    s->shapes.push_back(std::make_shared<fcl::Convexd>(vertices, hull.face_count, faces));
    s->shapes.back()->computeLocalAABB();
  }
  for (int i = 0; i < row->count; i++) {
    s->a.push_back(transform_of(row->pairs[i].rotation_a, row->pairs[i].position_a));
    s->b.push_back(transform_of(row->pairs[i].rotation_b, row->pairs[i].position_b));
  }
  s->indep.gjk_tolerance = 1e-6;
  return s;
}

template <class Solver>
void distances(const Solver &solver, const Hulls &s, const bench_row *row, double *values) {
  for (int i = 0; i < row->count; i++) {
    const bench_pair &p = row->pairs[i];
    double distance = -1;
    Vector3d a, b;
    bool found = solver.shapeDistance(*s.shapes[p.hull_a], s.a[i], *s.shapes[p.hull_b], s.b[i],
                                      &distance, &a, &b);
    values[i] = found ? distance : BENCH_FAILED;
  }
}

void distances_libccd(void *opaque, const bench_row *row, double *values) {
  auto *s = static_cast<Hulls *>(opaque);
  distances(s->libccd, *s, row, values);
}

void distances_indep(void *opaque, const bench_row *row, double *values) {
  auto *s = static_cast<Hulls *>(opaque);
  distances(s->indep, *s, row, values);
}

void signed_distances(void *opaque, const bench_row *row, double *values) {
  auto *s = static_cast<Hulls *>(opaque);
  for (int i = 0; i < row->count; i++) {
    const bench_pair &p = row->pairs[i];
    double distance = 0;
    Vector3d a, b;
    try {
      s->libccd.shapeSignedDistance(*s->shapes[p.hull_a], s->a[i], *s->shapes[p.hull_b], s->b[i],
                                    &distance, &a, &b);
    } catch (const std::exception &) {
      distance = 0;
    }
    values[i] = distance < 0 ? -distance : BENCH_FAILED;
  }
}

template <class Solver>
void depths(const Solver &solver, const Hulls &s, const bench_row *row, double *values,
            double sign) {
  std::vector<fcl::ContactPointd> contacts;
  for (int i = 0; i < row->count; i++) {
    const bench_pair &p = row->pairs[i];
    contacts.clear();
    bool found = solver.shapeIntersect(*s.shapes[p.hull_a], s.a[i], *s.shapes[p.hull_b], s.b[i],
                                       &contacts) &&
                 !contacts.empty();
    values[i] = found ? sign * contacts[0].penetration_depth : BENCH_FAILED;
  }
}

void depths_libccd(void *opaque, const bench_row *row, double *values) {
  auto *s = static_cast<Hulls *>(opaque);
  depths(s->libccd, *s, row, values, 1.0);
}

// This solver reports a depth below zero.
void depths_indep(void *opaque, const bench_row *row, double *values) {
  auto *s = static_cast<Hulls *>(opaque);
  depths(s->indep, *s, row, values, -1.0);
}

using Objects = std::vector<fcl::CollisionObjectd, Eigen::aligned_allocator<fcl::CollisionObjectd>>;

struct Solids {
  Objects a, b;
};

std::shared_ptr<fcl::CollisionGeometryd> geometry_of(const bench_solid &s) {
  if (s.kind == BENCH_BOX)
    return std::make_shared<fcl::Boxd>(2 * s.size[0], 2 * s.size[1], 2 * s.size[2]);
  if (s.kind == BENCH_SPHERE) return std::make_shared<fcl::Sphered>(s.size[0]);
  return std::make_shared<fcl::Capsuled>(s.size[0], 2 * s.size[1]);
}

void *prepare_solids(const bench_row *row) {
  auto *s = new Solids;
  for (int i = 0; i < row->count; i++) {
    const bench_solid *pair = row->solids[i];
    s->a.emplace_back(geometry_of(pair[0]), transform_of(pair[0].rotation, pair[0].position));
    s->b.emplace_back(geometry_of(pair[1]), transform_of(pair[1].rotation, pair[1].position));
  }
  return s;
}

void collide(const Solids &s, const bench_row *row, double *values, bool contacts) {
  fcl::CollisionRequestd request;
  request.num_max_contacts = contacts ? 8 : 1;
  request.enable_contact = contacts;
  fcl::CollisionResultd result;
  for (int i = 0; i < row->count; i++) {
    result.clear();
    fcl::collide(&s.a[i], &s.b[i], request, result);
    double depth = result.isCollision() ? 0.0 : BENCH_NO_CONTACT;
    for (size_t k = 0; contacts && k < result.numContacts(); k++)
      depth = std::max(depth, result.getContact(k).penetration_depth);
    values[i] = depth;
  }
}

void collide_contacts(void *opaque, const bench_row *row, double *values) {
  collide(*static_cast<Solids *>(opaque), row, values, true);
}
void collide_only(void *opaque, const bench_row *row, double *values) {
  collide(*static_cast<Solids *>(opaque), row, values, false);
}

bool takes_distance(const bench_row *row) { return row->work == BENCH_DISTANCE; }
bool takes_depth(const bench_row *row) { return row->work == BENCH_DEPTH; }
bool takes_solids(const bench_row *row) { return row->solids != nullptr; }

} // namespace

extern "C" {
const bench_engine bench_fcl[] = {
    {"FCL libccd", false, true, takes_distance, prepare_hulls, distances_libccd},
    {"FCL indep", false, true, takes_distance, prepare_hulls, distances_indep},
    {"FCL signed distance", false, true, takes_depth, prepare_hulls, signed_distances},
    {"FCL libccd intersect", false, true, takes_depth, prepare_hulls, depths_libccd},
    {"FCL indep intersect", false, true, takes_depth, prepare_hulls, depths_indep},
    {"FCL collide(8)", false, true, takes_solids, prepare_solids, collide_contacts},
    {"FCL collide(yes/no)", false, false, takes_solids, prepare_solids, collide_only},
};
const int bench_fcl_count = sizeof bench_fcl / sizeof bench_fcl[0];
}
