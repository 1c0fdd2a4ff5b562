/* Digests of content: BLAKE2b of 256 bits, of doubles and indices that are given in pieces.
 *
 * Two contents with one digest are not known and take some 2^128 tries, also for someone who looks
 * for them: equal digests stand for equal content. -0 counts as 0. The same on every machine.
 * Source: Saarinen, Aumasson 2015 (RFC 7693).
 */
#ifndef BASE_DIGEST_H
#define BASE_DIGEST_H

#include <stddef.h>
#include <stdint.h>

typedef struct ct_digest {
  uint64_t word[4];
} ct_digest;

/* A digest in the making: a block of 16 words waits until another follows. */
typedef struct ct_digest_state {
  uint64_t chain[8], block[16], words;
  size_t used;
} ct_digest_state;

void ct_digest_open(ct_digest_state *state);
void ct_digest_doubles(ct_digest_state *state, const double *values, size_t count);
/* Two to a word; an odd last one with a zero. */
void ct_digest_indices(ct_digest_state *state, const uint32_t *values, size_t count);
ct_digest ct_digest_close(ct_digest_state *state);

/* < 0, 0 or > 0: word by word. */
int ct_digest_compare(const ct_digest *a, const ct_digest *b);

#endif
