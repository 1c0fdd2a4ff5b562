/* Start, event loop, sweep and end of the server. Loop thread only. */
#ifndef SRV_RUN_RUN_H
#define SRV_RUN_RUN_H

#include "state/server.h"

/* ---- loop.c --------------------------------------------------------------------------------- */

/* Creates the parts of the server that need no socket. False after one sentence on standard
 * error. */
bool srv_server_create(srv_server *server, const srv_config *config, api_service *service);
/* Starts listening, and prints the address on standard output. False after one sentence on standard
 * error. */
bool srv_server_listen(srv_server *server);
/* Serves until the drain is over. */
void srv_server_run(srv_server *server);
void srv_server_destroy(srv_server *server);

/* ---- drain.c -------------------------------------------------------------------------------- */

/* Begins the graceful shutdown; a second call ends the process at once. */
void srv_drain_begin(srv_server *server);
/* Stops the loop if the drain is complete. Must be called before the loop sleeps. */
void srv_drain_check(srv_server *server);
/* Advances the drain by time, then checks whether it is complete. Called by the reaper, outside of
 * libmicrohttpd. */
void srv_drain_tick(srv_server *server, uint64_t now_ns);

/* ---- sweep.c -------------------------------------------------------------------------------- */

/* Ends suspended requests whose client has disconnected or whose deadline has passed. Called every
 * SRV_SWEEP_MS while a connection is suspended. */
void srv_sweep_tick(srv_server *server);

#endif
