/* Hypothetical scenes of variants: the query's scene with the bodies and filters that a variant
 * adds. They are not stored, because a request may have thousands of variants: the scene of a
 * variant is built when the request is read, to resolve ids, and again, with the same rows, when
 * the variant runs. */
#ifndef API_QUERIES_VARIANT_SCENE_H
#define API_QUERIES_VARIANT_SCENE_H

#include "queries/query_request.h"

/* What a variant adds to the query's scene, whose bodies keep their rows. */
struct api_variant_scene {
  api_body_list bodies;
  ct_filters filters; /* in the arena */
  bool has_filters;
  const uint8_t *where_a,
      *where_b; /* masks of the query's `where`, one byte for each row of the variant's scene */
  const ct_row_pair *pairs;
  size_t pair_count;
};

/* Members of a query whose ids are looked up in each variant's scene. */
typedef struct api_variant_fields {
  const api_field *variants, *where, *pairs;
} api_variant_fields;

/* Reads variants: [{poses, add?, filters?}, ...]. Sets the query's mode, and `where` and `pairs` of
 * its options. */
bool api_read_variants(api_reader *reader, const api_variant_fields *fields, api_query *out);
/* Builds the scene of the variant at `index`; the caller owns it. NULL: out of memory. */
const ct_scene *api_variant_scene_make(const api_query *query, size_t index);
void api_variant_scene_release(
    api_variant_scene *own); /* frees the memory outside of the arena; NULL is allowed */

#endif
