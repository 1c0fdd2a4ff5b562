/* Contact system of an island: axes and forces of contacts, and the Delassus matrix of the active
 * contacts. The matrix is dense up to CT_RESTING_DENSE_MAX rows, as Newton's method requires, and
 * sparse above. */
#include "resting/resting_problem.h"
#include "mechanics/mechanics.h"

#include <assert.h>

ct_mat3 ct_resting_axes(const ct_contact *contact) {
  ct_mat3 axes = {.rx = contact->normal};
  ct_contact_tangents(contact->normal, &axes.ry, &axes.rz);
  return axes;
}

ct_vec3 ct_resting_force(const ct_contact *contact, const double *parts) {
  ct_mat3 axes = ct_resting_axes(contact);
  return ct_add_scaled(ct_add(ct_scale(axes.ry, parts[1]), ct_scale(axes.rz, parts[2])), axes.rx,
                       parts[0]);
}

double ct_resting_strength(const ct_resting *resting, double mu) {
  return resting->options->friction == CT_RESTING_FRICTION_NONE ? 0.0 : mu;
}

const char *ct_resting_lcp_word(ct_lcp_method method) {
  static const char *const words[] = {
#define WORD(name, word) word,
      CT_LCP_METHOD_MAP(WORD)
#undef WORD
  };
  assert((size_t)method < sizeof words / sizeof *words);
  return words[method];
}

const char *ct_resting_friction_word(ct_friction_method method) {
  static const char *const words[] = {
#define WORD(name, word) word,
      CT_FRICTION_METHOD_MAP(WORD)
#undef WORD
  };
  assert((size_t)method < sizeof words / sizeof *words);
  return words[method];
}

/* ---- Delassus matrix ------------------------------------------------------------------------- */

/* Up to this number of contacts all pairs of contacts are evaluated, without a search for pairs
 * that share a body. */
#define SMALL_CONTACTS_MAX 32

/* Returns the active contacts: the set's own array if all contacts are active, else a copy. NULL:
 * out of memory. */
static const ct_contact *gather_active_contacts(const ct_resting *resting) {
  if (resting->count == resting->set->count) return resting->set->contacts;
  ct_contact *contacts = ct_arena_alloc(resting->arena, resting->count, sizeof *contacts);
  for (size_t i = 0; contacts && i < resting->count; i++)
    contacts[i] = resting->set->contacts[resting->active[i]];
  return contacts;
}

/* Copies a sparse matrix to the arena: up to CT_RESTING_DENSE_MAX rows as a dense matrix, above as
 * a sparse one. */
static ct_status copy_to_arena(const ct_resting *resting, const ct_matrix *from, ct_matrix *out) {
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
  /* Sparse copy. */
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

/* Assembles the dense matrix of few contacts from all pairs, allocating in the arena only. */
static ct_status assemble_small_matrix(const ct_resting *resting, unsigned parts, ct_matrix *out) {
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
  assert(parts == 1 || parts == CT_RESTING_PARTS);
  assert(resting->count > 0 && resting->count <= resting->set->count);
  if (resting->count <= SMALL_CONTACTS_MAX) return assemble_small_matrix(resting, parts, out);
  ct_contact_set set = *resting->set;
  set.contacts = gather_active_contacts(resting);
  set.count = resting->count;
  if (!set.contacts) return CT_OUT_OF_MEMORY;
  ct_contact_graph graph;
  ct_status status = ct_contact_graph_open(&graph, &set);
  if (status != CT_OK) return status;
  ct_delassus_matrix matrix;
  status = ct_delassus_matrix_open(&matrix, &set, &graph, parts);
  if (status == CT_OK) {
    status = copy_to_arena(resting, &matrix.matrix, out);
    ct_delassus_matrix_close(&matrix);
  }
  ct_contact_graph_close(&graph);
  return status;
}
