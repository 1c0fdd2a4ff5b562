/* Element meshes of one type and mixed: surfaces, neighbours and volumes against closed forms and
 * brute force over all faces; faults of refused meshes and the elements that they name. */
#include "shape/shape_compare.h"
#include "tests/support/blocks.h"

/* ---- brute force ---------------------------------------------------------------------------- */

static bool same_point(const block *b, uint32_t i, uint32_t j) {
  return b->v[i].x == b->v[j].x && b->v[i].y == b->v[j].y && b->v[i].z == b->v[j].z;
}

/* True if the element has a corner at the vertex's position. */
static bool element_has(const block *b, uint32_t element, uint32_t vertex) {
  for (uint32_t k = 0; k < block_corners(b, element); k++)
    if (same_point(b, b->c[element * block_each(b) + k], vertex)) return true;
  return false;
}

/* The other element that has all corners of a face, or CT_NO_ELEMENT. */
static uint32_t beyond(const block *b, uint32_t element, uint32_t face) {
  const ct_element_form *form = block_form(b, element);
  for (uint32_t e = 0; e < b->en; e++) {
    bool all = e != element;
    for (uint32_t k = 0; all && k < form->face_corners[face]; k++)
      all = element_has(b, e, b->c[element * block_each(b) + form->face[face][k]]);
    if (all) return e;
  }
  return CT_NO_ELEMENT;
}

static long double signed_six(ct_vec3 a, ct_vec3 b, ct_vec3 c, ct_vec3 d) {
  long double u[3] = {(long double)b.x - a.x, (long double)b.y - a.y, (long double)b.z - a.z};
  long double v[3] = {(long double)c.x - a.x, (long double)c.y - a.y, (long double)c.z - a.z};
  long double w[3] = {(long double)d.x - a.x, (long double)d.y - a.y, (long double)d.z - a.z};
  return u[0] * (v[1] * w[2] - v[2] * w[1]) - u[1] * (v[0] * w[2] - v[2] * w[0]) +
         u[2] * (v[0] * w[1] - v[1] * w[0]);
}

/* The first vertex at the same position. */
static uint32_t node_of(const block *b, uint32_t vertex) {
  uint32_t i = 0;
  while (!same_point(b, i, vertex)) i++;
  return i;
}

/* Six times the volume of an element whose faces are split at their lowest nodes, by integration
 * over the surface from a point that is not a corner. */
static long double element_six(const block *b, uint32_t element) {
  const ct_element_form *form = block_form(b, element);
  const uint32_t *c = b->c + element * block_each(b);
  ct_vec3 apex = {0.3, -0.2, 0.7};
  long double sum = 0;
  for (uint32_t f = 0; f < form->faces; f++) {
    uint32_t loop[4], low = 0, count = form->face_corners[f];
    for (uint32_t k = 0; k < count; k++) loop[k] = node_of(b, c[form->face[f][k]]);
    for (uint32_t k = 1; k < count; k++)
      if (loop[k] < loop[low]) low = k;
    for (uint32_t k = 1; k + 1 < count; k++)
      sum -= signed_six(b->v[loop[low]], b->v[loop[(low + k) % count]],
                        b->v[loop[(low + k + 1) % count]], apex);
  }
  return sum;
}

static long double volume_of(const block *b) {
  long double six = 0;
  for (uint32_t e = 0; e < b->en; e++) six += element_six(b, e);
  return six / 6;
}

/* ---- valid elements -------------------------------------------------------------------------- */

/* Compares all members of the view with the block. */
static void check_view(const block *b, const ct_elements_view *view) {
  const ct_mesh_view *surface = ct_mesh_get(view->surface);
  uint32_t outer = 0, triangles = 0;
  CHECK_INT(view->vertex_count, b->vn);
  CHECK_INT(view->element_count, b->en);
  CHECK(memcmp(view->corners, b->c, b->en * view->corner_stride * sizeof *b->c) == 0);
  CHECK(surface->solid);
  for (uint32_t e = 0; e < b->en; e++) {
    const ct_element_form *form = ct_elements_form(view, e);
    CHECK(view->corner_counts[e] == block_corners(b, e) && form == block_form(b, e));
    for (uint32_t f = 0; f < form->faces; f++) {
      uint32_t other = beyond(b, e, f);
      CHECK_INT(view->across[e * view->face_stride + f], other);
      if (other != CT_NO_ELEMENT) continue;
      CHECK_INT(view->outer[outer++], e * view->face_stride + f);
      triangles += form->face_corners[f] - 2;
    }
    for (uint32_t i = 0; i < b->en; i++) {
      bool shares = false;
      for (uint32_t k = 0; k < form->corners; k++)
        shares = shares || element_has(b, i, b->c[e * view->corner_stride + k]);
      CHECK_INT(ct_elements_adjacent(view, e, i), shares);
    }
  }
  CHECK_INT(view->outer_count, outer);
  CHECK_INT(surface->triangle_count, triangles);
}

/* Each triangle of the surface is part of an outer face, and its element is on the inner side. */
static void check_surface(const block *b, const ct_elements_view *view) {
  const ct_mesh_view *surface = ct_mesh_get(view->surface);
  for (uint32_t t = 0; t < surface->triangle_count; t++) {
    uint32_t face = view->outer[ct_elements_outer_of(view, t)], element = face / view->face_stride;
    const ct_element_form *form = ct_elements_form(view, element);
    CHECK_INT(ct_elements_of_triangle(view, t), element);
    CHECK(t == 0 || ct_elements_outer_of(view, t) - ct_elements_outer_of(view, t - 1) <= 1);
    for (int k = 0; k < 3; k++) {
      bool found = false;
      for (uint32_t c = 0; c < form->face_corners[face % view->face_stride]; c++)
        found = found ||
                surface->triangles[t][k] ==
                    b->c[element * view->corner_stride + form->face[face % view->face_stride][c]];
      CHECK(found);
    }
    ct_vec3 middle = ct_hull_get(view->hulls[element])->centroid;
    const uint32_t *c = surface->triangles[t];
    CHECK(signed_six(b->v[c[0]], b->v[c[1]], b->v[c[2]], middle) < 0);
  }
}

static void check_block(const block *b) {
  ct_elements *elements = NULL;
  ct_elements_report report;
  ct_elements_data data = block_data(b);
  CHECK_INT(ct_elements_create(&data, NULL, &elements, &report), CT_OK);
  if (!elements) return;
  const ct_elements_view *view = ct_elements_get(elements);
  check_view(b, view);
  check_surface(b, view);
  long double volume = volume_of(b);
  CHECK_NEAR(view->volume, (double)volume, 1e-14 * (double)volume);
  CHECK(report.surface.watertight && report.fault == CT_ELEMENT_SOUND);
  /* Euler: a sphere has V - E + F = 2, and 3 edges per 2 triangles. */
  CHECK_INT(2 * (long)report.surface.vertices - (long)report.surface.triangles, 4);
  ct_elements_release(elements);
}

static void blocks_are_what_brute_force_finds(void) {
  check_random r = {1};
  static const uint32_t sizes[][3] = {{1, 1, 1}, {2, 1, 1}, {3, 2, 1}, {2, 2, 3}};
  for (int k = 0; k < 24; k++) {
    const uint32_t *n = sizes[k / 6];
    block b = block_make(k % 3 == 2   ? CT_MIXED_ELEMENTS
                         : k % 3 == 1 ? CT_HEXAHEDRA
                                      : CT_TETRAHEDRA,
                         n[0], n[1], n[2]);
    if (k % 6 > 2) {
      block_jitter(&b, &r, b.type == CT_MIXED_ELEMENTS ? 0.06 : 0.1);
      block_shuffle(&b, &r);
    }
    check_block(&b);
    block_explode(&b);
    check_block(&b);
    block_free(&b);
  }
}

static void a_block_has_the_counts_of_its_sides(void) {
  for (int type = CT_TETRAHEDRA; type <= CT_HEXAHEDRA; type++) {
    block b = block_make((ct_element_type)type, 5, 4, 3);
    ct_elements_data data = block_data(&b);
    ct_elements *elements = NULL;
    ct_elements_report report;
    uint32_t squares = 2 * (5 * 4 + 4 * 3 + 3 * 5);
    CHECK_INT(ct_elements_create(&data, NULL, &elements, &report), CT_OK);
    CHECK_INT(report.outer_faces, type == CT_HEXAHEDRA ? squares : 2 * squares);
    CHECK_INT(report.surface.triangles, 2 * squares);
    CHECK_INT(report.nodes, 6 * 5 * 4);
    CHECK_INT(report.surface.vertices, 6 * 5 * 4 - 4 * 3 * 2);
    CHECK_INT(report.unused_vertices, 0);
    CHECK_NEAR(report.surface.volume, 60, 0);
    CHECK_NEAR(report.surface.area, squares, 1e-13 * squares);
    CHECK_NEAR(report.least_volume, type == CT_HEXAHEDRA ? 1 : 1.0 / 6, 1e-16);
    CHECK_NEAR(report.greatest_volume, type == CT_HEXAHEDRA ? 1 : 1.0 / 6, 1e-16);
    ct_elements_release(elements);
    block_free(&b);
  }
}

/* The number of tetrahedra of the element that contain the point. */
static int tetrahedra_around(const block *b, uint32_t element, ct_vec3 p) {
  const ct_element_form *form = block_form(b, element);
  const uint32_t *c = b->c + element * block_each(b);
  uint32_t apex = 0;
  int in = 0;
  for (uint32_t i = 1; i < form->corners; i++)
    if (c[i] < c[apex]) apex = i;
  for (uint32_t f = 0; f < form->faces; f++) {
    uint32_t loop[4], low = 0, count = form->face_corners[f];
    bool away = true;
    for (uint32_t i = 0; i < count; i++) {
      loop[i] = c[form->face[f][i]];
      away = away && form->face[f][i] != apex;
      if (loop[i] < loop[low]) low = i;
    }
    for (uint32_t i = 1; away && i + 1 < count; i++) {
      ct_vec3 s = b->v[c[apex]], u = b->v[loop[low]], v = b->v[loop[(low + i) % count]],
              w = b->v[loop[(low + i + 1) % count]];
      in += signed_six(u, v, w, p) < 0 && signed_six(s, v, u, p) < 0 &&
            signed_six(s, w, v, p) < 0 && signed_six(s, u, w, p) < 0;
    }
  }
  return in;
}

/* The tetrahedra of the elements fill the surface: a point inside the surface is in exactly one, a
 * point outside in none. */
static void elements_fill_their_surface(void) {
  check_random r = {2};
  for (int round = 0; round < 8; round++) {
    bool mixed = round % 2;
    block b = block_make(mixed ? CT_MIXED_ELEMENTS : CT_HEXAHEDRA, 2, 2, 1);
    block_jitter(&b, &r, mixed ? 0.06 : 0.12);
    block_shuffle(&b, &r);
    ct_elements *elements = block_elements(&b);
    for (int k = 0; k < 500; k++) {
      ct_vec3 p = {check_uniform(&r, -0.2, 2.2), check_uniform(&r, -0.2, 2.2),
                   check_uniform(&r, -0.2, 1.7)};
      int in = 0;
      for (uint32_t e = 0; e < b.en; e++) in += tetrahedra_around(&b, e, p);
      CHECK_INT(in, ct_mesh_contains(ct_elements_get(elements)->surface, p));
    }
    ct_elements_release(elements);
    block_free(&b);
  }
}

static void hulls_lie_on_the_faces_of_their_elements(void) {
  check_random r = {3};
  for (int type = CT_TETRAHEDRA; type <= CT_HEXAHEDRA; type++) {
    block b = block_make((ct_element_type)type, 2, 2, 2);
    for (int jittered = 0; jittered < 2; jittered++) {
      if (jittered) block_jitter(&b, &r, 0.05);
      ct_elements *elements = block_elements(&b);
      const ct_elements_view *view = ct_elements_get(elements);
      for (uint32_t e = 0; e < b.en; e++) {
        const ct_hull_view *hull = ct_hull_get(view->hulls[e]);
        uint32_t seen = 0;
        CHECK(hull->face_count == (jittered && type == CT_HEXAHEDRA ? 12 : view->face_stride));
        for (uint32_t f = 0; f < hull->face_count; f++)
          seen |= 1u << ct_elements_hull_face(view, e, f);
        CHECK_INT(seen, (1u << view->face_stride) - 1);
        for (uint32_t i = 0; i < hull->vertex_count; i++)
          CHECK(hull->x[i] == b.v[b.c[e * view->corner_stride + hull->vertex_input[i]]].x);
      }
      ct_elements_release(elements);
    }
    block_free(&b);
  }
}

static bool note_element(void *context, uint32_t element) {
  ((bool *)context)[element] = true;
  return true;
}

static void the_tree_finds_what_boxes_meet(void) {
  check_random r = {4};
  block b = block_make(CT_TETRAHEDRA, 3, 3, 3);
  block_jitter(&b, &r, 0.1);
  ct_elements *elements = block_elements(&b);
  const ct_elements_view *view = ct_elements_get(elements);
  for (int k = 0; k < 50; k++) {
    ct_vec3 low = {check_uniform(&r, -1, 3), check_uniform(&r, -1, 3), check_uniform(&r, -1, 3)};
    ct_aabb box = {low, ct_add(low, ct_vec(check_uniform(&r, 0, 1), check_uniform(&r, 0, 1),
                                           check_uniform(&r, 0, 1)))};
    bool found[162] = {false};
    ct_tree_query(view->tree, &box, note_element, found, NULL);
    for (uint32_t e = 0; e < b.en; e++) {
      ct_aabb own = ct_aabb_empty();
      for (uint32_t c = 0; c < 4; c++)
        own = ct_aabb_union(own, (ct_aabb){b.v[b.c[4 * e + c]], b.v[b.c[4 * e + c]]});
      CHECK_INT(found[e], ct_aabb_overlap(&own, &box));
    }
  }
  ct_elements_release(elements);
  block_free(&b);
}

static void ids_and_normals_are_kept(void) {
  block b = block_make(CT_HEXAHEDRA, 2, 1, 1);
  ct_elements_data data = block_data(&b);
  uint32_t ids[11] = {0};
  ct_vec3 normals[12];
  for (uint32_t i = 0; i < 10; i++) ids[i] = 100 - i;
  for (int i = 0; i < 12; i++) normals[i] = ct_vec(i, 1, -i);
  data.surface_ids = ids;
  data.surface_id_count = 10;
  data.normals = normals;
  ct_elements *elements = NULL;
  CHECK_INT(ct_elements_create(&data, NULL, &elements, NULL), CT_OK);
  const ct_elements_view *view = ct_elements_get(elements);
  CHECK(memcmp(view->surface_ids, ids, 10 * sizeof *ids) == 0 && view->surface_ids != ids);
  CHECK(memcmp(view->normals, normals, sizeof normals) == 0 &&
        view->normals == ct_mesh_get(view->surface)->normals);
  ct_elements_release(elements);
  for (data.surface_id_count = 9; data.surface_id_count < 12; data.surface_id_count += 2) {
    ct_elements_report report;
    CHECK_INT(ct_elements_create(&data, NULL, &elements, &report), CT_BAD_ELEMENT);
    CHECK_INT(report.fault, CT_ELEMENT_IDS);
    CHECK_INT(report.outer_faces, 10);
  }
  block_free(&b);
}

/* Volume, centre and inertia are the sums over the elements. */
static void mass_is_that_of_all_elements(void) {
  check_random r = {5};
  block b = block_make(CT_TETRAHEDRA, 3, 2, 2);
  block_jitter(&b, &r, 0.1);
  ct_elements *elements = block_elements(&b);
  const ct_elements_view *view = ct_elements_get(elements);
  ct_shape shape = ct_shape_of_elements(elements);
  ct_mass_properties whole, sum = {0};
  CHECK(ct_shape_mass(&shape, 2.5, &whole));
  for (uint32_t e = 0; e < b.en; e++) {
    ct_shape element = {.kind = CT_KIND_CONVEX, .hull = view->hulls[e]};
    ct_mass_properties one;
    CHECK(ct_shape_mass(&element, 2.5, &one));
    sum = e == 0 ? one : ct_mass_add(&sum, &one);
  }
  CHECK_NEAR(whole.mass, sum.mass, 1e-13 * sum.mass);
  CHECK_NEAR(ct_norm(ct_sub(whole.center, sum.center)), 0, 1e-13);
  CHECK_NEAR(ct_norm(ct_sub(whole.inertia.rx, sum.inertia.rx)), 0, 1e-12 * sum.mass);
  CHECK_NEAR(ct_norm(ct_sub(whole.inertia.ry, sum.inertia.ry)), 0, 1e-12 * sum.mass);
  CHECK_NEAR(ct_norm(ct_sub(whole.inertia.rz, sum.inertia.rz)), 0, 1e-12 * sum.mass);
  ct_elements_release(elements);
  block_free(&b);
}

static void the_order_by_content_tells_elements_apart(void) {
  block b = block_make(CT_TETRAHEDRA, 1, 1, 1), other = block_make(CT_TETRAHEDRA, 1, 1, 1),
        moved = block_make(CT_TETRAHEDRA, 1, 1, 1);
  block hex = block_make(CT_HEXAHEDRA, 1, 1, 1);
  uint32_t first[4];
  memcpy(first, other.c, sizeof first);
  memcpy(other.c, other.c + 4, sizeof first);
  memcpy(other.c + 4, first, sizeof first);
  moved.v[6].z = 1.5;
  const ct_shape shapes[] = {
      ct_shape_of_elements(block_elements(&b)), ct_shape_of_elements(block_elements(&other)),
      ct_shape_of_elements(block_elements(&moved)), ct_shape_of_elements(block_elements(&hex))};
  const ct_shape copy = ct_shape_of_elements(block_elements(&b));
  for (int i = 0; i < 4; i++) {
    CHECK_INT(ct_shape_compare(&shapes[i], &copy) == 0, i == 0);
    for (int j = 0; j < 4; j++) {
      CHECK_INT(ct_shape_compare(&shapes[i], &shapes[j]),
                -ct_shape_compare(&shapes[j], &shapes[i]));
      CHECK_INT(ct_shape_compare(&shapes[i], &shapes[j]) == 0, i == j);
    }
  }
  for (int i = 0; i < 4; i++) ct_shape_release(&shapes[i]);
  ct_shape_release(&copy);
  block_free(&b);
  block_free(&other);
  block_free(&moved);
  block_free(&hex);
}

/* ---- refused elements ------------------------------------------------------------------------ */

static ct_elements_report refusal_of(const block *b) {
  ct_elements *elements = NULL;
  ct_elements_report report = {0};
  ct_elements_data data = block_data(b);
  CHECK_INT(ct_elements_create(&data, NULL, &elements, &report), CT_BAD_ELEMENT);
  CHECK(elements == NULL);
  return report;
}

static void swap_corners(block *b, uint32_t element, uint32_t i, uint32_t j) {
  uint32_t *c = b->c + element * block_each(b), t = c[i];
  c[i] = c[j];
  c[j] = t;
}

static void an_element_inside_out_is_named(void) {
  block b = block_make(CT_TETRAHEDRA, 2, 1, 1);
  swap_corners(&b, 7, 1, 2);
  swap_corners(&b, 9, 0, 3);
  ct_elements_report r = refusal_of(&b);
  CHECK_INT(r.fault, CT_ELEMENT_INVERTED);
  CHECK_INT(r.element, 7);
  CHECK_NEAR(r.tetrahedron_volume, -1.0 / 6.0, 1e-16);
  block_free(&b);
  b = block_make(CT_HEXAHEDRA, 2, 2, 1);
  for (uint32_t k = 0; k < 4; k++) swap_corners(&b, 2, k, 4 + k);
  r = refusal_of(&b);
  CHECK_INT(r.fault, CT_ELEMENT_INVERTED);
  CHECK_INT(r.element, 2);
  CHECK_NEAR(r.tetrahedron_volume, -1.0 / 6.0, 1e-16);
  block_free(&b);
}

static void a_hexahedron_that_is_turned_in_part_is_named(void) {
  block b = block_make(CT_HEXAHEDRA, 2, 2, 1);
  swap_corners(&b, 1, 0, 1);
  ct_elements_report r = refusal_of(&b);
  CHECK(r.fault == CT_ELEMENT_TWISTED);
  CHECK_INT(r.element, 1);
  block_free(&b);
}

/* A cube whose corner (1, 1, 1) moved below the bottom, to z = -1/2. Of the tetrahedra from corner
 * 0, those over half the top keep 1/6; 0 1 2 6 and 0 2 3 6 over the bottom have -1/12, and 0 if the
 * corner is in the plane of the bottom. */
static void the_least_tetrahedron_is_told(void) {
  block b = block_make(CT_HEXAHEDRA, 1, 1, 1);
  b.v[7].z = -0.5;
  ct_elements_report r = refusal_of(&b);
  CHECK_INT(r.fault, CT_ELEMENT_TWISTED);
  CHECK_NEAR(r.tetrahedron_volume, -1.0 / 12.0, 1e-16);
  uint32_t corners = 0;
  for (int k = 0; k < 4; k++) corners |= 1u << r.tetrahedron[k];
  CHECK(corners == (1u << 0 | 1u << 1 | 1u << 2 | 1u << 6) ||
        corners == (1u << 0 | 1u << 2 | 1u << 3 | 1u << 6));
  b.v[7] = ct_vec(0.75, 0.75, 0.0);
  r = refusal_of(&b);
  CHECK_INT(r.fault, CT_ELEMENT_FLAT);
  CHECK(r.tetrahedron_volume == 0.0);
  block_free(&b);
}

static void a_flat_element_is_named_however_nearly_it_is_none(void) {
  block b = block_make(CT_TETRAHEDRA, 1, 1, 1);
  /* Corner 1 of the cell moves into the plane of the tetrahedron 0 1 2 6, to the last bit, and one
   * bit to either side of it. */
  for (int side = -1; side <= 1; side++) {
    b.v[1] = ct_vec(0.5, side * 0x1p-53 + 0.5, 0.5);
    ct_elements *elements = NULL;
    ct_elements_report r = {0};
    ct_elements_data data = block_data(&b);
    data.element_count = 1;
    /* The plane of 0, (1, 1, 0) and (1, 1, 1) is x = y. */
    ct_status status = ct_elements_create(&data, NULL, &elements, &r);
    CHECK_INT(status, side < 0 ? CT_OK : CT_BAD_ELEMENT);
    if (side >= 0) CHECK_INT(r.fault, side == 0 ? CT_ELEMENT_FLAT : CT_ELEMENT_INVERTED);
    if (side >= 0) CHECK(side == 0 ? r.tetrahedron_volume == 0.0 : r.tetrahedron_volume < 0.0);
    if (elements) ct_elements_release(elements);
  }
  block_free(&b);
}

static void corners_in_one_point_are_named(void) {
  block b = block_make(CT_HEXAHEDRA, 1, 1, 2);
  b.v[11] = b.v[9];
  b.v[11].x += 0.0;
  ct_elements_report r = refusal_of(&b);
  CHECK_INT(r.fault, CT_ELEMENT_REPEATED);
  CHECK_INT(r.element, 1);
  /* Vertices 9 and 11 are corners 5 and 6 of the upper cell. */
  CHECK_INT(r.corner, 6);
  block_free(&b);
}

static void faces_that_do_not_fit_are_named(void) {
  block b = block_make(CT_TETRAHEDRA, 1, 1, 1);
  /* The second tetrahedron becomes a copy of the first: each face has two elements on one side. */
  memcpy(b.c + 4, b.c, 4 * sizeof *b.c);
  ct_elements_report r = refusal_of(&b);
  /* Its face on the third is shared by too many elements as well, and comes later. */
  CHECK_INT(r.fault, CT_ELEMENT_ONE_SIDE);
  CHECK_INT(r.element, 1);
  CHECK_INT(r.other, 0);
  block_free(&b);
  /* Three on one face. */
  ct_vec3 v[] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0, 0, -1}, {0.1, 0.1, 2}};
  uint32_t c[] = {0, 1, 2, 3, 0, 2, 1, 4, 0, 1, 2, 5};
  block three = {.type = CT_TETRAHEDRA, .v = v, .c = c, .vn = 6, .en = 3};
  r = refusal_of(&three);
  CHECK_INT(r.fault, CT_ELEMENT_CROWDED);
  CHECK_INT(r.element, 2);
  CHECK_INT(r.face, 3);
  CHECK_INT(r.other, 0);
  /* Two of them, both above it. */
  memcpy(c + 4, c + 8, 4 * sizeof *c);
  three.en = 2;
  r = refusal_of(&three);
  CHECK_INT(r.fault, CT_ELEMENT_ONE_SIDE);
  CHECK_INT(r.element, 1);
  CHECK_INT(r.other, 0);
}

static void what_is_beyond_the_limits_is_refused(void) {
  block b = block_make(CT_TETRAHEDRA, 1, 1, 1);
  ct_elements *elements = NULL;
  ct_elements_data data = block_data(&b);
  data.element_count = 0;
  CHECK_INT(ct_elements_create(&data, NULL, &elements, NULL), CT_LIMIT);
  data.element_count = CT_ELEMENTS_MAX + 1;
  CHECK_INT(ct_elements_create(&data, NULL, &elements, NULL), CT_LIMIT);
  data = block_data(&b);
  static const double wrong[] = {NAN, INFINITY, -INFINITY, 0x1p301};
  for (int k = 0; k < 4; k++) {
    b.v[3].y = wrong[k];
    CHECK_INT(ct_elements_create(&data, NULL, &elements, NULL), CT_LIMIT);
  }
  block_free(&b);
}

static const check_test tests[] = {
    {"blocks_are_what_brute_force_finds", blocks_are_what_brute_force_finds},
    {"a_block_has_the_counts_of_its_sides", a_block_has_the_counts_of_its_sides},
    {"elements_fill_their_surface", elements_fill_their_surface},
    {"hulls_lie_on_the_faces_of_their_elements", hulls_lie_on_the_faces_of_their_elements},
    {"the_tree_finds_what_boxes_meet", the_tree_finds_what_boxes_meet},
    {"mass_is_that_of_all_elements", mass_is_that_of_all_elements},
    {"the_order_by_content_tells_elements_apart", the_order_by_content_tells_elements_apart},
    {"ids_and_normals_are_kept", ids_and_normals_are_kept},
    {"an_element_inside_out_is_named", an_element_inside_out_is_named},
    {"a_hexahedron_that_is_turned_in_part_is_named", a_hexahedron_that_is_turned_in_part_is_named},
    {"the_least_tetrahedron_is_told", the_least_tetrahedron_is_told},
    {"a_flat_element_is_named_however_nearly_it_is_none",
     a_flat_element_is_named_however_nearly_it_is_none},
    {"corners_in_one_point_are_named", corners_in_one_point_are_named},
    {"faces_that_do_not_fit_are_named", faces_that_do_not_fit_are_named},
    {"what_is_beyond_the_limits_is_refused", what_is_beyond_the_limits_is_refused}};
CHECK_MAIN(tests)
