/* Loads scenes from files when the daemon starts. */
#ifndef SRV_SCENES_PRELOAD_H
#define SRV_SCENES_PRELOAD_H

#include "state/server.h"

/* Loads a scene document from a file. False after one sentence on standard error. */
bool srv_preload(srv_server *server, const char *path);

#endif
