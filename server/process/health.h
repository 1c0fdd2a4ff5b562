/* --healthcheck: queries /readyz of the daemon that the settings describe. For container images,
 * which have neither a shell nor an HTTP client. */
#ifndef SRV_PROCESS_HEALTH_H
#define SRV_PROCESS_HEALTH_H

#include "process/config.h"

/* True if GET /readyz is answered 200 within 2 s. False after one sentence on standard error. If
 * the daemon's address is a wildcard, the loopback address is queried. */
bool srv_health_check(const srv_config *config);

#endif
