#include "what_if.h"

#include "body_json.h"
#include "filters_json.h"

bool api_supposes_any(const api_suppositions *s) {
  for (size_t i = 0; i < 2; i++)
    if ((s->add[i] && api_field_present(s->add[i])) || (s->filters[i] && api_field_present(s->filters[i]))) return true;
  return false;
}

/* An id in use is no conflict with anybody's write here: the request itself is wrong. */
static bool refuse_known(api_reader *reader, const api_field *add, const api_body_list *list, const ct_draft *draft) {
  bool good = true;
  for (size_t i = 0; i < list->count && !api_faults_full(reader->faults); i++) {
    ct_text id = ct_body_id(list->items[i].body);
    if (ct_draft_find(draft, id) == CT_NO_ROW) continue;
    char echo[API_ECHO_MAX + 4];
    api_field body = api_field_element(add, i);
    api_path at = api_path_member(&body.path, "id");
    api_fault_at(reader->faults, API_PROBLEM_DUPLICATE_ID, &at, "The scene has a body \"%s\" already; poses can move it.",
                 api_echo(id, echo));
    good = false;
  }
  return good;
}

static bool add_bodies(api_reader *reader, const api_field *add, ct_draft *draft) {
  api_body_list list = {0};
  if (!add || !api_field_present(add)) return true;
  bool good = api_read_bodies(reader, add, &list) && refuse_known(reader, add, &list, draft) &&
              api_insert_bodies(reader, &add->path, &list, draft);
  api_body_list_free(&list);
  return good;
}

static bool set_filters(api_reader *reader, const api_suppositions *s, ct_draft *draft) {
  const api_field *field = NULL;
  for (size_t i = 0; i < 2; i++)
    if (s->filters[i] && api_field_present(s->filters[i])) field = s->filters[i];
  if (!field) return true;
  ct_filters filters = {0};
  return api_read_filters(reader, field, &filters) && api_apply_filters(reader, &field->path, &filters, draft);
}

const ct_scene *api_suppose(api_reader *reader, const api_suppositions *s, const ct_scene *scene) {
  ct_draft *draft = ct_draft_begin(scene);
  if (!draft) {
    api_fault_memory(reader->faults);
    return NULL;
  }
  bool good = add_bodies(reader, s->add[0], draft) && add_bodies(reader, s->add[1], draft) && set_filters(reader, s, draft);
  const ct_scene *supposed = good ? ct_draft_seal(draft) : NULL;
  if (good && !supposed) api_fault_memory(reader->faults);
  if (!supposed) ct_draft_discard(draft);
  return supposed;
}
