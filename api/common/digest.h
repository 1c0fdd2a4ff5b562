/* Content-derived names of shapes: SHA-256 (FIPS 180-4) of the uploaded bytes. */
#ifndef API_COMMON_DIGEST_H
#define API_COMMON_DIGEST_H

#include <contact/base.h>
#include <stddef.h>
#include <stdint.h>

/* "s-" and 32 hexadecimal digits. */
#define API_SHAPE_ID_LENGTH 34

typedef struct api_digest {
  char id[API_SHAPE_ID_LENGTH + 1];
  uint64_t key; /* further bits of the digest, the key of hash tables */
} api_digest;

/* SHA-256 over `form`, which names the media type and options, and over the bytes. False:
 * cancelled. About 3 ns a byte without SHA instructions. */
bool api_digest_make(const char *form, const char *bytes, size_t length, const ct_cancel *cancel,
                     api_digest *out);

/* SHA-256 of the bytes. */
void api_digest_bytes(const char *bytes, size_t length, uint8_t out[32]);

#endif
