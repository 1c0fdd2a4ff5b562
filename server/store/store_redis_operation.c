/* Operations of the store in Redis: sends the commands of a write, a lookup or a load, reads the
 * replies and answers the caller.
 *
 * Records longer than SRV_REDIS_INLINE_BYTES are staged part by part on the long connection; the
 * write itself is then sent on the short connection. Writes of one key are sent in the order of
 * submission. */
#include "store/store_redis_operation.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- answers -------------------------------------------------------------------------------- */

static void release_held(srv_redis_store *s);

static void unlink_op(srv_redis_operation *o) {
  srv_redis_store *s = o->store;
  if (o->previous) o->previous->next = o->next;
  else s->first = o->next;
  if (o->next) o->next->previous = o->previous;
  else s->last = o->previous;
}

/* Calls `done` of the operation, whose answer must be set. The operation is freed now or, if
 * replies are outstanding, with the last of them. */
static void answer_op(srv_redis_operation *o) {
  assert(o->reply_state != SRV_REDIS_REPLIES_IGNORED);
  srv_redis_store *s = o->store;
  srv_store_write *write = o->write;
  srv_store_lookup *lookup = o->lookup;
  srv_store_load *load = o->load;
  bool staged = o->phase == SRV_REDIS_STAGING;
  unlink_op(o);
  o->reply_state = SRV_REDIS_REPLIES_IGNORED;
  if (!o->replies) free(o);
  if (staged) {
    assert(s->staging > 0);
    s->staging--;
    release_held(s);
  }
  if (write) write->done(write);
  else if (lookup) lookup->done(lookup);
  else load->done(load);
}

void srv_redis_operation_answer(srv_redis_operation *o, srv_store_status status, const char *why) {
  char text[SRV_STORE_WHY];
  bool unknown = status == SRV_STORE_UNAVAILABLE && o->write && o->phase == SRV_REDIS_SENT;
  snprintf(text, sizeof text, "%.100s%s", why,
           unknown ? "; it is unknown whether the write took effect" : "");
  if (o->write) {
    o->write->status = status;
    memcpy(o->write->why, text, sizeof text);
  } else if (o->lookup) {
    free(o->lookup->entries);
    o->lookup->entries = NULL;
    o->lookup->count = 0;
    o->lookup->status = status;
    memcpy(o->lookup->why, text, sizeof text);
  } else {
    o->load->status = status;
    memcpy(o->load->why, text, sizeof text);
  }
  answer_op(o);
}

/* ---- sending -------------------------------------------------------------------------------- */

static void on_op_reply(void *cls, const redisReply *reply);

srv_redis_side *srv_redis_operation_side(const srv_redis_operation *o) {
  bool is_long = o->kind == SRV_REDIS_LOAD || o->phase == SRV_REDIS_STAGING;
  return &o->store->sides[is_long ? SRV_REDIS_LONG : SRV_REDIS_SHORT];
}

static srv_redis_bytes format_op_command(const srv_redis_operation *o, const char *digest) {
  if (o->lookup) return srv_redis_lookup_command(o->lookup);
  if (o->load) return srv_redis_load_command(o->load, o->load_method == SRV_REDIS_BY_SCRIPT);
  if (o->phase == SRV_REDIS_STAGING) return srv_redis_stage_command(o->write, o->stage, o->staged);
  return srv_redis_write_command(&o->store->store, o->write, digest, o->stage[0] ? o->stage : NULL,
                                 o->sends_events);
}

void srv_redis_operation_send(srv_redis_operation *o, bool by_text) {
  srv_redis_connection *link = srv_redis_operation_side(o)->link;
  if (!srv_redis_connection_is_up(link)) return;
  srv_redis_bytes bytes = format_op_command(o, by_text ? NULL : srv_redis_connection_digest(link));
  o->replies = bytes.replies;
  o->reply_state = SRV_REDIS_REPLIES_COUNT;
  if (o->phase == SRV_REDIS_WAITS) o->phase = SRV_REDIS_SENT;
  if (srv_redis_connection_send(link, bytes, on_op_reply, o)) return;
  o->replies = 0;
  o->out_of_memory = true;
}

bool srv_redis_operation_must_wait(const srv_redis_operation *o) {
  for (const srv_redis_operation *at = o->store->first; at != o; at = at->next)
    if (at->write && at->phase < SRV_REDIS_WAITS && at->write->space == o->write->space &&
        strcmp(at->write->id, o->write->id) == 0)
      return true;
  return false;
}

void srv_redis_operation_start(srv_redis_operation *o) {
  srv_redis_store *s = o->store;
  assert(o->phase == SRV_REDIS_HELD && o->replies == 0);
  o->phase = SRV_REDIS_WAITS;
  if (o->write && o->write->length > SRV_REDIS_INLINE_BYTES) {
    o->phase = SRV_REDIS_STAGING;
    s->staging++;
    snprintf(o->stage, sizeof o->stage, SRV_REDIS_KEY_STAGE "%016" PRIx64 ":%" PRIu64,
             s->stage_prefix, s->stage_next++);
  }
  srv_redis_operation_send(o, false);
}

static void release_held(srv_redis_store *s) {
  for (srv_redis_operation *o = s->first; o; o = o->next)
    if (o->phase == SRV_REDIS_HELD && !srv_redis_operation_must_wait(o)) {
      o->deadline_ns = uv_hrtime() + o->store->place.command_ns;
      srv_redis_operation_start(o);
    }
}

/* ---- replies -------------------------------------------------------------------------------- */

/* Handles the reply to a staged part: sends the next part, or the write. */
static void read_stage_reply(srv_redis_operation *o, const redisReply *reply) {
  char why[SRV_STORE_WHY] = "parts of the record were lost in transit";
  if (reply->type != REDIS_REPLY_INTEGER || reply->integer < 1) {
    srv_store_status status =
        reply->type == REDIS_REPLY_INTEGER ? SRV_STORE_UNAVAILABLE : srv_redis_error(reply, why);
    srv_redis_operation_answer(o, status, why);
    return;
  }
  o->staged += SRV_REDIS_PART_BYTES;
  o->deadline_ns = uv_hrtime() + o->store->place.command_ns;
  if (o->staged >= o->write->length) {
    o->phase = SRV_REDIS_WAITS;
    o->store->staging--;
  }
  srv_redis_operation_send(o, false);
  if (o->phase != SRV_REDIS_STAGING) release_held(o->store);
}

static void read_write_reply(srv_redis_operation *o, const redisReply *reply) {
  if (o->phase == SRV_REDIS_STAGING) {
    read_stage_reply(o, reply);
  } else if (srv_redis_is_error(reply, "NOSCRIPT")) {
    srv_redis_operation_send(o, true);
  } else if (srv_redis_needs_events(reply) && !o->sends_events) {
    o->sends_events = true;
    srv_redis_operation_send(o, false);
  } else {
    srv_redis_read_write(reply, o->write);
    if (o->store->subscriptions && srv_redis_is_not_subscribed(reply))
      srv_redis_subscriptions_unknown(o->store->subscriptions, o->write->id);
    answer_op(o);
  }
}

static void read_lookup_reply(srv_redis_operation *o, const redisReply *reply) {
  if (o->replies == 1) {
    srv_redis_read_entries(reply, o->lookup);
    return;
  }
  srv_redis_read_last(reply, o->lookup);
  answer_op(o);
}

/* Handles a reply to a load. In a transaction only the last reply has the records; the others
 * report that a command was queued, or an error. */
static void read_load_reply(srv_redis_operation *o, const redisReply *reply) {
  if (srv_redis_is_error(reply, "OOM") && o->load_method == SRV_REDIS_BY_TRANSACTION)
    o->load_method = SRV_REDIS_NO_TRANSACTION;
  if (o->replies == 0 && o->load_method == SRV_REDIS_NO_TRANSACTION) {
    o->load_method = SRV_REDIS_BY_SCRIPT;
    srv_redis_operation_send(o, false);
  } else if (o->replies == 0) {
    srv_redis_read_load(reply, o->load);
    answer_op(o);
  } else if (reply->type == REDIS_REPLY_ERROR && o->load_method == SRV_REDIS_BY_TRANSACTION) {
    char why[SRV_STORE_WHY];
    srv_store_status status = srv_redis_error(reply, why);
    srv_redis_operation_answer(o, status, why);
  }
}

/* Handles an operation whose connection was lost: a write fails, a read waits to be sent again. */
static void handle_lost_op(srv_redis_operation *o) {
  const srv_redis_side *where = srv_redis_operation_side(o);
  if (o->write) {
    srv_redis_operation_answer(o, SRV_STORE_UNAVAILABLE, where->why);
    return;
  }
  if (o->lookup) {
    free(o->lookup->entries);
    o->lookup->entries = NULL;
  }
  o->phase = SRV_REDIS_WAITS;
}

static void on_op_reply(void *cls, const redisReply *reply) {
  srv_redis_operation *o = cls;
  assert(o->replies > 0);
  o->replies--;
  if (o->reply_state == SRV_REDIS_REPLIES_IGNORED) {
    if (!o->replies) free(o);
    return;
  }
  if (!reply) o->reply_state = SRV_REDIS_REPLIES_LOST;
  if (o->reply_state == SRV_REDIS_REPLIES_LOST) {
    if (!o->replies) handle_lost_op(o);
  } else if (o->write) {
    read_write_reply(o, reply);
  } else if (o->lookup) {
    read_lookup_reply(o, reply);
  } else {
    read_load_reply(o, reply);
  }
}
