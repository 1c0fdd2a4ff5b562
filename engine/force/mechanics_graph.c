/* The contact system of many contacts by what is not zero: which contacts share a dynamic body, and the blocks of those. */
#include "force/mechanics.h"

#include <stdlib.h>

/* Contacts of each body that can be moved, ascending. */
typedef struct body_lists {
  size_t *starts; /* [body_count + 1] */
  uint32_t *touches;
} body_lists;

static bool list_bodies(const ct_contact_set *set, body_lists *lists) {
  lists->starts = calloc(set->body_count + 2, sizeof *lists->starts);
  lists->touches = malloc((2 * set->count + 1) * sizeof *lists->touches);
  if (!lists->starts || !lists->touches) return false;
  /* Counted two places on, so that filling moves each start to where it belongs. */
  for (size_t k = 0; k < set->count; k++) {
    const uint32_t ends[2] = {set->touches[k].a, set->touches[k].b};
    for (int i = 0; i < 2; i++) lists->starts[ends[i] + 2] += set->bodies[ends[i]].mobility == CT_DYNAMIC;
  }
  for (size_t i = 2; i < set->body_count + 2; i++) lists->starts[i] += lists->starts[i - 1];
  for (size_t k = 0; k < set->count; k++) {
    const uint32_t ends[2] = {set->touches[k].a, set->touches[k].b};
    for (int i = 0; i < 2; i++)
      if (set->bodies[ends[i]].mobility == CT_DYNAMIC) lists->touches[lists->starts[ends[i] + 1]++] = (uint32_t)k;
  }
  return true;
}

/* The union of the lists of the contact's two bodies, and the contact; with `out` NULL counts only. */
static size_t merge(const ct_contact_set *set, const body_lists *lists, uint32_t touch, uint32_t *out) {
  const ct_touch *t = &set->touches[touch];
  const uint32_t *a = lists->touches + lists->starts[t->a], *a_end = lists->touches + lists->starts[t->a + 1];
  const uint32_t *b = lists->touches + lists->starts[t->b], *b_end = lists->touches + lists->starts[t->b + 1];
  if (a == a_end && b == b_end) {
    if (out) out[0] = touch;
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
    if (total > CT_COUPLINGS_MAX) return CT_LIMIT;
  }
  graph->starts[set->count] = total;
  graph->others = malloc((total + 1) * sizeof *graph->others);
  if (!graph->others) return CT_OUT_OF_MEMORY;
  for (size_t k = 0; k < set->count; k++) merge(set, lists, (uint32_t)k, graph->others + graph->starts[k]);
  return CT_OK;
}

ct_status ct_contact_graph_open(ct_contact_graph *graph, const ct_contact_set *set) {
  body_lists lists = {NULL, NULL};
  *graph = (ct_contact_graph){.count = set->count, .starts = malloc((set->count + 1) * sizeof *graph->starts)};
  ct_status status = graph->starts && list_bodies(set, &lists) ? fill(graph, set, &lists) : CT_OUT_OF_MEMORY;
  free(lists.starts);
  free(lists.touches);
  if (status != CT_OK) ct_contact_graph_close(graph);
  return status;
}

void ct_contact_graph_close(ct_contact_graph *graph) {
  free(graph->starts);
  free(graph->others);
  *graph = (ct_contact_graph){0};
}

/* ---- the matrix ---- */

typedef struct frame {
  ct_vec3 along[3];
} frame;

static frame frame_of(const ct_touch *touch) {
  frame f = {{touch->normal}};
  ct_touch_tangents(touch->normal, &f.along[1], &f.along[2]);
  return f;
}

/* The rows of one contact. */
static void fill_rows(ct_contact_matrix *m, const ct_contact_set *set, const ct_contact_graph *graph, size_t i,
                      unsigned dimension) {
  size_t first = graph->starts[i], width = graph->starts[i + 1] - first;
  const frame own = frame_of(&set->touches[i]);
  for (size_t k = 0; k < width; k++) {
    uint32_t j = graph->others[first + k];
    const frame other = frame_of(&set->touches[j]);
    for (unsigned p = 0; p < dimension; p++) {
      size_t at = m->starts[dimension * i + p] + dimension * k;
      for (unsigned q = 0; q < dimension; q++) {
        m->columns[at + q] = (uint32_t)(dimension * j + q);
        m->values[at + q] = ct_touch_coupling_along(set, &set->touches[i], own.along[p], &set->touches[j], other.along[q]);
      }
    }
  }
}

ct_status ct_contact_matrix_open(ct_contact_matrix *matrix, const ct_contact_set *set, const ct_contact_graph *graph,
                                 unsigned dimension) {
  size_t size = dimension * set->count, entries = (size_t)dimension * dimension * graph->starts[set->count];
  ct_contact_matrix m = {.starts = malloc((size + 1) * sizeof *m.starts),
                         .columns = malloc((entries + 1) * sizeof *m.columns),
                         .values = malloc((entries + 1) * sizeof *m.values)};
  if (!m.starts || !m.columns || !m.values) {
    ct_contact_matrix_close(&m);
    return CT_OUT_OF_MEMORY;
  }
  m.starts[0] = 0;
  for (size_t i = 0; i < set->count; i++)
    for (unsigned p = 0; p < dimension; p++)
      m.starts[dimension * i + p + 1] = m.starts[dimension * i + p] + dimension * (graph->starts[i + 1] - graph->starts[i]);
  for (size_t i = 0; i < set->count; i++) fill_rows(&m, set, graph, i, dimension);
  m.matrix = (ct_matrix){.size = size, .starts = m.starts, .columns = m.columns, .values = m.values};
  *matrix = m;
  return CT_OK;
}

void ct_contact_matrix_close(ct_contact_matrix *matrix) {
  free(matrix->starts);
  free(matrix->columns);
  free(matrix->values);
  *matrix = (ct_contact_matrix){0};
}
