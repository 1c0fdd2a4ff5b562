/* A linear complementarity problem as a dictionary: each of n basic variables is a constant plus a
 * combination of the n + 1 nonbasic ones. w = M z + q + d z0. Rows and columns are scaled by
 * powers of two so that the greatest entry of each is about 1: no bit of M or q changes, and
 * tolerances have no unit. Entries are doubles or double-doubles.
 *
 * Only the nonbasic columns are stored, so a pivot costs n^2. They contain the rows of the basis'
 * inverse that the lexicographic rule needs (Cottle, Pang, Stone 2009, sections 2.3 and 4.9).
 */
#ifndef LCP_LCP_TABLEAU_H
#define LCP_LCP_TABLEAU_H

#include "base/double_double.h"
#include "lcp/lcp_job.h"

#include <assert.h>

/* Variables by number: w_i is i, z_i is n + i, z0 is 2 n. */
typedef struct ct_tableau {
  size_t size;        /* n */
  size_t stride;      /* n + 2: the columns of n + 1 variables, then the constants */
  size_t rows;        /* n, or n + 1 with an objective as the last row */
  double *high, *low; /* [rows stride]; low NULL: doubles only */
  uint32_t *basic;    /* [n] the variable of each row */
  uint32_t *column;   /* [n + 1] the variable of each column */
  uint32_t *place;    /* [2 n + 1] position of a variable: its row, or n + its column */
  double *row_scale, *column_scale; /* [n] powers of two */
  bool beyond; /* entries or q exceed the range of scaling: signs of small values are unreliable */
  double q_size;     /* max |q| in the scaled rows: unit of the constants */
  uint32_t *ties;    /* [n] scratch of the ratio test */
  double *pivot_row; /* [2 stride] scratch of a pivot */
} ct_tableau;

enum { CT_TABLEAU_OBJECTIVE = 1, CT_TABLEAU_WIDE = 2 };

/* Allocates memory for a job's problem and computes its scales. Returns false if out of memory. */
bool ct_tableau_create(ct_tableau *t, const ct_lcp_job *job, unsigned flags);
/* Fills the dictionary with all w basic and every z and z0 zero. `cover` [n] > 0 is d for the
 * unscaled rows; NULL: all 1. `lift` is added to every scaled entry of M. */
void ct_tableau_fill(ct_tableau *t, const ct_lcp_job *job, const double *cover, double lift);

static inline ct_dd ct_tableau_at(const ct_tableau *t, size_t row, size_t column) {
  size_t k = row * t->stride + column;
  return (ct_dd){t->high[k], t->low ? t->low[k] : 0.0};
}
static inline size_t ct_tableau_constants(const ct_tableau *t) { return t->size + 1; }
static inline uint32_t ct_tableau_z0(const ct_tableau *t) { return (uint32_t)(2 * t->size); }
static inline bool ct_tableau_is_basic(const ct_tableau *t, uint32_t variable) {
  return t->place[variable] < t->size;
}
static inline size_t ct_tableau_column(const ct_tableau *t, uint32_t variable) {
  assert(!ct_tableau_is_basic(t, variable));
  return t->place[variable] - t->size;
}

/* Adds the basic variable of a row of the full dictionary to the objective. */
void ct_tableau_add_to_objective(ct_tableau *t, size_t row);

/* Pivots: the row's variable leaves, the column's enters. Constants that are round-off become 0. */
void ct_tableau_pivot(ct_tableau *t, size_t row, size_t column);

/* Returns the row whose variable reaches zero first when the column's variable grows; ties by the
 * lexicographic rule, z0 first. t->size if there is none. */
size_t ct_tableau_leaving(const ct_tableau *t, size_t column);
/* Returns the row in which z0 must enter so that no constant is negative: least [q, e] / d in
 * lexicographic order. size: none is negative. */
size_t ct_tableau_first(const ct_tableau *t);

/* z of the dictionary in the caller's units; never negative. */
void ct_tableau_solution(const ct_tableau *t, double *z);

/* ---- linear programs: z >= 0 with M z + q >= 0, some z and w fixed at 0 ---------------------- */

/* Minimises the objective, the last row of the tableau, over all nonnegative variables. `barred`
 * [n]: z_j stays 0; NULL: none. Returns false if cancelled or beyond ct_lcp_simplex_limit pivots;
 * the value then is only an upper bound. */
bool ct_lcp_simplex(ct_tableau *t, const bool *barred, const ct_cancel *cancel);
static inline uint64_t ct_lcp_simplex_limit(size_t n) { return 50 * (uint64_t)n + 1000; }

/* Enters z0 if a constant is negative, so that none is. */
void ct_lcp_simplex_begin(ct_tableau *t);

#endif
