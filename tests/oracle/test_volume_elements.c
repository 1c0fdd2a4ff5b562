/* Volumetric contacts element by element: against hulls of single elements, against the volume
 * enclosed by both surfaces, and in closed form. Row 1: two hexahedra, one contact for each pair.
 * Row 17: tetrahedra and hexahedra against each other and against convex bodies. */
#include "tests/support/blocks.h"
#include "tests/support/scenes.h"
#include "tests/support/shapes.h"

#include <contact/volume.h>

static ct_workspace *workspace;

static ct_volume ask_with(ct_placed a, ct_placed b, const ct_volume_options *options) {
  ct_volume v;
  ct_pair_volume(a, b, options, workspace, &v);
  CHECK_INT(v.status, CT_PAIR_OK);
  CHECK(!v.failed);
  return v;
}

static ct_volume run_query(ct_placed a, ct_placed b) {
  return ask_with(a, b, &(ct_volume_options){.weighting = CT_WEIGHTING_LINEAR});
}

/* A block's elements and their pose. */
typedef struct standing {
  block block;
  ct_elements *elements;
  ct_shape shape;
  ct_frame frame;
} standing;

static void stand(standing *s, block b, ct_pose pose) {
  s->block = b;
  s->elements = block_elements(&b);
  s->shape = ct_shape_of_elements(s->elements);
  s->frame = ct_frame_of(pose);
}

static ct_placed placed(const standing *s) { return (ct_placed){&s->shape, &s->frame}; }

static void leave(standing *s) {
  ct_elements_release(s->elements);
  block_free(&s->block);
}

/* ---- closed form ---------------------------------------------------------------------------- */

/* T5.1 as two hexahedra: A = [0, 1]^3, B = [.9, 1.9] x [.25, .75]^2. */
static void row_1_two_hexahedra_have_one_contact(void) {
  standing a, b;
  block slab = block_make(CT_HEXAHEDRA, 1, 1, 1);
  for (uint32_t i = 0; i < slab.vn; i++)
    slab.v[i] = ct_vec(slab.v[i].x, 0.5 * slab.v[i].y, 0.5 * slab.v[i].z);
  stand(&a, block_make(CT_HEXAHEDRA, 1, 1, 1), at(0, 0, 0));
  stand(&b, slab, at(0.9, 0.25, 0.25));
  ct_volume v = run_query(placed(&a), placed(&b));
  CHECK_INT(v.count, 1);
  const ct_volume_contact c = v.contacts[0];
  CHECK_NEAR(c.volume, 0.025, 1e-15);
  CHECK_NEAR(c.area, 0.35, 1e-15);
  CHECK_NEAR(c.gap, -0.1, 1e-15);
  CHECK_NEAR(c.normal.x, 1.0, 1e-15);
  CHECK_NEAR(ct_norm(ct_sub(c.position, ct_vec(0.95, 0.5, 0.5))), 0.0, 1e-15);
  CHECK_INT(c.element_a, 0);
  CHECK_INT(c.element_b, 0);
  /* Faces of a hexahedron: 0 is -x, 1 is +x; all are outer, so surfaces have their numbers. */
  CHECK_INT(c.surface_a, 1);
  CHECK_INT(c.surface_b, 0);
  leave(&a);
  leave(&b);
}

/* A column of two, and a box over the face between them. Of element 0 the box contains x in [.75,
 * 1], z in [.75, 1]. The element's outer face there is +x, of 1/8; the box's are -x, of 1/8, and
 * -z, of 1/8: N = (1/4, 0, 1/8). The face between the elements counts only in the position. */
static void faces_between_elements_count_for_no_normal(void) {
  standing a;
  const ct_shape b = box(0.5, 0.25, 0.25);
  const ct_frame frame = ct_frame_of(at(1.25, 0.5, 1.0));
  stand(&a, block_make(CT_HEXAHEDRA, 1, 1, 2), at(0, 0, 0));
  ct_volume v =
      ask_with(placed(&a), (ct_placed){&b, &frame}, &(ct_volume_options){.triangles = true});
  CHECK_INT(v.count, 2);
  for (uint32_t e = 0; e < v.count; e++) {
    const ct_volume_contact *c = &v.contacts[e];
    CHECK_INT(c->element_a, e);
    CHECK_INT(c->element_b, CT_NO_ELEMENT);
    CHECK_NEAR(c->volume, 0.03125, 1e-15);
    CHECK_NEAR(c->area, 0.3125, 1e-15);
    CHECK_NEAR(ct_norm(ct_sub(c->normal, ct_scale(ct_vec(2, 0, e ? -1 : 1), 1 / sqrt(5.0)))), 0.0,
               1e-14);
    CHECK_NEAR(ct_norm(ct_sub(c->position, ct_vec(0.875, 0.5, e ? 1.125 : 0.875))), 0.0, 1e-15);
    /* The hexahedron's own faces: +x is 1, and between the two are 5 (+z) of the lower, 4 (-z) of
     * the upper. */
    uint32_t seen[6] = {0};
    for (uint32_t t = 0; t < c->triangle_count; t++) {
      const ct_volume_triangle *triangle = &v.triangles[c->first_triangle + t];
      if (triangle->owner == CT_OWNER_A) seen[triangle->face_a]++;
    }
    CHECK_INT(seen[1], 2);
    CHECK_INT(seen[e ? 4 : 5], 2);
    CHECK_INT(seen[0] + seen[2] + seen[3] + seen[e ? 5 : 4], 0);
  }
  /* +x is the second outer face of the lower element; the upper one has numbers from 5 on, without
   * -z. */
  CHECK_INT(v.contacts[0].surface_a, 1);
  CHECK_INT(v.contacts[1].surface_a, 6);
  leave(&a);
}

/* The methods that accept every element. */
static const ct_volume_method whole[] = {CT_VOLUME_AUTO, CT_VOLUME_DUAL_HULL};

/* The central cell of 3 x 3 x 3, [1, 2]^3, has no outer face. For a box within it, x in [1.35,
 * 1.85], only the box's faces count in N, and they cancel; the least translation out is +x, by .65.
 * For a box half in the cell above, its lower face is missing from N. */
static void an_element_without_an_outer_face_has_its_contacts(void) {
  standing a;
  const ct_shape small = box(0.25, 0.25, 0.25), large = box(2, 2, 2);
  const ct_frame within = ct_frame_of(at(1.6, 1.5, 1.5)), above = ct_frame_of(at(1.5, 1.5, 2)),
                 middle = ct_frame_of(at(1.5, 1.5, 1.5));
  stand(&a, block_make(CT_HEXAHEDRA, 3, 3, 3), at(0, 0, 0));
  for (int m = 0; m < 2; m++) {
    const ct_volume_options options = {.method = whole[m]};
    ct_volume v = ask_with(placed(&a), (ct_placed){&small, &within}, &options);
    CHECK_INT(v.count, 1);
    ct_volume_contact c = v.contacts[0];
    CHECK_INT(c.element_a, 13);
    CHECK_NEAR(c.volume, 0.125, 1e-15);
    CHECK_NEAR(ct_norm(ct_sub(c.position, within.position)), 0.0, 1e-15);
    CHECK(c.flags & CT_VOLUME_FLAG_NORMAL_FALLBACK && c.surface_a == CT_NO_FACE);
    CHECK_NEAR(c.normal.x, 1.0, 1e-15);
    CHECK_NEAR(c.depth_along_normal, 0.65, 1e-15);
    v = ask_with(placed(&a), (ct_placed){&small, &above}, &options);
    CHECK_INT(v.count, 2);
    c = v.contacts[0];
    CHECK_INT(c.element_a, 13);
    CHECK_NEAR(c.volume, 0.0625, 1e-15);
    CHECK(!(c.flags & CT_VOLUME_FLAG_NORMAL_FALLBACK));
    CHECK_NEAR(c.normal.z, 1.0, 1e-15);
    v = ask_with(placed(&a), (ct_placed){&large, &middle}, &options);
    CHECK_INT(v.count, 27);
    for (uint32_t i = 0; i < v.count; i++) {
      CHECK_INT(v.contacts[i].element_a, i);
      CHECK_NEAR(v.contacts[i].volume, 1.0, 1e-14);
    }
  }
  leave(&a);
}

/* Solfec's rule gives it no contact. */
static void solfec_has_no_contact_of_inner_elements(void) {
  standing a;
  const ct_shape small = box(0.25, 0.25, 0.25), large = box(2, 2, 2);
  const ct_frame frame = ct_frame_of(at(1.5, 1.5, 1.5));
  const ct_volume_options options = {.method = CT_VOLUME_SOLFEC, .epsilon = 1e-6};
  stand(&a, block_make(CT_HEXAHEDRA, 3, 3, 3), at(0, 0, 0));
  CHECK_INT(ask_with(placed(&a), (ct_placed){&small, &frame}, &options).count, 0);
  ct_volume v = ask_with(placed(&a), (ct_placed){&large, &frame}, &options);
  CHECK_INT(v.count, 26);
  for (uint32_t i = 0; i < v.count; i++) CHECK_INT(v.contacts[i].element_a, i < 13 ? i : i + 1);
  leave(&a);
}

static double sum_of(const ct_volume *v) {
  double sum = 0.0;
  for (size_t i = 0; i < v->count; i++) sum += v->contacts[i].volume;
  return sum;
}

/* A cube of n^3 cells: with itself, the whole volume; shifted by half a cell along x, less that
 * layer; with a rotated box, as one hull. */
static void volumes_of_elements_add_up_to_the_whole(void) {
  const ct_shape cube = box(2, 2, 2), turned = box(1.6, 1.7, 1.8);
  const ct_frame middle = ct_frame_of(at(2, 2, 2));
  check_random r = {513};
  standing a, b;
  stand(&a, block_make(CT_HEXAHEDRA, 4, 4, 4), at(0, 0, 0));
  stand(&b, block_make(CT_TETRAHEDRA, 4, 4, 4), at(0.5, 0, 0));
  for (int m = 0; m < 2; m++) {
    const ct_volume_options options = {.method = whole[m]};
    ct_volume v = ask_with(placed(&a), placed(&a), &options);
    CHECK_INT(v.count, 64);
    CHECK_NEAR(sum_of(&v), 64.0, 1e-12);
    v = ask_with(placed(&a), placed(&b), &options);
    CHECK_NEAR(sum_of(&v), 56.0, 1e-11);
    for (int k = 0; k < 2; k++) {
      ct_pose pose = random_pose(&r, 0.5);
      pose.position = ct_add(pose.position, middle.position);
      const ct_frame frame = ct_frame_of(pose);
      v = ask_with(placed(&a), (ct_placed){&turned, &frame}, &options);
      double sum = sum_of(&v);
      v = ask_with((ct_placed){&cube, &middle}, (ct_placed){&turned, &frame}, &options);
      CHECK_INT(v.count, 1);
      CHECK_NEAR(sum, v.contacts[0].volume, 1e-10);
    }
  }
  leave(&a);
  leave(&b);
}

static void surfaces_have_the_callers_ids(void) {
  block b = block_make(CT_TETRAHEDRA, 1, 1, 1);
  uint32_t ids[12];
  for (uint32_t i = 0; i < 12; i++) ids[i] = 100 + i;
  ct_elements_data data = block_data(&b);
  data.surface_ids = ids;
  data.surface_id_count = 12;
  ct_elements *elements = NULL;
  CHECK_INT(ct_elements_create(&data, NULL, &elements, NULL), CT_OK);
  const ct_elements_view *view = ct_elements_get(elements);
  const ct_shape shape = ct_shape_of_elements(elements), plate = box(0.05, 0.4, 0.4);
  const ct_frame here = ct_frame_of(at(0, 0, 0)), beside = ct_frame_of(at(1, 0.5, 0.5));
  ct_volume v = run_query((ct_placed){&shape, &here}, (ct_placed){&plate, &beside});
  CHECK(v.count >= 2);
  for (uint32_t i = 0; i < v.count; i++) {
    uint32_t place = v.contacts[i].surface_a - 100;
    CHECK(place < 12 && view->outer[place] / 4 == v.contacts[i].element_a);
  }
  ct_elements_release(elements);
  block_free(&b);
}

/* ---- element by element ---------------------------------------------------------------------- */

static ct_shape hull_of_element(const block *b, uint32_t element) {
  ct_vec3 points[8];
  for (uint32_t k = 0; k < block_corners(b, element); k++)
    points[k] = b->v[b->c[element * block_each(b) + k]];
  return hull_shape(points, block_corners(b, element));
}

/* Every pair of elements as two hulls. Contacts at the limit of rounding may be present or absent
 * on either side. */
static void check_one_by_one(const standing *a, const standing *b,
                             const ct_volume_contact *contacts, size_t count) {
  size_t next = 0;
  for (uint32_t i = 0; i < a->block.en; i++) {
    for (uint32_t j = 0; j < b->block.en; j++) {
      bool reported =
          next < count && contacts[next].element_a == i && contacts[next].element_b == j;
      ct_shape p = hull_of_element(&a->block, i), q = hull_of_element(&b->block, j);
      ct_volume v = run_query((ct_placed){&p, &a->frame}, (ct_placed){&q, &b->frame});
      double truth = v.count > 0 ? v.contacts[0].volume : 0.0,
             found = reported ? contacts[next].volume : 0.0;
      CHECK_NEAR(found, truth, 1e-12);
      if (truth > 1e-9 && reported) {
        CHECK_NEAR(contacts[next].area, v.contacts[0].area, 1e-9);
        CHECK_NEAR(ct_norm(ct_sub(contacts[next].position, v.contacts[0].position)), 0.0, 1e-8);
      }
      next += reported;
      ct_hull_release(p.hull);
      ct_hull_release(q.hull);
    }
  }
  CHECK_INT(next, count);
}

/* A few cells about the origin; tetrahedra have displaced corners. */
static block random_block(check_random *r, int round) {
  bool tetrahedra = round % 3 == 1;
  uint32_t n[3];
  for (int k = 0; k < 3; k++) n[k] = 1 + (uint32_t)(check_next(r) % (round % 3 ? 2 : 3));
  ct_element_type type = tetrahedra       ? CT_TETRAHEDRA
                         : round % 3 == 2 ? CT_MIXED_ELEMENTS
                                          : CT_HEXAHEDRA;
  block b = block_make(type, n[0], n[1], n[2]);
  for (uint32_t i = 0; i < b.vn; i++)
    b.v[i] = ct_sub(b.v[i], ct_vec(0.5 * n[0], 0.5 * n[1], 0.5 * n[2]));
  if (tetrahedra) block_jitter(&b, r, 0.08);
  /* A shear leaves faces plane up to round-off; multiples of 1/8 leave them exactly plane. */
  double shear = 0.125 * floor(check_uniform(r, -4, 4));
  for (uint32_t i = 0; i < b.vn; i++) b.v[i].x += shear * b.v[i].z;
  block_shuffle(&b, r);
  return b;
}

/* The sum over pairs of elements is the common volume of the two surfaces as solids. */
static void check_sum(const standing *a, const standing *b, const ct_volume_contact *contacts,
                      size_t count) {
  double sum = 0.0;
  for (size_t i = 0; i < count; i++) sum += contacts[i].volume;
  const ct_shape p = {.kind = CT_KIND_MESH, .mesh = ct_elements_get(a->elements)->surface};
  const ct_shape q = {.kind = CT_KIND_MESH, .mesh = ct_elements_get(b->elements)->surface};
  ct_volume v = run_query((ct_placed){&p, &a->frame}, (ct_placed){&q, &b->frame});
  double truth = 0.0;
  for (size_t i = 0; i < v.count; i++) truth += v.contacts[i].volume;
  CHECK_NEAR(sum, truth, 1e-10);
}

static ct_volume_contact *copy_of(const ct_volume *v) {
  ct_volume_contact *copy = malloc((v->count + 1) * sizeof *copy);
  if (v->count > 0) memcpy(copy, v->contacts, v->count * sizeof *copy);
  return copy;
}

static void contacts_and_their_sum_are_those_of_the_elements(void) {
  check_random r = {511};
  size_t seen = 0;
  for (int round = 0; round < 27; round++) {
    standing a, b;
    stand(&a, random_block(&r, round), random_pose(&r, 1.0));
    stand(&b, random_block(&r, round / 3), random_pose(&r, 1.0));
    ct_volume v = run_query(placed(&a), placed(&b));
    ct_volume_contact *contacts = copy_of(&v);
    size_t count = v.count;
    check_one_by_one(&a, &b, contacts, count);
    check_sum(&a, &b, contacts, count);
    seen += count;
    free(contacts);
    leave(&a);
    leave(&b);
  }
  CHECK(seen > 500);
}

/* Swapped: the same contacts, in the order of the elements of the new body a. */
static void a_swap_mirrors_to_the_bit(void) {
  check_random r = {512};
  for (int round = 0; round < 9; round++) {
    standing a, b;
    stand(&a, random_block(&r, round), random_pose(&r, 0.5));
    stand(&b, random_block(&r, round / 3), random_pose(&r, 0.5));
    ct_volume v = run_query(placed(&a), placed(&b));
    ct_volume_contact *there = copy_of(&v);
    size_t count = v.count;
    v = run_query(placed(&b), placed(&a));
    CHECK_INT(v.count, count);
    CHECK(count > 1);
    for (size_t i = 0; i < v.count; i++) {
      const ct_volume_contact *c = &v.contacts[i], *d = NULL;
      if (i > 0)
        CHECK(c[-1].element_a < c->element_a ||
              (c[-1].element_a == c->element_a && c[-1].element_b < c->element_b));
      for (size_t k = 0; k < count; k++)
        if (there[k].element_a == c->element_b && there[k].element_b == c->element_a) d = &there[k];
      CHECK(d != NULL);
      if (!d) continue;
      CHECK(c->volume == d->volume && c->area == d->area && c->gap == d->gap);
      CHECK(c->normal.x == -d->normal.x && c->normal.y == -d->normal.y &&
            c->normal.z == -d->normal.z);
      CHECK(c->position.x == d->position.x && c->surface_a == d->surface_b &&
            c->surface_b == d->surface_a);
    }
    free(there);
    leave(&a);
    leave(&b);
  }
}

/* Against a closed mesh an element body is its surface: one contact, without element numbers. */
static void against_a_mesh_an_element_mesh_is_its_surface(void) {
  standing a, b;
  stand(&a, block_make(CT_HEXAHEDRA, 2, 1, 1), at(0, 0, 0));
  stand(&b, block_make(CT_TETRAHEDRA, 1, 1, 1), at(0.5, 0.25, 0.75));
  const ct_shape mesh = {.kind = CT_KIND_MESH, .mesh = ct_elements_get(b.elements)->surface};
  ct_volume v = run_query(placed(&a), (ct_placed){&mesh, &b.frame});
  CHECK_INT(v.count, 1);
  CHECK_NEAR(v.contacts[0].volume, 0.75 * 0.25, 1e-14);
  CHECK_INT(v.contacts[0].element_a, CT_NO_ELEMENT);
  leave(&a);
  leave(&b);
}

/* A cube whose corner (1, 1, 1) is at z = .5. Its top is split along the diagonal to that corner, z
 * = 1 - min(x, y) / 2, of 5/6; the hull's top is split the other way, z = 1 - max(0, x + y - 1) /
 * 2, of 11/12. */
static void a_warped_hexahedron_is_its_hull_but_against_a_mesh(void) {
  standing a, b;
  block warped = block_make(CT_HEXAHEDRA, 1, 1, 1);
  warped.v[7].z = 0.5;
  stand(&a, warped, at(0, 0, 0));
  stand(&b, block_make(CT_TETRAHEDRA, 2, 2, 2), at(-0.5, -0.5, -0.5));
  const ct_shape around = box(2, 2, 2),
                 mesh = {.kind = CT_KIND_MESH, .mesh = ct_elements_get(b.elements)->surface};
  ct_volume v = run_query(placed(&a), (ct_placed){&around, &a.frame});
  CHECK_NEAR(sum_of(&v), 11.0 / 12.0, 1e-14);
  v = run_query(placed(&a), placed(&b));
  CHECK_NEAR(sum_of(&v), 11.0 / 12.0, 1e-14);
  v = run_query(placed(&a), (ct_placed){&mesh, &b.frame});
  CHECK_NEAR(sum_of(&v), 5.0 / 6.0, 1e-14);
  leave(&a);
  leave(&b);
}

static void a_raised_flag_stops_the_computation(void) {
  standing a;
  const ct_shape b = box(2, 2, 2);
  const ct_frame frame = ct_frame_of(at(0, 0, 0));
  ct_cancel *cancel = ct_cancel_create();
  stand(&a, block_make(CT_HEXAHEDRA, 2, 2, 2), at(0, 0, 0));
  ct_cancel_raise(cancel);
  ct_workspace_watch(workspace, cancel);
  ct_volume v;
  ct_pair_volume(placed(&a), (ct_placed){&b, &frame}, &(ct_volume_options){0}, workspace, &v);
  CHECK_INT(v.status, CT_PAIR_ITERATION_LIMIT);
  ct_workspace_watch(workspace, NULL);
  ct_cancel_destroy(cancel);
  leave(&a);
}

static const check_test tests[] = {
    {"row 1: two hexahedra have one contact", row_1_two_hexahedra_have_one_contact},
    {"faces_between_elements_count_for_no_normal", faces_between_elements_count_for_no_normal},
    {"an_element_without_an_outer_face_has_its_contacts",
     an_element_without_an_outer_face_has_its_contacts},
    {"solfec_has_no_contact_of_inner_elements", solfec_has_no_contact_of_inner_elements},
    {"volumes_of_elements_add_up_to_the_whole", volumes_of_elements_add_up_to_the_whole},
    {"surfaces_have_the_callers_ids", surfaces_have_the_callers_ids},
    {"row 17: contacts and their sum are those of the elements",
     contacts_and_their_sum_are_those_of_the_elements},
    {"a_swap_mirrors_to_the_bit", a_swap_mirrors_to_the_bit},
    {"against_a_mesh_an_element_mesh_is_its_surface",
     against_a_mesh_an_element_mesh_is_its_surface},
    {"a_warped_hexahedron_is_its_hull_but_against_a_mesh",
     a_warped_hexahedron_is_its_hull_but_against_a_mesh},
    {"a_raised_flag_stops_the_computation", a_raised_flag_stops_the_computation},
};

int main(int argc, char **argv) {
  workspace = ct_workspace_create();
  int failed = check_main(argc, argv, tests, sizeof tests / sizeof tests[0]);
  ct_workspace_destroy(workspace);
  return failed;
}
