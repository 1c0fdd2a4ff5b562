/* Operations of the query kind massProperties: mass, centre of mass, inertia and principal axes of
 * bodies. */
#include "kinds/kinds.h"

#include <assert.h>
#include <stddef.h>

#include "execution/cost_estimate.h"
#include "execution/range_run.h"
#include "queries/body_selection.h"
#include "results/hull_json.h"
#include "results/result_json.h"

/* ---- reading -------------------------------------------------------------------------------- */

/* Selects all bodies that have a collider of finite volume. */
static bool select_rows_with_mass(api_reader *reader, api_query *out) {
  uint32_t *rows = api_arena_array(reader->arena, ct_scene_count(out->scene), sizeof *rows);
  if (!rows) {
    api_fault_memory(reader->faults);
    return false;
  }
  for (uint32_t row = 0; row < ct_scene_rows(out->scene); row++) {
    const ct_body *body = ct_scene_body(out->scene, row);
    bool any = false;
    for (size_t c = 0; body && c < ct_body_collider_count(body) && !any; c++)
      any = ct_body_collider(body, c).shape.kind != CT_KIND_PLANE;
    if (any) rows[out->row_count++] = row;
  }
  assert(out->row_count <= ct_scene_count(out->scene));
  out->rows = rows;
  return true;
}

static bool read_mass_query(api_reader *reader, const api_member_set *set,
                            const api_query_context *context, api_query *out) {
  const api_field *bodies = api_member(set, API_MEMBER_BODIES);
  (void)context;
  out->mode = API_MODE_BODIES;
  if (!api_field_present(bodies)) return select_rows_with_mass(reader, out);
  out->rows = api_read_rows(reader, bodies, out->scene, &out->row_count);
  return out->rows != NULL;
}

static bool read_given_masses(api_reader *reader, const api_member_set *set,
                              const api_query_context *context, api_query *out) {
  (void)reader;
  (void)set;
  (void)context;
  out->mode = API_MODE_BODIES;
  return true;
}

/* ---- running -------------------------------------------------------------------------------- */

static ct_status plan_mass_query(const api_plan *plan, api_task *task, bool shared) {
  const api_query *q = &task->question;
  (void)plan;
  (void)shared;
  task->items = q->scene ? q->row_count : q->body_count;
  task->cost = (q->put_hulls ? API_HULLS_NS : API_MASS_NS) * (double)task->items;
  return CT_OK;
}

/* Puts the mass properties of a body in its own frame; `hulls`: also the hulls of its colliders.
 * False: out of memory. */
static bool put_mass_properties(api_buffer *buffer, const ct_body *body, bool hulls) {
  ct_mass_properties mass;
  bool overlap_ignored = false;
  api_put_byte(buffer, '{');
  api_put_id(buffer, "id", ct_body_id(body));
  bool known = ct_body_mass(body, &mass, &overlap_ignored);
  if (known) {
    ct_vec3 moments;
    ct_quat axes;
    ct_inertia_principal(&mass.inertia, &moments, &axes);
    api_put_member_number(buffer, "mass", mass.mass);
    api_put_member_number(buffer, "volume", mass.volume);
    api_put_member_vec3(buffer, "centerOfMass", mass.center);
    api_put_key(buffer, "inertia");
    api_put_byte(buffer, '[');
    const ct_vec3 rows[3] = {mass.inertia.rx, mass.inertia.ry, mass.inertia.rz};
    for (int i = 0; i < 3; i++) {
      api_put_item(buffer);
      api_put_vec3(buffer, rows[i]);
    }
    api_put_byte(buffer, ']');
    api_put_member_vec3(buffer, "principalMoments", moments);
    api_put_member_quat(buffer, "principalRotation", axes);
  }
  api_put_member_string(buffer, "status", api_text(known ? "ok" : "unsupported"));
  const char *words[2];
  size_t count = 0;
  if (known && overlap_ignored) words[count++] = "overlapIgnored";
  if (known && !ct_body_motion(body)) words[count++] = "densityAssumed";
  api_put_flags(buffer, words, count);
  bool good = !hulls || api_put_body_hulls(buffer, body);
  api_put_byte(buffer, '}');
  return good;
}

static void run_mass_properties(api_range_run *run, size_t begin, size_t end) {
  const api_query *q = &run->task->question;
  for (size_t i = begin; i < end && api_range_open(run); i++) {
    if (ct_cancel_raised(run->plan->cancel)) {
      run->range->status = CT_CANCELLED;
      return;
    }
    const ct_body *body = q->scene ? ct_scene_body(q->scene, q->rows[i]) : q->bodies[i].body;
    api_put_item(&run->range->text);
    if (!put_mass_properties(&run->range->text, body, q->put_hulls)) {
      run->range->status = CT_OUT_OF_MEMORY;
      return;
    }
    api_mark_result(run, (api_mark){.item = (uint32_t)i, .after = CT_NO_ROW});
  }
}

static const api_include_word include_words[] = {{"hulls", offsetof(api_query, put_hulls)}, {0}};

const api_kind_operations api_kind_mass_properties = {
    .number = API_KIND_MASS_PROPERTIES,
    .scene_members = API_MEMBERS_PAGE | API_MEMBER(BODIES) | API_MEMBER(INCLUDE),
    .given_members = API_MEMBERS_GIVEN | API_MEMBER(INCLUDE),
    .include = include_words,
    .one_body = true,
    .read = read_mass_query,
    .read_given = read_given_masses,
    .plan = plan_mass_query,
    .run = run_mass_properties,
};
