/* The mechanics of a scene in the making. Steps in order: mechanics.c, mechanics_contacts.c,
 * mechanics_islands.c.
 */
#ifndef MECHANICS_MECHANICS_BUILD_H
#define MECHANICS_MECHANICS_BUILD_H

#include "mechanics/mechanics.h"

/* Where an island's bodies and contacts stand among those of all islands. */
typedef struct ct_island_range {
  size_t body, body_count;
  size_t contact, contact_count;
} ct_island_range;

/* Contacts stand island by island, and name the island's own bodies. */
struct ct_mechanics {
  ct_mass_body *bodies;
  uint32_t *rows; /* of each body */
  ct_contact *contacts;
  uint32_t *numbers; /* of each contact: its place among all that take part */
  size_t count;      /* contacts */
  ct_island_range *islands;
  size_t island_count;
};

/* A scene's dynamic bodies, and the contacts found, which still name rows. */
typedef struct ct_mechanics_parts {
  const ct_scene *scene;
  const ct_mechanics_options *options;
  ct_vec3 gravity;
  uint32_t row_count;
  uint32_t *place;      /* [row_count] among the dynamic bodies, or CT_NO_ROW */
  uint32_t *dynamic;    /* [dynamic_count] rows, ascending */
  ct_mass_body *bodies; /* [dynamic_count] */
  size_t dynamic_count;
  ct_contact *contacts;
  size_t count, capacity;
} ct_mechanics_parts;

/* The row as it is in the question: at its pose and with its velocity, what-if or not, under
 * gravity. */
bool ct_mechanics_body(const ct_mechanics_parts *parts, uint32_t row, ct_mass_body *out);
/* Fills touches. CT_OUT_OF_MEMORY, CT_CANCELLED, CT_PAIR_LIMIT, CT_LIMIT. */
ct_status ct_mechanics_find(ct_mechanics_parts *parts, ct_workspace *workspace);
/* Fills *out, which is zero. CT_OUT_OF_MEMORY. */
ct_status ct_mechanics_link(const ct_mechanics_parts *parts, ct_mechanics *out);

#endif
