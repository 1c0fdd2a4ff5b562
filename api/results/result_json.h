/* Results of queries as JSON. contact/pair.h and contact/shape.h define the values. */
#ifndef API_RESULTS_RESULT_JSON_H
#define API_RESULTS_RESULT_JSON_H

#include <contact/mechanics.h>
#include <contact/pair.h>
#include <contact/query.h>

#include "common/buffer.h"
#include "results/method_json.h"

/* Motion of a contact's bodies. Speeds below the tolerance (m/s) count as zero. */
typedef struct api_contact_velocity {
  ct_mass_body bodies[2];
  double tolerance;
} api_contact_velocity;

/* One result of a pair of bodies. */
typedef struct api_pair_answer {
  const ct_body *a, *b;
  uint32_t collider_a, collider_b;
  bool
      explicit_pair; /* the pair is named by the request: PAIRS reports whether the boxes overlap */
  bool overlap;      /* OVERLAP: of the bodies; PAIRS: of the boxes */
  bool gradient;     /* DISTANCE: requested, with respect to the origins of the bodies' frames */
  ct_pose pose_a, pose_b;   /* DISTANCE, CONTACTS: poses of the bodies' frames */
  const api_method *method; /* DISTANCE, OVERLAP: requested method; NULL: none, or its result is of
                               no single pair */
  const api_method_answer *by_method; /* result of the method */
  const ct_pair_result
      *result; /* OVERLAP: only the witness in point_a; DISTANCE, CONTACTS: complete */
  const ct_contact_point *points; /* [point_count] CONTACTS */
  size_t point_count;
  const api_contact_velocity *motion; /* CONTACTS: report velocities of the points; NULL: do not */
  const ct_pair_feature *feature;     /* FEATURES; NULL: none, for the reason in the status */
  ct_features_status features_status;
} api_pair_answer;

/* Put the result of one kind. */
void api_put_pairs_result(api_buffer *buffer, const api_pair_answer *answer);
void api_put_overlap_result(api_buffer *buffer, const api_pair_answer *answer);
void api_put_distance_result(api_buffer *buffer, const api_pair_answer *answer);
void api_put_contacts_result(api_buffer *buffer, const api_pair_answer *answer);
void api_put_features_result(api_buffer *buffer, const api_pair_answer *answer);

/* Puts the member `name` with an id. */
void api_put_id(api_buffer *buffer, const char *name, ct_text id);
/* Puts the collider of a body with several ones: its id, or its index if it has no id. */
void api_put_collider_name(api_buffer *buffer, const char *name, const ct_body *body,
                           uint32_t index);
/* Puts "surface": true if a collider of either body is a mesh that is read as a surface. */
void api_put_surface(api_buffer *buffer, const ct_body *a, const ct_body *b);
/* Puts "surface": true if one of the two colliders is a mesh that is read as a surface. */
void api_put_surface_of(api_buffer *buffer, const ct_body *a, uint32_t collider_a, const ct_body *b,
                        uint32_t collider_b);
/* Puts the members from distance to position, triangles and elements, and relation; for pairs
 * without a distance `overlap` and relation. */
void api_put_pair_geometry(api_buffer *buffer, const ct_pair_result *result);
/* Puts depthKind, if the result has a depth. */
void api_put_depth_kind(api_buffer *buffer, const ct_pair_result *result);
/* Puts the member `name` with the contact's id from its two features: v3/f2, with the suffix .1 for
 * the second contact of the same features and #1 for contacts of the second patch. */
void api_put_contact_id(api_buffer *buffer, const char *name, const ct_contact_point *point);
/* Writes the words of a pair's flags into words[]; returns their number. */
#define API_PAIR_FLAGS_MAX 5
size_t api_pair_flag_words(uint32_t flags, const char *words[API_PAIR_FLAGS_MAX]);
/* Puts the members status and, if there are any, flags. */
void api_put_status(api_buffer *buffer, ct_pair_status status, uint32_t flags);
/* Puts the member flags, if there are any. */
void api_put_flags(api_buffer *buffer, const char *const *words, size_t count);
/* Puts the members status and flags, with additional flags as words. */
void api_put_status_words(api_buffer *buffer, ct_pair_status status, const char *const *flags,
                          size_t count);

/* A collider in the world, for surface ids: the id of the face, as given with the shape, that
 * contains a point of the surface. */
typedef struct api_surface {
  ct_shape shape;
  ct_frame frame;
  bool has_ids; /* false: the rest is not set */
} api_surface;

/* Returns the surface of a body's collider at a pose. The shape is borrowed from the body. */
api_surface api_surface_of(const ct_body *body, uint32_t collider, ct_pose pose);

/* Puts the member `name` with the id at a point of the surface (ct_shape_surface_at), if there are
 * ids. World frame; outward: unit normal, out of the collider. O(1), hulls O(faces), elements O(log
 * n) */
void api_put_surface_id(api_buffer *buffer, const char *name, const api_surface *surface,
                        ct_vec3 point, ct_vec3 outward);

const char *api_broadphase_word(ct_broadphase broadphase);

#endif
