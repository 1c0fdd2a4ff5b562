// A ball falls from 1 m and keeps half of its speed at the impact. How high does it rise again?
#include <contact/contact.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <memory>

namespace {

struct Release {
  void operator()(const ct_scene *scene) const { ct_scene_release(scene); }
  void operator()(const ct_body *body) const { ct_body_release(body); }
  void operator()(ct_workspace *workspace) const { ct_workspace_destroy(workspace); }
  void operator()(ct_arena *arena) const { ct_arena_destroy(arena); }
  void operator()(ct_advance *advance) const { ct_advance_destroy(advance); }
};
template <typename T> using Owned = std::unique_ptr<T, Release>;

ct_text text(const char *string) { return ct_text{string, std::strlen(string)}; }

bool add(ct_draft *draft, const char *id, const ct_shape &shape, double z,
         const ct_motion *motion) {
  ct_collider collider{};
  collider.shape = shape;
  collider.material = text("rubber");
  ct_body_options options = ct_body_options_default();
  options.id = text(id);
  options.colliders = &collider;
  options.collider_count = 1;
  options.motion = motion;
  const ct_body *body = nullptr;
  if (ct_body_create(&options, &body) != CT_OK) return false;
  const Owned<const ct_body> owned(body);
  ct_pose pose = ct_pose_identity();
  pose.position.z = z;
  std::uint32_t row;
  return ct_draft_insert(draft, body, &pose, nullptr, &row) == CT_OK;
}

Owned<const ct_scene> build_scene(double radius, double height, double restitution) {
  const Owned<const ct_scene> empty(ct_scene_create(0));
  ct_draft *draft = ct_draft_begin(empty.get());
  ct_named_material rubber{};
  rubber.name = text("rubber");
  rubber.material.restitution = restitution;
  const ct_materials materials{&rubber, 1, nullptr, 0};
  ct_shape floor{}, ball{};
  floor.kind = CT_KIND_PLANE;
  ball.kind = CT_KIND_SPHERE;
  ball.sphere.radius = radius;
  ct_motion motion{};
  motion.source = CT_MASS_MASS;
  motion.value = 0.5;
  if (ct_draft_set_materials(draft, &materials) != CT_OK ||
      !add(draft, "floor", floor, 0.0, nullptr) ||
      !add(draft, "ball", ball, height + radius, &motion)) {
    ct_draft_discard(draft);
    return nullptr;
  }
  return Owned<const ct_scene>(ct_draft_seal(draft));
}

} // namespace

int main() {
  const double radius = 0.1, height = 1.0, restitution = 0.5, g = 9.81;
  const double fall = std::sqrt(2.0 * height / g);
  const Owned<const ct_scene> scene = build_scene(radius, height, restitution);
  const Owned<ct_workspace> workspace(ct_workspace_create());
  const Owned<ct_arena> arena(ct_arena_create());
  if (!scene || !workspace || !arena) return 1;
  ct_advance_options options = ct_advance_options_default();
  options.mode = CT_ADVANCE_IMPULSES;
  options.duration = fall * (1.0 + restitution); // down, and up again to the highest point
  options.time_step = 0.1;
  options.gravity = ct_vec(0.0, 0.0, -g);
  options.contact_tolerance = 1e-9;
  ct_advance *raw = nullptr;
  if (ct_advance_create(scene.get(), &options, &raw) != CT_OK) return 1;
  const Owned<ct_advance> advance(raw);
  for (bool done = false; !done;)
    if (ct_advance_step(raw, workspace.get(), arena.get(), &done) != CT_OK) return 1;
  ct_pose pose;
  ct_velocity velocity;
  ct_advance_body(raw, 1, &pose, &velocity);
  const double risen = pose.position.z - radius, expected = restitution * restitution * height;
  std::printf("rises to %.9f m after %.9f s\n", risen, options.duration);
  std::printf("closed form: e^2 h = %.9f m\n", expected);
  return std::fabs(risen - expected) > 1e-6 || std::fabs(velocity.linear.z) > 1e-6;
}
