/* Repairs of meshes: holes found and capped, vertices welded, duplicates kept. Truth: closed forms,
 * brute force over all vertices, containment of points. */
#include "tests/support/failing_malloc.h"
#include "tests/support/meshes.h"

#include <contact/mesh.h>

enum { RANDOM_CASES = 300 };

static ct_mesh_data data_of(const soup *s) {
  return (ct_mesh_data){s->v, s->vn, (const uint32_t(*)[3])s->t, s->tn, NULL};
}

static ct_mesh_repaired repair(const soup *s, ct_mesh_repair_options options) {
  ct_mesh_data data = data_of(s);
  ct_mesh_repaired out = {0};
  CHECK_INT(ct_mesh_repair(&data, CT_MESH_AUTO, &options, NULL, &out), CT_OK);
  return out;
}

static void end_repair(ct_mesh_repaired *r) {
  ct_mesh_release(r->mesh);
  ct_mesh_repaired_free(r);
}

static const ct_mesh_repair_options CAP = {.cap_holes = true};

/* ---- holes ---------------------------------------------------------------------------------- */

static void a_box_without_a_lid_has_one_square_hole(void) {
  soup s = {0};
  soup_box(&s, ct_vec(0, 0, 0), ct_vec(1, 2, 3));
  soup lid = s;
  /* Triangles 2 and 3 are the top. */
  memmove(lid.t + 2, lid.t + 4, 8 * sizeof *lid.t);
  lid.tn -= 2;
  ct_mesh *mesh = NULL;
  CHECK_INT(soup_build(&lid, CT_MESH_AUTO, &mesh, NULL), CT_OK);
  ct_mesh_defects d;
  CHECK_INT(ct_mesh_find_defects(mesh, NULL, &d), CT_OK);
  CHECK_INT(d.open_edges, 4);
  CHECK_INT(d.non_manifold_edges + d.inconsistent_edges, 0);
  CHECK_INT(d.hole_count, 1);
  CHECK_INT(d.edge_count, 4);
  for (uint32_t i = 0; i < d.edge_count; i++)
    CHECK(d.edge[i].kind == CT_MESH_EDGE_OPEN && d.edge[i].triangles == 1);
  const ct_mesh_hole *h = d.holes;
  CHECK(h->closed && h->edges == 4 && h->outcome == CT_MESH_HOLE_LEFT);
  CHECK_NEAR(h->perimeter, 6, 1e-15);
  CHECK_NEAR(h->size, sqrt(5), 1e-15);
  CHECK_NEAR(h->flatness, 0, 0);
  CHECK(ct_max_abs(ct_sub(h->normal, ct_vec(0, 0, 1))) == 0 &&
        ct_max_abs(ct_sub(h->center, ct_vec(0.5, 1, 3))) < 1e-15);
  ct_mesh_defects_free(&d);
  ct_mesh_release(mesh);
  ct_mesh_repaired r = repair(&lid, CAP);
  CHECK(r.report.solid && r.report.watertight);
  CHECK_NEAR(r.report.volume, 6, 1e-15);
  CHECK_INT(r.cap_triangles, 2);
  CHECK(r.before.holes[0].outcome == CT_MESH_HOLE_CAPPED && r.before.holes[0].cap_first == 10);
  CHECK_INT(r.before.holes[0].cap_triangles, 2);
  end_repair(&r);
  /* A watertight mesh has no holes, and repairs do not change it. */
  CHECK_INT(soup_build(&s, CT_MESH_AUTO, &mesh, NULL), CT_OK);
  soup_free(&s);
  soup_box(&s, ct_vec(0, 0, 0), ct_vec(1, 2, 3));
  ct_mesh_release(mesh);
  CHECK_INT(soup_build(&s, CT_MESH_AUTO, &mesh, NULL), CT_OK);
  CHECK_INT(ct_mesh_find_defects(mesh, NULL, &d), CT_OK);
  CHECK(d.hole_count == 0 && d.edge_count == 0 && d.open_edges == 0);
  r = repair(&s,
             (ct_mesh_repair_options){.weld = 1e-6, .cap_holes = true, .keep_duplicates = true});
  CHECK(r.welded == 0 && r.cap_triangles == 0 && r.duplicates == 0 && r.displacement == 0);
  CHECK(ct_mesh_get(r.mesh)->volume == ct_mesh_get(mesh)->volume);
  end_repair(&r);
  ct_mesh_release(mesh);
  soup_free(&s);
}

static ct_vec3 turned(ct_quat q, ct_vec3 p) { return ct_mat_mul(ct_quat_matrix(q), p); }

/* Walls of a prism over a polygon from z = 0 to z = 1, rotated by q; optionally with a bottom, a
 * fan from the centre of a star-shaped polygon. */
static void add_walls(soup *s, const double (*p)[2], uint32_t n, ct_quat q, bool inward) {
  uint32_t base = s->vn, from = s->tn;
  for (uint32_t i = 0; i < 2 * n; i++)
    soup_vertex(s, turned(q, ct_vec(p[i % n][0], p[i % n][1], i / n)));
  for (uint32_t i = 0; i < n; i++) {
    uint32_t j = (i + 1) % n;
    soup_triangle(s, base + i, base + j, base + n + j);
    soup_triangle(s, base + i, base + n + j, base + n + i);
  }
  if (inward) soup_invert(s, from);
}

static double polygon_area(const double (*p)[2], uint32_t n) {
  double sum = 0;
  for (uint32_t i = 0; i < n; i++) sum += p[i][0] * p[(i + 1) % n][1] - p[i][1] * p[(i + 1) % n][0];
  return sum / 2;
}

static const double origin[2] = {0.0, 0.0};

/* A polygon around a centre with radii within a ratio, and corners in the middle of some edges. */
static uint32_t random_star(check_random *r, double (*p)[2], uint32_t corners,
                            const double center[2], double least, double most) {
  uint32_t n = 0;
  double first[2] = {0, 0}, last[2] = {0, 0};
  for (uint32_t i = 0; i <= corners; i++) {
    double radius = check_uniform(r, least, most),
           turn = 2 * SOUP_PI * (i + 0.3 * check_uniform(r, 0, 1)) / corners;
    double own[2] = {center[0] + radius * cos(turn), center[1] + radius * sin(turn)};
    if (i == corners) own[0] = first[0], own[1] = first[1];
    if (i > 0 && check_next(r) % 3 == 0)
      p[n][0] = (own[0] + last[0]) / 2, p[n][1] = (own[1] + last[1]) / 2, n++;
    if (i < corners) p[n][0] = own[0], p[n][1] = own[1], n++;
    if (i == 0) first[0] = own[0], first[1] = own[1];
    last[0] = own[0], last[1] = own[1];
  }
  return n;
}

static ct_quat random_turn(check_random *r) {
  double q[4], n = 0;
  for (int i = 0; i < 4; i++) q[i] = check_uniform(r, -1, 1), n += q[i] * q[i];
  n = sqrt(n);
  return (ct_quat){q[0] / n, q[1] / n, q[2] / n, q[3] / n};
}

/* Volume: the area, by the shoelace formula, times the height. */
static void walls_without_ends_are_capped_at_both(void) {
  check_random r = {.state = 71};
  for (int k = 0; k < RANDOM_CASES; k++) {
    double p[200][2];
    uint32_t n = random_star(&r, p, 3 + (uint32_t)(check_next(&r) % 40), origin, 0.2, 1);
    soup s = {0};
    add_walls(&s, (const double(*)[2])p, n, k % 2 ? random_turn(&r) : (ct_quat){0, 0, 0, 1}, false);
    ct_mesh_repaired m = repair(&s, CAP);
    CHECK_INT(m.before.hole_count, 2);
    CHECK_INT(m.cap_triangles, 2 * (n - 2));
    if (!m.report.solid || !m.report.watertight)
      CHECK_FAIL("case %d of %u corners is no solid", k, n);
    CHECK_NEAR(m.report.volume, polygon_area((const double(*)[2])p, n), 1e-13);
    end_repair(&m);
    soup_free(&s);
  }
}

/* Bores through a prism: the ends are rings, and no cap closes a bore. */
static void ends_with_bores_are_capped_around_them(void) {
  check_random r = {.state = 72};
  for (int k = 0; k < RANDOM_CASES; k++) {
    double p[200][2], b[4][200][2];
    uint32_t n = random_star(&r, p, 8 + (uint32_t)(check_next(&r) % 20), origin, 0.8, 1),
             bores = 1 + (uint32_t)(check_next(&r) % 4);
    ct_quat q = k % 2 ? random_turn(&r) : (ct_quat){0, 0, 0, 1};
    double area = polygon_area((const double(*)[2])p, n);
    uint32_t corners = n;
    soup s = {0};
    add_walls(&s, (const double(*)[2])p, n, q, false);
    for (uint32_t i = 0; i < bores; i++) {
      double turn = 2 * SOUP_PI * i / bores, x = 0.4 * cos(turn), y = 0.4 * sin(turn);
      uint32_t c =
          random_star(&r, b[i], 3 + (uint32_t)(check_next(&r) % 9), (double[2]){x, y}, 0.05, 0.2);
      area -= polygon_area((const double(*)[2])b[i], c);
      corners += c;
      add_walls(&s, (const double(*)[2])b[i], c, q, true);
    }
    ct_mesh_repaired m = repair(&s, CAP);
    CHECK_INT(m.before.hole_count, 2 * (bores + 1));
    CHECK_INT(m.cap_triangles, 2 * (corners + 2 * bores - 2));
    if (!m.report.solid || !m.report.watertight)
      CHECK_FAIL("case %d of %u corners and %u bores is no solid", k, n, bores);
    CHECK_NEAR(m.report.volume, area, 1e-13);
    for (uint32_t i = 0; i < bores && m.mesh; i++) {
      double turn = 2 * SOUP_PI * i / bores;
      for (int end = 0; end < 2; end++) {
        ct_vec3 at = turned(q, ct_vec(0.4 * cos(turn), 0.4 * sin(turn), end));
        ct_mesh_foot foot;
        CHECK(ct_mesh_nearest(m.mesh, at, INFINITY, &foot) && foot.distance > 0.005);
      }
    }
    end_repair(&m);
    soup_free(&s);
  }
}

/* A rod in a tube: two rings and two discs inside the bores of the rings. */
static void a_rod_in_a_tube_is_a_part_of_its_own(void) {
  double p[3][64][2];
  soup s = {0};
  for (int k = 0; k < 3; k++) {
    for (int i = 0; i < 64; i++) {
      p[k][i][0] = (3 - k) * cos(2 * SOUP_PI * i / 64);
      p[k][i][1] = (3 - k) * sin(2 * SOUP_PI * i / 64);
    }
    add_walls(&s, (const double(*)[2])p[k], 64, (ct_quat){0, 0, 0, 1}, k == 1);
  }
  ct_mesh_repaired m = repair(&s, CAP);
  double unit = 32 * sin(2 * SOUP_PI / 64);
  CHECK(m.report.watertight);
  CHECK_NEAR(m.report.volume, unit * (9 - 4 + 1), 1e-13);
  CHECK_INT(m.report.components, 2);
  CHECK(!ct_mesh_contains(m.mesh, ct_vec(1.5, 0, 0.5)) &&
        ct_mesh_contains(m.mesh, ct_vec(0.5, 0, 0.5)));
  end_repair(&m);
  soup_free(&s);
}

/* Tops bent by 1 % and 3 % of their size, with the default limit of 1 % and with other limits. */
static void a_hole_that_is_bent_is_capped_only_as_far_as_the_caller_allows(void) {
  for (int k = 0; k < 4; k++) {
    soup s = {0};
    double bend = k < 2 ? 0.005 * 2 : 0.03 * 2;
    add_walls(&s, (const double[4][2]){{0, 0}, {1, 0}, {1, 1}, {0, 1}}, 4, (ct_quat){0, 0, 0, 1},
              false);
    soup_triangle(&s, 0, 2, 1);
    soup_triangle(&s, 0, 3, 2);
    s.v[4].z += bend, s.v[6].z += bend;
    ct_mesh_repaired m =
        repair(&s, (ct_mesh_repair_options){.cap_holes = true, .planarity = k % 2 ? 0.1 : 0});
    bool capped = k != 2;
    CHECK_NEAR(m.before.holes[0].flatness, bend / 2, 1e-3 * bend);
    CHECK_INT(m.before.holes[0].outcome, capped ? CT_MESH_HOLE_CAPPED : CT_MESH_HOLE_NOT_PLANAR);
    CHECK_INT(m.report.solid, capped);
    end_repair(&m);
    soup_free(&s);
  }
}

/* Loops that meet in a vertex: each keeps its own fan of triangles. */
static void holes_that_touch_in_a_vertex_are_two(void) {
  soup s = {0};
  soup_sheet(&s, 4);
  /* Squares (1, 1) and (2, 2) of the sheet, which share its middle, are left out. */
  soup holed = {0};
  for (uint32_t v = 0; v < s.vn; v++) soup_vertex(&holed, s.v[v]);
  for (uint32_t t = 0; t < s.tn; t++)
    if (t / 2 != 5 && t / 2 != 10) soup_triangle(&holed, s.t[t][0], s.t[t][1], s.t[t][2]);
  ct_mesh_repaired m = repair(&holed, (ct_mesh_repair_options){0});
  CHECK_INT(m.before.hole_count, 3);
  uint32_t squares = 0, rims = 0;
  for (uint32_t h = 0; h < m.before.hole_count; h++) {
    squares += m.before.holes[h].edges == 4;
    rims += m.before.holes[h].edges == 16;
  }
  CHECK(squares == 2 && rims == 1);
  end_repair(&m);
  soup_free(&s);
  soup_free(&holed);
}

/* A fin on a box: three triangles at an edge, and two open edges that are no loop. */
static void a_fin_is_named_and_no_hole(void) {
  soup s = {0};
  soup_box(&s, ct_vec(0, 0, 0), ct_vec(1, 1, 1));
  soup_triangle(&s, 4, 5, soup_vertex(&s, ct_vec(0.5, 0, 2)));
  ct_mesh_repaired m = repair(&s, CAP);
  CHECK(m.before.open_edges == 2 && m.before.non_manifold_edges == 1);
  CHECK_INT(m.before.hole_count, 1);
  CHECK(!m.before.holes[0].closed && m.before.holes[0].edges == 2 &&
        m.before.holes[0].outcome == CT_MESH_HOLE_BROKEN);
  uint32_t crowded = 0;
  for (uint32_t i = 0; i < m.before.edge_count; i++)
    crowded +=
        m.before.edge[i].kind == CT_MESH_EDGE_NON_MANIFOLD && m.before.edge[i].triangles == 3;
  CHECK_INT(crowded, 1);
  CHECK(!m.report.solid);
  end_repair(&m);
  soup_free(&s);
}

/* An edge of a box halved on one side only: a crack without width. */
static void a_crack_between_a_whole_edge_and_its_halves_is_closed(void) {
  soup s = {0};
  soup_box(&s, ct_vec(0, 0, 0), ct_vec(1, 1, 1));
  /* Triangle 4 is {0, 1, 5}: halved at the middle of 0 to 1. */
  uint32_t middle = soup_vertex(&s, ct_vec(0.5, 0, 0));
  s.t[4][1] = middle;
  soup_triangle(&s, middle, 1, 5);
  ct_mesh_repaired m = repair(&s, CAP);
  CHECK_INT(m.before.hole_count, 1);
  CHECK_INT(m.before.holes[0].edges, 3);
  CHECK(m.report.solid && m.report.volume == 1);
  end_repair(&m);
  soup_free(&s);
}

/* ---- welding -------------------------------------------------------------------------------- */

/* Brute force over all pairs: each vertex is welded to the nearest earlier vertex that stays, or
 * stays. */
static void vertices_weld_into_the_nearest_that_stays_and_none_moves_farther(void) {
  check_random r = {.state = 73};
  for (int k = 0; k < 40; k++) {
    double tolerance = pow(10, -check_uniform(&r, 0, 6)), shift = k % 2 ? 1e3 : 0;
    soup s = {0};
    for (uint32_t i = 0; i < 300; i++) {
      double spread = check_next(&r) % 2 ? 1 : 3 * tolerance;
      soup_vertex(&s, ct_vec(shift + spread * check_uniform(&r, -1, 1),
                             spread * check_uniform(&r, -1, 1), spread * check_uniform(&r, -1, 1)));
    }
    for (uint32_t i = 0; i + 2 < s.vn; i += 3) soup_triangle(&s, i, i + 1, i + 2);
    bool stays[300];
    ct_vec3 to[300];
    uint32_t moved = 0;
    double farthest = 0;
    for (uint32_t i = 0; i < s.vn; i++) {
      double least = tolerance;
      uint32_t best = UINT32_MAX;
      for (uint32_t j = 0; j < i; j++) {
        double d = ct_norm(ct_sub(s.v[j], s.v[i]));
        if (stays[j] && (d < least || (d == least && best == UINT32_MAX))) least = d, best = j;
      }
      stays[i] = best == UINT32_MAX;
      to[i] = s.v[stays[i] ? i : best];
      moved += !stays[i];
      if (!stays[i] && least > farthest) farthest = least;
    }
    ct_mesh_data data = data_of(&s);
    ct_mesh_repaired m = {0};
    ct_status status =
        ct_mesh_repair(&data, CT_MESH_AUTO, &(ct_mesh_repair_options){.weld = tolerance}, NULL, &m);
    CHECK(status == CT_OK || status == CT_DEGENERATE_MESH);
    CHECK_INT(m.welded, moved);
    CHECK(m.displacement == farthest && m.displacement <= tolerance);
    for (uint32_t i = 0; m.mesh && i < s.vn; i++)
      CHECK(ct_max_abs(ct_sub(ct_mesh_get(m.mesh)->vertices[i], to[i])) == 0);
    end_repair(&m);
    soup_free(&s);
  }
}

/* The last digits of an exploded sphere's corners differ. */
static void corners_that_differ_in_their_last_digits_are_welded_to_a_solid(void) {
  check_random r = {.state = 74};
  soup s = {0};
  soup_sphere(&s, ct_vec(0.3, -0.2, 5), 1, 20, 30);
  ct_mesh_report exact;
  ct_mesh *mesh = NULL;
  CHECK_INT(soup_build(&s, CT_MESH_SOLID, &mesh, &exact), CT_OK);
  ct_mesh_release(mesh);
  soup_explode(&s);
  for (uint32_t i = 0; i < s.vn; i++)
    s.v[i].x += 1e-8 * check_uniform(&r, -1, 1), s.v[i].z += 1e-8 * check_uniform(&r, -1, 1);
  ct_mesh_repaired m = repair(&s, (ct_mesh_repair_options){.weld = 1e-7});
  CHECK(m.report.watertight && m.report.vertices == exact.vertices &&
        m.report.triangles == exact.triangles);
  CHECK_NEAR(m.report.volume, exact.volume, 1e-6);
  CHECK(m.displacement > 0 && m.displacement < 4e-8);
  end_repair(&m);
  m = repair(&s, (ct_mesh_repair_options){.weld = 1e-9});
  CHECK(!m.report.solid && m.before.hole_count > 0);
  end_repair(&m);
  soup_free(&s);
}

/* ---- duplicates ----------------------------------------------------------------------------- */

/* Tetrahedra over one base, which is given once for each: a point is inside if it is in one of
 * them. */
static void parts_that_share_a_face_are_a_solid_with_both_copies(void) {
  check_random r = {.state = 75};
  soup s = {0};
  const ct_vec3 base[3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}},
                apex[2] = {{0.1, 0.2, 1}, {0.5, 0.1, 0.7}};
  for (int k = 0; k < 3; k++) soup_vertex(&s, base[k]);
  for (int k = 0; k < 2; k++) {
    uint32_t top = soup_vertex(&s, apex[k]);
    soup_triangle(&s, 0, 2, 1);
    for (uint32_t i = 0; i < 3; i++) soup_triangle(&s, i, (i + 1) % 3, top);
  }
  ct_mesh_repaired m = repair(&s, (ct_mesh_repair_options){0});
  CHECK(!m.report.solid && m.report.duplicate_triangles == 1);
  end_repair(&m);
  m = repair(&s, (ct_mesh_repair_options){.keep_duplicates = true});
  CHECK(m.report.solid && m.report.duplicate_triangles == 0 && m.duplicates == 1);
  CHECK_NEAR(m.report.volume, (1 + 0.7) / 6, 1e-15);
  for (int i = 0; i < 2000 && m.mesh; i++) {
    ct_vec3 p =
        ct_vec(check_uniform(&r, -0.1, 1), check_uniform(&r, -0.1, 1), check_uniform(&r, -0.1, 1));
    bool inside = false;
    for (int k = 0; k < 2; k++) {
      bool own = p.z > 0;
      for (int e = 0; e < 3; e++) {
        ct_vec3 a = base[e], b = base[(e + 1) % 3];
        own = own && ct_dot(ct_cross(ct_sub(b, a), ct_sub(apex[k], a)), ct_sub(p, a)) < 0;
      }
      inside = inside || own;
    }
    CHECK_INT(ct_mesh_contains(m.mesh, p), inside);
  }
  end_repair(&m);
  soup_free(&s);
}

/* A part given twice as a whole counts once, and so does a triangle given twice. */
static void what_is_given_twice_needlessly_is_left_out(void) {
  for (int k = 0; k < 2; k++) {
    soup s = {0};
    soup_box(&s, ct_vec(0, 0, 0), ct_vec(1, 1, 1));
    uint32_t again = k ? 1 : 12;
    for (uint32_t t = 0; t < again; t++) soup_triangle(&s, s.t[t][0], s.t[t][1], s.t[t][2]);
    ct_mesh_repaired m = repair(&s, (ct_mesh_repair_options){.keep_duplicates = true});
    CHECK(m.report.watertight && m.report.volume == 1 && m.duplicates == 0);
    CHECK_INT(m.report.duplicate_triangles, again);
    end_repair(&m);
    soup_free(&s);
  }
}

/* ---- failures ------------------------------------------------------------------------------- */

static void numbers_that_are_none_are_refused(void) {
  soup s = {0};
  soup_box(&s, ct_vec(0, 0, 0), ct_vec(1, 1, 1));
  ct_mesh_data data = data_of(&s);
  ct_mesh_repaired m = {.welded = 77};
  const double bad[] = {-1, NAN, INFINITY};
  for (int k = 0; k < 3; k++) {
    CHECK_INT(
        ct_mesh_repair(&data, CT_MESH_AUTO, &(ct_mesh_repair_options){.weld = bad[k]}, NULL, &m),
        CT_LIMIT);
    CHECK_INT(ct_mesh_repair(&data, CT_MESH_AUTO, &(ct_mesh_repair_options){.planarity = bad[k]},
                             NULL, &m),
              CT_LIMIT);
  }
  CHECK_INT(m.welded, 77);
  soup_free(&s);
}

static void every_refused_allocation_is_told_and_leaves_nothing(void) {
  NEEDS_FAILING_MALLOC;
  soup s = {0};
  double p[2][16][2];
  for (int k = 0; k < 2; k++)
    for (int i = 0; i < 16; i++)
      p[k][i][0] = (2 - k) * cos(2 * SOUP_PI * i / 16),
      p[k][i][1] = (2 - k) * sin(2 * SOUP_PI * i / 16);
  for (int k = 0; k < 2; k++)
    add_walls(&s, (const double(*)[2])p[k], 16, (ct_quat){0, 0, 0, 1}, k == 1);
  soup_triangle(&s, s.t[0][0], s.t[0][1], s.t[0][2]);
  soup_explode(&s);
  ct_mesh_data data = data_of(&s);
  const ct_mesh_repair_options all = {.weld = 1e-9, .cap_holes = true, .keep_duplicates = true};
  long before = memory.live;
  for (long at = 1;; at++) {
    ct_mesh_repaired m = {.welded = 77};
    memory.fail_at = at, memory.taken = 0, memory.counting = true;
    ct_status status = ct_mesh_repair(&data, CT_MESH_AUTO, &all, NULL, &m);
    memory.counting = false;
    if (status == CT_OK) {
      CHECK(at > 30 && m.report.watertight);
      end_repair(&m);
      CHECK_INT(memory.live, before);
      break;
    }
    CHECK_INT(status, CT_OUT_OF_MEMORY);
    CHECK_INT(m.welded, 77);
    CHECK_INT(memory.live, before);
  }
  memory.fail_at = 0;
  ct_cancel *cancel = ct_cancel_create();
  ct_cancel_raise(cancel);
  ct_mesh_repaired m = {.welded = 77};
  CHECK_INT(ct_mesh_repair(&data, CT_MESH_AUTO, &all, cancel, &m), CT_CANCELLED);
  CHECK_INT(m.welded, 77);
  ct_cancel_destroy(cancel);
  CHECK_INT(memory.live, before);
  soup_free(&s);
}

static const check_test tests[] = {
    {"a_box_without_a_lid_has_one_square_hole", a_box_without_a_lid_has_one_square_hole},
    {"walls_without_ends_are_capped_at_both", walls_without_ends_are_capped_at_both},
    {"ends_with_bores_are_capped_around_them", ends_with_bores_are_capped_around_them},
    {"a_rod_in_a_tube_is_a_part_of_its_own", a_rod_in_a_tube_is_a_part_of_its_own},
    {"a_hole_that_is_bent_is_capped_only_as_far_as_the_caller_allows",
     a_hole_that_is_bent_is_capped_only_as_far_as_the_caller_allows},
    {"holes_that_touch_in_a_vertex_are_two", holes_that_touch_in_a_vertex_are_two},
    {"a_fin_is_named_and_no_hole", a_fin_is_named_and_no_hole},
    {"a_crack_between_a_whole_edge_and_its_halves_is_closed",
     a_crack_between_a_whole_edge_and_its_halves_is_closed},
    {"vertices_weld_into_the_nearest_that_stays_and_none_moves_farther",
     vertices_weld_into_the_nearest_that_stays_and_none_moves_farther},
    {"corners_that_differ_in_their_last_digits_are_welded_to_a_solid",
     corners_that_differ_in_their_last_digits_are_welded_to_a_solid},
    {"parts_that_share_a_face_are_a_solid_with_both_copies",
     parts_that_share_a_face_are_a_solid_with_both_copies},
    {"what_is_given_twice_needlessly_is_left_out", what_is_given_twice_needlessly_is_left_out},
    {"numbers_that_are_none_are_refused", numbers_that_are_none_are_refused},
    {"every_refused_allocation_is_told_and_leaves_nothing",
     every_refused_allocation_is_told_and_leaves_nothing},
};

CHECK_MAIN(tests)
