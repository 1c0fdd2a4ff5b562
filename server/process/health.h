/* --healthcheck: queries /readyz of the daemon that the settings describe, for container images
 * that have neither a shell nor an HTTP client. */
#ifndef SRV_PROCESS_HEALTH_H
#define SRV_PROCESS_HEALTH_H

#include "process/config.h"

/* True if GET /readyz is answered 200 within 2 s; else one sentence on standard error. A wildcard
 * address is queried on the loopback. */
bool srv_health_check(const srv_config *config);

#endif
