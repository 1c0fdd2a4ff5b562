/* Edge-edge features against the exact boundary of the common solid: convex solids.
 *
 * A line is the intersection of one face plane of each solid. Its ends are points on three planes
 * and inside all others, in homogeneous coordinates by Cramer's rule. Solids with small integer
 * coordinates in poses of quarter turns are exact in long double (values stay below 2^60), so
 * parallel, coplanar and touching poses have exact answers. A pose of rotated bars is drawn again
 * if a sign is nearer to 0 than doubles can decide. CONTACTD_FULL=1: 10,000 cases of each with a
 * fresh seed; CONTACTD_SEED repeats one. */
#include "tests/oracle/feature_pairs.h"

enum { FACES_MAX = 12 };

typedef long double real;

/* ---- convex solids -------------------------------------------------------------------------- */

typedef struct vec {
  real x, y, z;
} vec;

static vec cross_of(vec a, vec b) {
  return (vec){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
static real dot_of(vec a, vec b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
static vec minus(vec a, vec b) { return (vec){a.x - b.x, a.y - b.y, a.z - b.z}; }

typedef struct loop {
  int count;
  uint32_t v[8];
} loop;

typedef struct solid {
  uint32_t vertex_count;
  ct_vec3 vertex[16];
  int face_count;
  loop face[FACES_MAX]; /* counter-clockwise from outside */
} solid;

typedef struct planes {
  int count, own; /* the first `own` planes are those of a */
  bool *in_doubt; /* set if a sign is nearer to 0 than doubles can decide */
  vec n[2 * FACES_MAX];
  real c[2 * FACES_MAX];
  const loop *face[2 * FACES_MAX];
} planes;

static vec placed(const ct_vec3 *v, const vec rows[3], vec at) {
  vec p = {v->x, v->y, v->z};
  return (vec){dot_of(rows[0], p) + at.x, dot_of(rows[1], p) + at.y, dot_of(rows[2], p) + at.z};
}

static void add_planes(planes *out, const solid *s, const vec rows[3], vec at) {
  for (int f = 0; f < s->face_count; f++) {
    const loop *l = &s->face[f];
    vec p = placed(&s->vertex[l->v[0]], rows, at);
    vec n = cross_of(minus(placed(&s->vertex[l->v[1]], rows, at), p),
                     minus(placed(&s->vertex[l->v[2]], rows, at), p));
    out->n[out->count] = n;
    out->c[out->count] = dot_of(n, p);
    out->face[out->count++] = l;
  }
}

/* The edge between two faces; false: they share none. */
static bool shared_edge(const loop *f, const loop *g, uint32_t out[2]) {
  for (int i = 0; i < f->count; i++)
    for (int j = 0; j < g->count; j++)
      if (f->v[i] == g->v[(j + 1) % g->count] && f->v[(i + 1) % f->count] == g->v[j]) {
        out[0] = f->v[i];
        out[1] = f->v[(i + 1) % f->count];
        return true;
      }
  return false;
}

/* The point on three planes, classified against all other planes. */
typedef struct node {
  bool inside;    /* of all closed half-spaces */
  bool strict[2]; /* strictly inside a, and inside b, apart from the planes that define the point */
  bool on[2 * FACES_MAX];
} node;

static bool node_of(const planes *p, int f, int g, int h, real rounding, node *out) {
  vec n[3] = {p->n[f], p->n[g], p->n[h]}, gh = cross_of(n[1], n[2]), hf = cross_of(n[2], n[0]),
      fg = cross_of(n[0], n[1]);
  real w = dot_of(n[0], gh);
  if (fabsl(w) <= rounding * sqrtl(dot_of(n[0], n[0]) * dot_of(gh, gh))) return false;
  real c[3] = {p->c[f], p->c[g], p->c[h]}, sign = w > 0 ? 1 : -1;
  vec x = {c[0] * gh.x + c[1] * hf.x + c[2] * fg.x, c[0] * gh.y + c[1] * hf.y + c[2] * fg.y,
           c[0] * gh.z + c[1] * hf.z + c[2] * fg.z};
  *out = (node){.inside = true, .strict = {true, true}};
  for (int k = 0; k < p->count; k++) {
    if (k == f || k == g || k == h) continue;
    real s = (dot_of(p->n[k], x) - p->c[k] * w) * sign;
    real size = sqrtl(dot_of(p->n[k], p->n[k])) * (sqrtl(dot_of(x, x)) + fabsl(w));
    if (rounding > 0 && fabsl(s) <= 1e-15L * size && fabsl(s) > rounding * size)
      *p->in_doubt = true;
    out->on[k] = fabsl(s) <= rounding * size;
    if (out->on[k]) out->strict[k >= p->own] = false;
    else if (s > 0) out->inside = false;
  }
  return true;
}

/* Ends of the line of faces f and g that are on edges of one solid. */
static int line_ends(const planes *p, int f, int g, int side, real rounding,
                     uint32_t out[FACES_MAX][2]) {
  int count = 0, from = side ? p->own : 0, to = side ? p->count : p->own, own = side ? g : f;
  for (int h = from; h < to; h++) {
    node n;
    if (h == own || !node_of(p, f, g, h, rounding, &n) || !n.inside || !n.strict[side]) continue;
    if (shared_edge(p->face[own], p->face[h], out[count])) count++;
  }
  return count;
}

static void add_line(const planes *p, int f, int g, real rounding, pair_set *out) {
  uint32_t a[FACES_MAX][2], b[FACES_MAX][2];
  int count_a = line_ends(p, f, g, 0, rounding, a), count_b = line_ends(p, f, g, 1, rounding, b);
  for (int i = 0; i < count_a; i++)
    for (int j = 0; j < count_b; j++)
      add_pair(out, (edge_pair){{a[i][0], a[i][1]}, {b[j][0], b[j][1]}});
}

/* Edges with a common inner point: the point is on four planes. */
static void add_touches(const planes *p, int f, int g, real rounding, pair_set *out) {
  for (int f2 = f + 1; f2 < p->own; f2++) {
    edge_pair pair;
    if (!shared_edge(p->face[f], p->face[f2], pair.a)) continue;
    for (int g2 = p->own; g2 < p->count; g2++) {
      node n;
      if (g2 == g || !shared_edge(p->face[g], p->face[g2], pair.b)) continue;
      if (!node_of(p, f, f2, g, rounding, &n) || !n.inside || !n.strict[0] || !n.on[g2]) continue;
      bool inner = true;
      for (int k = p->own; k < p->count; k++) inner = inner && (k == g || k == g2 || !n.on[k]);
      if (inner) add_pair(out, pair);
    }
  }
}

/* All crossings. rounding 0: exact arithmetic, never in doubt. */
static pair_set crossings_of(const solid *a, const solid *b, const vec rows[3], vec at,
                             real rounding, bool *in_doubt) {
  static const vec straight[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  planes p = {.own = a->face_count, .in_doubt = in_doubt};
  pair_set out = {.count = 0};
  add_planes(&p, a, straight, (vec){0, 0, 0});
  add_planes(&p, b, rows, at);
  for (int f = 0; f < p.own; f++)
    for (int g = p.own; g < p.count; g++) {
      add_line(&p, f, g, rounding, &out);
      add_touches(&p, f, g, rounding, &out);
    }
  return out;
}

/* A mesh of the faces: fans from a random corner, or about an inner point, so that faces contain
 * flat edges. */
static ct_mesh *mesh_of(const solid *s, check_random *r) {
  soup out = {0};
  for (uint32_t i = 0; i < s->vertex_count; i++) soup_vertex(&out, s->vertex[i]);
  for (int f = 0; f < s->face_count; f++) {
    const loop *l = &s->face[f];
    uint32_t from = (uint32_t)(check_next(r) % (uint64_t)l->count), count = (uint32_t)l->count;
    if (count == 4 && check_next(r) % 2) {
      uint32_t middle =
          soup_vertex(&out, ct_scale(ct_add(s->vertex[l->v[0]], s->vertex[l->v[2]]), 0.5));
      for (uint32_t k = 0; k < count; k++)
        soup_triangle(&out, l->v[k], l->v[(k + 1) % count], middle);
      continue;
    }
    for (uint32_t k = 1; k + 1 < count; k++)
      soup_triangle(&out, l->v[from], l->v[(from + k) % count], l->v[(from + k + 1) % count]);
  }
  soup_shuffle(&out, r);
  return soup_mesh(&out);
}

static solid box_solid(ct_vec3 low, ct_vec3 high) {
  static const uint32_t f[6][4] = {{0, 3, 2, 1}, {4, 5, 6, 7}, {0, 1, 5, 4},
                                   {1, 2, 6, 5}, {2, 3, 7, 6}, {3, 0, 4, 7}};
  solid s = {.vertex_count = 8, .face_count = 6};
  for (int i = 0; i < 8; i++)
    s.vertex[i] = ct_vec(i % 4 == 1 || i % 4 == 2 ? high.x : low.x, i % 4 >= 2 ? high.y : low.y,
                         i >= 4 ? high.z : low.z);
  for (int i = 0; i < 6; i++) {
    s.face[i].count = 4;
    memcpy(s.face[i].v, f[i], sizeof f[i]);
  }
  return s;
}

/* A prism along z over a convex polygon of lattice points. */
static solid prism_solid(const double (*p)[2], int count, double low, double high) {
  solid s = {.vertex_count = 2 * (uint32_t)count, .face_count = count + 2};
  s.face[0].count = s.face[1].count = count;
  for (int i = 0; i < count; i++) {
    int next = (i + 1) % count;
    s.vertex[i] = ct_vec(p[i][0], p[i][1], low);
    s.vertex[count + i] = ct_vec(p[i][0], p[i][1], high);
    s.face[0].v[i] = (uint32_t)(count - 1 - i);
    s.face[1].v[i] = (uint32_t)(count + i);
    s.face[2 + i] =
        (loop){4, {(uint32_t)i, (uint32_t)next, (uint32_t)(count + next), (uint32_t)(count + i)}};
  }
  return s;
}

static solid tetrahedron(check_random *r) {
  static const uint32_t f[4][3] = {{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}};
  solid s = {.vertex_count = 4, .face_count = 4};
  double volume;
  do {
    for (int i = 0; i < 4; i++)
      s.vertex[i] = ct_vec(whole(r, -8, 8), whole(r, -8, 8), whole(r, -8, 8));
    ct_vec3 p = ct_sub(s.vertex[1], s.vertex[0]), q = ct_sub(s.vertex[2], s.vertex[0]),
            t = ct_sub(s.vertex[3], s.vertex[0]);
    volume = ct_dot(ct_cross(p, q), t);
  } while (fabs(volume) < 40);
  for (int i = 0; i < 4; i++) {
    s.face[i].count = 3;
    memcpy(s.face[i].v, f[i], sizeof f[i]);
    if (volume < 0) {
      s.face[i].v[1] = f[i][2];
      s.face[i].v[2] = f[i][1];
    }
  }
  return s;
}

static solid random_solid(check_random *r) {
  static const double hexagon[6][2] = {{4, 0}, {4, 4}, {0, 4}, {-4, 0}, {-4, -4}, {0, -4}},
                      wedge[3][2] = {{-5, 0}, {5, -1}, {0, 6}};
  static const double octagon[8][2] = {{4, -2}, {4, 2},   {2, 4},   {-2, 4},
                                       {-4, 2}, {-4, -2}, {-2, -4}, {2, -4}};
  switch (check_next(r) % 5) {
  case 0: return tetrahedron(r);
  case 1: return prism_solid(hexagon, 6, whole(r, -6, -2), whole(r, 2, 8));
  case 2: return prism_solid(wedge, 3, whole(r, -8, -2), whole(r, 2, 8));
  case 3: return prism_solid(octagon, 8, whole(r, -6, -2), whole(r, 2, 6));
  default: {
    ct_vec3 low = {whole(r, -8, -1), whole(r, -8, -1), whole(r, -8, -1)};
    return box_solid(low, ct_vec(whole(r, 1, 8), whole(r, 1, 8), whole(r, 1, 8)));
  }
  }
}

/* One of the 24 rotations that map axes to axes. */
static void quarter_turn(check_random *r, double m[3][3]) {
  static const int order[6][3] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1}, {0, 2, 1}, {1, 0, 2}, {2, 1, 0}};
  int which = (int)(check_next(r) % 6), x = check_next(r) % 2 ? 1 : -1,
      y = check_next(r) % 2 ? 1 : -1;
  memset(m, 0, 9 * sizeof m[0][0]);
  m[0][order[which][0]] = x;
  m[1][order[which][1]] = y;
  m[2][order[which][2]] = x * y * (which < 3 ? 1 : -1);
}

static ct_frame frame_from(double m[3][3], ct_vec3 at) {
  return (ct_frame){
      {{m[0][0], m[0][1], m[0][2]}, {m[1][0], m[1][1], m[1][2]}, {m[2][0], m[2][1], m[2][2]}}, at};
}

/* Compares both orders of the two solids with the same set; returns the number of crossings. */
static size_t check_pair(const solid *a, const solid *b, const ct_frame *frame,
                         const pair_set *wanted, uint64_t seed, check_random *r) {
  ct_mesh *mesh[2] = {mesh_of(a, r), mesh_of(b, r)};
  ct_features f = query(mesh[0], &home, mesh[1], frame);
  pair_set got = edges_of(&f), swapped;
  check_points(&f, mesh[0], &home, mesh[1], frame);
  compare_sets(&got, wanted, seed);
  f = query(mesh[1], frame, mesh[0], &home);
  swapped = edges_of(&f);
  CHECK_INT(swapped.count, got.count);
  for (size_t i = 0; i < swapped.count; i++) {
    edge_pair back;
    memcpy(back.a, swapped.items[i].b, sizeof back.a);
    memcpy(back.b, swapped.items[i].a, sizeof back.b);
    CHECK(has_pair(&got, &back));
  }
  ct_mesh_release(mesh[0]);
  ct_mesh_release(mesh[1]);
  return got.count;
}

static void integer_solids_have_the_crossings_of_the_exact_boundary(void) {
  check_random r = seeded(311);
  long n = cases(1000);
  size_t all = 0, with = 0;
  for (long i = 0; i < n; i++) {
    uint64_t state = r.state;
    solid a = random_solid(&r), b = random_solid(&r);
    double m[3][3];
    quarter_turn(&r, m);
    ct_vec3 at = {whole(&r, -8, 8), whole(&r, -8, 8), whole(&r, -8, 8)};
    vec rows[3] = {
        {m[0][0], m[0][1], m[0][2]}, {m[1][0], m[1][1], m[1][2]}, {m[2][0], m[2][1], m[2][2]}};
    ct_frame frame = frame_from(m, at);
    pair_set wanted = crossings_of(&a, &b, rows, (vec){at.x, at.y, at.z}, 0, NULL);
    size_t found = check_pair(&a, &b, &frame, &wanted, state, &r);
    all += found;
    with += found > 0;
  }
  printf("%ld pairs, %zu with crossings, %zu crossings\n", n, with, all);
  CHECK(with > (size_t)n / 4);
}

/* Crossed bars: upright or tilted by 1e-9 to 1 rad, of equal height or not. */
static void crossing_bars_have_the_crossings_of_the_exact_boundary(void) {
  check_random r = seeded(312);
  long n = cases(1000);
  size_t all = 0;
  long drawn = 0;
  for (long i = 0; i < n; drawn++) {
    uint64_t state = r.state;
    double w = check_uniform(&r, .1, .6), h = check_uniform(&r, .1, .6);
    solid a = box_solid(ct_vec(-1, -w, -h), ct_vec(1, w, h)),
          b = box_solid(ct_vec(-h, -1, -h), ct_vec(h, 1, h));
    double tilt = i % 8 == 0 ? 0 : pow(10, check_uniform(&r, -9, 0));
    ct_quat q = {tilt * check_uniform(&r, -1, 1), tilt * check_uniform(&r, -1, 1),
                 tilt * check_uniform(&r, -1, 1), 1};
    double norm = sqrt(q.x * q.x + q.y * q.y + q.z * q.z + 1),
           rise = i % 3 == 0 && tilt > 0 ? 0 : check_uniform(&r, .05, 1.9) * h;
    q = (ct_quat){q.x / norm, q.y / norm, q.z / norm, 1 / norm};
    ct_frame frame =
        ct_frame_of((ct_pose){{check_uniform(&r, -.2, .2), check_uniform(&r, -.2, .2), rise}, q});
    const ct_mat3 *m = &frame.rotation;
    vec rows[3] = {
        {m->rx.x, m->rx.y, m->rx.z}, {m->ry.x, m->ry.y, m->ry.z}, {m->rz.x, m->rz.y, m->rz.z}};
    vec at = {frame.position.x, frame.position.y, frame.position.z};
    bool in_doubt = false;
    pair_set wanted = crossings_of(&a, &b, rows, at, 1e-17L, &in_doubt);
    /* The pose is drawn again. */
    if (in_doubt) continue;
    i++;
    all += check_pair(&a, &b, &frame, &wanted, state, &r);
    /* A tilt moves points by at most 2 sqrt(3) times its angle, as the common column extends less
     * than 2. */
    CHECK(wanted.count >= 4 || 8 * tilt > 2 * h - rise);
  }
  printf("%ld pairs, %zu crossings\n", n, all);
  CHECK(drawn <= n + n / 1000 + 2);
}

/* ---- regressions: reported bars -------------------------------------------------------------- */

/* Four edges cross, 0.084 deep, upright and with tilts up to 1e-3 rad; no crossing joins opposite
 * sides 0.78 apart. */
static void crossing_bars_have_four_crossings_at_any_small_tilt(void) {
  static const double tilts[] = {0, 1e-15, 1e-12, 1e-9, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3};
  check_random r = {314};
  solid a = box_solid(ct_vec(-1, -.4, -.4), ct_vec(1, .4, .4)),
        b = box_solid(ct_vec(-.4, -1, -.4), ct_vec(.4, 1, .4));
  ct_mesh *mesh[2] = {mesh_of(&a, &r), mesh_of(&b, &r)};
  for (size_t i = 0; i < sizeof tilts / sizeof tilts[0]; i++) {
    for (int k = 0; k < 20; k++) {
      double t = tilts[i];
      ct_quat q = {t * check_uniform(&r, -1, 1), t * check_uniform(&r, -1, 1),
                   t * check_uniform(&r, -1, 1), 1};
      ct_frame frame = ct_frame_of((ct_pose){{.03, .05, .716}, q});
      ct_features f = query(mesh[0], &home, mesh[1], &frame);
      CHECK_INT(f.count, 4);
      for (size_t n = 0; n < f.count; n++) {
        CHECK_INT(f.items[n].kind, CT_PAIR_FEATURE_EDGE_EDGE);
        CHECK_NEAR(f.items[n].distance, -.084, 4 * t + 1e-15);
        CHECK_NEAR(f.items[n].normal.z, 1, 8 * t);
      }
    }
  }
  ct_mesh_release(mesh[0]);
  ct_mesh_release(mesh[1]);
}

/* Bars of equal height: at each corner of the common solid the upper edges meet, the lower edges
 * meet, and a line leads from each upper edge to the lower edge of the other. */
static void coplanar_bars_cross_in_all_corners(void) {
  check_random r = {315};
  solid a = box_solid(ct_vec(-2, -1, -1), ct_vec(2, 1, 1)),
        b = box_solid(ct_vec(-1, -2, -1), ct_vec(1, 2, 1));
  ct_mesh *mesh[2] = {mesh_of(&a, &r), mesh_of(&b, &r)};
  ct_features f = query(mesh[0], &home, mesh[1], &home);
  size_t flat = 0, deep = 0;
  for (size_t i = 0; i < f.count; i++) {
    bool edges = f.items[i].kind == CT_PAIR_FEATURE_EDGE_EDGE;
    flat += edges && f.items[i].distance == 0.0;
    deep += edges && f.items[i].distance == -2.0;
  }
  CHECK_INT(edges_of(&f).count, 16);
  CHECK_INT(flat, 8);
  CHECK_INT(deep, 8);
  ct_frame on_top = {home.rotation, {0, 0, 2}};
  f = query(mesh[0], &home, mesh[1], &on_top);
  CHECK_INT(edges_of(&f).count, 4); /* touching only */
  for (size_t i = 0; i < f.count; i++) {
    CHECK(f.items[i].distance == 0.0);
    CHECK(f.items[i].kind != CT_PAIR_FEATURE_EDGE_EDGE || f.items[i].normal.z == 1.0);
  }
  ct_mesh_release(mesh[0]);
  ct_mesh_release(mesh[1]);
}

/* Faces of many coplanar triangles count as one: lines pass through all of them. */
static void faces_of_many_triangles_count_as_one(void) {
  check_random r = {316};
  soup s = {0};
  soup_box(&s, ct_vec(-1, -.4, -.4), ct_vec(1, .4, .4));
  for (uint32_t i = 0; i < 400; i++) { /* a random inner point cuts a random triangle in three */
    uint32_t t = (uint32_t)(check_next(&r) % s.tn), c[3] = {s.t[t][0], s.t[t][1], s.t[t][2]};
    ct_vec3 p = ct_scale(ct_add(ct_add(s.v[c[0]], s.v[c[1]]), s.v[c[2]]), 1.0 / 3.0);
    for (int axis = 0; axis < 3; axis++) { /* exactly in the face's plane */
      double *to = axis == 0 ? &p.x : axis == 1 ? &p.y : &p.z;
      double v[3];
      for (int k = 0; k < 3; k++)
        v[k] = axis == 0 ? s.v[c[k]].x : axis == 1 ? s.v[c[k]].y : s.v[c[k]].z;
      if (v[0] == v[1] && v[1] == v[2]) *to = v[0];
    }
    uint32_t middle = soup_vertex(&s, p);
    s.t[t][2] = middle;
    soup_triangle(&s, c[1], c[2], middle);
    soup_triangle(&s, c[2], c[0], middle);
  }
  ct_mesh *mesh = soup_mesh(&s);
  solid b = box_solid(ct_vec(-.4, -1, -.4), ct_vec(.4, 1, .4));
  ct_mesh *other = mesh_of(&b, &r);
  for (int i = 0; i < 10; i++) {
    double t = i ? .01 : 0;
    ct_frame frame = ct_frame_of((ct_pose){
        {.03, .05, .716}, {t * check_uniform(&r, -1, 1), t * check_uniform(&r, -1, 1), 0, 1}});
    ct_features f = query(mesh, &home, other, &frame);
    pair_set got = edges_of(&f);
    CHECK_INT(got.count, 4);
    for (size_t k = 0; k < got.count; k++) CHECK(got.items[k].a[1] < 8 && got.items[k].b[1] < 8);
  }
  ct_mesh_release(mesh);
  ct_mesh_release(other);
}

/* A cross of two boxes in one mesh: edges of one box inside the other are not on the boundary. */
static void edges_inside_another_part_of_the_same_mesh_do_not_cross(void) {
  soup s = {0};
  check_random r = {317};
  soup_box(&s, ct_vec(-4, -1, -1), ct_vec(4, 1, 1));
  soup_box(&s, ct_vec(-2, -2, -2),
           ct_vec(2, 2, 2)); /* the first bar's edges are inside between -2 and 2 */
  ct_mesh *cross = soup_mesh(&s);
  solid bar = box_solid(ct_vec(-.5, -8, -.25), ct_vec(.5, 8, .25));
  ct_mesh *other = mesh_of(&bar, &r);
  const struct {
    double x, z;
    size_t crossings;
    uint32_t from; /* lowest vertex index of a's edges */
  } at[] = {{3, 1, 4, 0}, {0, 1, 0, 0}, {0, 2, 4, 8}, {1.25, 2, 4, 8}};
  for (size_t i = 0; i < sizeof at / sizeof at[0]; i++) {
    ct_frame frame = {home.rotation, {at[i].x, .03125, at[i].z}};
    ct_features f = query(cross, &home, other, &frame);
    pair_set got = edges_of(&f);
    CHECK_INT(got.count, at[i].crossings);
    for (size_t k = 0; k < got.count; k++)
      CHECK(got.items[k].a[0] >= at[i].from && got.items[k].a[0] < at[i].from + 8);
  }
  ct_mesh_release(cross);
  ct_mesh_release(other);
}

static const check_test tests[] = {
    {"crossing_bars_have_four_crossings_at_any_small_tilt",
     crossing_bars_have_four_crossings_at_any_small_tilt},
    {"coplanar_bars_cross_in_all_corners", coplanar_bars_cross_in_all_corners},
    {"faces_of_many_triangles_count_as_one", faces_of_many_triangles_count_as_one},
    {"edges_inside_another_part_of_the_same_mesh_do_not_cross",
     edges_inside_another_part_of_the_same_mesh_do_not_cross},
    {"integer_solids_have_the_crossings_of_the_exact_boundary",
     integer_solids_have_the_crossings_of_the_exact_boundary},
    {"crossing_bars_have_the_crossings_of_the_exact_boundary",
     crossing_bars_have_the_crossings_of_the_exact_boundary},
};
WORKSPACE_MAIN(tests)
