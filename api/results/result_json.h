/* Results of queries as JSON. What the numbers mean is in contact/pair.h and contact/shape.h. */
#ifndef API_RESULTS_RESULT_JSON_H
#define API_RESULTS_RESULT_JSON_H

#include <contact/gradient.h>
#include <contact/mechanics.h>
#include <contact/query.h>

#include "common/buffer.h"
#include "results/method_json.h"

/* The bodies of a contact as they move; velocities slower than the tolerance, m/s, are none. */
typedef struct api_contact_velocity {
  ct_mass_body bodies[2];
  double tolerance;
} api_contact_velocity;

/* One result over a pair of bodies. */
typedef struct api_pair_answer {
  const ct_body *a, *b;
  uint32_t collider_a, collider_b;
  bool explicit_pair;     /* named by the request: PAIRS then tells whether the boxes overlap */
  bool overlap;           /* OVERLAP; PAIRS: of the boxes */
  bool gradient;          /* DISTANCE: requested, about the origins of the bodies' frames */
  ct_pose pose_a, pose_b; /* DISTANCE, CONTACTS: of the bodies' frames */
  const api_method
      *method; /* DISTANCE, OVERLAP: asked for; NULL: none, or what it reported is of no one pair */
  const api_method_answer *by_method; /* what it reported */
  const ct_pair_result *result; /* OVERLAP: the witness in point_a; DISTANCE, CONTACTS: all of it */
  const ct_contact_point *points; /* [point_count] CONTACTS */
  size_t point_count;
  const api_contact_velocity
      *motion; /* CONTACTS: velocities of the points are reported, too; NULL: they are not */
  const ct_pair_feature *feature; /* FEATURES; NULL: none, as the status tells */
  ct_features_status features_status;
} api_pair_answer;

/* Write the result of a kind. */
void api_put_pairs_result(api_buffer *buffer, const api_pair_answer *answer);
void api_put_overlap_result(api_buffer *buffer, const api_pair_answer *answer);
void api_put_distance_result(api_buffer *buffer, const api_pair_answer *answer);
void api_put_contacts_result(api_buffer *buffer, const api_pair_answer *answer);
void api_put_features_result(api_buffer *buffer, const api_pair_answer *answer);

/* The member `name` with an id. */
void api_put_id(api_buffer *buffer, const char *name, ct_text id);
/* Which collider of a body that has several: its id, or its index where it has none. */
void api_put_collider_name(api_buffer *buffer, const char *name, const ct_body *body,
                           uint32_t index);
/* The member surface, true, of a result that is about two bodies as wholes: a collider of either is
 * a mesh read as a surface. */
void api_put_surface(api_buffer *buffer, const ct_body *a, const ct_body *b);
/* The same of a result that is about one collider of each. */
void api_put_surface_of(api_buffer *buffer, const ct_body *a, uint32_t collider_a, const ct_body *b,
                        uint32_t collider_b);
/* The members distance to position, triangles and elements, and relation; of what has no distance
 * `overlap` and relation. */
void api_put_pair_geometry(api_buffer *buffer, const ct_pair_result *result);
/* What a depth means, where there is one. */
void api_put_depth_kind(api_buffer *buffer, const ct_pair_result *result);
/* The member `name` that names the two features of a contact: v3/f2, with .1 on the second of the
 * same two features and #1 on those of the second patch. */
void api_put_contact_id(api_buffer *buffer, const char *name, const ct_contact_point *point);
/* Words of a pair's flags into words[]; how many. */
#define API_PAIR_FLAGS_MAX 5
size_t api_pair_flag_words(uint32_t flags, const char *words[API_PAIR_FLAGS_MAX]);
/* The members status and, where there are any, flags. */
void api_put_status(api_buffer *buffer, ct_pair_status status, uint32_t flags);
/* The member flags, where there are any. */
void api_put_flags(api_buffer *buffer, const char *const *words, size_t count);
/* The same with flags that have words already. */
void api_put_status_words(api_buffer *buffer, ct_pair_status status, const char *const *flags,
                          size_t count);

/* Surface ids: the face of a collider to which a point of its surface belongs, by the ids that the
 * shape was given. A collider where it is in the world: */
typedef struct api_surface {
  ct_shape shape;
  ct_frame frame;
  bool has_ids; /* false: the rest is not set */
} api_surface;

/* Of a body at a pose. The shape is borrowed from the body. */
api_surface api_surface_of(const ct_body *body, uint32_t collider, ct_pose pose);

/* The member `name` with the id at a point of the surface, as ct_shape_surface_at finds it; nothing
 * without ids. World; outward: unit, out of the collider. O(1), hulls O(faces), elements O(log n)
 */
void api_put_surface_id(api_buffer *buffer, const char *name, const api_surface *surface,
                        ct_vec3 point, ct_vec3 outward);

const char *api_broadphase_word(ct_broadphase broadphase);

#endif
