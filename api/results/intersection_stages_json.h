/* Stages in computing the intersection of two convex polyhedra, as JSON. */
#ifndef API_RESULTS_INTERSECTION_STAGES_JSON_H
#define API_RESULTS_INTERSECTION_STAGES_JSON_H

#include <contact/volume.h>

#include "common/buffer.h"

/* Puts the member "stages" of a contact; `list` is the result that contains the contact and was
 * computed with stages. */
void api_put_stages(api_buffer *buffer, const ct_volume_contact *contact, const ct_volume *list);

/* Puts "owner", "faceA" and "faceB": the body and the faces that contain a vertex or face of the
 * intersection. */
void api_put_owner(api_buffer *buffer, ct_volume_owner owner, uint32_t face_a, uint32_t face_b);

#endif
