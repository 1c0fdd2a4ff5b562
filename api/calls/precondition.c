/* Evaluates the preconditions If-Match and If-None-Match (RFC 9110, section 13). Every resource in
 * a scene has the entity tag "r<revision>", with the revision of the scene. */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "calls/call.h"

typedef struct tag {
  bool any;  /* * */
  bool weak; /* W/"..." */
  const char *text;
  size_t length; /* without the quotes */
} tag;

/* Reads the next entity tag of a list and advances *list past it. False: end of the list, or a
 * syntax error. */
static bool read_next_tag(const char **list, tag *out) {
  const char *at = *list + strspn(*list, " \t,");
  memset(out, 0, sizeof *out);
  if (*at == '*') {
    out->any = true;
    *list = at + 1;
    return true;
  }
  if (at[0] == 'W' && at[1] == '/') {
    out->weak = true;
    at += 2;
  }
  const char *end = *at == '"' ? strchr(at + 1, '"') : NULL;
  if (!end) return false;
  out->text = at + 1;
  out->length = (size_t)(end - at) - 1;
  *list = end + 1;
  return true;
}

/* True if the text is a list of entity tags, or *. */
static bool is_tag_list(const char *list) {
  tag t;
  while (read_next_tag(&list, &t)) {
  }
  return list[strspn(list, " \t,")] == 0;
}

static bool matches_revision(const tag *t, uint64_t revision) {
  char text[24];
  int length = snprintf(text, sizeof text, "r%llu", (unsigned long long)revision);
  assert(length > 0 && (size_t)length < sizeof text);
  return !t->any && t->length == (size_t)length && memcmp(t->text, text, t->length) == 0;
}

/* True if the list contains the tag of the revision, or if it is * and the resource exists. `weak`:
 * use weak comparison, which only If-None-Match allows. */
static bool list_contains(const char *list, uint64_t revision, bool exists, bool weak) {
  tag t;
  while (read_next_tag(&list, &t)) {
    if (t.any && exists) return true;
    if (revision > 0 && (weak || !t.weak) && matches_revision(&t, revision)) return true;
  }
  return false;
}

/* Returns the number of the current revision, also of a scene that cannot be loaded. 0: the scene
 * does not exist. */
static uint64_t current_revision(const api_call *call) {
  return call->input.scene ? ct_scene_revision(call->input.scene) : call->input.lost_revision;
}

static bool refuse_precondition(api_call *call, const char *detail) {
  assert(call->if_match || call->if_none_match);
  unsigned long long revision = current_revision(call);
  if (revision && call->if_match && !is_tag_list(call->if_match)) {
    char echo[API_ECHO_MAX + 4];
    api_call_etag(call, revision);
    api_fault_plain(&call->faults, API_PROBLEM_REVISION_MISMATCH,
                    "If-Match needs quotes: \"r%llu\" is the current revision, got %s.", revision,
                    api_echo(api_text(call->if_match), echo));
    return false;
  }
  if (revision == 0) {
    api_fault_plain(&call->faults, API_PROBLEM_REVISION_MISMATCH,
                    "%s: the scene does not exist; omit the header to create the scene.", detail);
    return false;
  }
  api_call_etag(call, revision);
  api_fault_plain(&call->faults, API_PROBLEM_REVISION_MISMATCH,
                  "%s: the current revision is %llu (ETag \"r%llu\"). Read the scene again before "
                  "you write; an earlier attempt of this write may be included.",
                  detail, revision, revision);
  return false;
}

bool api_call_tags_valid(api_call *call) {
  char echo[API_ECHO_MAX + 4];
  if (!call->if_none_match || is_tag_list(call->if_none_match)) return true;
  api_fault_plain(
      &call->faults, API_PROBLEM_BAD_REQUEST,
      "If-None-Match needs quotes: it must be * or a list of entity tags like \"r2\", got %s.",
      api_echo(api_text(call->if_none_match), echo));
  return false;
}

bool api_call_may_write(api_call *call, bool exists) {
  uint64_t current = current_revision(call);
  if (call->if_match && !list_contains(call->if_match, current, exists, false))
    return refuse_precondition(call, "If-Match failed");
  if (call->if_none_match && list_contains(call->if_none_match, current, exists, true))
    return refuse_precondition(call, "If-None-Match failed");
  return true;
}

bool api_call_unmodified(const api_call *call) {
  return call->if_none_match && call->scene &&
         list_contains(call->if_none_match, ct_scene_revision(call->scene), true, true);
}

bool api_call_pick_revision(api_call *call) {
  const ct_scene *current = call->input.scene;
  if (!call->if_match || !current ||
      list_contains(call->if_match, ct_scene_revision(current), true, false))
    return true;
  for (size_t i = 0; i < call->input.kept_count; i++) {
    if (list_contains(call->if_match, ct_scene_revision(call->input.kept[i]), false, false)) {
      call->scene = call->input.kept[i];
      return true;
    }
  }
  return refuse_precondition(call, "If-Match names neither the current nor a retained revision");
}

const ct_scene *api_call_find_revision(const api_call *call, uint64_t revision,
                                       api_faults *faults) {
  const ct_scene *current = call->input.scene;
  assert(current);
  if (ct_scene_revision(current) == revision) return current;
  for (size_t i = 0; i < call->input.kept_count; i++)
    if (ct_scene_revision(call->input.kept[i]) == revision) return call->input.kept[i];
  api_fault_plain(faults, API_PROBLEM_REVISION_GONE,
                  "The cursor's revision %llu is no longer retained; the current one is %llu. "
                  "Start again without the cursor.",
                  (unsigned long long)revision, (unsigned long long)ct_scene_revision(current));
  return NULL;
}
