/* Scenes of variants: the query's, with bodies that a variant adds and with filters of its own.
 *
 * A request may have thousands, so that none stays: each is made to read what the query says of its
 * bodies, and made again, with the same rows, while its variant runs. */
#ifndef API_QUERIES_VARIANT_SCENE_H
#define API_QUERIES_VARIANT_SCENE_H

#include "queries/query_request.h"

/* The scene is the query's with these; rows of the query's scene keep their numbers in it. */
struct api_variant_scene {
  api_body_list bodies;
  ct_filters filters; /* in the arena */
  bool has_filters;
  const uint8_t *where_a, *where_b; /* as in the query's options, of the variant's own rows */
  const ct_row_pair *pairs;
  size_t pair_count;
};

/* Members of a query that mean bodies of each variant's scene. */
typedef struct api_variant_fields {
  const api_field *variants, *where, *pairs;
} api_variant_fields;

/* variants: [{poses, add?, filters?}, ...]; sets the mode, and `where` and `pairs` of the options.
 */
bool api_read_variants(api_reader *reader, const api_variant_fields *fields, api_query *out);
/* The scene of variant `index`; the caller owns the reference. NULL: out of memory. */
const ct_scene *api_variant_scene_make(const api_query *question, size_t index);
void api_variant_scene_release(
    api_variant_scene *own); /* what it owns outside of the arena; NULL: nothing */

#endif
