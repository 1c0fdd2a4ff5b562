/* The Delassus matrix: the change of velocity at one contact by an impulse at another. Each dynamic
 * body that both contacts i and j share adds the block 1/m - [r_i] I^-1 [r_j], with the sign + if
 * it is the same side of both contacts and - otherwise. [r] is the matrix of the cross product with
 * the arm r from the centre of mass to a contact. Element (p, q) of the second term is x.I^-1 y
 * with x = r_i x e_p and y = r_j x e_q, summed so that exchanging x and y changes no bit. Two
 * contacts share two bodies at most, and a sum of two terms does not depend on their order, so the
 * matrix is exactly symmetric.
 *
 * The matrix of many contacts has blocks only where two contacts share a dynamic body. Time and
 * memory are proportional to the number of blocks. */
#include "mechanics/mechanics.h"
#include <contact/mechanics.h>

#include <assert.h>
#include <stdlib.h>

/* ---- blocks ---------------------------------------------------------------------------------- */

/* Returns x.M y for a symmetric matrix, from its upper triangle. The result has the same bits as
 * y.M x. */
static double symmetric_product(const ct_mat3 *m, ct_vec3 x, ct_vec3 y) {
  double straight = m->rx.x * (x.x * y.x) + m->ry.y * (x.y * y.y) + m->rz.z * (x.z * y.z);
  double crosswise = m->rx.y * (x.x * y.y + x.y * y.x) + m->rx.z * (x.x * y.z + x.z * y.x) +
                     m->ry.z * (x.y * y.z + x.z * y.y);
  return straight + crosswise;
}

/* Returns the change of a body's velocity, at the position contact[0] along the direction
 * contact[1], by a unit impulse at cause[0] along cause[1]. */
static double velocity_response(const ct_mass_body *body, const ct_vec3 contact[2],
                                const ct_vec3 cause[2]) {
  ct_vec3 x = ct_cross(ct_sub(contact[0], body->center), contact[1]),
          y = ct_cross(ct_sub(cause[0], body->center), cause[1]);
  return ct_dot(contact[1], cause[1]) * body->inverse_mass +
         symmetric_product(&body->inverse_inertia, x, y);
}

double ct_delassus_along(const ct_contact_set *set, const ct_contact *contact, ct_vec3 along,
                         const ct_contact *cause, ct_vec3 impulse) {
  assert(contact->a < set->body_count && contact->b < set->body_count);
  assert(cause->a < set->body_count && cause->b < set->body_count);
  const ct_mass_body *a = &set->bodies[contact->a], *b = &set->bodies[contact->b];
  const ct_vec3 at[2] = {contact->position, along}, from[2] = {cause->position, impulse};
  double sum = 0.0;
  if (a->mobility == CT_DYNAMIC && (contact->a == cause->a || contact->a == cause->b))
    sum +=
        contact->a == cause->a ? velocity_response(a, at, from) : -velocity_response(a, at, from);
  if (b->mobility == CT_DYNAMIC && (contact->b == cause->a || contact->b == cause->b))
    sum +=
        contact->b == cause->b ? velocity_response(b, at, from) : -velocity_response(b, at, from);
  return sum;
}

static ct_vec3 delassus_row(const ct_contact_set *set, const ct_contact *contact, ct_vec3 along,
                            const ct_contact *cause) {
  return ct_vec(ct_delassus_along(set, contact, along, cause, ct_vec(1.0, 0.0, 0.0)),
                ct_delassus_along(set, contact, along, cause, ct_vec(0.0, 1.0, 0.0)),
                ct_delassus_along(set, contact, along, cause, ct_vec(0.0, 0.0, 1.0)));
}

ct_mat3 ct_delassus_block(const ct_contact_set *set, const ct_contact *contact,
                          const ct_contact *cause) {
  return (ct_mat3){delassus_row(set, contact, ct_vec(1.0, 0.0, 0.0), cause),
                   delassus_row(set, contact, ct_vec(0.0, 1.0, 0.0), cause),
                   delassus_row(set, contact, ct_vec(0.0, 0.0, 1.0), cause)};
}

void ct_contact_tangents(ct_vec3 normal, ct_vec3 *t1, ct_vec3 *t2) {
  double x = fabs(normal.x), y = fabs(normal.y), z = fabs(normal.z);
  ct_vec3 axis = x <= y && x <= z ? ct_vec(1.0, 0.0, 0.0)
                 : y <= z         ? ct_vec(0.0, 1.0, 0.0)
                                  : ct_vec(0.0, 0.0, 1.0);
  /* The angle between axis and normal is at least 54 degrees, so the tangential component of the
   * axis is not small. */
  *t1 = ct_unit_or(ct_add_scaled(axis, normal, -ct_dot(axis, normal)), axis);
  *t2 = ct_cross(normal, *t1);
}

/* ---- contacts that share a body -------------------------------------------------------------- */

/* Contacts of each dynamic body, ascending; other bodies have none. */
typedef struct body_lists {
  size_t *starts; /* [body_count + 2] index in `contacts` of each body's first contact */
  uint32_t *contacts;
} body_lists;

static bool list_body_contacts(const ct_contact_set *set, body_lists *lists) {
  lists->starts = calloc(set->body_count + 2, sizeof *lists->starts);
  lists->contacts = malloc((2 * set->count + 1) * sizeof *lists->contacts);
  if (!lists->starts || !lists->contacts) return false;
  /* The counts are stored two entries ahead, so that filling the lists advances each start to its
   * final value. */
  for (size_t k = 0; k < set->count; k++) {
    const uint32_t ends[2] = {set->contacts[k].a, set->contacts[k].b};
    for (int i = 0; i < 2; i++)
      lists->starts[ends[i] + 2] += set->bodies[ends[i]].mobility == CT_DYNAMIC;
  }
  for (size_t i = 2; i < set->body_count + 2; i++) lists->starts[i] += lists->starts[i - 1];
  for (size_t k = 0; k < set->count; k++) {
    const uint32_t ends[2] = {set->contacts[k].a, set->contacts[k].b};
    for (int i = 0; i < 2; i++)
      if (set->bodies[ends[i]].mobility == CT_DYNAMIC)
        lists->contacts[lists->starts[ends[i] + 1]++] = (uint32_t)k;
  }
  return true;
}

/* Merges the contact lists of a contact's two bodies into `out`, ascending and without repetition,
 * and returns their number. A contact without dynamic bodies lists only itself. If `out` is NULL,
 * only counts. */
static size_t merge_contact_lists(const ct_contact_set *set, const body_lists *lists,
                                  uint32_t contact, uint32_t *out) {
  const ct_contact *t = &set->contacts[contact];
  const uint32_t *a = lists->contacts + lists->starts[t->a],
                 *a_end = lists->contacts + lists->starts[t->a + 1];
  const uint32_t *b = lists->contacts + lists->starts[t->b],
                 *b_end = lists->contacts + lists->starts[t->b + 1];
  if (a == a_end && b == b_end) {
    if (out) out[0] = contact;
    return 1;
  }
  size_t count = 0;
  while (a < a_end || b < b_end) {
    uint32_t next = b == b_end || (a < a_end && *a < *b) ? *a : *b;
    if (a < a_end && *a == next) a++;
    if (b < b_end && *b == next) b++;
    if (out) out[count] = next;
    count++;
  }
  return count;
}

static ct_status fill_contact_graph(ct_contact_graph *graph, const ct_contact_set *set,
                                    const body_lists *lists) {
  size_t total = 0;
  for (size_t k = 0; k < set->count; k++) {
    graph->starts[k] = total;
    total += merge_contact_lists(set, lists, (uint32_t)k, NULL);
    if (total > CT_DELASSUS_BLOCKS_MAX) return CT_LIMIT;
  }
  graph->starts[set->count] = total;
  graph->others = malloc((total + 1) * sizeof *graph->others);
  if (!graph->others) return CT_OUT_OF_MEMORY;
  for (size_t k = 0; k < set->count; k++)
    merge_contact_lists(set, lists, (uint32_t)k, graph->others + graph->starts[k]);
  return CT_OK;
}

ct_status ct_contact_graph_open(ct_contact_graph *graph, const ct_contact_set *set) {
  body_lists lists = {NULL, NULL};
  *graph = (ct_contact_graph){.count = set->count,
                              .starts = malloc((set->count + 1) * sizeof *graph->starts)};
  ct_status status = graph->starts && list_body_contacts(set, &lists)
                         ? fill_contact_graph(graph, set, &lists)
                         : CT_OUT_OF_MEMORY;
  free(lists.starts);
  free(lists.contacts);
  if (status != CT_OK) ct_contact_graph_close(graph);
  return status;
}

void ct_contact_graph_close(ct_contact_graph *graph) {
  free(graph->starts);
  free(graph->others);
  *graph = (ct_contact_graph){0};
}

/* ---- the matrix ------------------------------------------------------------------------------ */

/* One side of a contact, if its body is dynamic (else zero): for a unit impulse along each of the
 * contact's directions d, its moment about the centre of mass, and the change of the angular
 * velocity. */
typedef struct lever {
  ct_vec3 arm[3], turn[3]; /* r x d; I^-1 (r x d), with the arm r of the contact */
} lever;

typedef struct contact_levers {
  ct_vec3 along[3];
  lever side[2];
} contact_levers;

/* State of the assembly of the matrix. */
typedef struct assembly {
  const ct_contact_set *set;
  const ct_contact_graph *graph;
  unsigned dimension;
  contact_levers *levers; /* [count] directions and levers of each contact */
  size_t *done;           /* [count] number of blocks written so far to the matrix rows of each
                             contact, from the left */
} assembly;

static lever compute_lever(const ct_mass_body *body, const ct_contact *contact,
                           const ct_vec3 along[3]) {
  lever l = {0};
  if (body->mobility != CT_DYNAMIC) return l;
  for (int p = 0; p < 3; p++) {
    l.arm[p] = ct_cross(ct_sub(contact->position, body->center), along[p]);
    l.turn[p] = ct_mat_mul(body->inverse_inertia, l.arm[p]);
  }
  return l;
}

static contact_levers compute_contact_levers(const ct_contact_set *set, const ct_contact *contact) {
  contact_levers r = {.along = {contact->normal}};
  ct_contact_tangents(contact->normal, &r.along[1], &r.along[2]);
  r.side[0] = compute_lever(&set->bodies[contact->a], contact, r.along);
  r.side[1] = compute_lever(&set->bodies[contact->b], contact, r.along);
  return r;
}

/* Dynamic bodies that two contacts share, at most two: `side` of the first contact and `other` side
 * of the second that each body is. */
typedef struct shared {
  int count, side[2], other[2];
  double inverse_mass; /* sum of the bodies' 1/mass, negative if a body is different sides of the
                          contacts */
} shared;

static shared find_shared_bodies(const ct_contact_set *set, const ct_contact *x,
                                 const ct_contact *y) {
  shared s = {0};
  const uint32_t ends[2] = {x->a, x->b};
  for (int i = 0; i < 2; i++) {
    const ct_mass_body *body = &set->bodies[ends[i]];
    if (body->mobility != CT_DYNAMIC || (ends[i] != y->a && ends[i] != y->b)) continue;
    int other = ends[i] == y->b;
    s.side[s.count] = i;
    s.other[s.count++] = other;
    s.inverse_mass += i == other ? body->inverse_mass : -body->inverse_mass;
  }
  return s;
}

static double delassus_entry(const shared *s, const contact_levers *x, unsigned p,
                             const contact_levers *y, unsigned q) {
  double sum = ct_dot(x->along[p], y->along[q]) * s->inverse_mass;
  for (int k = 0; k < s->count; k++) {
    double turning = ct_dot(x->side[s->side[k]].arm[p], y->side[s->other[k]].turn[q]);
    sum += s->side[k] == s->other[k] ? turning : -turning;
  }
  return sum;
}

/* Writes the block of contacts i <= j and its transpose, so that the matrix is exactly symmetric.
 * Contacts are processed in ascending order, so the blocks to the left of the diagonal in the rows
 * of j are complete when j is processed. */
static void add_delassus_block(ct_delassus_matrix *m, const assembly *all, size_t i, size_t j) {
  assert(i <= j && j < all->set->count);
  const unsigned d = all->dimension;
  const contact_levers *x = &all->levers[i], *y = &all->levers[j];
  const shared s = find_shared_bodies(all->set, &all->set->contacts[i], &all->set->contacts[j]);
  const size_t in_x = d * all->done[i]++, in_y = i == j ? in_x : d * all->done[j]++;
  for (unsigned p = 0; p < d; p++)
    for (unsigned q = i == j ? p : 0; q < d; q++) {
      const size_t here = m->starts[d * i + p] + in_x + q, there = m->starts[d * j + q] + in_y + p;
      m->columns[here] = (uint32_t)(d * j + q);
      m->columns[there] = (uint32_t)(d * i + p);
      m->values[here] = m->values[there] = delassus_entry(&s, x, p, y, q);
    }
}

static void fill_delassus_rows(ct_delassus_matrix *m, const assembly *all) {
  const ct_contact_graph *graph = all->graph;
  const unsigned d = all->dimension;
  m->starts[0] = 0;
  for (size_t i = 0; i < graph->count; i++)
    for (unsigned p = 0; p < d; p++)
      m->starts[d * i + p + 1] =
          m->starts[d * i + p] + d * (graph->starts[i + 1] - graph->starts[i]);
  for (size_t i = 0; i < graph->count; i++)
    all->levers[i] = compute_contact_levers(all->set, &all->set->contacts[i]);
  for (size_t i = 0; i < graph->count; i++)
    for (size_t k = graph->starts[i] + all->done[i]; k < graph->starts[i + 1]; k++)
      add_delassus_block(m, all, i, graph->others[k]);
}

ct_status ct_delassus_matrix_open(ct_delassus_matrix *matrix, const ct_contact_set *set,
                                  const ct_contact_graph *graph, unsigned dimension) {
  assert(dimension >= 1 && dimension <= 3);
  assert(graph->count == set->count);
  size_t size = dimension * set->count,
         entries = (size_t)dimension * dimension * graph->starts[set->count];
  ct_delassus_matrix m = {.starts = malloc((size + 1) * sizeof *m.starts),
                          .columns = malloc((entries + 1) * sizeof *m.columns),
                          .values = malloc((entries + 1) * sizeof *m.values)};
  assembly all = {set, graph, dimension, malloc((set->count + 1) * sizeof *all.levers),
                  calloc(set->count + 1, sizeof *all.done)};
  bool got = m.starts && m.columns && m.values && all.levers && all.done;
  if (got) {
    fill_delassus_rows(&m, &all);
    m.matrix =
        (ct_matrix){.size = size, .starts = m.starts, .columns = m.columns, .values = m.values};
    *matrix = m;
  } else {
    ct_delassus_matrix_close(&m);
  }
  free(all.levers);
  free(all.done);
  return got ? CT_OK : CT_OUT_OF_MEMORY;
}

void ct_delassus_matrix_close(ct_delassus_matrix *matrix) {
  free(matrix->starts);
  free(matrix->columns);
  free(matrix->values);
  *matrix = (ct_delassus_matrix){0};
}
