/* A fixed hash table with chains. A peer without connections remains while its failures count, and
 * is freed by a later search in its chain. */
#include "access/peers.h"

#include "process/address.h"

#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#define BUCKETS 1024u
#define KEY_BYTES 16

struct srv_peer {
  srv_peer *next;
  uint8_t key[KEY_BYTES];
  uint32_t connections;
  uint32_t failures;
  uint64_t window_ns; /* start of the time within which failures are counted */
};

struct srv_peers {
  uint64_t
      seed; /* random: clients choose their addresses, and must not be able to force collisions */
  srv_peer *buckets[BUCKETS];
};

srv_peers *srv_peers_create(void) {
  srv_peers *peers = calloc(1, sizeof *peers);
  if (peers && getrandom(&peers->seed, sizeof peers->seed, 0) != (ssize_t)sizeof peers->seed)
    peers->seed = 0x9e3779b97f4a7c15u;
  return peers;
}

void srv_peers_destroy(srv_peers *peers) {
  if (!peers) return;
  for (unsigned i = 0; i < BUCKETS; i++) {
    while (peers->buckets[i]) {
      srv_peer *next = peers->buckets[i]->next;
      free(peers->buckets[i]);
      peers->buckets[i] = next;
    }
  }
  free(peers);
}

static void write_peer_key(const struct sockaddr *address, uint8_t *key) {
  uint32_t four;
  memset(key, 0, KEY_BYTES);
  if (srv_address_ipv4(address, &four)) {
    key[0] = 4;
    memcpy(key + 1, &four, sizeof four);
  } else if (address->sa_family == AF_INET6) {
    key[0] = 6;
    memcpy(key + 1, ((const struct sockaddr_in6 *)(const void *)address)->sin6_addr.s6_addr, 8);
  }
}

static srv_peer **get_bucket(srv_peers *peers, const uint8_t *key) {
  uint64_t a, b;
  memcpy(&a, key, sizeof a);
  memcpy(&b, key + 8, sizeof b);
  uint64_t h = (a ^ peers->seed) * 0x9e3779b97f4a7c15u;
  h = (h ^ (h >> 29) ^ b) * 0xbf58476d1ce4e5b9u;
  return &peers->buckets[(h >> 32) % BUCKETS];
}

/* Finds a peer by its key, and frees the expired peers in its chain. NULL: there is none. */
static srv_peer *find_peer(srv_peers *peers, const uint8_t *key, uint64_t now_ns) {
  srv_peer *found = NULL;
  for (srv_peer **at = get_bucket(peers, key); *at;) {
    srv_peer *peer = *at;
    if (memcmp(peer->key, key, KEY_BYTES) == 0) found = peer;
    else if (peer->connections == 0 && now_ns - peer->window_ns > SRV_PEER_WINDOW_NS) {
      *at = peer->next;
      free(peer);
      continue;
    }
    at = &peer->next;
  }
  return found;
}

srv_peer *srv_peer_join(srv_peers *peers, const struct sockaddr *address, uint64_t now_ns) {
  uint8_t key[KEY_BYTES];
  write_peer_key(address, key);
  srv_peer *peer = find_peer(peers, key, now_ns);
  if (!peer) {
    peer = calloc(1, sizeof *peer);
    if (!peer) return NULL;
    srv_peer **bucket = get_bucket(peers, key);
    memcpy(peer->key, key, KEY_BYTES);
    peer->next = *bucket;
    *bucket = peer;
  }
  peer->connections++;
  return peer;
}

void srv_peer_leave(srv_peers *peers, srv_peer *peer) {
  if (--peer->connections > 0 || peer->failures > 0) return;
  for (srv_peer **at = get_bucket(peers, peer->key); *at; at = &(*at)->next) {
    if (*at != peer) continue;
    *at = peer->next;
    free(peer);
    return;
  }
}

uint32_t srv_peer_connections(srv_peers *peers, const struct sockaddr *address) {
  uint8_t key[KEY_BYTES];
  write_peer_key(address, key);
  for (const srv_peer *peer = *get_bucket(peers, key); peer; peer = peer->next)
    if (memcmp(peer->key, key, KEY_BYTES) == 0) return peer->connections;
  return 0;
}

void srv_peer_fail(srv_peer *peer, uint64_t now_ns) {
  if (peer->failures == 0 || now_ns - peer->window_ns > SRV_PEER_WINDOW_NS) {
    peer->failures = 0;
    peer->window_ns = now_ns;
  }
  peer->failures++;
}

unsigned srv_peer_locked(const srv_peer *peer, uint64_t now_ns) {
  if (peer->failures < SRV_PEER_FAILURES_MAX || now_ns - peer->window_ns > SRV_PEER_WINDOW_NS)
    return 0;
  return (unsigned)((SRV_PEER_WINDOW_NS - (now_ns - peer->window_ns)) / 1000000000u) + 1;
}
