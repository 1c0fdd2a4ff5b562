/* Contact features of two solid meshes: the vertices of each mesh inside the other, then crossing
 * edges.
 *
 * Method: Castro 2020, with matches of vertices by rays along the vertex normals or by closest
 * points. A vertex and its rays are tested in the frame of the other mesh. Both meshes must be
 * closed. */
#include "features/features.h"
#include "mesh_pairs/mesh_tree_pairs.h"
#include "pair/pair_input.h"
#include "pair/pair_order.h"
#include "pair/workspace.h"

#include <assert.h>

/* Two unit normals count as equal if their difference is shorter than this, because it then gives
 * no direction. */
#define NORMALS_EQUAL 1e-6
/* Cost of a vertex inside the other solid, in steps of 100 ns, for the polls of the cancel flag. */
#define INSIDE_STEPS 32u

/* Sets the normal of a feature, from a to b: the direction of the difference of both outward
 * normals. If they are equal, it is the vertex's own normal out of its body, which is mirrored if
 * the bodies are swapped. */
static void set_feature_normal(ct_pair_feature *f) {
  ct_vec3 apart = ct_sub(f->a.normal, f->b.normal);
  if (ct_norm(apart) >= NORMALS_EQUAL) {
    f->normal = ct_unit_or(apart, f->a.normal);
    return;
  }
  f->normal = f->kind == CT_PAIR_FEATURE_VERTEX_B ? ct_neg(f->b.normal) : f->a.normal;
  f->flags |= CT_PAIR_FEATURE_NORMAL_ARBITRARY;
}

/* ---- vertices ------------------------------------------------------------------------------- */

/* A vertex of body `which` that is inside the other body or on its surface. */
typedef struct inside_vertex {
  int which;
  /* on: triangle of the other body that contains the vertex; CT_NO_TRIANGLE: none */
  uint32_t vertex, on;
  ct_vec3 local; /* position of the vertex in the frame of the other body */
  ct_feature_vertex own;
} inside_vertex;

/* Returns the feature's point on the mesh that has the vertex. */
static ct_pair_feature_point make_vertex_point(const ct_feature_body *body,
                                               const inside_vertex *in) {
  assert(in->own.triangle != CT_NO_TRIANGLE);
  const uint32_t *corner = body->view->triangles[in->own.triangle];
  ct_vec3 at = body->view->vertices[in->vertex];
  ct_pair_feature_point out = {.point = ct_to_parent(*body->frame, at),
                               .normal = ct_mat_mul(body->frame->rotation, in->own.normal),
                               .triangle = in->own.triangle};
  for (int k = 0; k < 3; k++) {
    ct_vec3 v = body->view->vertices[corner[k]];
    out.barycentric[k] = v.x == at.x && v.y == at.y && v.z == at.z ? 1.0 : 0.0;
  }
  return out;
}

static void add_vertex_feature(ct_feature_run *run, const inside_vertex *in, ct_features_mode mode,
                               uint32_t flags, const ct_feature_match *match) {
  bool of_b = in->which == 1;
  assert(match->distance >= 0.0);
  uint32_t own_flag = of_b ? CT_PAIR_FEATURE_FACE_NORMAL_B : CT_PAIR_FEATURE_FACE_NORMAL_A;
  uint32_t other_flag = of_b ? CT_PAIR_FEATURE_FACE_NORMAL_A : CT_PAIR_FEATURE_FACE_NORMAL_B;
  ct_pair_feature f = {.kind = of_b ? CT_PAIR_FEATURE_VERTEX_B : CT_PAIR_FEATURE_VERTEX_A,
                       .mode = mode,
                       .flags = flags | (in->own.cancels ? own_flag : 0u),
                       .vertex = in->vertex,
                       .distance = 0.0 - match->distance};
  ct_pair_feature_point own = make_vertex_point(&run->body[in->which], in);
  ct_pair_feature_point other =
      ct_feature_point_of(&run->body[1 - in->which], match, other_flag, &f.flags);
  f.a = of_b ? other : own;
  f.b = of_b ? own : other;
  set_feature_normal(&f);
  ct_feature_add(run->memory, &f);
}

static void match_on_surface(ct_feature_run *run, const inside_vertex *in) {
  const ct_mesh *mesh = run->body[1 - in->which].mesh;
  assert(in->on != CT_NO_TRIANGLE);
  ct_feature_match match = {.triangle = in->on, .point = in->local};
  ct_features_mode mode =
      run->options->mode == CT_FEATURES_BOTH ? CT_FEATURES_BACKWARD : run->options->mode;
  ct_feature_barycentric(mesh, in->on, in->local, match.barycentric);
  add_vertex_feature(run, in, mode, CT_PAIR_FEATURE_ON_SURFACE, &match);
}

/* Matches a vertex by a ray along a direction; by the closest point if the ray does not leave the
 * solid. */
static void match_by_ray(ct_feature_run *run, const inside_vertex *in, ct_features_mode mode,
                         ct_vec3 direction) {
  const ct_mesh *mesh = run->body[1 - in->which].mesh;
  ct_feature_match match;
  if (ct_feature_ray(mesh, in->local, direction, run->workspace, &match)) {
    add_vertex_feature(run, in, mode, 0, &match);
  } else {
    ct_feature_nearest(mesh, in->local, &match);
    add_vertex_feature(run, in, mode, CT_PAIR_FEATURE_FALLBACK, &match);
  }
}

static void match_inside_vertex(ct_feature_run *run, const inside_vertex *in,
                                const ct_frame *relative) {
  ct_features_mode mode = run->options->mode;
  ct_vec3 direction = ct_mat_mul(relative->rotation, in->own.direction);
  if (mode == CT_FEATURES_CLOSEST) {
    ct_feature_match match;
    ct_feature_nearest(run->body[1 - in->which].mesh, in->local, &match);
    add_vertex_feature(run, in, mode, 0, &match);
  }
  if (mode == CT_FEATURES_BACKWARD || mode == CT_FEATURES_BOTH)
    match_by_ray(run, in, CT_FEATURES_BACKWARD, ct_neg(direction));
  if (mode == CT_FEATURES_FORWARD || mode == CT_FEATURES_BOTH)
    match_by_ray(run, in, CT_FEATURES_FORWARD, direction);
}

static void add_vertex_features(ct_feature_run *run, int which) {
  const ct_feature_body *body = &run->body[which], *other = &run->body[1 - which];
  ct_frame relative = ct_feature_relative(body->frame, other->frame);
  for (uint32_t i = 0; i < body->view->point_count; i++) {
    inside_vertex in = {.which = which, .vertex = body->view->points[i]};
    if (ct_mesh_is_cancelled(&run->workspace->mesh, 1)) return;
    /* Classify the vertex exactly against the other solid. */
    in.local = ct_to_parent(relative, body->view->vertices[in.vertex]);
    ct_mesh_side side = ct_mesh_side_of(other->mesh, in.local, &in.on);
    if (side == CT_MESH_OUTSIDE) continue;
    if (ct_mesh_is_cancelled(&run->workspace->mesh, INSIDE_STEPS)) return;
    in.own = ct_feature_vertex_of(body->mesh, in.vertex);
    if (side == CT_MESH_ON) match_on_surface(run, &in);
    else match_inside_vertex(run, &in, &relative);
  }
}

/* ---- the pair ------------------------------------------------------------------------------- */

static ct_features_status check_meshes(const ct_mesh *a, const ct_mesh *b) {
  if (!a || !b) return CT_FEATURES_NO_TRIANGLES;
  return ct_mesh_get(a)->solid && ct_mesh_get(b)->solid ? CT_FEATURES_OK : CT_FEATURES_OPEN_MESH;
}

/* True if bounding volumes separate the two meshes. */
static bool are_meshes_separated(const ct_feature_run *run) {
  ct_frame relative = ct_feature_relative(run->body[1].frame, run->body[0].frame);
  ct_mesh_pair pair;
  ct_mesh_pair_open(&pair, run->body[0].mesh, run->body[1].mesh, &relative, &run->workspace->mesh);
  return ct_mesh_pair_boxes_part(&pair);
}

static void find_features(ct_feature_run *run) {
  add_vertex_features(run, 0);
  run->vertices_a = run->memory->count;
  add_vertex_features(run, 1);
  run->vertices_b = run->memory->count - run->vertices_a;
  ct_feature_edges(run);
}

void ct_pair_features(ct_placed a, ct_placed b, const ct_features_options *options,
                      ct_workspace *workspace, ct_features *out) {
  ct_frame prepared[2];
  if (!ct_placed_prepare_both(&a, &b, prepared)) {
    *out = (ct_features){.status = CT_FEATURES_NO_TRIANGLES};
    return;
  }
  const ct_mesh *mesh[2] = {ct_feature_mesh(a.shape), ct_feature_mesh(b.shape)};
  *out = (ct_features){.status = check_meshes(mesh[0], mesh[1])};
  if (out->status != CT_FEATURES_OK) return;
  if (!workspace) {
    out->status = CT_FEATURES_OUT_OF_MEMORY;
    return;
  }
  /* The lists are reused; the workspace's out-of-memory flag, which only the caller resets, is
   * restored at the end. */
  ct_feature_scratch *memory = ct_workspace_features(workspace);
  ct_feature_run run = {
      .body = {{mesh[0], ct_mesh_get(mesh[0]), a.frame}, {mesh[1], ct_mesh_get(mesh[1]), b.frame}},
      .swapped = ct_pair_is_swapped(a, b),
      .options = options,
      .workspace = workspace,
      .memory = memory};
  bool was_out_of_memory = memory->out_of_memory;
  memory->count = 0;
  memory->out_of_memory = workspace->mesh.stopped = false;
  if (!are_meshes_separated(&run)) find_features(&run);
  assert(run.vertices_a + run.vertices_b <= memory->count);
  out->items = memory->items;
  out->count = memory->count;
  out->doubled = run.doubled;
  if (memory->out_of_memory) out->status = CT_FEATURES_OUT_OF_MEMORY;
  memory->out_of_memory = memory->out_of_memory || was_out_of_memory;
}
