/* Finding the contacts of a scene's mechanics: input and result of this step. */
#ifndef MECHANICS_MECHANICS_CONTACTS_H
#define MECHANICS_MECHANICS_CONTACTS_H

#include <contact/mechanics.h>

/* The dynamic bodies of a scene, and the contacts found. Contacts refer to bodies by row. */
typedef struct ct_mechanics_parts {
  const ct_scene *scene;
  const ct_mechanics_options *options;
  ct_vec3 gravity;
  uint32_t row_count;
  uint32_t *place;      /* [row_count] index of each row's body in `dynamic` and `bodies`;
                           CT_NO_ROW: not dynamic */
  uint32_t *dynamic;    /* [dynamic_count] row of each dynamic body, ascending */
  ct_mass_body *bodies; /* [dynamic_count] */
  size_t dynamic_count;
  ct_contact *contacts;
  size_t count, capacity;
} ct_mechanics_parts;

/* Finds the contacts and adds them to parts->contacts. Returns CT_OUT_OF_MEMORY, CT_CANCELLED,
 * CT_PAIR_LIMIT, CT_LIMIT. */
ct_status ct_mechanics_find(ct_mechanics_parts *parts, ct_workspace *workspace);

#endif
