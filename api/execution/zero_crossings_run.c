/* Runs kind zeroCrossings: evaluates a contact state. */
#include "execution/range_run.h"

#include <stdlib.h>

void api_run_crossings(api_range_run *run, const ct_override *overrides, size_t count) {
  const api_query *q = &run->task->question;
  const api_crossings *crossings = &q->crossings;
  api_range *range = run->range;
  ct_contact_monitor found = {.contacts = NULL};
  ct_pair_result *contacts = NULL;
  if (crossings->contacts) {
    contacts = found.contacts =
        malloc((ct_contact_state_count(crossings->state) + 1) * sizeof *contacts);
    if (!contacts) {
      range->memory = true;
      return;
    }
  }
  const ct_contact_monitor_options options = {crossings->evaluation, overrides, count,
                                              run->plan->cancel};
  ct_status status =
      ct_contact_monitor_run(run->scene, crossings->state, &options, run->workspace, &found);
  if (status == CT_OK) {
    api_put_item(&range->text);
    api_put_crossings(&range->text, run->scene, crossings, &found);
    api_mark_result(run, (api_mark){.after = CT_NO_ROW});
  } else {
    range->status = status;
  }
  free(contacts);
}
