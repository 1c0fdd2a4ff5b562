/* Hypothetical scenes of variants: the query's scene with the bodies and filters of a variant. A
 * request may have thousands of variants, so that their scenes are not stored. Each scene is
 * built when the request is read, to resolve ids, and rebuilt with the same rows when the
 * variant runs. */
#ifndef API_QUERIES_VARIANT_SCENE_H
#define API_QUERIES_VARIANT_SCENE_H

#include "queries/query_request.h"

/* The additions of a variant; rows of the query's scene keep their numbers. */
struct api_variant_scene {
  api_body_list bodies;
  ct_filters filters; /* in the arena */
  bool has_filters;
  const uint8_t *where_a, *where_b; /* as in the query's options, for rows of the variant's scene */
  const ct_row_pair *pairs;
  size_t pair_count;
};

/* Members of a query that refer to bodies of each variant's scene. */
typedef struct api_variant_fields {
  const api_field *variants, *where, *pairs;
} api_variant_fields;

/* Reads variants: [{poses, add?, filters?}, ...]; sets the mode, and `where` and `pairs` of the
 * options. */
bool api_read_variants(api_reader *reader, const api_variant_fields *fields, api_query *out);
/* Builds the scene of variant `index`; the caller owns it. NULL: out of memory. */
const ct_scene *api_variant_scene_make(const api_query *query, size_t index);
void api_variant_scene_release(
    api_variant_scene *own); /* frees memory outside of the arena; NULL: no effect */

#endif
