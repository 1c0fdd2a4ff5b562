/* What a pair query evaluates for each pair of bodies. For queries of volumes see api_volume. */
#ifndef API_QUERIES_EVALUATION_H
#define API_QUERIES_EVALUATION_H

#include <contact/query.h>

typedef struct api_evaluation {
  double tolerance; /* tolerance of ct_pair_options, m */
  ct_detail detail; /* CONTACTS and force queries: which contact points of a pair are reported */
  bool nearest;     /* DISTANCE: only the nearest of all pairs is a result */
  ct_overlap_test overlap_test; /* OVERLAP: function that decides the overlap of two colliders;
                                   NULL: ct_pair_overlap */
  ct_features_options features; /* FEATURES */
} api_evaluation;

#endif
