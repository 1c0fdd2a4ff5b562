/* What is remembered of client addresses: open connections, and failed tokens within a minute. An IPv6 client is its /64 network.
 * Loop thread only. */
#ifndef SRV_ACCESS_PEERS_H
#define SRV_ACCESS_PEERS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

typedef struct srv_peers srv_peers;
typedef struct srv_peer srv_peer;

/* Failed tokens of one address that are answered before it has to wait, and the time counted over. */
#define SRV_PEER_FAILURES_MAX 10
#define SRV_PEER_WINDOW_NS 60000000000u

srv_peers *srv_peers_create(void); /* NULL: out of memory */
void srv_peers_destroy(srv_peers *peers);

/* Counts one more connection; the peer stays valid until srv_peer_leave. NULL: out of memory. */
srv_peer *srv_peer_join(srv_peers *peers, const struct sockaddr *address, uint64_t now_ns);
void srv_peer_leave(srv_peers *peers, srv_peer *peer);
/* Open connections of the address. */
uint32_t srv_peer_connections(srv_peers *peers, const struct sockaddr *address);

void srv_peer_fail(srv_peer *peer, uint64_t now_ns);
/* Seconds to wait when the address has failed too often, else 0. */
unsigned srv_peer_locked(const srv_peer *peer, uint64_t now_ns);

#endif
