/* State shared by all calls of a daemon. It is set at start and then constant, except for the
 * durability word that replies to writes report. */
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
