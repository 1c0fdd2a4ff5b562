/* POST /v1/scenes with an Idempotency-Key: the scene's id is made of the key, so that the same key is the same scene, for every
 * daemon at a store and after any end, and nothing more is kept: the key is known as long as the scene is there. */
#include "request.h"

#include <nettle/sha2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Longest key. */
#define KEY_MOST 255
/* Bytes of the digest that make the id: as many as an id of random ones has. */
#define ID_BYTES 16

bool srv_idempotency_take(srv_request *request, const char *key) {
  if (!key || request->match.target != API_TARGET_CREATE) return true;
  size_t length = strlen(key);
  if (length == 0 || length > KEY_MOST) {
    srv_request_refuse(request, API_PROBLEM_BAD_REQUEST, "Idempotency-Key has %zu bytes, but must have from 1 to %d.", length,
                       KEY_MOST);
    return false;
  }
  struct sha256_ctx context;
  uint8_t digest[SHA256_DIGEST_SIZE];
  sha256_init(&context);
  sha256_update(&context, length, (const uint8_t *)key);
  sha256_digest(&context, sizeof digest, digest);
  request->keyed = true;
  snprintf(request->new_id, sizeof request->new_id, "key-");
  for (int i = 0; i < ID_BYTES; i++) snprintf(request->new_id + 4 + 2 * i, 3, "%02x", digest[i]);
  return true;
}

bool srv_idempotency_answers(srv_request *request) {
  const srv_entry *entry = request->entry;
  if (!request->keyed || !entry || !entry->current) return false;
  char text[192 + CT_ID_LENGTH_MAX], header[64 + CT_ID_LENGTH_MAX];
  const char *durability = request->server->store ? request->server->store->durability : "memory";
  unsigned long long revision = ct_scene_revision(entry->current);
  int length =
      snprintf(text, sizeof text, "{\"id\":\"%s\",\"revision\":%llu,\"durability\":\"%s\"}", entry->id, revision, durability);
  char *body = malloc((size_t)length + 1);
  if (!body) {
    srv_job_refuse_memory(request);
    return true;
  }
  memcpy(body, text, (size_t)length + 1);
  request->refusal = (api_reply){.status = 201, .content_type = "application/json", .body = body, .body_length = (size_t)length};
  snprintf(header, sizeof header, "\"r%llu\"", revision);
  srv_request_refusal_header(request, "ETag", header);
  snprintf(header, sizeof header, "/v1/scenes/%s", entry->id);
  srv_request_refusal_header(request, "Location", header);
  request->reply = &request->refusal;
  request->revision = revision;
  return true;
}
