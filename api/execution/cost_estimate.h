/* Estimated costs of work without a prepared query, ns on one core. They decide where work runs and
 * how it is divided into ranges. */
#ifndef API_EXECUTION_COST_ESTIMATE_H
#define API_EXECUTION_COST_ESTIMATE_H

#include <contact/contact_state.h>

/* Mass properties of a body; the same with hulls, which have any number of faces; a box with its
 * share of a tree; a row of a scene whose overlapping pairs are not counted. */
#define API_MASS_NS 500.0
#define API_HULLS_NS 1e6
#define API_BOX_NS 500.0
#define API_ROW_NS 10000.0
/* A body with its contacts in an island: mass, contact system, forces. */
#define API_ISLAND_NS 10000.0

/* Greatest cost of a pair of equal bodies in a sample, for poses that are not known yet. */
double api_estimate_variants_cost(ct_query_kind kind, const ct_scene *scene);

/* Cost of an event of a contact state, or of its zero-crossing functions: boxes, overlapping pairs,
 * and all contacts of the state at any distance. state: NULL before the first event. kind:
 * DISTANCE or CONTACTS; options: with poses and cancel flag. CT_CANCELLED, CT_OUT_OF_MEMORY,
 * CT_PAIR_LIMIT. */
ct_status api_estimate_contacts_cost(const ct_scene *scene, const ct_contact_state *state,
                                     const ct_query_options *options, ct_query_kind kind,
                                     double *ns);

#endif
