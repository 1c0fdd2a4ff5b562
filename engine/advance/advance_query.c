/* What a scene's query says of bodies where an advance has them. */
#include "advance/advance.h"

ct_status ct_advance_run_query(ct_advance *advance, ct_query_options *options,
                               ct_workspace *workspace, ct_hit_sink sink, void *context) {
  options->overrides = advance->overrides;
  options->override_count = advance->moved_count;
  options->cancel = advance->options.cancel;
  ct_query *query = NULL;
  ct_status status = ct_query_prepare(advance->scene, options, &query);
  if (status != CT_OK) return status;
  const ct_query_range all = {0, ct_query_items(query), CT_NO_ROW, 0};
  status = ct_query_run(query, &all, workspace, sink, context, NULL);
  ct_query_destroy(query);
  return status;
}
