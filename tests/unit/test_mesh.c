/* Meshes: merged points, dropped triangles, edges, parts, orientation and mass as reported;
 * invariants of the tree. */
#include "tests/support/meshes.h"

static ct_mesh_report report_of(const soup *s, ct_mesh_reading reading, ct_status expected) {
  ct_mesh *mesh = NULL;
  ct_mesh_report report = {.triangles = 77};
  CHECK_INT(soup_build(s, reading, &mesh, &report), expected);
  CHECK_INT(mesh != NULL, expected == CT_OK);
  ct_mesh_release(mesh);
  return report;
}

/* Checks every property of the arrays that the header documents. */
static void check_view(const ct_mesh *mesh) {
  const ct_mesh_view *v = ct_mesh_get(mesh);
  char *seen = calloc(v->triangle_count, 1), *held = calloc(v->live_count, 1);
  uint32_t leaves = 0, deepest = 0, *depth = calloc(v->node_count, sizeof *depth);
  for (uint32_t n = 0; n < v->node_count; n++) {
    if (n == 1) continue;
    const ct_mesh_node *node = &v->nodes[n];
    if (depth[n] > deepest) deepest = depth[n];
    if (node->count == 0) {
      CHECK(node->first % 2 == 0 && node->first > n && node->first + 1 < v->node_count);
      depth[node->first] = depth[node->first + 1] = depth[n] + 1;
      ct_aabb joined = ct_aabb_union(v->nodes[node->first].box, v->nodes[node->first + 1].box);
      CHECK(memcmp(&joined, &node->box, sizeof joined) == 0);
      continue;
    }
    CHECK(node->count <= CT_MESH_LEAF_MAX);
    for (uint32_t i = node->first; i < node->first + node->count; i++) CHECK(!held[i]++);
    leaves += node->count;
  }
  CHECK_INT(leaves, v->live_count);
  CHECK(deepest <= CT_MESH_DEPTH_MAX);
  CHECK((uintptr_t)v->nodes % 128 == 0 && sizeof(ct_mesh_node) == 64);
  CHECK(memcmp(&v->nodes[0].box, &v->box, sizeof v->box) == 0);
  for (uint32_t i = 0; i < v->live_count; i++) {
    const uint32_t *given = v->triangles[v->order[i]];
    CHECK(!seen[v->order[i]]++);
    for (int k = 0; k < 3; k++) {
      int from = v->flipped ? (3 - k) % 3 : k;
      ct_vec3 p = v->vertices[given[from]], q = v->vertices[v->corners[i][k]];
      CHECK(p.x == q.x && p.y == q.y && p.z == q.z);
      uint32_t other = v->across[i][k], a = v->corners[i][k], b = v->corners[i][(k + 1) % 3];
      if (other == CT_NO_TRIANGLE) continue;
      bool back = false;
      for (int j = 0; j < 3; j++) {
        uint32_t c = v->corners[other][j], d = v->corners[other][(j + 1) % 3];
        if (((c == a && d == b) || (c == b && d == a)) && v->across[other][j] == i) back = true;
      }
      CHECK(back);
    }
  }
  free(seen);
  free(held);
  free(depth);
}

/* Bounding balls and boxes of nodes contain their triangles. */
static void check_balls(const ct_mesh *mesh) {
  const ct_mesh_view *v = ct_mesh_get(mesh);
  for (uint32_t n = 0; n < v->node_count; n++) {
    if (n == 1) continue;
    const ct_mesh_node *node = &v->nodes[n];
    uint32_t begin = n, end = n;
    while (v->nodes[begin].count == 0) begin = v->nodes[begin].first;
    while (v->nodes[end].count == 0) end = v->nodes[end].first + 1;
    ct_aabb b = node->box;
    long double m[3] = {0.5 * (b.min.x + b.max.x), 0.5 * (b.min.y + b.max.y),
                        0.5 * (b.min.z + b.max.z)};
    ct_aabb exact = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    for (uint32_t i = v->nodes[begin].first; i < v->nodes[end].first + v->nodes[end].count; i++)
      for (int k = 0; k < 3; k++) {
        ct_vec3 p = v->vertices[v->corners[i][k]];
        exact = ct_aabb_union(exact, (ct_aabb){p, p});
        CHECK(sqrtl((p.x - m[0]) * (p.x - m[0]) + (p.y - m[1]) * (p.y - m[1]) +
                    (p.z - m[2]) * (p.z - m[2])) <= node->radius);
      }
    CHECK(memcmp(&exact, &b, sizeof b) == 0);
    double diagonal = ct_norm(ct_sub(b.max, b.min));
    CHECK(node->radius <= 0.5 * diagonal * (1 + 1e-14));
  }
}

static void a_cube_is_a_watertight_solid(void) {
  soup s = {0};
  soup_box(&s, ct_vec(0, 0, 0), ct_vec(2, 3, 4));
  ct_mesh_report r = report_of(&s, CT_MESH_AUTO, CT_OK);
  CHECK(r.closed && r.oriented && r.manifold && r.watertight && r.solid && !r.flipped);
  CHECK_INT(r.triangles, 12);
  CHECK_INT(r.vertices, 8);
  CHECK_INT(r.merged_vertices, 0);
  CHECK_INT(r.unused_vertices, 0);
  CHECK_INT(r.components, 1);
  CHECK_INT(r.open_edges + r.crowded_edges + r.inconsistent_edges + r.pinched_vertices, 0);
  CHECK_INT(r.bad_triangle, CT_NO_TRIANGLE);
  CHECK(r.volume == 24.0 && r.area == 52.0);
  ct_mesh *mesh = soup_mesh(&s);
  const ct_mesh_view *v = ct_mesh_get(mesh);
  /* T1.1: I = (50, 40, 26) for a box of 2 x 3 x 4 and unit density. */
  CHECK_NEAR(v->inertia.rx.x, 50, 1e-13);
  CHECK_NEAR(v->inertia.ry.y, 40, 1e-13);
  CHECK_NEAR(v->inertia.rz.z, 26, 1e-13);
  CHECK_NEAR(v->inertia.rx.y, 0, 1e-14);
  CHECK(v->centroid.x == 1.0 && v->centroid.y == 1.5 && v->centroid.z == 2.0);
  CHECK_NEAR(v->radius, sqrt(29.0) / 2, 1e-14);
  check_view(mesh);
  check_balls(mesh);
  CHECK(ct_mesh_bytes(mesh) >= sizeof *v + 8 * sizeof(ct_vec3));
  ct_mesh_release(mesh);
}

static void a_tetrahedron_has_the_exact_measures(void) {
  soup s = {0};
  soup_vertex(&s, ct_vec(0, 0, 0)), soup_vertex(&s, ct_vec(1, 0, 0)),
      soup_vertex(&s, ct_vec(0, 1, 0)), soup_vertex(&s, ct_vec(0, 0, 1));
  soup_triangle(&s, 0, 2, 1), soup_triangle(&s, 0, 1, 3), soup_triangle(&s, 0, 3, 2),
      soup_triangle(&s, 1, 2, 3);
  ct_mesh *mesh = soup_mesh(&s);
  const ct_mesh_view *v = ct_mesh_get(mesh);
  CHECK_NEAR(v->volume, 1.0 / 6, 1e-16);
  CHECK_NEAR(v->centroid.x, 0.25, 1e-16);
  CHECK_NEAR(v->inertia.rx.x, 1.0 / 80, 1e-17);
  CHECK_NEAR(v->inertia.rx.y, 1.0 / 480, 1e-17);
  CHECK_NEAR(v->inertia.ry.z, 1.0 / 480, 1e-17);
  check_view(mesh);
  ct_mesh_release(mesh);
}

static void an_octahedron_has_the_exact_measures(void) {
  soup s = {0};
  soup_octahedron(&s, ct_vec(0, 0, 0), 1);
  ct_mesh *mesh = soup_mesh(&s);
  const ct_mesh_view *v = ct_mesh_get(mesh);
  CHECK_NEAR(v->volume, 4.0 / 3, 1e-15);
  CHECK_NEAR(v->inertia.rx.x, 4.0 / 15, 1e-16);
  CHECK_NEAR(v->inertia.rz.z, 4.0 / 15, 1e-16);
  CHECK_NEAR(v->inertia.rx.z, 0, 1e-17);
  check_view(mesh);
  ct_mesh_release(mesh);
}

static void separate_triangles_are_joined_by_their_bits(void) {
  soup s = {0};
  soup_box(&s, ct_vec(-1, -1, 0), ct_vec(1, 1, 1));
  soup_explode(&s);
  for (uint32_t i = 0; i < s.vn; i += 2)
    if (s.v[i].z == 0.0) s.v[i].z = -0.0;
  ct_mesh_report r = report_of(&s, CT_MESH_AUTO, CT_OK);
  CHECK_INT(r.vertices, 8);
  CHECK_INT(r.merged_vertices, 28);
  CHECK(r.watertight && r.solid);
  /* Vertices that differ by one bit are not merged: no tolerance. */
  for (uint32_t i = 0; i < s.vn; i++) {
    if (s.v[i].x != 1.0 || s.v[i].y != 1.0 || s.v[i].z != 1.0) continue;
    s.v[i].x = 1.0 + 0x1p-52;
    break;
  }
  r = report_of(&s, CT_MESH_AUTO, CT_OK);
  CHECK_INT(r.vertices, 9);
  CHECK(!r.closed && !r.solid && r.open_edges > 0);
  CHECK(r.volume == 0.0);
  soup_free(&s);
}

static void an_open_box_names_its_first_open_edge(void) {
  soup s = {0};
  soup_box(&s, ct_vec(0, 0, 0), ct_vec(1, 1, 1));
  s.tn = 10; /* without the face x = 0 */
  ct_mesh_report r = report_of(&s, CT_MESH_AUTO, CT_OK);
  CHECK(!r.closed && r.oriented && r.manifold && !r.watertight && !r.solid && !r.flipped);
  CHECK_INT(r.open_edges, 4);
  CHECK_INT(r.bad_triangle, 1); /* 0 3 2: its edge 0 3 */
  CHECK_INT(r.bad_edge[0], 0);
  CHECK_INT(r.bad_edge[1], 3);
  CHECK(r.area == 5.0 && r.volume == 0.0);
  r = report_of(&s, CT_MESH_SOLID, CT_OPEN_MESH);
  CHECK_INT(r.open_edges, 4);
  CHECK_INT(r.bad_triangle, 1);
  ct_mesh *mesh = soup_mesh(&s);
  CHECK(ct_mesh_get(mesh)->volume == 0.0 && ct_mesh_get(mesh)->inertia.rx.x == 0.0);
  /* Of five squares, each at 0.5 except the missing one. */
  CHECK_NEAR(ct_mesh_get(mesh)->centroid.x, 0.6, 1e-15);
  CHECK_NEAR(ct_mesh_get(mesh)->centroid.y, 0.5, 1e-15);
  check_view(mesh);
  ct_mesh_release(mesh);
}

static void a_box_inside_out_is_read_the_other_way_round(void) {
  soup s = {0};
  soup_box(&s, ct_vec(0, 0, 0), ct_vec(1, 2, 3));
  soup_invert(&s, 0);
  ct_mesh_report r = report_of(&s, CT_MESH_AUTO, CT_OK);
  CHECK(r.watertight && r.flipped && r.solid && r.volume == 6.0);
  CHECK_INT(r.bad_triangle, CT_NO_TRIANGLE);
  ct_mesh *mesh = soup_mesh(&s);
  const ct_mesh_view *v = ct_mesh_get(mesh);
  CHECK(v->flipped && v->volume == 6.0);
  CHECK_NEAR(v->inertia.rx.x, 6 * (4 + 9) / 12.0, 1e-14);
  for (uint32_t t = 0; t < 12; t++) {
    ct_vec3 n = ct_mesh_normal(mesh, t), p = v->vertices[v->triangles[t][0]];
    CHECK(ct_dot(n, ct_sub(p, v->centroid)) > 0);
  }
  check_view(mesh);
  ct_mesh_release(mesh);
}

static void one_turned_triangle_is_inconsistent(void) {
  soup s = {0};
  soup_box(&s, ct_vec(0, 0, 0), ct_vec(1, 1, 1));
  soup_invert(&s, 11);
  ct_mesh_report r = report_of(&s, CT_MESH_AUTO, CT_OK);
  CHECK(r.closed && !r.oriented && r.manifold && !r.watertight && !r.solid);
  CHECK_INT(r.inconsistent_edges, 3);
  CHECK_INT(r.open_edges, 0);
  CHECK_INT(r.bad_triangle, 3); /* 4 6 7: its edge 7 4 */
  CHECK_INT(r.bad_edge[0], 7);
  CHECK_INT(r.bad_edge[1], 4);
  report_of(&s, CT_MESH_SOLID, CT_OPEN_MESH);
  soup_free(&s);
}

static void a_fin_crowds_an_edge(void) {
  soup s = {0};
  soup_box(&s, ct_vec(0, 0, 0), ct_vec(1, 1, 1));
  soup_triangle(&s, 0, 1, soup_vertex(&s, ct_vec(0.5, -1, -1)));
  ct_mesh_report r = report_of(&s, CT_MESH_AUTO, CT_OK);
  CHECK_INT(r.crowded_edges, 1);
  CHECK_INT(r.open_edges, 2);
  CHECK(!r.closed && !r.manifold && !r.solid);
  CHECK_INT(r.bad_triangle, 0); /* 0 2 1: its edge 1 0 */
  CHECK_INT(r.bad_edge[0], 1);
  CHECK_INT(r.bad_edge[1], 0);
  soup_free(&s);
}

/* Two cubes that share an edge, and two that share a vertex: closed and oriented, so solid, but not
 * manifold. */
static void cubes_that_share_an_edge_or_a_vertex_are_pinched_solids(void) {
  soup s = {0};
  soup_box(&s, ct_vec(0, 0, 0), ct_vec(1, 1, 1));
  soup_box(&s, ct_vec(1, 1, 0), ct_vec(2, 2, 1));
  ct_mesh_report r = report_of(&s, CT_MESH_AUTO, CT_OK);
  CHECK(r.closed && r.oriented && !r.manifold && !r.watertight && r.solid);
  CHECK_INT(r.crowded_edges, 1);
  CHECK_INT(r.components, 1);
  CHECK_INT(r.pinched_vertices, 0);
  CHECK(r.volume == 2.0);
  soup_free(&s);
  soup_box(&s, ct_vec(0, 0, 0), ct_vec(1, 1, 1));
  soup_box(&s, ct_vec(1, 1, 1), ct_vec(2, 2, 2));
  r = report_of(&s, CT_MESH_AUTO, CT_OK);
  CHECK(r.closed && r.oriented && !r.manifold && !r.watertight && r.solid);
  CHECK_INT(r.crowded_edges, 0);
  CHECK_INT(r.components, 1);
  CHECK_INT(r.pinched_vertices, 1);
  CHECK_INT(r.merged_vertices, 1);
  CHECK_INT(r.bad_triangle, CT_NO_TRIANGLE);
  soup_free(&s);
}

static void two_parts_are_counted_and_named(void) {
  soup s = {0};
  soup_box(&s, ct_vec(0, 0, 0), ct_vec(1, 1, 1));
  soup_vertex(&s, ct_vec(9, 9, 9));
  soup_box(&s, ct_vec(2, 0, 0), ct_vec(3, 1, 1));
  ct_mesh_report r = report_of(&s, CT_MESH_AUTO, CT_OK);
  CHECK_INT(r.components, 2);
  CHECK_INT(r.unused_vertices, 1);
  CHECK_INT(r.vertices, 16);
  CHECK(r.box.max.x == 3.0 && r.box.max.z == 1.0);
  ct_mesh *mesh = soup_mesh(&s);
  const ct_mesh_view *v = ct_mesh_get(mesh);
  CHECK_INT(v->component_count, 2);
  CHECK_INT(v->component_vertex[0], 0);
  CHECK_INT(v->component_vertex[1], 9);
  CHECK_INT(v->point_count, 16);
  CHECK_INT(v->points[8], 9);
  CHECK_NEAR(v->centroid.x, 1.5, 1e-15);
  ct_mesh_release(mesh);
}

static void a_shell_in_a_shell_is_a_cavity(void) {
  soup s = {0};
  soup_box(&s, ct_vec(0, 0, 0), ct_vec(4, 4, 4));
  uint32_t from = s.tn;
  soup_box(&s, ct_vec(1, 1, 1), ct_vec(3, 3, 3));
  soup_invert(&s, from);
  ct_mesh_report r = report_of(&s, CT_MESH_AUTO, CT_OK);
  CHECK(r.watertight && r.solid && !r.flipped);
  CHECK_INT(r.components, 2);
  CHECK(r.volume == 56.0 && r.area == 120.0);
  soup_invert(&s, 0);
  r = report_of(&s, CT_MESH_AUTO, CT_OK);
  CHECK(r.watertight && r.solid && r.flipped && r.volume == 56.0);
  soup_free(&s);
}

static void degenerate_and_repeated_triangles_are_dropped(void) {
  soup s = {0};
  soup_box(&s, ct_vec(0, 0, 0), ct_vec(1, 1, 1));
  soup_triangle(&s, 0, 0, 1);
  soup_triangle(&s, 2, soup_vertex(&s, ct_vec(1, 1, 0)), 5); /* vertex 2 again */
  soup_triangle(&s, 0, 1, soup_vertex(&s, ct_vec(0.3, 0, 0)));
  soup_triangle(&s, 2, 1, 0); /* the first one with rotated indices */
  ct_mesh_report r = report_of(&s, CT_MESH_AUTO, CT_OK);
  CHECK_INT(r.degenerate_triangles, 3);
  CHECK_INT(r.duplicate_triangles, 1);
  CHECK_INT(r.opposed_triangles, 0);
  CHECK_INT(r.triangles, 12);
  CHECK_INT(r.merged_vertices, 1);
  CHECK_INT(r.unused_vertices, 1);
  CHECK(r.watertight && r.solid);
  soup_free(&s);
}

/* A pair of opposed triangles on the wall between two chambers is kept, so that both chambers stay
 * closed. */
static void opposed_twins_stay_and_cancel(void) {
  soup s = {0};
  soup_box(&s, ct_vec(0, 0, 0), ct_vec(1, 1, 1));
  uint32_t from = s.tn;
  soup_box(&s, ct_vec(-1, 0, 0), ct_vec(0, 1, 1));
  ct_mesh_report r = report_of(&s, CT_MESH_AUTO, CT_OK);
  /* The diagonals of the wall's two sides cross, so that no triangles are opposed: several surfaces
   * at an edge, but closed. */
  CHECK(r.closed && r.solid && r.volume == 2.0);
  soup_free(&s);
  from = 0;
  soup_box(&s, ct_vec(0, 0, 0), ct_vec(1, 1, 1));
  uint32_t n = s.tn;
  for (uint32_t t = from; t < n; t++) soup_triangle(&s, s.t[t][0], s.t[t][2], s.t[t][1]);
  r = report_of(&s, CT_MESH_AUTO, CT_OK);
  CHECK_INT(r.opposed_triangles, 12);
  CHECK_INT(r.triangles, 24);
  CHECK(r.closed && r.oriented && !r.manifold && !r.solid && r.volume == 0.0);
  report_of(&s, CT_MESH_SOLID, CT_OPEN_MESH);
  soup_free(&s);
}

/* A T-joint: an edge with a vertex on it on one side, closed by a triangle of zero area. */
static void a_collinear_triangle_closes_a_t_joint(void) {
  soup s = {0};
  soup_box(&s, ct_vec(0, 0, 0), ct_vec(1, 1, 1));
  uint32_t m = soup_vertex(&s, ct_vec(0.3, 0, 0));
  s.t[0][0] = 0, s.t[0][1] = 2, s.t[0][2] = m; /* 0 2 1 becomes 0 2 m and m 2 1 */
  soup_triangle(&s, m, 2, 1);
  ct_mesh_report r = report_of(&s, CT_MESH_AUTO, CT_OK);
  CHECK(!r.closed);
  CHECK_INT(r.open_edges, 3);
  soup_triangle(&s, 1, 0, m);
  r = report_of(&s, CT_MESH_AUTO, CT_OK);
  CHECK(r.watertight && r.solid && r.volume == 1.0);
  CHECK_INT(r.degenerate_triangles, 1);
  CHECK_INT(r.triangles, 13);
  ct_mesh *mesh = soup_mesh(&s);
  check_view(mesh);
  CHECK(ct_mesh_contains(mesh, ct_vec(0.3, 0, 0)) && ct_mesh_contains(mesh, ct_vec(0.7, 0, 0)));
  CHECK(ct_mesh_contains(mesh, ct_vec(0.3, 0x1p-60, 0x1p-60)) &&
        !ct_mesh_contains(mesh, ct_vec(0.3, -0x1p-60, 0x1p-60)));
  ct_mesh_release(mesh);
}

/* A wall in a solid, given with both sides, separates nothing, and its points are points of the
 * surface. */
static void a_wall_with_two_sides_parts_nothing(void) {
  soup s = {0};
  soup_box(&s, ct_vec(0, 0, 0), ct_vec(2, 2, 2));
  uint32_t a = soup_vertex(&s, ct_vec(1, 0.5, 0.5)), b = soup_vertex(&s, ct_vec(1, 1.5, 0.5));
  uint32_t c = soup_vertex(&s, ct_vec(1, 1, 1.5));
  soup_triangle(&s, a, b, c), soup_triangle(&s, a, c, b);
  ct_mesh_report r = report_of(&s, CT_MESH_SOLID, CT_OK);
  CHECK(r.watertight && r.volume == 8.0 && r.opposed_triangles == 1 && r.components == 2);
  ct_mesh *mesh = soup_mesh(&s);
  for (int i = -1; i <= 1; i++) CHECK(ct_mesh_contains(mesh, ct_vec(1 + i * 0x1p-52, 1, 1)));
  ct_mesh_foot foot;
  CHECK(ct_mesh_nearest(mesh, ct_vec(1.25, 1, 1), INFINITY, &foot) && foot.distance == 0.25 &&
        foot.triangle == 12);
  ct_mesh_hit hits[4];
  CHECK_INT(ct_mesh_ray_all(mesh, ct_vec(-1, 1, 0.75), ct_vec(1, 0, 0), INFINITY, hits, 4), 4);
  CHECK(hits[0].side == 1 && hits[1].triangle == 12 && hits[2].triangle == 13 &&
        hits[1].side == -hits[2].side && hits[3].t == 3);
  ct_mesh_release(mesh);
}

static void what_is_no_mesh_is_refused(void) {
  soup s = {0};
  ct_mesh_report r = report_of(&s, CT_MESH_AUTO, CT_DEGENERATE_MESH);
  CHECK_INT(r.triangles, 0);
  soup_vertex(&s, ct_vec(0, 0, 0)), soup_vertex(&s, ct_vec(1, 1, 1)),
      soup_vertex(&s, ct_vec(3, 3, 3));
  soup_triangle(&s, 0, 1, 2);
  r = report_of(&s, CT_MESH_SURFACE, CT_DEGENERATE_MESH);
  CHECK_INT(r.degenerate_triangles, 1);
  CHECK_INT(r.bad_triangle, CT_NO_TRIANGLE);
  s.v[2].z = NAN;
  r = report_of(&s, CT_MESH_AUTO, CT_LIMIT);
  CHECK_INT(r.triangles, 77);
  s.v[2].z = -INFINITY;
  report_of(&s, CT_MESH_AUTO, CT_LIMIT);
  s.v[2].z = 0x1p301;
  report_of(&s, CT_MESH_AUTO, CT_LIMIT);
  ct_mesh *mesh = NULL;
  ct_mesh_data many = {s.v, 3, (const uint32_t(*)[3])s.t, CT_MESH_TRIANGLES_MAX + 1, NULL};
  CHECK_INT(ct_mesh_create(&many, CT_MESH_AUTO, NULL, &mesh, NULL), CT_LIMIT);
  many = (ct_mesh_data){s.v, (size_t)CT_MESH_VERTICES_MAX + 1, (const uint32_t(*)[3])s.t, 1, NULL};
  CHECK_INT(ct_mesh_create(&many, CT_MESH_AUTO, NULL, &mesh, NULL), CT_LIMIT);
  CHECK(mesh == NULL);
  soup_free(&s);
}

static void needles_are_kept(void) {
  soup s = {0};
  /* A tetrahedron 1e12 times as long as wide. */
  soup_vertex(&s, ct_vec(0, 0, 0)), soup_vertex(&s, ct_vec(1e-12, 0, 0)),
      soup_vertex(&s, ct_vec(0, 1e-12, 0));
  soup_vertex(&s, ct_vec(0.3, 0.4, 1));
  soup_triangle(&s, 0, 2, 1), soup_triangle(&s, 0, 1, 3), soup_triangle(&s, 0, 3, 2),
      soup_triangle(&s, 1, 2, 3);
  ct_mesh_report r = report_of(&s, CT_MESH_AUTO, CT_OK);
  CHECK(r.watertight && r.solid);
  CHECK_NEAR(r.volume * 1e24, 1.0 / 6, 1e-15);
  ct_mesh *mesh = soup_mesh(&s);
  /* The normal of 0 1 3 is perpendicular to x and to (0.3, 0.4, 1). */
  ct_vec3 n = ct_mesh_normal(mesh, 1);
  CHECK_NEAR(n.x, 0, 1e-16);
  CHECK_NEAR(n.y * sqrt(1.16), -1, 1e-15);
  CHECK_NEAR(n.z * sqrt(1.16), 0.4, 1e-15);
  ct_mesh_release(mesh);
}

static void far_from_its_origin_a_sphere_keeps_its_digits(void) {
  ct_mesh_report near, far;
  ct_vec3 at = {0x1p20, -0x1p19, 0x1p20};
  soup s = {0};
  soup_sphere(&s, ct_vec(0, 0, 0), 1, 40, 60);
  /* The vertices on a grid of 2^-30: the translation is exact. */
  for (uint32_t i = 0; i < s.vn; i++) {
    ct_vec3 p = ct_scale(s.v[i], 0x1p30);
    s.v[i] = ct_scale(ct_vec(rint(p.x), rint(p.y), rint(p.z)), 0x1p-30);
  }
  near = report_of(&s, CT_MESH_SOLID, CT_OK);
  ct_mesh *mesh = NULL, *moved = NULL;
  CHECK_INT(soup_build(&s, CT_MESH_AUTO, &mesh, NULL), CT_OK);
  for (uint32_t i = 0; i < s.vn; i++) s.v[i] = ct_add(s.v[i], at);
  far = report_of(&s, CT_MESH_SOLID, CT_OK);
  CHECK_INT(soup_build(&s, CT_MESH_AUTO, &moved, NULL), CT_OK);
  CHECK_NEAR(far.volume / near.volume, 1, 4e-16);
  CHECK_NEAR(far.area / near.area, 1, 4e-16);
  const ct_mesh_view *a = ct_mesh_get(mesh), *b = ct_mesh_get(moved);
  CHECK_NEAR(b->inertia.rx.x / a->inertia.rx.x, 1, 4e-16);
  CHECK_NEAR(b->inertia.rx.y, a->inertia.rx.y, 1e-16);
  /* The centroid is rounded to the doubles near 1e6 m, and the radius is measured from it. */
  CHECK_NEAR(b->radius, a->radius, 3e-10);
  CHECK_NEAR(b->centroid.x - at.x, a->centroid.x, 2e-10);
  ct_mesh_release(mesh);
  ct_mesh_release(moved);
  soup_free(&s);
}

/* A shell 1e-6 thick: its volume is a millionth of the ball's. */
static void a_thin_shell_keeps_its_digits(void) {
  soup s = {0};
  double t = 0x1p-20;
  soup_box(&s, ct_vec(-1, -1, -1), ct_vec(1, 1, 1));
  uint32_t from = s.tn;
  soup_box(&s, ct_vec(-1 + t, -1 + t, -1 + t), ct_vec(1 - t, 1 - t, 1 - t));
  soup_invert(&s, from);
  ct_mesh *mesh = soup_mesh(&s);
  const ct_mesh_view *v = ct_mesh_get(mesh);
  /* 8 (1 - (1 - t)^3) and the moments 16/3 (1 - (1 - t)^5), expanded. */
  CHECK_NEAR(v->volume / (8 * t * (3 - 3 * t + t * t)), 1, 4e-16);
  CHECK_NEAR(v->inertia.rx.x /
                 (16.0 / 3 * t * (5 - 10 * t + 10 * t * t - 5 * t * t * t + t * t * t * t)),
             1, 6e-16);
  ct_mesh_release(mesh);
}

/* The mass of a triangulated sphere converges to the sphere's with the square of the edge length.
 */
static void a_triangulated_sphere_converges_with_the_square_of_its_edge(void) {
  double error[3], inertia[3];
  for (int k = 0; k < 3; k++) {
    soup s = {0};
    soup_sphere(&s, ct_vec(1, 2, 3), 0.5, 16u << k, 32u << k);
    ct_mesh *mesh = soup_mesh(&s);
    const ct_mesh_view *v = ct_mesh_get(mesh);
    error[k] = 1 - v->volume / (4 * SOUP_PI / 3 * 0.125);
    inertia[k] = 1 - v->inertia.rx.x / (0.4 * 4 * SOUP_PI / 3 * 0.03125);
    CHECK_NEAR(v->centroid.y, 2, 1e-13);
    CHECK_NEAR(v->inertia.rx.x, v->inertia.ry.y, 1e-13);
    ct_mesh_release(mesh);
  }
  for (int k = 0; k < 2; k++) {
    CHECK_NEAR(error[k] / error[k + 1], 4, 0.1);
    CHECK_NEAR(inertia[k] / inertia[k + 1], 4, 0.1);
  }
}

/* Trees of hostile meshes: stacked copies, a fan of a thousand slivers, sizes over many powers of
 * two. */
static void trees_of_hostile_meshes_stay_shallow(void) {
  check_random r = {5};
  for (int family = 0; family < 4; family++) {
    soup s = {0};
    for (uint32_t i = 0; i < 3000; i++) {
      double x = family == 2 ? ldexp(1, -(int)(i % 200)) : 1;
      if (family == 0) { /* one box for all of them: one centre */
        double y = check_uniform(&r, 0.1, 0.9);
        uint32_t a = soup_vertex(&s, ct_vec(0, 0, 0)), b = soup_vertex(&s, ct_vec(1, 1, 1));
        soup_triangle(&s, a, b, soup_vertex(&s, ct_vec(y, 1 - y, 0.5)));
      } else {
        double y = family == 1 ? 0 : check_uniform(&r, -1, 1),
               z = family == 3 ? floor(check_uniform(&r, 0, 4)) : 0.25;
        uint32_t a = soup_vertex(&s, ct_vec(0, 0, z)), b = soup_vertex(&s, ct_vec(x, y, z));
        soup_triangle(&s, a, b, soup_vertex(&s, ct_vec(x, y + 1e-3 * (i + 1) * x, z)));
      }
    }
    ct_mesh *mesh = soup_mesh(&s);
    check_view(mesh);
    check_balls(mesh);
    ct_mesh_release(mesh);
  }
}

static void references_count(void) {
  soup s = {0};
  soup_octahedron(&s, ct_vec(0, 0, 0), 1);
  ct_mesh *mesh = soup_mesh(&s);
  CHECK(ct_mesh_retain(mesh) == mesh);
  ct_mesh_release(mesh);
  CHECK_INT(ct_mesh_get(mesh)->live_count, 8);
  ct_mesh_release(mesh);
  ct_mesh_release(NULL);
}

static const check_test tests[] = {
    {"a_cube_is_a_watertight_solid", a_cube_is_a_watertight_solid},
    {"a_tetrahedron_has_the_exact_measures", a_tetrahedron_has_the_exact_measures},
    {"an_octahedron_has_the_exact_measures", an_octahedron_has_the_exact_measures},
    {"separate_triangles_are_joined_by_their_bits", separate_triangles_are_joined_by_their_bits},
    {"an_open_box_names_its_first_open_edge", an_open_box_names_its_first_open_edge},
    {"a_box_inside_out_is_read_the_other_way_round", a_box_inside_out_is_read_the_other_way_round},
    {"one_turned_triangle_is_inconsistent", one_turned_triangle_is_inconsistent},
    {"a_fin_crowds_an_edge", a_fin_crowds_an_edge},
    {"cubes_that_share_an_edge_or_a_vertex_are_pinched_solids",
     cubes_that_share_an_edge_or_a_vertex_are_pinched_solids},
    {"two_parts_are_counted_and_named", two_parts_are_counted_and_named},
    {"a_shell_in_a_shell_is_a_cavity", a_shell_in_a_shell_is_a_cavity},
    {"degenerate_and_repeated_triangles_are_dropped",
     degenerate_and_repeated_triangles_are_dropped},
    {"opposed_twins_stay_and_cancel", opposed_twins_stay_and_cancel},
    {"a_collinear_triangle_closes_a_t_joint", a_collinear_triangle_closes_a_t_joint},
    {"a_wall_with_two_sides_parts_nothing", a_wall_with_two_sides_parts_nothing},
    {"what_is_no_mesh_is_refused", what_is_no_mesh_is_refused},
    {"needles_are_kept", needles_are_kept},
    {"far_from_its_origin_a_sphere_keeps_its_digits",
     far_from_its_origin_a_sphere_keeps_its_digits},
    {"a_thin_shell_keeps_its_digits", a_thin_shell_keeps_its_digits},
    {"a_triangulated_sphere_converges_with_the_square_of_its_edge",
     a_triangulated_sphere_converges_with_the_square_of_its_edge},
    {"trees_of_hostile_meshes_stay_shallow", trees_of_hostile_meshes_stay_shallow},
    {"references_count", references_count},
};

CHECK_MAIN(tests)
