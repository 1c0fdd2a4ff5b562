/* Rough costs of work that no query has been prepared for, ns on one core: to choose where it runs and how it is cut. */
#ifndef API_EXECUTION_COST_ESTIMATE_H
#define API_EXECUTION_COST_ESTIMATE_H

#include <contact/contact_state.h>

/* Mass properties of a body; a box, with its share of a tree; a body of a scene that is not asked which of its pairs meet. */
#define API_MASS_NS 500.0
/* With the hulls of its colliders: any number of faces, which are written by a worker. */
#define API_HULLS_NS 1e6
#define API_BOX_NS 500.0
#define API_ROW_NS 10000.0
/* A body with its contacts among others that push each other: mass, contact system, forces. */
#define API_ISLAND_NS 10000.0

/* The costliest of some bodies against its like: what may meet where the poses are not known yet. */
double api_estimate_variants_cost(ct_query_kind kind, const ct_scene *scene);

/* An event of a contact state in the scene, or its zero-crossing functions: boxes, the pairs that meet, and all contacts of the
 * state however far apart they are now. state: NULL before the first event. options: of kind distance, with the poses and the
 * cancel flag. CT_CANCELLED, CT_OUT_OF_MEMORY, CT_PAIR_LIMIT. */
ct_status api_estimate_contacts_cost(const ct_scene *scene, const ct_contact_state *state, const ct_query_options *options,
                                     double *ns);

#endif
