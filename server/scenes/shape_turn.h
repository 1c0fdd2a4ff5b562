/* Turns of the writes of shapes: one write is in progress at a time. The table of shapes after a
 * write is computed before the write is submitted, and therefore is still valid when the store
 * acknowledges the write. Loop thread only. */
#ifndef SRV_SCENES_SHAPE_TURN_H
#define SRV_SCENES_SHAPE_TURN_H

#include "state/server.h"

/* A turn in the queue of shape writes. srv_shape_turn_acquire calls `begin` at once or later;
 * srv_shape_turn_release ends the turn and begins the next one. */
typedef struct srv_shape_turn {
  struct srv_shape_turn *next;
  void (*begin)(struct srv_shape_turn *turn);
} srv_shape_turn;

void srv_shape_turn_acquire(srv_server *server, srv_shape_turn *turn);
void srv_shape_turn_release(srv_server *server);

#endif
