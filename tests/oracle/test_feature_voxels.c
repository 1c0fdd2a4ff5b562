/* Edge-edge features against the exact boundary of the common solid: voxel solids, half a cell
 * apart along some axes. A line is a run of half-cell edges in a face of each solid, so the oracle
 * needs no arithmetic. CONTACTD_FULL=1: 10,000 cases with a fresh seed; CONTACTD_SEED repeats
 * one. */
#include "tests/oracle/feature_pairs.h"

/* Cells of 2 half units in a cube of SIDE cells, surrounded by a layer of empty cells. */
enum { SIDE = 3, LAYER = SIDE + 2, POINTS = SIDE + 1, HALVES = 2 * LAYER + 4 };

typedef struct voxels {
  bool cell[LAYER][LAYER][LAYER];
  uint32_t vertex[POINTS + 1][POINTS + 1][POINTS + 1]; /* number of a lattice point plus 1 */
  int at[3];                                           /* of cell 1, 1, 1 in half units */
} voxels;

/* Is the half cell at p[] (half units) solid? */
static bool is_filled(const voxels *v, const int p[3]) {
  int c[3];
  for (int k = 0; k < 3; k++) {
    int half = p[k] - v->at[k] + 2;
    if (half < 0 || half >= 2 * LAYER) return false;
    c[k] = half / 2;
  }
  return v->cell[c[0]][c[1]][c[2]];
}

/* Is the unit square of half units at p, across axis n, between half cells p and p - n, a surface
 * with this sign of its normal? */
static bool is_square(const voxels *v, const int p[3], int n, int sign) {
  int below[3] = {p[0], p[1], p[2]};
  below[n]--;
  bool low = is_filled(v, below), high = is_filled(v, p);
  return low != high && low == (sign > 0);
}

/* Is the half unit of a lattice line from p along d in a face across n? */
static bool in_face(const voxels *v, const int p[3], int d, int n, int sign) {
  int beside[3] = {p[0], p[1], p[2]};
  beside[3 - d - n]--;
  return is_square(v, p, n, sign) || is_square(v, beside, n, sign);
}

/* The vertices of the convex edge along `axis` with p as its midpoint; false: there is none. */
static bool edge_through(const voxels *v, const int p[3], int axis, uint32_t out[2]) {
  int q[3], count = 0, n = (axis + 1) % 3, m = (axis + 2) % 3, end[3];
  for (int k = 0; k < 3; k++) {
    int half = p[k] - v->at[k];
    if (half < 0 || half > 2 * SIDE || half % 2 != (k == axis)) return false;
    end[k] = half / 2;
  }
  for (int i = 0; i < 4; i++) {
    memcpy(q, p, sizeof q);
    q[n] -= i & 1;
    q[m] -= i >> 1;
    count += is_filled(v, q);
  }
  if (count != 1) return false;
  out[0] = v->vertex[end[0]][end[1]][end[2]] - 1;
  end[axis]++;
  out[1] = v->vertex[end[0]][end[1]][end[2]] - 1;
  return true;
}

/* Is the face across n with this sign one of the two at the edge? The only solid cell at the edge
 * is below the face. */
static bool edge_has_face(const voxels *v, const int p[3], int axis, int n, int sign) {
  int q[3], other = 3 - axis - n;
  for (int i = 0; i < 2; i++) {
    memcpy(q, p, sizeof q);
    q[other] -= i;
    if (is_square(v, q, n, sign)) return true;
  }
  return false;
}

/* A run of half units along d from a point, in faces of a and b across n with given signs of their
 * normals. */
typedef struct run {
  int from[3], d, length, n[2], sign[2];
} run;

/* Collects the convex edges of solid k on the run that border its face. */
static int stops_of(const voxels *v, const run *u, int k, uint32_t out[][2]) {
  int count = 0, p[3] = {u->from[0], u->from[1], u->from[2]}, n = u->n[k], axis = 3 - u->d - n;
  for (int i = 0; i <= u->length; i++, p[u->d]++)
    if (edge_through(v, p, axis, out[count]) && edge_has_face(v, p, axis, n, u->sign[k])) count++;
  return count;
}

static void add_run(const voxels *a, const voxels *b, const run *u, pair_set *out) {
  uint32_t ea[HALVES + 1][2], eb[HALVES + 1][2];
  int count_a = stops_of(a, u, 0, ea), count_b = stops_of(b, u, 1, eb);
  for (int i = 0; i < count_a; i++)
    for (int j = 0; j < count_b; j++)
      add_pair(out, (edge_pair){{ea[i][0], ea[i][1]}, {eb[j][0], eb[j][1]}});
}

/* Adds the runs that begin at point p. */
static void add_voxel_lines(const voxels *a, const voxels *b, run u, pair_set *out) {
  int p[3] = {u.from[0], u.from[1], u.from[2]};
  for (int i = 0; i <= HALVES; i++, p[u.d]++) {
    if (i < HALVES && in_face(a, p, u.d, u.n[0], u.sign[0]) &&
        in_face(b, p, u.d, u.n[1], u.sign[1])) {
      if (u.length++ == 0) memcpy(u.from, p, sizeof u.from);
    } else if (u.length > 0) {
      add_run(a, b, &u, out);
      u.length = 0;
    }
  }
}

static pair_set voxel_crossings(const voxels *a, const voxels *b) {
  pair_set out = {.count = 0};
  int p[3];
  for (p[0] = -4; p[0] < HALVES - 4; p[0]++)
    for (p[1] = -4; p[1] < HALVES - 4; p[1]++)
      for (p[2] = -4; p[2] < HALVES - 4; p[2]++)
        for (int i = 0; i < 3; i++)
          for (int j = 0; j < 3; j++) {
            edge_pair pair;
            if (i != j && edge_through(a, p, i, pair.a) && edge_through(b, p, j, pair.b))
              add_pair(&out, pair);
          }
  for (int d = 0; d < 3; d++)
    for (int x = -4; x < HALVES - 4; x++)
      for (int y = -4; y < HALVES - 4; y++) {
        for (int which = 0; which < 8; which++) {
          run u = {.d = d,
                   .n = {(d + 1 + which % 2) % 3, (d + 2 - which % 2) % 3},
                   .sign = {which & 2 ? 1 : -1, which & 4 ? 1 : -1}};
          u.from[d] = -4;
          u.from[(d + 1) % 3] = x;
          u.from[(d + 2) % 3] = y;
          add_voxel_lines(a, b, u, &out);
        }
      }
  return out;
}

static uint32_t lattice_vertex(voxels *v, soup *s, const int p[3]) {
  uint32_t *number = &v->vertex[p[0]][p[1]][p[2]];
  if (!*number) *number = soup_vertex(s, ct_vec(2 * p[0], 2 * p[1], 2 * p[2])) + 1;
  return *number - 1;
}

static void voxel_face(voxels *v, soup *s, const int cell[3], int n, int sign, check_random *r) {
  uint32_t c[4];
  for (int i = 0; i < 4; i++) {
    int p[3] = {cell[0] - 1, cell[1] - 1, cell[2] - 1};
    p[n] += sign > 0;
    p[(n + 1) % 3] += i == 1 || i == 2;
    p[(n + 2) % 3] += i >= 2;
    c[i] = lattice_vertex(v, s, p);
  }
  uint32_t from = (uint32_t)(check_next(r) % 2);
  for (uint32_t k = 1; k < 3; k++) {
    uint32_t p = c[(from + k) % 4], q = c[(from + k + 1) % 4];
    soup_triangle(s, c[from], sign > 0 ? p : q, sign > 0 ? q : p);
  }
}

/* A few cells, without edges or vertices that only touch. */
static ct_mesh *random_voxels(voxels *v, check_random *r) {
  for (;;) {
    soup s = {0};
    *v = (voxels){.at = {0, 0, 0}};
    int fill = whole(r, 2, 7);
    for (int i = 0; i < SIDE * SIDE * SIDE; i++)
      v->cell[1 + i % 3][1 + i / 3 % 3][1 + i / 9] = (int)(check_next(r) % 8) < fill;
    for (int i = 0; i < SIDE * SIDE * SIDE; i++) {
      int c[3] = {1 + i % 3, 1 + i / 3 % 3, 1 + i / 9};
      for (int n = 0; n < 3 && v->cell[c[0]][c[1]][c[2]]; n++)
        for (int sign = -1; sign <= 1; sign += 2) {
          int beside[3] = {c[0], c[1], c[2]};
          beside[n] += sign;
          if (!v->cell[beside[0]][beside[1]][beside[2]]) voxel_face(v, &s, c, n, sign, r);
        }
    }
    ct_mesh *mesh = NULL;
    ct_mesh_report report;
    bool good =
        s.tn > 0 && soup_build(&s, CT_MESH_SOLID, &mesh, &report) == CT_OK && report.manifold;
    soup_free(&s);
    if (good) return mesh;
    ct_mesh_release(mesh);
  }
}

static void voxel_solids_have_the_crossings_of_the_exact_boundary(void) {
  check_random r = seeded(313);
  long n = cases(500);
  size_t all = 0;
  voxels *v = malloc(2 * sizeof *v);
  if (!v) abort();
  for (long i = 0; i < n; i++) {
    uint64_t state = r.state;
    ct_mesh *mesh[2] = {random_voxels(&v[0], &r), random_voxels(&v[1], &r)};
    for (int k = 0; k < 3; k++) v[1].at[k] = whole(&r, -3, 3);
    ct_frame frame = home;
    frame.position = ct_vec(v[1].at[0], v[1].at[1], v[1].at[2]);
    pair_set wanted = voxel_crossings(&v[0], &v[1]);
    ct_features f = query(mesh[0], &home, mesh[1], &frame);
    pair_set got = edges_of(&f);
    compare_sets(&got, &wanted, state);
    check_points(&f, mesh[0], &home, mesh[1], &frame);
    all += got.count;
    ct_mesh_release(mesh[0]);
    ct_mesh_release(mesh[1]);
  }
  free(v);
  printf("%ld pairs, %zu crossings\n", n, all);
  CHECK(all > (size_t)n);
}

static const check_test tests[] = {
    {"voxel_solids_have_the_crossings_of_the_exact_boundary",
     voxel_solids_have_the_crossings_of_the_exact_boundary},
};
WORKSPACE_MAIN(tests)
