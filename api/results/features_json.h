/* Contact features in JSON: options of a query, their validity for a body, one feature as a result.
 */
#ifndef API_RESULTS_FEATURES_JSON_H
#define API_RESULTS_FEATURES_JSON_H

#include <contact/scene.h>

#include "common/buffer.h"
#include "json/fields.h"

/* mode: "backward" | "forward" | "closest" | "both"; edgeDepth: a size. Either may be absent. */
bool api_read_features(api_reader *reader, const api_field *mode, const api_field *edge_depth,
                       ct_features_options *out);

/* True if the body has a collider that supports feature queries; else adds NO_TRIANGLES at the
 * path. */
bool api_features_given(api_reader *reader, const api_pointer *path, const ct_body *body);

/* Returns a warning that margin and rounding of meshes are ignored, if a queried body has any; else
 * NULL. */
const char *api_features_warning(const ct_scene *scene, const ct_query_options *options);

/* Puts the members of a result that follow the bodies and colliders. */
void api_put_feature(api_buffer *buffer, const ct_pair_feature *feature, ct_features_status status);

#endif
