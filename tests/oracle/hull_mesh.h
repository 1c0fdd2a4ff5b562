/* Closed meshes made of hulls, in long double. Known properties of the hulls are then known of the
 * meshes: separation, overlap, containment, and depths of vertices. Also the distance from the
 * surface of one mesh to a body inside it. */
#ifndef ORACLE_HULL_MESH_H
#define ORACLE_HULL_MESH_H

#include "tests/oracle/kind_oracle.h"

/* Faces of a hull in its own frame, each with all of its corners; unit normals outward. */
typedef struct faced {
  int count;
  oracle_vec *normal;
  long double *offset;
} faced;

/* Face normals by Newell's sum over all corners, in 113 bits. */
static inline faced faced_of(const ct_hull *hull) {
  const ct_hull_view *h = ct_hull_get(hull);
  faced f = {.count = (int)h->face_count,
             .normal = malloc(h->face_count * sizeof *f.normal),
             .offset = malloc(h->face_count * sizeof *f.offset)};
  if (!f.normal || !f.offset) abort();
  for (uint32_t i = 0; i < h->face_count; i++) {
    const uint32_t *loop = &h->face_loop[h->face_start[i]];
    uint32_t corners = h->face_start[i + 1] - h->face_start[i];
    oracle_wide sum = {0, 0, 0}, first = {h->x[loop[0]], h->y[loop[0]], h->z[loop[0]]};
    for (uint32_t k = 1; k + 1 < corners; k++) {
      oracle_wide p =
          oracle_wide_sub((oracle_wide){h->x[loop[k]], h->y[loop[k]], h->z[loop[k]]}, first);
      oracle_wide q = oracle_wide_sub(
          (oracle_wide){h->x[loop[k + 1]], h->y[loop[k + 1]], h->z[loop[k + 1]]}, first);
      oracle_wide m = oracle_wide_cross(p, q);
      sum = (oracle_wide){sum.x + m.x, sum.y + m.y, sum.z + m.z};
    }
    oracle_vec n = oracle_narrow(sum);
    long double length = oracle_norm(n);
    f.normal[i] = (oracle_vec){n.x / length, n.y / length, n.z / length};
    f.offset[i] = oracle_dot(f.normal[i], oracle_narrow(first));
  }
  return f;
}

static inline void faced_free(faced *f) {
  free(f->normal);
  free(f->offset);
}

/* Depth of a point in the hull's frame: the least distance from the planes of the faces. Negative
 * outside, where it is not the distance. */
static inline long double faced_depth(const faced *f, oracle_vec p) {
  long double least = INFINITY;
  for (int i = 0; i < f->count; i++)
    least = fminl(least, f->offset[i] - oracle_dot(f->normal[i], p));
  return least;
}

/* Transforms a point from the frame `from` to the frame `to`; NULL is the world. */
static inline oracle_vec hull_mesh_to(const ct_pose *from, const ct_pose *to, ct_vec3 p) {
  oracle_vec local = {p.x, p.y, p.z}, base = {to->position.x, to->position.y, to->position.z};
  if (from) {
    ct_pose turned = {{0, 0, 0}, from->rotation};
    oracle_vec w = oracle_narrow(oracle_place(&turned, &local));
    local = (oracle_vec){w.x + ((long double)from->position.x - base.x),
                         w.y + ((long double)from->position.y - base.y),
                         w.z + ((long double)from->position.z - base.z)};
  } else {
    local = oracle_sub(local, base);
  }
  return kind_turned_back(to, local);
}

/* The greatest and the least depth of the points of `other` in the hull of `f`. */
static inline void faced_range(const faced *f, const ct_pose *pose, const pair_body *other,
                               long double *deepest, long double *least) {
  *deepest = -INFINITY;
  *least = INFINITY;
  for (int i = 0; i < other->count; i++) {
    long double depth = faced_depth(f, hull_mesh_to(&other->pose, pose, other->points[i]));
    *deepest = fmaxl(*deepest, depth);
    *least = fminl(*least, depth);
  }
}

/* The least gap between the body and the hull's faces, from inside. Negative: the body sticks out
 * of the hull. */
static inline long double faced_room(const faced *f, const ct_pose *pose, const pair_body *body) {
  long double least = INFINITY;
  ct_pose turn = {{0, 0, 0}, pose->rotation};
  for (int i = 0; i < f->count; i++) {
    oracle_vec n = oracle_narrow(oracle_place(&turn, &f->normal[i]));
    oracle_vec to = {(long double)body->pose.position.x - pose->position.x,
                     (long double)body->pose.position.y - pose->position.y,
                     (long double)body->pose.position.z - pose->position.z};
    least = fminl(least, f->offset[i] - oracle_dot(n, to) - kind_reach(body, n));
  }
  return least;
}

/* The hull as a mesh; each face is a triangle fan from its first corner. */
static inline ct_shape hull_mesh_of(const ct_hull *hull, ct_mesh_reading reading) {
  const ct_hull_view *h = ct_hull_get(hull);
  ct_vec3 *v = malloc(h->vertex_count * sizeof *v);
  uint32_t(*t)[3] = malloc((2 * h->vertex_count) * sizeof *t), count = 0;
  if (!v || !t) abort();
  for (uint32_t i = 0; i < h->vertex_count; i++) v[i] = ct_vec(h->x[i], h->y[i], h->z[i]);
  for (uint32_t f = 0; f < h->face_count; f++)
    for (uint32_t k = h->face_start[f] + 1; k + 1 < h->face_start[f + 1]; k++, count++) {
      t[count][0] = h->face_loop[h->face_start[f]];
      t[count][1] = h->face_loop[k];
      t[count][2] = h->face_loop[k + 1];
    }
  ct_mesh *mesh = NULL;
  ct_mesh_data data = {v, h->vertex_count, (const uint32_t(*)[3])t, count, NULL};
  if (ct_mesh_create(&data, reading, NULL, &mesh, NULL) != CT_OK) abort();
  free(v);
  free(t);
  return (ct_shape){.kind = CT_KIND_MESH, .mesh = mesh};
}

#endif
