/* Turns of the writes of shapes: a queue in order of arrival. */
#include "scenes/shape_turn.h"

#include <assert.h>

static void begin_next_turn(srv_server *server) {
  srv_shape_turn *turn = server->shape_turns;
  if (server->shape_turn_taken || !turn) return;
  server->shape_turn_taken = true;
  server->shape_turns = turn->next;
  turn->begin(turn);
}

void srv_shape_turn_acquire(srv_server *server, srv_shape_turn *turn) {
  turn->next = NULL;
  srv_shape_turn **at = &server->shape_turns;
  while (*at) at = &(*at)->next;
  *at = turn;
  begin_next_turn(server);
}

void srv_shape_turn_release(srv_server *server) {
  assert(server->shape_turn_taken);
  server->shape_turn_taken = false;
  begin_next_turn(server);
}
