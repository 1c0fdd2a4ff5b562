/* Contacts and loads that a force query gives explicitly. */
#ifndef API_QUERIES_GIVEN_CONTACTS_H
#define API_QUERIES_GIVEN_CONTACTS_H

#include <contact/mechanics.h>

#include "json/fields.h"

/* Greatest component of a force, N, or of a torque, N m. */
#define API_FORCE_MAX 1e18
/* Tolerance of a given normal's length; the normal is then normalised. */
#define API_NORMAL_SLACK 1e-6

/* Reads [{a, b, colliderA?, colliderB?, position, normal, fixedTo?, material?}] into out->given.
 * UNKNOWN_ID: a body or a collider; BAD_VALUE: equal bodies, no dynamic body, a normal of length
 * other than 1. */
bool api_read_given_contacts(api_reader *reader, const api_field *field, const ct_scene *scene,
                             ct_mechanics_options *out);
/* Reads [{body, force?, torque?, at?}] into out->loads. BAD_VALUE: the body is not dynamic. */
bool api_read_loads(api_reader *reader, const api_field *field, const ct_scene *scene,
                    ct_mechanics_options *out);

#endif
