/* Runs queries of forces. Impulses and resting forces are solved island by island: the first range
 * finds contacts and islands, the others solve islands independently. Elastic forces follow from
 * each contact alone. */
#ifndef API_EXECUTION_FORCE_RUN_H
#define API_EXECUTION_FORCE_RUN_H

#include "execution/range_run.h"

/* Operations of the kinds of queries with forces as results. */
typedef struct api_force_operations {
  api_force_reader *read_options;
  /* Solves an island and writes its result. False: the range has a status. NULL: one range
   * evaluates all contacts (api_run_compliant). */
  bool (*run_island)(api_range_run *run, const ct_island *island);
  bool contacts_only; /* islands without contacts have no result */
} api_force_operations;

bool api_run_impulse_island(api_range_run *run, const ct_island *island);
bool api_run_resting_island(api_range_run *run, const ct_island *island);

/* Operations of the rows of kinds; see api_kind_operations. */
ct_status api_plan_forces(const api_plan *plan, api_task *task, bool shared);
void api_run_forces(api_range_run *run, size_t begin, size_t end);
void api_run_compliant(api_range_run *run, size_t begin, size_t end);
/* Write effective tolerances and, if the page has all islands, their convergence and stability. */
void api_put_impulse_members(api_buffer *out, const api_task *task, const api_page *page);
void api_put_resting_members(api_buffer *out, const api_task *task, const api_page *page);
/* Writes the effective parameters of the law and, if the reply has all contacts, the sums. */
void api_put_compliant_members(api_buffer *out, const api_task *task, const api_page *page);

#endif
