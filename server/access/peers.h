/* Client addresses: number of open connections, and number of failed tokens within a minute (rate
 * limit). IPv6 clients are identified by their /64 network. Loop thread only. */
#ifndef SRV_ACCESS_PEERS_H
#define SRV_ACCESS_PEERS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

typedef struct srv_peers srv_peers;
typedef struct srv_peer srv_peer;

/* Number of failed tokens after which an address is locked, and the time within which they are
 * counted, ns. */
#define SRV_PEER_FAILURES_MAX 10
#define SRV_PEER_WINDOW_NS 60000000000u

srv_peers *srv_peers_create(void); /* NULL: out of memory */
void srv_peers_destroy(srv_peers *peers);

/* Counts one more connection of the address. The peer is valid until srv_peer_leave. NULL: out of
 * memory. */
srv_peer *srv_peer_join(srv_peers *peers, const struct sockaddr *address, uint64_t now_ns);
void srv_peer_leave(srv_peers *peers, srv_peer *peer);
/* Returns the number of open connections of the address. */
uint32_t srv_peer_connections(srv_peers *peers, const struct sockaddr *address);

/* Counts a failed token of the peer. */
void srv_peer_fail(srv_peer *peer, uint64_t now_ns);
/* Returns the remaining seconds of the lock after too many failures, else 0. */
unsigned srv_peer_locked(const srv_peer *peer, uint64_t now_ns);

#endif
