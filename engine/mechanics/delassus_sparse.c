/* The contact system of many contacts by what is not zero: which contacts share a dynamic body, and
 * the blocks of those. */
#include "mechanics/mechanics.h"

#include <stdlib.h>

/* Contacts of each body that can be moved, ascending. */
typedef struct body_lists {
  size_t *starts; /* [body_count + 1] */
  uint32_t *contacts;
} body_lists;

static bool list_bodies(const ct_contact_set *set, body_lists *lists) {
  lists->starts = calloc(set->body_count + 2, sizeof *lists->starts);
  lists->contacts = malloc((2 * set->count + 1) * sizeof *lists->contacts);
  if (!lists->starts || !lists->contacts) return false;
  /* Counted two places on, so that filling moves each start to where it belongs. */
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

/* The union of the lists of the contact's two bodies, and the contact; with `out` NULL counts only.
 */
static size_t merge(const ct_contact_set *set, const body_lists *lists, uint32_t contact,
                    uint32_t *out) {
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

static ct_status fill(ct_contact_graph *graph, const ct_contact_set *set, const body_lists *lists) {
  size_t total = 0;
  for (size_t k = 0; k < set->count; k++) {
    graph->starts[k] = total;
    total += merge(set, lists, (uint32_t)k, NULL);
    if (total > CT_DELASSUS_BLOCKS_MAX) return CT_LIMIT;
  }
  graph->starts[set->count] = total;
  graph->others = malloc((total + 1) * sizeof *graph->others);
  if (!graph->others) return CT_OUT_OF_MEMORY;
  for (size_t k = 0; k < set->count; k++)
    merge(set, lists, (uint32_t)k, graph->others + graph->starts[k]);
  return CT_OK;
}

ct_status ct_contact_graph_open(ct_contact_graph *graph, const ct_contact_set *set) {
  body_lists lists = {NULL, NULL};
  *graph = (ct_contact_graph){.count = set->count,
                              .starts = malloc((set->count + 1) * sizeof *graph->starts)};
  ct_status status =
      graph->starts && list_bodies(set, &lists) ? fill(graph, set, &lists) : CT_OUT_OF_MEMORY;
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

/* ---- the matrix ----------------------------------------------------------------------------- */

/* One side of a contact whose body is dynamic: how an impulse along each direction turns the body,
 * and what it turns at then. */
typedef struct lever {
  ct_vec3 arm[3], turn[3]; /* r x d, I^-1 (r x d) */
} lever;

typedef struct rod {
  ct_vec3 along[3];
  lever side[2];
} rod;

/* What the assembly needs: contacts' directions and levers, and how many entries of each row are
 * there. */
typedef struct assembly {
  const ct_contact_set *set;
  const ct_contact_graph *graph;
  unsigned dimension;
  rod *rods;    /* [count] */
  size_t *done; /* [count] blocks of each contact's rows, from the left */
} assembly;

static lever lever_of(const ct_mass_body *body, const ct_contact *contact, const ct_vec3 along[3]) {
  lever l = {0};
  if (body->mobility != CT_DYNAMIC) return l;
  for (int p = 0; p < 3; p++) {
    l.arm[p] = ct_cross(ct_sub(contact->position, body->center), along[p]);
    l.turn[p] = ct_mat_mul(body->inverse_inertia, l.arm[p]);
  }
  return l;
}

static rod rod_of(const ct_contact_set *set, const ct_contact *contact) {
  rod r = {.along = {contact->normal}};
  ct_contact_tangents(contact->normal, &r.along[1], &r.along[2]);
  r.side[0] = lever_of(&set->bodies[contact->a], contact, r.along);
  r.side[1] = lever_of(&set->bodies[contact->b], contact, r.along);
  return r;
}

/* The dynamic bodies that two contacts share, as sides of both: at most two. */
typedef struct shared {
  int count, side[2], other[2];
  double inverse_mass; /* signed by the sides, of both */
} shared;

static shared shared_of(const ct_contact_set *set, const ct_contact *x, const ct_contact *y) {
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

static double element(const shared *s, const rod *x, unsigned p, const rod *y, unsigned q) {
  double sum = ct_dot(x->along[p], y->along[q]) * s->inverse_mass;
  for (int k = 0; k < s->count; k++) {
    double turning = ct_dot(x->side[s->side[k]].arm[p], y->side[s->other[k]].turn[q]);
    sum += s->side[k] == s->other[k] ? turning : -turning;
  }
  return sum;
}

/* The block of contacts i <= j goes to both places, so that the matrix is symmetric to the bit.
 * Contacts come in ascending order: what is left of the diagonal in the rows of j is there when j's
 * turn comes. */
static void add_block(ct_delassus_matrix *m, const assembly *all, size_t i, size_t j) {
  const unsigned d = all->dimension;
  const rod *x = &all->rods[i], *y = &all->rods[j];
  const shared s = shared_of(all->set, &all->set->contacts[i], &all->set->contacts[j]);
  const size_t in_x = d * all->done[i]++, in_y = i == j ? in_x : d * all->done[j]++;
  for (unsigned p = 0; p < d; p++)
    for (unsigned q = i == j ? p : 0; q < d; q++) {
      const size_t here = m->starts[d * i + p] + in_x + q, there = m->starts[d * j + q] + in_y + p;
      m->columns[here] = (uint32_t)(d * j + q);
      m->columns[there] = (uint32_t)(d * i + p);
      m->values[here] = m->values[there] = element(&s, x, p, y, q);
    }
}

static void fill_rows(ct_delassus_matrix *m, const assembly *all) {
  const ct_contact_graph *graph = all->graph;
  const unsigned d = all->dimension;
  m->starts[0] = 0;
  for (size_t i = 0; i < graph->count; i++)
    for (unsigned p = 0; p < d; p++)
      m->starts[d * i + p + 1] =
          m->starts[d * i + p] + d * (graph->starts[i + 1] - graph->starts[i]);
  for (size_t i = 0; i < graph->count; i++) all->rods[i] = rod_of(all->set, &all->set->contacts[i]);
  for (size_t i = 0; i < graph->count; i++)
    for (size_t k = graph->starts[i] + all->done[i]; k < graph->starts[i + 1]; k++)
      add_block(m, all, i, graph->others[k]);
}

ct_status ct_delassus_matrix_open(ct_delassus_matrix *matrix, const ct_contact_set *set,
                                  const ct_contact_graph *graph, unsigned dimension) {
  size_t size = dimension * set->count,
         entries = (size_t)dimension * dimension * graph->starts[set->count];
  ct_delassus_matrix m = {.starts = malloc((size + 1) * sizeof *m.starts),
                          .columns = malloc((entries + 1) * sizeof *m.columns),
                          .values = malloc((entries + 1) * sizeof *m.values)};
  assembly all = {set, graph, dimension, malloc((set->count + 1) * sizeof *all.rods),
                  calloc(set->count + 1, sizeof *all.done)};
  bool got = m.starts && m.columns && m.values && all.rods && all.done;
  if (got) {
    fill_rows(&m, &all);
    m.matrix =
        (ct_matrix){.size = size, .starts = m.starts, .columns = m.columns, .values = m.values};
    *matrix = m;
  } else {
    ct_delassus_matrix_close(&m);
  }
  free(all.rods);
  free(all.done);
  return got ? CT_OK : CT_OUT_OF_MEMORY;
}

void ct_delassus_matrix_close(ct_delassus_matrix *matrix) {
  free(matrix->starts);
  free(matrix->columns);
  free(matrix->values);
  *matrix = (ct_delassus_matrix){0};
}
