// FCL's answers about pairs of triangle meshes, for comparison. Reads lines from standard input:
//   mesh <triangles>            then 9 numbers a triangle
//   pair <i> <j> <12 numbers> <12 numbers>   meshes by order, each placed by a row-major rotation
//   and a position
// and writes for each pair whether the surfaces meet, and their distance (0 where they do).
#include <fcl/fcl.h>

#include <cstdio>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

using Model = fcl::BVHModel<fcl::OBBRSSd>;

static std::shared_ptr<Model> read_mesh() {
  size_t count = 0;
  std::cin >> count;
  std::vector<fcl::Vector3d> vertices;
  std::vector<fcl::Triangle> triangles;
  for (size_t i = 0; i < count; i++) {
    for (int k = 0; k < 3; k++) {
      double x, y, z;
      std::cin >> x >> y >> z;
      vertices.emplace_back(x, y, z);
    }
    triangles.emplace_back(3 * i, 3 * i + 1, 3 * i + 2);
  }
  auto model = std::make_shared<Model>();
  model->beginModel();
  model->addSubModel(vertices, triangles);
  model->endModel();
  return model;
}

static fcl::Transform3d read_pose() {
  fcl::Transform3d pose = fcl::Transform3d::Identity();
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) std::cin >> pose.linear()(i, j);
  for (int i = 0; i < 3; i++) std::cin >> pose.translation()(i);
  return pose;
}

int main() {
  std::ios::sync_with_stdio(false);
  std::vector<std::shared_ptr<Model>> models;
  std::string word;
  while (std::cin >> word) {
    if (word == "mesh") {
      models.push_back(read_mesh());
      continue;
    }
    size_t i, j;
    std::cin >> i >> j;
    fcl::Transform3d a = read_pose(), b = read_pose();
    fcl::CollisionRequestd contact(1, false);
    fcl::CollisionResultd touched;
    bool meet = fcl::collide(models.at(i).get(), a, models.at(j).get(), b, contact, touched) > 0;
    double distance = 0.0;
    if (!meet) {
      fcl::DistanceRequestd request(false, false, 0.0, 0.0);
      fcl::DistanceResultd result;
      distance = fcl::distance(models.at(i).get(), a, models.at(j).get(), b, request, result);
    }
    std::printf("%d %.17g\n", meet ? 1 : 0, distance);
  }
  return 0;
}
