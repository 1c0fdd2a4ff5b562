#include "queries/hypothetical_scene.h"

#include "documents/body_json.h"
#include "documents/filters_json.h"
#include "queries/variant_scene.h"

bool api_has_hypotheses(const api_hypotheses *s) {
  for (size_t i = 0; i < 2; i++)
    if ((s->add[i] && api_field_present(s->add[i])) ||
        (s->filters[i] && api_field_present(s->filters[i])))
      return true;
  return false;
}

/* Checks that no added body has an id of the scene. The fault is DUPLICATE_ID, an error of this
 * request, since there is no other write with which it could conflict. */
static bool refuse_known_ids(api_reader *reader, const api_field *add, const api_body_list *list,
                             const ct_draft *draft) {
  bool good = true;
  for (size_t i = 0; i < list->count && !api_faults_full(reader->faults); i++) {
    ct_text id = ct_body_id(list->items[i].body);
    if (ct_draft_find(draft, id) == CT_NO_ROW) continue;
    char echo[API_ECHO_MAX + 4];
    api_field body = api_field_element(add, i);
    api_pointer at = api_pointer_member(&body.path, "id");
    api_fault_at(
        reader->faults, API_PROBLEM_DUPLICATE_ID, &at,
        "The scene has a body \"%s\" already: choose another id, or move that body with poses.",
        api_echo(id, echo));
    good = false;
  }
  return good;
}

static bool add_hypothetical_bodies(api_reader *reader, const api_field *add, api_body_list *list,
                                    ct_draft *draft) {
  if (!add || !api_field_present(add)) return true;
  return api_read_bodies(reader, add, list) && refuse_known_ids(reader, add, list, draft) &&
         api_add_bodies(reader, &add->path, list, draft);
}

/* Applies the filters to the draft and warns of groups without bodies. To be called after all
 * bodies were added. */
static bool apply_hypothetical_filters(api_reader *reader, const api_field *field,
                                       ct_filters *filters, ct_draft *draft) {
  if (!field || !api_field_present(field)) return true;
  if (!api_read_filters(reader, field, filters) ||
      !api_apply_filters(reader, &field->path, filters, draft))
    return false;
  api_warn_groups(reader, &field->path, filters, draft);
  return true;
}

/* Seals the draft and returns its scene if `good`, else discards it and returns NULL. */
static const ct_scene *seal_or_discard_draft(api_reader *reader, ct_draft *draft, bool good) {
  const ct_scene *scene = good ? ct_draft_seal(draft) : NULL;
  if (good && !scene) api_fault_memory(reader->faults);
  if (!scene) ct_draft_discard(draft);
  return scene;
}

static ct_draft *begin_hypothetical_draft(api_reader *reader, const ct_scene *scene) {
  ct_draft *draft = ct_draft_begin(scene);
  if (!draft) api_fault_memory(reader->faults);
  return draft;
}

const ct_scene *api_make_hypothetical_scene(api_reader *reader, const api_hypotheses *s,
                                            const ct_scene *scene) {
  const api_field *field = NULL;
  ct_filters filters = {0};
  bool good = true;
  for (size_t i = 0; i < 2; i++)
    if (s->filters[i] && api_field_present(s->filters[i])) field = s->filters[i];
  ct_draft *draft = begin_hypothetical_draft(reader, scene);
  if (!draft) return NULL;
  for (size_t i = 0; good && i < 2; i++) {
    api_body_list list = {0};
    good = add_hypothetical_bodies(reader, s->add[i], &list, draft);
    api_body_list_free(&list);
  }
  good = good && apply_hypothetical_filters(reader, field, &filters, draft);
  return seal_or_discard_draft(reader, draft, good);
}

const ct_scene *api_apply_variant_hypotheses(api_reader *reader, const api_field *add,
                                             const api_field *filters, const ct_scene *scene,
                                             api_variant_scene *own) {
  ct_draft *draft = begin_hypothetical_draft(reader, scene);
  if (!draft) return NULL;
  bool good = add_hypothetical_bodies(reader, add, &own->bodies, draft) &&
              apply_hypothetical_filters(reader, filters, &own->filters, draft);
  own->has_filters = api_field_present(filters);
  return seal_or_discard_draft(reader, draft, good);
}
