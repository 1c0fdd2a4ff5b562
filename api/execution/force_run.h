/* Runs queries of contact forces. Impulses and resting forces are solved island by island: the
 * first range finds contacts and islands, the other ranges solve disjoint sets of islands. Elastic
 * forces follow from each contact alone. */
#ifndef API_EXECUTION_FORCE_RUN_H
#define API_EXECUTION_FORCE_RUN_H

#include "execution/range_run.h"

/* Operations in which the kinds of force queries differ. */
typedef struct api_force_operations {
  api_force_reader *read_options;
  /* Solves an island and puts its result. False: the range has a status other than CT_OK. NULL: the
   * kind has no islands, and one range evaluates all contacts (api_run_compliant). */
  bool (*run_island)(api_range_run *run, const ct_island *island);
  bool contacts_only; /* islands without contacts are left out of the results */
} api_force_operations;

bool api_run_impulse_island(api_range_run *run, const ct_island *island);
bool api_run_resting_island(api_range_run *run, const ct_island *island);

/* plan and run of the force kinds; see api_kind_operations. */
ct_status api_plan_forces(const api_plan *plan, api_task *task, bool shared);
void api_run_forces(api_range_run *run, size_t begin, size_t end);
void api_run_compliant(api_range_run *run, size_t begin, size_t end);
/* Put the tolerances in effect and, if the page has all islands, whether they converged and are
 * stable. */
void api_put_impulse_members(api_buffer *out, const api_task *task, const api_page *page);
void api_put_resting_members(api_buffer *out, const api_task *task, const api_page *page);
/* Puts the parameters of the elastic law in effect and, if the reply has all contacts, the sums per
 * body. */
void api_put_compliant_members(api_buffer *out, const api_task *task, const api_page *page);

#endif
