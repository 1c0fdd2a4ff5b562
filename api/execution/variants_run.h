/* Runs the variants of a query: hypothetical poses and scenes. */
#ifndef API_EXECUTION_VARIANTS_RUN_H
#define API_EXECUTION_VARIANTS_RUN_H

#include "execution/range_run.h"

/* Runs variants [begin, end) of a query of mode VARIANTS. */
void api_run_variants(api_range_run *run, size_t begin, size_t end);
/* Puts the member `statistics` of the cache of separating planes. */
void api_put_plane_counts(api_buffer *out, const api_plane_counts *counts);

#endif
