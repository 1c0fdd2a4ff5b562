/* Creates and destroys the scratch memory of a thread; workspace and arena grow when they are
 * used. */
#include "execution/scratch.h"

#include <stdlib.h>

api_scratch *api_scratch_create(void) {
  api_scratch *scratch = calloc(1, sizeof *scratch);
  if (!scratch) return NULL;
  scratch->workspace = ct_workspace_create();
  scratch->arena = ct_arena_create();
  if (scratch->workspace && scratch->arena) return scratch;
  api_scratch_destroy(scratch);
  return NULL;
}

api_solver_counts api_scratch_solver_counts(const api_scratch *scratch) { return scratch->solved; }

void api_scratch_destroy(api_scratch *scratch) {
  if (!scratch) return;
  if (scratch->workspace) ct_workspace_destroy(scratch->workspace);
  ct_arena_destroy(scratch->arena);
  free(scratch);
}
