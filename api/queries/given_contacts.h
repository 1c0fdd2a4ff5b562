/* Contacts and loads that the request of a force query contains. */
#ifndef API_QUERIES_GIVEN_CONTACTS_H
#define API_QUERIES_GIVEN_CONTACTS_H

#include <contact/mechanics.h>

#include "json/fields.h"

/* Greatest component of a force, N, and of a torque, N m. */
#define API_FORCE_MAX 1e18
/* Tolerance by which the length of a given normal may differ from 1; the normal is then
 * normalised. */
#define API_NORMAL_SLACK 1e-6

/* Reads [{a, b, colliderA?, colliderB?, position, normal, fixedTo?, material?}] into out->given.
 * UNKNOWN_ID: a body or a collider. BAD_VALUE: a equals b, neither body is dynamic, or the normal's
 * length is not 1. */
bool api_read_given_contacts(api_reader *reader, const api_field *field, const ct_scene *scene,
                             ct_mechanics_options *out);
/* Reads [{body, force?, torque?, at?}] into out->loads. BAD_VALUE: a body is not dynamic. */
bool api_read_loads(api_reader *reader, const api_field *field, const ct_scene *scene,
                    ct_mechanics_options *out);

#endif
