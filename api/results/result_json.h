/* Results of queries as JSON. The values are defined in contact/pair.h and contact/shape.h. */
#ifndef API_RESULTS_RESULT_JSON_H
#define API_RESULTS_RESULT_JSON_H

#include <contact/mechanics.h>
#include <contact/pair.h>
#include <contact/query.h>

#include "common/buffer.h"
#include "results/method_json.h"

/* Motion of the two bodies of a contact. Speeds below the tolerance (m/s) count as zero. */
typedef struct api_contact_velocity {
  ct_mass_body bodies[2];
  double tolerance;
} api_contact_velocity;

/* One result about a pair of bodies. */
typedef struct api_pair_answer {
  const ct_body *a, *b;
  uint32_t collider_a, collider_b;
  bool explicit_pair; /* the request names the pair; for PAIRS, the result then states whether the
                         boxes overlap */
  bool overlap;       /* OVERLAP: the bodies overlap; PAIRS: the boxes overlap */
  bool gradient;      /* DISTANCE: report the gradient, taken at the origins of the body frames */
  ct_pose pose_a, pose_b;   /* DISTANCE, CONTACTS: poses of the body frames */
  const api_method *method; /* DISTANCE, OVERLAP: requested method; NULL: none was requested, or the
                               bodies have several colliders, so that the method's data belong to no
                               single pair */
  const api_method_answer *by_method; /* data that the requested method reported; valid if `method`
                                         is not NULL */
  const ct_pair_result *result;   /* OVERLAP: only point_a is set, to a common point of the bodies;
                                     DISTANCE, CONTACTS:   all members are set */
  const ct_contact_point *points; /* [point_count] CONTACTS */
  size_t point_count;
  const api_contact_velocity *motion; /* CONTACTS: motion of both bodies, from which the velocities
                                         at the contact points are computed; NULL: velocities are
                                         not reported */
  const ct_pair_feature
      *feature; /* FEATURES; NULL: no feature, for the reason in features_status */
  ct_features_status features_status;
} api_pair_answer;

/* Put the result of one kind as an object. */
void api_put_pairs_result(api_buffer *buffer, const api_pair_answer *answer);
void api_put_overlap_result(api_buffer *buffer, const api_pair_answer *answer);
void api_put_distance_result(api_buffer *buffer, const api_pair_answer *answer);
void api_put_contacts_result(api_buffer *buffer, const api_pair_answer *answer);
void api_put_features_result(api_buffer *buffer, const api_pair_answer *answer);

/* Puts the member `name` with the given id. */
void api_put_id(api_buffer *buffer, const char *name, ct_text id);
/* Puts the collider of a body with several colliders: its id, or its index if it has no id. Puts
 * nothing for a body with one collider. */
void api_put_collider_name(api_buffer *buffer, const char *name, const ct_body *body,
                           uint32_t index);
/* Puts "surface": true if any collider of either body is a mesh that is read as a surface. */
void api_put_surface(api_buffer *buffer, const ct_body *a, const ct_body *b);
/* Puts "surface": true if one of the two given colliders is a mesh that is read as a surface. */
void api_put_surface_of(api_buffer *buffer, const ct_body *a, uint32_t collider_a, const ct_body *b,
                        uint32_t collider_b);
/* Puts distance, normal, points, position, triangles and elements, and relation of a pair; for a
 * pair without a distance, only overlap and relation. */
void api_put_pair_geometry(api_buffer *buffer, const ct_pair_result *result);
/* Puts the member depthKind if the result has a depth. */
void api_put_depth_kind(api_buffer *buffer, const ct_pair_result *result);
/* Puts the member `name` with the contact's id, made of its two features: "v3/f2". The suffix .1
 * marks the second contact of the same two features, #1 a contact of the second patch. */
void api_put_contact_id(api_buffer *buffer, const char *name, const ct_contact_point *point);
/* Writes the words of a pair's flags into words[] and returns their number. */
#define API_PAIR_FLAGS_MAX 5
size_t api_pair_flag_words(uint32_t flags, const char *words[API_PAIR_FLAGS_MAX]);
/* Puts the member status and, if there are flags, the member flags. */
void api_put_status(api_buffer *buffer, ct_pair_status status, uint32_t flags);
/* Puts the member flags, if there are any. */
void api_put_flags(api_buffer *buffer, const char *const *words, size_t count);
/* As api_put_status; the flags are given as words. */
void api_put_status_words(api_buffer *buffer, ct_pair_status status, const char *const *flags,
                          size_t count);

/* A collider at its world pose, from which surface ids are found: the id of the face that contains
 * a point of the surface, as given with the shape. */
typedef struct api_surface {
  ct_shape shape;
  ct_frame frame;
  bool has_ids; /* false: the shape has no ids, and the other members are not set */
} api_surface;

/* Returns the surface of a body's collider, with the body at `pose`. The shape is borrowed from the
 * body. */
api_surface api_surface_of(const ct_body *body, uint32_t collider, ct_pose pose);

/* Puts the member `name` with the id of the face at a point of the surface (ct_shape_surface_at),
 * if the shape has ids. World frame; outward: unit normal that points out of the collider. O(1);
 * for hulls O(faces), for elements O(log n). */
void api_put_surface_id(api_buffer *buffer, const char *name, const api_surface *surface,
                        ct_vec3 point, ct_vec3 outward);

const char *api_broadphase_word(ct_broadphase broadphase);

#endif
