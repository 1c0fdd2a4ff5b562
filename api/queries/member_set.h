/* The members of a query. Which of them a query accepts depends on its kind and its target (a scene
 * of the daemon, an inline scene, given bodies or raw boxes). */
#ifndef API_QUERIES_MEMBER_SET_H
#define API_QUERIES_MEMBER_SET_H

#include "queries/force_request.h"
#include <assert.h>

#include "json/fields.h"

#define API_MEMBER_MAP(X)                                                                          \
  X(WHERE, "where")                                                                                \
  X(PAIRS, "pairs")                                                                                \
  X(POSES, "poses")                                                                                \
  X(VARIANTS, "variants")                                                                          \
  X(CLEARANCE, "clearance")                                                                        \
  X(TOLERANCE, "tolerance")                                                                        \
  X(DETAIL, "detail")                                                                              \
  X(BROADPHASE, "broadphase")                                                                      \
  X(BODIES, "bodies")                                                                              \
  X(ADD, "add")                                                                                    \
  X(SUMMARY, "summary")                                                                            \
  X(FILTERS, "filters")                                                                            \
  X(LIMIT, "limit")                                                                                \
  X(TOTAL, "total")                                                                                \
  X(CLOSEST, "closest")                                                                            \
  X(CURSOR, "cursor")                                                                              \
  X(DEADLINE, "deadlineMs")                                                                        \
  X(A, "a")                                                                                        \
  X(B, "b")                                                                                        \
  X(SCENE, "scene")                                                                                \
  X(INCLUDE, "include")                                                                            \
  X(METHOD, "method")                                                                              \
  X(MPR_TOLERANCE, "mprTolerance")                                                                 \
  X(CACHE, "cache")                                                                                \
  X(MAX_ITERATIONS, "maxIterations")                                                               \
  X(WEIGHTING, "normalWeighting")                                                                  \
  X(EPSILON, "epsilon")                                                                            \
  X(TRIANGLES, "triangles")                                                                        \
  X(SPARSIFY, "sparsify")                                                                          \
  X(RAYS, "rays")                                                                                  \
  X(HITS, "hits")                                                                                  \
  X(POINTS, "points")                                                                              \
  X(NEAREST, "k")                                                                                  \
  X(MAX_DISTANCE, "maxDistance")                                                                   \
  X(REGION, "region")                                                                              \
  X(MODE, "mode")                                                                                  \
  X(EDGE_DEPTH, "edgeDepth")                                                                       \
  X(DURATION, "duration")                                                                          \
  X(MOTIONS, "motions")                                                                            \
  X(DEFAULT_MOTION, "defaultMotion")                                                               \
  X(MOTION_A, "motionA")                                                                           \
  X(MOTION_B, "motionB")                                                                           \
  X(FROM, "from")                                                                                  \
  X(TO, "to")                                                                                      \
  X(DISTANCE_TOLERANCE, "distanceTolerance")                                                       \
  X(TIME_TOLERANCE, "timeTolerance")                                                               \
  X(EARLIEST, "earliest")                                                                          \
  X(MAX_CHANGES, "maxChanges")                                                                     \
  X(CONTACT_STATE, "contactState")                                                                 \
  X(EVALUATION, "evaluation")                                                                      \
  X(BOXES, "boxes")                                                                                \
  X(FRAMES, "frames")                                                                              \
  X(ID, "id")                                                                                      \
  X(KIND, "kind")

enum {
#define API_MEMBER_ENUM(name, word) API_MEMBER_##name,
  API_MEMBER_MAP(API_MEMBER_ENUM)
#undef API_MEMBER_ENUM
      API_MEMBER_COUNT,
  /* The members of force queries have the following numbers; a kind accepts them by a mask of their
   * own. */
  API_MEMBER_FORCE = API_MEMBER_COUNT,
  API_MEMBERS_ALL = API_MEMBER_FORCE + API_FORCE_MEMBER_COUNT
};

_Static_assert(API_MEMBER_COUNT <= 64, "one bit for each");

#define API_MEMBER(name) (UINT64_C(1) << API_MEMBER_##name)
/* Members of every query whose results are paged. */
#define API_MEMBERS_PAGE (API_MEMBER(LIMIT) | API_MEMBER(CURSOR) | API_MEMBER(TOTAL))
/* Members of a query of two bodies that the request contains. */
#define API_MEMBERS_GIVEN (API_MEMBER(A) | API_MEMBER(B))

/* The members that a query accepts, each present or absent in the request. */
typedef struct api_member_set {
  const api_pointer *whole; /* location of the query in the request */
  api_field list[API_MEMBERS_ALL + 1];
  size_t count;
  uint8_t place[API_MEMBERS_ALL]; /* by member: its index in `list`; the index after the last one if
                                     it is not accepted */
} api_member_set;

/* Returns a member of the query; it is absent if the query does not accept it. */
static inline const api_field *api_member(const api_member_set *set, int which) {
  assert(which >= 0 && which < API_MEMBERS_ALL && set->place[which] <= set->count);
  return &set->list[set->place[which]];
}

#endif
