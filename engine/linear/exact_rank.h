/* Exact upper bounds of the rank of a matrix of doubles. */
#ifndef LINEAR_EXACT_RANK_H
#define LINEAR_EXACT_RANK_H

#include "linear/arena.h"

/* *proven: the rank of the dense symmetric [size size] matrix, its doubles taken as exact numbers,
 * is at most `rank`. Not proven: the rank is greater, or the proof would take more than a few
 * milliseconds (entries of many different magnitudes, or large matrices). CT_OUT_OF_MEMORY. Cost:
 * size^2 rank for each 31 bits of the largest minor of rank + 1 rows. */
ct_status ct_exact_rank_at_most(const double *dense, size_t size, size_t rank, ct_arena *arena,
                                bool *proven);

#endif
