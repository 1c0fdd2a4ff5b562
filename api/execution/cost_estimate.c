#include "execution/cost_estimate.h"

/* Greatest number of bodies that are sampled for the cost of a pair. */
#define BODY_SAMPLES 32
/* Greatest number of rows of a scene for which the cost of all overlapping pairs is estimated with
 * ct_query_cost, which inspects every body up to this number; one pair of large meshes may take
 * seconds. A query of a larger scene never counts as short work. */
#define ROWS_ASKED 31
/* Greatest number of contacts that are estimated one by one; a state with more never counts as
 * short work. */
#define CONTACTS_ASKED 64
/* Assumed cost of a contact that is not estimated: the distance of two simple shapes and the
 * contact's record, ns. */
#define CONTACT_NS 2000.0

double api_estimate_variants_cost(ct_query_kind kind, const ct_scene *scene) {
  uint32_t rows = ct_scene_rows(scene), stride = rows / BODY_SAMPLES + 1;
  double most = 0.0;
  for (uint32_t row = 0; row < rows; row += stride) {
    const ct_body *body = ct_scene_body(scene, row);
    double cost = body ? ct_query_pair_cost(kind, body, body) : 0.0;
    most = cost > most ? cost : most;
  }
  return most;
}

static const ct_body *find_contact_body(const ct_scene *scene, ct_text id, uint64_t serial) {
  uint32_t row = ct_scene_find(scene, id);
  return row != CT_NO_ROW && ct_scene_serial(scene, row) == serial ? ct_scene_body(scene, row)
                                                                   : NULL;
}

/* Estimates the cost of the contacts of two bodies. ct_query_pair_cost assumes that only some
 * collider pairs reach the narrow phase; here all `contacts` pairs do, so its result is scaled
 * up. */
static double estimate_contacts_of_pair(const ct_scene *scene, const ct_contact_record *r,
                                        size_t contacts) {
  const ct_body *a = find_contact_body(scene, r->body_a, r->serial_a),
                *b = find_contact_body(scene, r->body_b, r->serial_b);
  if (!a || !b) return CONTACT_NS * (double)contacts;
  double priced_pairs = (double)(ct_body_collider_count(a) + ct_body_collider_count(b));
  double share = (double)contacts / priced_pairs;
  return ct_query_pair_cost(CT_QUERY_DISTANCE, a, b) * (share > 1.0 ? share : 1.0);
}

/* Estimates the cost of all contacts of a state. Contacts of the same two bodies are adjacent in
 * it. */
static double estimate_state_contacts(const ct_scene *scene, const ct_contact_state *state) {
  size_t count = state ? ct_contact_state_count(state) : 0;
  if (count > CONTACTS_ASKED)
    return (CONTACT_NS + api_estimate_variants_cost(CT_QUERY_DISTANCE, scene)) * (double)count;
  double sum = 0.0;
  for (size_t i = 0, end; i < count; i = end) {
    const ct_contact_record *r = ct_contact_state_record(state, i);
    for (end = i + 1; end < count; end++) {
      const ct_contact_record *next = ct_contact_state_record(state, end);
      if (next->serial_a != r->serial_a || next->serial_b != r->serial_b) break;
    }
    sum += estimate_contacts_of_pair(scene, r, end - i);
  }
  return sum;
}

ct_status api_estimate_contacts_cost(const ct_scene *scene, const ct_contact_state *state,
                                     const ct_query_options *options, ct_query_kind kind,
                                     double *ns) {
  double rows = (double)ct_scene_rows(scene), members = estimate_state_contacts(scene, state);
  if (rows > ROWS_ASKED) {
    *ns = API_ROW_NS * rows + members;
    return CT_OK;
  }
  ct_query *query;
  ct_status status = kind == CT_QUERY_CONTACTS
                         ? ct_query_prepare_contacts(scene, options, NULL, &query)
                         : ct_query_prepare_distances(scene, options, NULL, &query);
  if (status != CT_OK) return status;
  double near = ct_query_cost(query);
  ct_query_destroy(query);
  /* Most contacts are among the overlapping pairs, so that the sum would count them twice. The
   * maximum is at least half of the sum. */
  *ns = API_BOX_NS * rows + (near > members ? near : members);
  return CT_OK;
}
