/* POST /v1/scenes with an Idempotency-Key (IETF draft-ietf-httpapi-idempotency-key-header).
 *
 * The scene's id is derived from the key by SHA-256: the same key yields the same id on every
 * daemon of a store and after every restart. The body's SHA-256 is stored with the scene as its
 * origin. Key and body are therefore known exactly as long as the scene exists. Scenes of older
 * stores have no origin and match any body. */
#include "jobs/job.h"

#include <nettle/sha2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Longest key, B. */
#define KEY_MOST 255
/* Number of bytes of the digest that form the id: as many as in a random id. */
#define ID_BYTES 16

typedef struct srv_fingerprint {
  struct sha256_ctx body;
  uint8_t digest[SHA256_DIGEST_SIZE];
} srv_fingerprint;

bool srv_idempotency_read_key(srv_request *request, const char *key) {
  assert(!request->fingerprint);
  if (request->match.target != API_TARGET_CREATE) {
    srv_request_refuse(request, API_PROBLEM_BAD_REQUEST,
                       "Idempotency-Key has an effect only with POST /v1/scenes; other writes are "
                       "repeated safely with If-Match or If-None-Match.");
    return false;
  }
  size_t length = strlen(key);
  if (length == 0 || length > KEY_MOST) {
    srv_request_refuse(request, API_PROBLEM_BAD_REQUEST,
                       "Idempotency-Key has %zu bytes, but must have from 1 to %d.", length,
                       KEY_MOST);
    return false;
  }
  request->fingerprint = malloc(sizeof *request->fingerprint);
  if (!request->fingerprint) {
    srv_request_refuse_memory(request);
    return false;
  }
  sha256_init(&request->fingerprint->body);
  struct sha256_ctx context;
  uint8_t digest[SHA256_DIGEST_SIZE];
  sha256_init(&context);
  sha256_update(&context, length, (const uint8_t *)key);
  sha256_digest(&context, sizeof digest, digest);
  snprintf(request->new_id, sizeof request->new_id, "key-");
  for (int i = 0; i < ID_BYTES; i++) snprintf(request->new_id + 4 + 2 * i, 3, "%02x", digest[i]);
  return true;
}

void srv_idempotency_feed(srv_request *request, const char *bytes, size_t length) {
  assert(request->fingerprint);
  sha256_update(&request->fingerprint->body, length, (const uint8_t *)bytes);
}

ct_text srv_idempotency_origin(srv_request *request) {
  srv_fingerprint *fingerprint = request->fingerprint;
  if (!fingerprint) return (ct_text){NULL, 0};
  /* sha256_digest resets its context; a copy keeps the state for a retried call. */
  struct sha256_ctx whole = fingerprint->body;
  sha256_digest(&whole, sizeof fingerprint->digest, fingerprint->digest);
  return (ct_text){(const char *)fingerprint->digest, sizeof fingerprint->digest};
}

/* True if the scene was created from the request's body, or has no origin. */
static bool has_same_body(srv_request *request, const ct_scene *scene) {
  ct_text stored_origin = api_scene_origin(scene), sent_origin = srv_idempotency_origin(request);
  return stored_origin.length == 0 ||
         (stored_origin.length == sent_origin.length &&
          memcmp(stored_origin.bytes, sent_origin.bytes, sent_origin.length) == 0);
}

bool srv_idempotency_replay(srv_request *request) {
  const srv_entry *entry = request->entry;
  assert(request->fingerprint);
  if (!entry || !entry->current) return false;
  if (!has_same_body(request, entry->current)) {
    srv_request_refuse(
        request, API_PROBLEM_IDEMPOTENCY_KEY_REUSED,
        "The Idempotency-Key created the scene \"%s\" from another body; use a new key "
        "for each request.",
        entry->id);
    return true;
  }
  char text[192 + CT_ID_LENGTH_MAX], header[64 + CT_ID_LENGTH_MAX];
  const char *durability = request->server->store ? request->server->store->durability : "memory";
  unsigned long long revision = ct_scene_revision(entry->current);
  int length =
      snprintf(text, sizeof text, "{\"id\":\"%s\",\"revision\":%llu,\"durability\":\"%s\"}",
               entry->id, revision, durability);
  char *body = malloc((size_t)length + 1);
  if (!body) {
    srv_request_refuse_memory(request);
    return true;
  }
  memcpy(body, text, (size_t)length + 1);
  request->refusal = (api_reply){.status = 201,
                                 .content_type = "application/json",
                                 .body = body,
                                 .body_length = (size_t)length};
  snprintf(header, sizeof header, "\"r%llu\"", revision);
  srv_request_refusal_header(request, "ETag", header);
  snprintf(request->refusal.location, sizeof request->refusal.location, "/v1/scenes/%s", entry->id);
  request->reply = &request->refusal;
  request->revision = revision;
  return true;
}
