/* Islands with their impulses or resting forces as JSON. contact/impulse.h and contact/resting.h
 * define the values. */
#ifndef API_RESULTS_FORCE_JSON_H
#define API_RESULTS_FORCE_JSON_H

#include <contact/impulse.h>
#include <contact/resting.h>

#include "common/buffer.h"

/* An island of a scene. Features and distances are reported for contacts that were detected. */
typedef struct api_force_island {
  const ct_scene *scene;
  const ct_island *island;
  bool found;
} api_force_island;

/* Opens an element with a contact's bodies and position, and the features of a detected contact. */
void api_open_contact(api_buffer *buffer, const ct_body *a, const ct_body *b,
                      const ct_contact *contact, bool found);
/* law_ignored: a contact law was requested and had no effect. */
void api_put_impulse(api_buffer *buffer, const api_force_island *about,
                     const ct_impulse_result *result, bool law_ignored);
/* Puts an object and leaves it open for its flags and the members of A and b. */
void api_put_resting(api_buffer *buffer, const api_force_island *about,
                     const ct_resting_options *options, const ct_resting_result *result);
void api_put_resting_flags(api_buffer *buffer, const ct_resting_result *result,
                           bool matrix_left_out);
const char *api_resting_friction_word(ct_resting_friction friction);
const char *api_velocity_class_word(ct_velocity_class velocity_class);

/* Puts the member `name`: `count` numbers, or rows of `count` numbers. */
void api_put_numbers(api_buffer *buffer, const char *name, const double *values, size_t count);
void api_put_rows(api_buffer *buffer, const char *name, const double *values, size_t rows,
                  size_t columns);

#endif
