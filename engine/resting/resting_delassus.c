/* The contact system of the contacts that take part: sparse, as the solvers take it; small ones
 * densely, as the steps on the way to the last digits want them.
 */
#include "mechanics/mechanics.h"
#include "resting/resting_problem.h"

/* Contacts of which each is coupled with each other one without asking who is whose neighbour. */
#define FEW 32

/* The contacts that take part, one after the other. NULL: out of memory. */
static const ct_contact *taking_part(const ct_resting *resting) {
  if (resting->count == resting->set->count) return resting->set->contacts;
  ct_contact *contacts = ct_arena_alloc(resting->arena, resting->count, sizeof *contacts);
  for (size_t i = 0; contacts && i < resting->count; i++)
    contacts[i] = resting->set->contacts[resting->active[i]];
  return contacts;
}

/* Copies what is on the heap to the arena, and all entries of a small matrix. */
static ct_status copy(const ct_resting *resting, const ct_matrix *from, ct_matrix *out) {
  size_t n = from->size, entries = from->starts[n];
  *out = (ct_matrix){.size = n};
  if (n <= CT_RESTING_DENSE_MAX) {
    double *dense = ct_arena_alloc_doubles(resting->arena, n * n + 1);
    if (!dense) return CT_OUT_OF_MEMORY;
    for (size_t i = 0; i < n * n; i++) dense[i] = 0.0;
    for (size_t i = 0; i < n; i++)
      for (size_t e = from->starts[i]; e < from->starts[i + 1]; e++)
        dense[i * n + from->columns[e]] = from->values[e];
    out->dense = dense;
    return CT_OK;
  }
  size_t *starts = ct_arena_alloc(resting->arena, n + 1, sizeof *starts);
  uint32_t *columns = ct_arena_alloc(resting->arena, entries + 1, sizeof *columns);
  double *values = ct_arena_alloc_doubles(resting->arena, entries + 1);
  if (!starts || !columns || !values) return CT_OUT_OF_MEMORY;
  for (size_t i = 0; i <= n; i++) starts[i] = from->starts[i];
  for (size_t e = 0; e < entries; e++) {
    columns[e] = from->columns[e];
    values[e] = from->values[e];
  }
  out->starts = starts;
  out->columns = columns;
  out->values = values;
  return CT_OK;
}

/* Every contact with every other: of few contacts, without asking the heap. */
static ct_status put_all(const ct_resting *resting, unsigned parts, ct_matrix *out) {
  size_t n = resting->count * parts;
  double *dense = ct_arena_alloc_doubles(resting->arena, n * n + 1);
  if (!dense) return CT_OUT_OF_MEMORY;
  for (size_t row = 0; row < n; row++) {
    const ct_contact *contact = &resting->set->contacts[resting->active[row / parts]];
    ct_mat3 to = ct_resting_axes(contact);
    const ct_vec3 along[3] = {to.rx, to.ry, to.rz};
    for (size_t column = row; column < n; column++) {
      const ct_contact *cause = &resting->set->contacts[resting->active[column / parts]];
      ct_mat3 from = ct_resting_axes(cause);
      const ct_vec3 impulse[3] = {from.rx, from.ry, from.rz};
      double value = ct_delassus_along(resting->set, contact, along[row % parts], cause,
                                       impulse[column % parts]);
      dense[row * n + column] = dense[column * n + row] = value;
    }
  }
  *out = (ct_matrix){.size = n, .dense = dense};
  return CT_OK;
}

ct_status ct_resting_matrix(ct_resting *resting, unsigned parts, ct_matrix *out) {
  if (resting->count <= FEW) return put_all(resting, parts, out);
  ct_contact_set set = *resting->set;
  set.contacts = taking_part(resting);
  set.count = resting->count;
  if (!set.contacts) return CT_OUT_OF_MEMORY;
  ct_contact_graph graph;
  ct_status status = ct_contact_graph_open(&graph, &set);
  if (status != CT_OK) return status;
  ct_delassus_matrix matrix;
  status = ct_delassus_matrix_open(&matrix, &set, &graph, parts);
  if (status == CT_OK) {
    status = copy(resting, &matrix.matrix, out);
    ct_delassus_matrix_close(&matrix);
  }
  ct_contact_graph_close(&graph);
  return status;
}
