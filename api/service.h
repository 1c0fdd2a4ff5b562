/* What all calls of a daemon share: settings, fixed at start. */
#ifndef API_SERVICE_H
#define API_SERVICE_H

#include <api/api.h>

struct api_service {
  api_limits limits;
  unsigned workers;
  char durability[32];
};

#endif
