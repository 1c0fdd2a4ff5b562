/* Stages of an intersection for display: dual points, and vertices and faces of the intersection.
 */
#ifndef VOLUME_VOLUME_STAGES_H
#define VOLUME_VOLUME_STAGES_H

#include "volume/volume_common.h"

/* Appends the stages of a contact: dual points about contact->inner, vertices and faces. */
void ct_volume_push_stages(const ct_volume_common *common, ct_volume_contact *contact);

#endif
