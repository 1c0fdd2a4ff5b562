/* Islands with their impulses or resting forces as JSON. The values are defined in
 * contact/impulse.h and contact/resting.h. */
#ifndef API_RESULTS_FORCE_JSON_H
#define API_RESULTS_FORCE_JSON_H

#include <contact/impulse.h>
#include <contact/resting.h>

#include "common/buffer.h"

/* An island of a scene. found: its contacts were detected, not given by the request, and are put
 * with features and distances. */
typedef struct api_force_island {
  const ct_scene *scene;
  const ct_island *island;
  bool found;
} api_force_island;

/* Opens an object with the contact's bodies and position and, if `found`, the features of the
 * detected contact. The caller adds members and closes it. */
void api_open_contact(api_buffer *buffer, const ct_body *a, const ct_body *b,
                      const ct_contact *contact, bool found);
/* Puts the impulses of an island. law_ignored: the requested contact law had no effect. */
void api_put_impulse(api_buffer *buffer, const api_force_island *about,
                     const ct_impulse_result *result, bool law_ignored);
/* Puts the resting forces of an island and leaves the object open for its flags and for A and b. */
void api_put_resting(api_buffer *buffer, const api_force_island *about,
                     const ct_resting_options *options, const ct_resting_result *result);
void api_put_resting_flags(api_buffer *buffer, const ct_resting_result *result,
                           bool matrix_left_out);
const char *api_resting_friction_word(ct_resting_friction friction);
const char *api_velocity_class_word(ct_velocity_class velocity_class);

/* Put the member `name`: an array of `count` numbers, or of `rows` rows of `columns` numbers. */
void api_put_numbers(api_buffer *buffer, const char *name, const double *values, size_t count);
void api_put_rows(api_buffer *buffer, const char *name, const double *values, size_t rows,
                  size_t columns);

#endif
