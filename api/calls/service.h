/* State shared by all calls of a daemon. Fixed at start, except the durability that replies
 * report. */
#ifndef API_CALLS_SERVICE_H
#define API_CALLS_SERVICE_H

#include <api/api.h>

#include <stdatomic.h>

struct api_service {
  api_limits limits;
  unsigned workers;
  const char *_Atomic durability;
};

#endif
