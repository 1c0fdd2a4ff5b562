/* Digests of content: BLAKE2b with 256 bits over doubles and indices, incrementally.
 *
 * A collision needs about 2^128 tries, also for an attacker, so equal digests mean equal content.
 * -0 counts as 0. Same result on every machine. Saarinen, Aumasson 2015 (RFC 7693).
 */
#ifndef BASE_DIGEST_H
#define BASE_DIGEST_H

#include "base/poll.h"

#include <stddef.h>
#include <stdint.h>

typedef struct ct_digest {
  uint64_t word[4];
} ct_digest;

/* A digest in progress. A full block of 16 words is compressed only when another word arrives,
 * because the last block is compressed differently. */
typedef struct ct_digest_state {
  uint64_t chain[8], block[16], words;
  size_t used;
  ct_poll poll; /* counts words */
} ct_digest_state;

/* cancel: may be NULL. */
void ct_digest_open(ct_digest_state *state, const ct_cancel *cancel);
/* Adds doubles. False: cancelled. */
bool ct_digest_doubles(ct_digest_state *state, const double *values, size_t count);
/* Adds indices, two per 64-bit word; the last of an odd number of indices is paired with zero.
 * False: cancelled. */
bool ct_digest_indices(ct_digest_state *state, const uint32_t *values, size_t count);
/* Call if no addition was cancelled. */
ct_digest ct_digest_close(ct_digest_state *state);

/* Compares two digests lexicographically by words: < 0, 0 or > 0. */
int ct_digest_compare(const ct_digest *a, const ct_digest *b);

#endif
