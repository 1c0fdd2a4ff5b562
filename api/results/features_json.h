/* Contact features in JSON: the options of a query, the check of its bodies, and one result. */
#ifndef API_RESULTS_FEATURES_JSON_H
#define API_RESULTS_FEATURES_JSON_H

#include <contact/scene.h>

#include "common/buffer.h"
#include "json/fields.h"

/* Reads mode ("backward", "forward", "closest" or "both") and edgeDepth (a size); either may be
 * absent. */
bool api_read_features(api_reader *reader, const api_field *mode, const api_field *edge_depth,
                       ct_features_options *out);

/* True if the body has a collider that supports queries of features; otherwise adds NO_TRIANGLES at
 * the path. */
bool api_features_given(api_reader *reader, const api_pointer *path, const ct_body *body);

/* Returns a warning that margin and rounding radius of meshes are ignored, if a queried body has a
 * mesh with one of them; else NULL. */
const char *api_features_warning(const ct_scene *scene, const ct_query_options *options);

/* Puts those members of a result that follow the bodies and colliders. */
void api_put_feature(api_buffer *buffer, const ct_pair_feature *feature, ct_features_status status);

#endif
