/* Keyed hash of short texts: SipHash-1-3 (Aumasson, Bernstein 2012). Without the key it is hard to
 * construct colliding ids. No result depends on the hash. */
#ifndef SCENE_HASH_H
#define SCENE_HASH_H

#include <stdint.h>
#include <string.h>

#include <contact/scene.h>

typedef struct ct_hash_key {
  uint64_t k0, k1;
} ct_hash_key;

static inline uint64_t ct_rotate_left(uint64_t x, int bits) {
  return (x << bits) | (x >> (64 - bits));
}

typedef struct ct_hash_state {
  uint64_t a, b, c, d;
} ct_hash_state;

static inline void ct_hash_round(ct_hash_state *v) {
  v->a += v->b;
  v->c += v->d;
  v->b = ct_rotate_left(v->b, 13) ^ v->a;
  v->d = ct_rotate_left(v->d, 16) ^ v->c;
  v->a = ct_rotate_left(v->a, 32);
  v->c += v->b;
  v->a += v->d;
  v->b = ct_rotate_left(v->b, 17) ^ v->c;
  v->d = ct_rotate_left(v->d, 21) ^ v->a;
  v->c = ct_rotate_left(v->c, 32);
}

static inline uint64_t ct_hash_text(ct_hash_key key, ct_text text) {
  ct_hash_state v = {key.k0 ^ 0x736f6d6570736575u, key.k1 ^ 0x646f72616e646f6du,
                     key.k0 ^ 0x6c7967656e657261u, key.k1 ^ 0x7465646279746573u};
  size_t i = 0;
  for (; i + 8 <= text.length; i += 8) {
    uint64_t word;
    memcpy(&word, text.bytes + i, 8);
    v.d ^= word;
    ct_hash_round(&v);
    v.a ^= word;
  }
  uint64_t last = (uint64_t)text.length << 56;
  for (unsigned shift = 0; i < text.length; i++, shift += 8)
    last |= (uint64_t)(unsigned char)text.bytes[i] << shift;
  v.d ^= last;
  ct_hash_round(&v);
  v.a ^= last;
  v.c ^= 0xff;
  for (int k = 0; k < 3; k++) ct_hash_round(&v);
  return v.a ^ v.b ^ v.c ^ v.d;
}

/* Hashes a number by the finaliser of SplitMix64 (Steele, Lea, Flood 2014). */
static inline uint64_t ct_hash_number(uint64_t key, uint64_t number) {
  uint64_t z = number + key;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

static inline bool ct_text_same(ct_text a, ct_text b) {
  return a.length == b.length && (a.length == 0 || memcmp(a.bytes, b.bytes, a.length) == 0);
}

#endif
