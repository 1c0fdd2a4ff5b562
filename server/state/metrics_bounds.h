/* Shared by metrics.c and metrics_text.c: bounds of histograms, values of labels. */
#ifndef SRV_STATE_METRICS_BOUNDS_H
#define SRV_STATE_METRICS_BOUNDS_H

#include "state/metrics.h"

#define SRV_WORK_BOUNDS 16
#define SRV_ROUND_BOUNDS 10

/* ns, ascending */
extern const uint64_t srv_work_bounds[SRV_WORK_BOUNDS];
extern const uint64_t srv_round_bounds[SRV_ROUND_BOUNDS];

/* The last one, "other", stands for all other methods. */
extern const char *const srv_method_words[SRV_METRICS_METHODS];

#endif
