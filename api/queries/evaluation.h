/* Values that a pair query evaluates for each pair of bodies; for volumes see api_volume. */
#ifndef API_QUERIES_EVALUATION_H
#define API_QUERIES_EVALUATION_H

#include <contact/query.h>

typedef struct api_evaluation {
  double tolerance;             /* m: see ct_pair_options */
  ct_detail detail;             /* CONTACTS and force queries */
  bool nearest;                 /* DISTANCE: only the nearest pair */
  ct_overlap_test overlap_test; /* OVERLAP; NULL: ct_pair_overlap */
  ct_features_options features; /* FEATURES */
} api_evaluation;

#endif
