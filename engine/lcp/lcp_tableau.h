/* A linear complementarity problem as a dictionary: n basic variables, each a constant plus a sum
 * over the n + 1 that are not.
 *
 * w = M z + q + d z0, rows and columns scaled by powers of two so that the greatest entry of each
 * is about 1: no bit of M or q changes, tolerances become numbers without a unit. Entries are
 * doubles or, where those are too coarse, double-doubles. Since only the columns outside the basis
 * are kept, a pivot costs n^2, and what the lexicographic rule needs of the basis' inverse is in
 * them (Cottle, Pang, Stone 2009, sections 2.3 and 4.9).
 */
#ifndef LCP_LCP_TABLEAU_H
#define LCP_LCP_TABLEAU_H

#include "base/double_double.h"
#include "lcp/lcp_job.h"

#include <assert.h>

/* Variables by number: w_i is i, z_i is n + i, z0 is 2 n. */
typedef struct ct_tableau {
  size_t size;                      /* n */
  size_t stride;                    /* n + 2: the columns of n + 1 variables, then the constants */
  size_t rows;                      /* n, or n + 1 with an objective as the last row */
  double *high, *low;               /* [rows stride]; low NULL: doubles alone */
  uint32_t *basic;                  /* [n] the variable of each row */
  uint32_t *column;                 /* [n + 1] the variable of each column */
  uint32_t *place;                  /* [2 n + 1] where a variable is: its row, or n + its column */
  double *row_scale, *column_scale; /* [n] powers of two */
  bool beyond;    /* entries are too far from 1 to be scaled, or q is: signs of what is small mean
                     nothing */
  double q_size;  /* max |q| in the scaled rows: what constants are measured by */
  uint32_t *ties; /* [n] scratch of the ratio test */
  double *pivot_row; /* [2 stride] scratch of a pivot */
} ct_tableau;

enum { CT_TABLEAU_OBJECTIVE = 1, CT_TABLEAU_WIDE = 2 };

/* Memory for a job's problem and its scales; false: out of memory. */
bool ct_tableau_create(ct_tableau *t, const ct_lcp_job *job, unsigned flags);
/* The dictionary with all w basic and every z and z0 zero. `cover` [n] > 0 is d, per row of the
 * problem as given; NULL: all 1. `lift` is added to every scaled entry of M. */
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

/* Adds the variable of a row of the full dictionary to the objective. */
void ct_tableau_add_to_objective(ct_tableau *t, size_t row);

/* The variable of the row leaves, that of the column enters. Constants that are round-off become 0.
 */
void ct_tableau_pivot(ct_tableau *t, size_t row, size_t column);

/* The row whose variable is the first to reach zero when that of the column grows; ties by the
 * lexicographic rule, z0 first. t->size: none does. */
size_t ct_tableau_leaving(const ct_tableau *t, size_t column);
/* The row that z0 takes, so that no constant is negative: least [q, e] / d in lexicographic order.
 * size: none is negative. */
size_t ct_tableau_first(const ct_tableau *t);

/* z as the dictionary has it, in the units given; never negative. */
void ct_tableau_solution(const ct_tableau *t, double *z);

/* ---- linear programs: is there a z >= 0 with M z + q >= 0, parts of z and w fixed at 0? ------ */

/* Least of the objective, the tableau's last row, over all values >= 0 of the variables. `barred`
 * [n]: z_j stays 0; NULL: none. False: cancelled, or more pivots than ct_lcp_simplex_limit: the
 * value is only an upper bound. */
bool ct_lcp_simplex(ct_tableau *t, const bool *barred, const ct_cancel *cancel);
static inline uint64_t ct_lcp_simplex_limit(size_t n) { return 50 * (uint64_t)n + 1000; }

/* Brings z0 in, where a constant is negative, so that none is. */
void ct_lcp_simplex_begin(ct_tableau *t);

#endif
