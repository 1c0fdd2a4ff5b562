/* Contacts and loads that the caller gives. */
#ifndef API_QUERIES_GIVEN_CONTACTS_H
#define API_QUERIES_GIVEN_CONTACTS_H

#include <contact/mechanics.h>

#include "json/fields.h"

/* Greatest component of a force, N, or of a torque, N m. */
#define API_FORCE_MAX 1e18
/* A normal's length differs from 1 by at most this; it is brought to 1. */
#define API_NORMAL_SLACK 1e-6

/* A collider of the body by its id or its index; CT_NO_COLLIDER where the member is absent. UNKNOWN_ID. */
bool api_read_collider_place(api_reader *reader, const api_field *field, const ct_body *body, uint32_t *out);
/* [{a, b, colliderA?, colliderB?, position, normal, fixedTo?, material?}] into out->given. UNKNOWN_ID: a body or a collider;
 * BAD_VALUE: a body with itself, two that nothing can move, a normal that is none. */
bool api_read_given_contacts(api_reader *reader, const api_field *field, const ct_scene *scene, ct_mechanics_options *out);
/* [{body, force?, torque?, at?}] into out->loads. BAD_VALUE: a body that forces do not move. */
bool api_read_loads(api_reader *reader, const api_field *field, const ct_scene *scene, ct_mechanics_options *out);

#endif
