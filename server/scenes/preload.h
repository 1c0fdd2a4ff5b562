/* Preloading of scenes from files at start. */
#ifndef SRV_SCENES_PRELOAD_H
#define SRV_SCENES_PRELOAD_H

#include "state/server.h"

/* Loads a scene document at start. False after one sentence on standard error. */
bool srv_preload(srv_server *server, const char *path);

#endif
