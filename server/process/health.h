/* --healthcheck: asks the daemon that these settings describe whether it is ready, for images that have no shell and no client. */
#ifndef SRV_PROCESS_HEALTH_H
#define SRV_PROCESS_HEALTH_H

#include "process/config.h"

/* True if GET /readyz is answered 200 within 2 s; else one sentence on standard error. An address that stands for all is asked on
 * loopback. */
bool srv_health_check(const srv_config *config);

#endif
