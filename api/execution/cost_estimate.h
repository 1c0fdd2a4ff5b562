/* Estimated costs of work for which no query is prepared yet, ns on one core. They decide on which
 * thread the work runs and into how many ranges it is divided. */
#ifndef API_EXECUTION_COST_ESTIMATE_H
#define API_EXECUTION_COST_ESTIMATE_H

#include <contact/contact_state.h>

/* Costs on one core, ns. Of the mass properties of one body; of these and the convex hulls of the
 * body's colliders, which may have any number of faces; of one body's AABB and its share in
 * building the AABB tree. */
#define API_MASS_NS 500.0
#define API_HULLS_NS 1e6
#define API_BOX_NS 500.0
/* Assumed cost of one body of a scene with its overlapping pairs, ns, if these pairs are not
 * estimated one by one. */
#define API_ROW_NS 10000.0
/* Assumed cost of one body of an island with its contacts (mass, contact system, forces), ns. */
#define API_ISLAND_NS 10000.0

/* Returns the cost of a query over two equal bodies, the greatest among bodies sampled from the
 * scene. It is an estimate for pairs of variants, whose poses are not known yet. */
double api_estimate_variants_cost(ct_query_kind kind, const ct_scene *scene);

/* Estimates the cost of an event of a contact state or of its zero-crossing functions: boxes,
 * overlapping pairs, and all contacts of the state at any distance. state: NULL before the
 * first event. kind: DISTANCE or CONTACTS. options: poses and cancel flag of the query. *ns is set
 * if CT_OK is returned; other statuses: CT_CANCELLED, CT_OUT_OF_MEMORY, CT_PAIR_LIMIT. */
ct_status api_estimate_contacts_cost(const ct_scene *scene, const ct_contact_state *state,
                                     const ct_query_options *options, ct_query_kind kind,
                                     double *ns);

#endif
