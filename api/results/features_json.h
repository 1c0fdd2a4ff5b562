/* Contact features in JSON: what a question says of them, whom they can be asked of, and one as a
 * result. */
#ifndef API_RESULTS_FEATURES_JSON_H
#define API_RESULTS_FEATURES_JSON_H

#include <contact/scene.h>

#include "common/buffer.h"
#include "json/fields.h"

/* mode: "backward" | "forward" | "closest" | "both"; edgeDepth: a size. Either may be absent. */
bool api_read_features(api_reader *reader, const api_field *mode, const api_field *edge_depth,
                       ct_features_options *out);

/* Has the body a collider that features can be asked of? Else false, with NO_TRIANGLES at the path.
 */
bool api_features_given(api_reader *reader, const api_pointer *path, const ct_body *body);

/* Says that margin and rounding of meshes do not count, where a body asked has any; else NULL. */
const char *api_features_warning(const ct_scene *scene, const ct_query_options *options);

/* The members of a result after the bodies and colliders. */
void api_put_feature(api_buffer *buffer, const ct_pair_feature *feature, ct_features_status status);

#endif
