/* Parsing of Redis' replies. Types, counts and lengths are validated, since a reply may have any
 * content. The integrity of records is checked by their own digests. */
#include "store/store_redis.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Largest number of digits of a number. */
#define DIGITS_MAX 20

static bool is_text(const redisReply *reply) {
  return reply && (reply->type == REDIS_REPLY_STRING || reply->type == REDIS_REPLY_STATUS);
}

static bool is_array(const redisReply *reply) { return reply && reply->type == REDIS_REPLY_ARRAY; }

static bool text_is(const redisReply *reply, const char *text) {
  return is_text(reply) && reply->len == strlen(text) && memcmp(reply->str, text, reply->len) == 0;
}

/* Parses the digits at *at and advances *at past them. False: there are none, or too many. */
static bool read_number(const char **at, const char *end, uint64_t *out) {
  uint64_t value = 0;
  const char *from = *at;
  for (; *at < end && **at >= '0' && **at <= '9'; ++*at) {
    uint64_t digit = (uint64_t)(**at - '0');
    if (*at - from >= DIGITS_MAX || value > (UINT64_MAX - digit) / 10) return false;
    value = value * 10 + digit;
  }
  *out = value;
  return *at > from;
}

/* Parses exactly `count` numbers that are separated by single blanks. False: the reply is something
 * else. */
static bool read_numbers(const redisReply *reply, int count, uint64_t *out) {
  if (!is_text(reply)) return false;
  const char *at = reply->str, *end = at + reply->len;
  for (int i = 0; i < count; i++) {
    if (i && (at == end || *at++ != ' ')) return false;
    if (!read_number(&at, end, &out[i])) return false;
  }
  return at == end;
}

static bool read_revision(const redisReply *reply, uint64_t *out) {
  return read_numbers(reply, 1, out) && *out <= SRV_REDIS_REVISION_MAX;
}

/* ---- errors --------------------------------------------------------------------------------- */

typedef struct meaning {
  const char *code;
  srv_store_status status;
  const char *sentence;
} meaning;

#define CLUSTER "this Redis belongs to a cluster, which is not supported"

/* Errors of Redis that imply that nothing was written, and their statuses. */
static const meaning meanings[] = {
    {"OOM", SRV_STORE_FULL, "Redis has no memory left (maxmemory)"},
    {"MISCONF", SRV_STORE_UNAVAILABLE,
     "Redis accepts no writes, because it cannot save them to its disk"},
    {"READONLY", SRV_STORE_UNAVAILABLE, "this Redis is a replica and accepts no writes"},
    {"NOREPLICAS", SRV_STORE_UNAVAILABLE,
     "Redis accepts no writes, because too few replicas are connected"},
    {"LOADING", SRV_STORE_UNAVAILABLE, "Redis is still reading its data"},
    {"MASTERDOWN", SRV_STORE_UNAVAILABLE, "this Redis is a replica without its primary"},
    {"BUSY", SRV_STORE_UNAVAILABLE, "Redis is busy with a script"},
    {"NOAUTH", SRV_STORE_UNAVAILABLE, "Redis requires a password"},
    {"WRONGPASS", SRV_STORE_UNAVAILABLE, "Redis rejects the password"},
    {"NOSCRIPT", SRV_STORE_UNAVAILABLE, "Redis has lost the script"},
    {"EXECABORT", SRV_STORE_UNAVAILABLE, "Redis refused a part of the transaction"},
    {"WRONGTYPE", SRV_STORE_DAMAGED, "a key of the store does not have contactd's type"},
    {"CLUSTERDOWN", SRV_STORE_FAILED, CLUSTER},
    {"CROSSSLOT", SRV_STORE_FAILED, CLUSTER},
    {"MOVED", SRV_STORE_FAILED, CLUSTER},
    {"ASK", SRV_STORE_FAILED, CLUSTER},
};

/* The code of an error is the first word of its text. Before Redis 7, errors of a script have a
 * prefix before the code. */
bool srv_redis_is_error(const redisReply *reply, const char *code) {
  if (!reply || reply->type != REDIS_REPLY_ERROR) return false;
  const char *text = reply->str;
  if (strncmp(text, "ERR Error running script", 24) == 0) {
    const char *inner = strstr(text, ": -");
    if (inner) text = inner + 3;
  }
  size_t length = strlen(code);
  return strncmp(text, code, length) == 0 && (text[length] == ' ' || text[length] == 0);
}

/* True if the error concerns the user's permissions, for which Redis has several texts. */
static bool is_permission_error(const redisReply *reply) {
  if (srv_redis_is_error(reply, "NOPERM")) return true;
  if (srv_redis_is_error(reply, "EXECABORT") && strstr(reply->str, "permissions")) return true;
  return reply->type == REDIS_REPLY_ERROR && strstr(reply->str, "The user executing the script");
}

bool srv_redis_is_stale(const redisReply *reply) {
  static const char *const codes[] = {"READONLY", "MASTERDOWN", "NOAUTH", "CLUSTERDOWN"};
  for (size_t i = 0; i < sizeof codes / sizeof codes[0]; i++)
    if (srv_redis_is_error(reply, codes[i])) return true;
  return is_permission_error(reply);
}

/* Writes `what` and Redis' own text to why, for logs and replies; characters that are not printable
 * become blanks. */
static void quote_redis_error(const redisReply *reply, const char *what, char *why) {
  char text[100];
  size_t n = 0;
  for (; n < reply->len && n + 1 < sizeof text; n++)
    text[n] = reply->str[n] < ' ' || reply->str[n] > '~' ? ' ' : reply->str[n];
  text[n] = 0;
  snprintf(why, SRV_STORE_WHY, "%s: %s", what, text);
}

/* True for permanent errors; `why` then quotes Redis' own text. */
static bool is_permanent_refusal(const redisReply *reply, char *why) {
  bool is_user = is_permission_error(reply),
       is_unknown = strncmp(reply->str, "ERR unknown command", 19) == 0;
  if (is_user) quote_redis_error(reply, "the Redis user may not run a required command", why);
  else if (is_unknown) quote_redis_error(reply, "Redis lacks a required command", why);
  return is_user || is_unknown;
}

srv_store_status srv_redis_error(const redisReply *reply, char why[SRV_STORE_WHY]) {
  if (!reply || reply->type != REDIS_REPLY_ERROR) {
    snprintf(why, SRV_STORE_WHY, "Redis sent an invalid reply");
    return SRV_STORE_UNAVAILABLE;
  }
  if (is_permanent_refusal(reply, why)) return SRV_STORE_FAILED;
  for (size_t i = 0; i < sizeof meanings / sizeof meanings[0]; i++) {
    if (!srv_redis_is_error(reply, meanings[i].code)) continue;
    snprintf(why, SRV_STORE_WHY, "%s", meanings[i].sentence);
    return meanings[i].status;
  }
  if (strstr(reply->str, "max number of clients")) {
    snprintf(why, SRV_STORE_WHY, "Redis has too many clients");
    return SRV_STORE_UNAVAILABLE;
  }
  /* text of Redis before version 6 */
  if (strstr(reply->str, "invalid password")) {
    snprintf(why, SRV_STORE_WHY, "Redis rejects the password");
    return SRV_STORE_UNAVAILABLE;
  }
  quote_redis_error(reply, "Redis says", why);
  return SRV_STORE_UNAVAILABLE;
}

bool srv_redis_is_permanent_error(const redisReply *reply) {
  if (srv_redis_is_error(reply, "NOAUTH") || srv_redis_is_error(reply, "WRONGPASS")) return true;
  if (!srv_redis_is_error(reply, "ERR")) return false;
  return strstr(reply->str, "invalid password") || strstr(reply->str, "DB index") != NULL;
}

void srv_redis_other_format(const redisReply *reply, char why[SRV_STORE_WHY]) {
  quote_redis_error(reply,
                    "the store in Redis is of another format than " SRV_REDIS_FORMAT
                    ", the format of this program",
                    why);
}

/* ---- writes --------------------------------------------------------------------------------- */

static void set_write_status(srv_store_write *write, srv_store_status status, const char *why) {
  write->status = status;
  snprintf(write->why, sizeof write->why, "%s", why);
}

bool srv_redis_needs_events(const redisReply *reply) {
  return is_array(reply) && reply->elements == 1 && text_is(reply->element[0], "TELL");
}

/* Sets the status DAMAGED. The second element of the reply, if present, is the damaged key. */
static void set_damaged(const redisReply *reply, srv_store_write *write) {
  set_write_status(write, SRV_STORE_DAMAGED, "the key's entry was not written by contactd");
  if (reply->elements > 1 && is_text(reply->element[1]))
    quote_redis_error(reply->element[1], "the written key is missing or has other contents",
                      write->why);
}

bool srv_redis_is_not_subscribed(const redisReply *reply) {
  return is_array(reply) && reply->elements == 2 && text_is(reply->element[0], "OK") &&
         text_is(reply->element[1], "UNHEARD");
}

void srv_redis_read_write(const redisReply *reply, srv_store_write *write) {
  write->why[0] = 0;
  if (!is_array(reply) || reply->elements == 0) {
    write->status = srv_redis_error(reply, write->why);
    return;
  }
  redisReply *const *list = reply->element;
  if (text_is(list[0], "OK")) set_write_status(write, SRV_STORE_OK, "");
  else if (text_is(list[0], "NAMED")) set_write_status(write, SRV_STORE_IN_USE, "");
  else if (text_is(list[0], "UNKNOWN")) set_write_status(write, SRV_STORE_UNKNOWN, "");
  else if (text_is(list[0], "DAMAGED")) set_damaged(reply, write);
  else if (text_is(list[0], "FORMAT") && reply->elements == 2 && is_text(list[1])) {
    write->status = SRV_STORE_UNAVAILABLE;
    srv_redis_other_format(list[1], write->why);
  } else if (text_is(list[0], "AGAIN"))
    set_write_status(write, SRV_STORE_UNAVAILABLE, "parts of the record were lost in transit");
  else if (text_is(list[0], "MOVED") && reply->elements == 4 &&
           read_revision(list[1], &write->current) &&
           read_revision(list[2], &write->last_revision) &&
           read_numbers(list[3], 1, &write->current_stamp)) {
    set_write_status(write, SRV_STORE_CONFLICT, "");
  } else {
    write->status = srv_redis_error(NULL, write->why);
  }
}

/* ---- lookups -------------------------------------------------------------------------------- */

static void damaged_lookup(srv_store_lookup *lookup, const char *why) {
  free(lookup->entries);
  lookup->entries = NULL;
  lookup->count = 0;
  lookup->status = SRV_STORE_DAMAGED;
  snprintf(lookup->why, sizeof lookup->why, "%s", why);
}

static bool read_entry(const redisReply *reply, srv_store_entry *out) {
  uint64_t numbers[3];
  if (!read_numbers(reply, 3, numbers) || numbers[0] > SRV_REDIS_REVISION_MAX) return false;
  out->revision = numbers[0];
  out->bodies = numbers[1];
  out->stamp = numbers[2];
  return true;
}

static int by_id(const void *a, const void *b) {
  return strcmp(((const srv_store_entry *)a)->id, ((const srv_store_entry *)b)->id);
}

static void read_all(const redisReply *reply, srv_store_lookup *lookup) {
  size_t count = reply->elements / 2;
  lookup->entries = calloc(count + 1, sizeof *lookup->entries);
  if (!lookup->entries) {
    lookup->status = SRV_STORE_MEMORY;
    return;
  }
  for (size_t i = 0; i < count; i++) {
    const redisReply *id = reply->element[2 * i];
    srv_store_entry *entry = &lookup->entries[i];
    bool good = is_text(id) && id->len > 0 && id->len <= CT_ID_LENGTH_MAX &&
                !memchr(id->str, 0, id->len) && read_entry(reply->element[2 * i + 1], entry);
    if (!good) {
      damaged_lookup(lookup, "an entry was not written by contactd");
      if (is_text(id)) quote_redis_error(id, "an entry was not written by contactd", lookup->why);
      return;
    }
    memcpy(entry->id, id->str, id->len);
  }
  qsort(lookup->entries, count, sizeof *lookup->entries, by_id);
  lookup->count = count;
}

static void read_one(const redisReply *reply, srv_store_lookup *lookup) {
  lookup->entries = calloc(1, sizeof *lookup->entries);
  if (!lookup->entries) {
    lookup->status = SRV_STORE_MEMORY;
    return;
  }
  lookup->count = 1;
  memcpy(lookup->entries->id, lookup->id, sizeof lookup->id);
  if (reply->type != REDIS_REPLY_NIL && !read_entry(reply, lookup->entries))
    damaged_lookup(lookup, "the key's entry was not written by contactd");
}

/* Returns good; if it is false, sets status and why of the lookup. */
static bool is_answer(const redisReply *reply, bool good, srv_store_lookup *lookup) {
  if (good) return true;
  lookup->status = srv_redis_error(reply, lookup->why);
  if (srv_redis_is_error(reply, "WRONGTYPE"))
    snprintf(lookup->why, sizeof lookup->why,
             "the key " SRV_REDIS_KEY "%s does not have contactd's type",
             lookup->space == SRV_STORE_SCENES ? "scenes" : "shapes");
  return false;
}

void srv_redis_read_entries(const redisReply *reply, srv_store_lookup *lookup) {
  lookup->status = SRV_STORE_OK;
  lookup->why[0] = 0;
  lookup->last_revision = 0;
  if (lookup->id[0]) {
    if (is_answer(reply, is_text(reply) || reply->type == REDIS_REPLY_NIL, lookup))
      read_one(reply, lookup);
  } else if (is_answer(reply, is_array(reply) && reply->elements % 2 == 0, lookup)) {
    read_all(reply, lookup);
  }
}

void srv_redis_read_last(const redisReply *reply, srv_store_lookup *lookup) {
  if (lookup->status != SRV_STORE_OK || reply->type == REDIS_REPLY_NIL) return;
  if (!read_revision(reply, &lookup->last_revision))
    damaged_lookup(lookup, "last, in " SRV_REDIS_KEY_STORE ", is not a revision");
}

/* ---- loads ---------------------------------------------------------------------------------- */

static void damaged_load(srv_store_load *load, const char *why) {
  load->status = SRV_STORE_DAMAGED;
  snprintf(load->why, sizeof load->why, "%s", why);
}

typedef struct head {
  uint64_t revision, follows, parts, length, stamp;
} head;

/* Appends a record, assembled from its parts, which begin at index `at`. */
static void read_record(const redisReply *parts, size_t at, const head *h, srv_store_load *load) {
  srv_store_record *record = &load->records[load->count];
  size_t length = 0;
  for (size_t i = 0; i < h->parts; i++) {
    if (!is_text(parts->element[at + i])) {
      damaged_load(load, "a part is not a string");
      return;
    }
    length += parts->element[at + i]->len;
  }
  if (length != h->length) {
    damaged_load(load, "a record has the wrong length");
    return;
  }
  *record = (srv_store_record){.revision = h->revision,
                               .stamp = h->stamp,
                               .base = h->follows == 0,
                               .bytes = malloc(length + 1),
                               .length = length};
  if (!record->bytes) {
    load->status = SRV_STORE_MEMORY;
    return;
  }
  load->count++;
  for (size_t i = 0, n = 0; i < h->parts; n += parts->element[at + i]->len, i++)
    memcpy(record->bytes + n, parts->element[at + i]->str, parts->element[at + i]->len);
}

/* Reads a base and the changes that follow it, and checks that the last one has the revision and
 * stamp of the key's entry. */
static void read_records(const redisReply *heads, const redisReply *parts,
                         const srv_store_entry *key, srv_store_load *load) {
  uint64_t before = 0, stamp = 0;
  size_t at = 0;
  for (size_t i = 0; i < heads->elements && load->status == SRV_STORE_OK; i++) {
    uint64_t numbers[5];
    if (!read_numbers(heads->element[i], 5, numbers)) {
      damaged_load(load, "the head of a record was not written by contactd");
      return;
    }
    head h = {numbers[0], numbers[1], numbers[2], numbers[3], numbers[4]};
    if (h.follows != before || h.parts > parts->elements - at) {
      damaged_load(load, h.follows != before ? "a record is missing" : "a part is missing");
      return;
    }
    read_record(parts, at, &h, load);
    at += (size_t)h.parts;
    before = h.revision;
    stamp = h.stamp;
  }
  bool is_last = before == key->revision && stamp == key->stamp;
  if (load->status == SRV_STORE_OK && (!is_last || at != parts->elements || heads->elements == 0))
    damaged_load(load,
                 !is_last ? "the last record is missing" : "there are more parts than records");
}

void srv_redis_read_load(const redisReply *reply, srv_store_load *load) {
  load->status = SRV_STORE_OK;
  load->why[0] = 0;
  if (!is_array(reply) || reply->elements != 3) {
    load->status = srv_redis_error(reply, load->why);
    return;
  }
  const redisReply *entry = reply->element[0], *heads = reply->element[1],
                   *parts = reply->element[2];
  if (entry->type == REDIS_REPLY_NIL) {
    load->status = SRV_STORE_UNKNOWN;
    return;
  }
  srv_store_entry found;
  if (!is_array(heads) || !is_array(parts) || !read_entry(entry, &found)) {
    damaged_load(load, "the key's entry was not written by contactd");
    return;
  }
  load->records = calloc(heads->elements + 1, sizeof *load->records);
  if (!load->records) load->status = SRV_STORE_MEMORY;
  else read_records(heads, parts, &found, load);
  if (load->status != SRV_STORE_OK) srv_store_load_free(load);
}

/* ---- events --------------------------------------------------------------------------------- */

bool srv_redis_read_event_batch(const redisReply *reply, srv_redis_event_batch *out) {
  uint64_t numbers[5];
  if (!is_array(reply) || reply->elements != 2 || !read_numbers(reply->element[0], 5, numbers) ||
      !is_array(reply->element[1]))
    return false;
  *out = (srv_redis_event_batch){.first = numbers[0],
                                 .last = numbers[1],
                                 .revision = numbers[2],
                                 .bodies = numbers[3],
                                 .stamp = numbers[4],
                                 .writes = reply->element[1],
                                 .count = reply->element[1]->elements};
  return numbers[0] <= numbers[1] && numbers[1] < SRV_REDIS_NUMBERS;
}

bool srv_redis_read_scene_events(const redisReply *reply, size_t index,
                                 char id[CT_ID_LENGTH_MAX + 1], srv_redis_event_batch *out) {
  static const char prefix[] = SRV_REDIS_KEY_EVENTS;
  const redisReply *item = reply->element[index];
  if (!is_array(item) || item->elements != 2 || !is_text(item->element[0]) ||
      !is_array(item->element[1]))
    return false;
  const redisReply *name = item->element[0];
  size_t skip = sizeof prefix - 1;
  if (name->len <= skip || name->len - skip > CT_ID_LENGTH_MAX ||
      memcmp(name->str, prefix, skip) != 0)
    return false;
  memcpy(id, name->str + skip, name->len - skip);
  id[name->len - skip] = 0;
  *out = (srv_redis_event_batch){.writes = item->element[1], .count = item->element[1]->elements};
  return true;
}

/* The fields are expected in the order in which the script of a write adds them (XADD). */
bool srv_redis_read_event(const srv_redis_event_batch *batch, size_t index, srv_store_event *out) {
  const redisReply *entry = batch->writes->element[index];
  if (!is_array(entry) || entry->elements != 2 || !is_text(entry->element[0]) ||
      !is_array(entry->element[1]))
    return false;
  const redisReply *id = entry->element[0], *fields = entry->element[1];
  const char *at = id->str, *end = at + id->len;
  if (!read_number(&at, end, &out->last) || end - at != 2 || memcmp(at, "-0", 2) != 0) return false;
  if (fields->elements != 12 || !text_is(fields->element[6], "t") || !is_text(fields->element[7]))
    return false;
  if (!read_numbers(fields->element[1], 1, &out->count) ||
      !read_numbers(fields->element[3], 1, &out->revision) ||
      !read_numbers(fields->element[5], 1, &out->bodies) ||
      !read_numbers(fields->element[9], 1, &out->stamp) ||
      !read_numbers(fields->element[11], 1, &out->before_stamp))
    return false;
  out->bytes = fields->element[7]->str;
  out->length = fields->element[7]->len;
  return out->count > 0 && out->count <= out->last && out->last < SRV_REDIS_NUMBERS;
}

/* ---- durability ----------------------------------------------------------------------------- */

/* DURABLE requires that every command is appended to the file and synced before its reply
 * (appendonly, appendfsync always), also while a child of Redis rewrites the file; and that Redis
 * evicts no record for lack of memory. The volatile-* policies are permitted: they evict only keys
 * with a time to live, which records do not have. */
srv_redis_durability srv_redis_read_settings(const redisReply *reply) {
  bool appends = false, always = false, at_any_time = false, keeps = false;
  if (!is_array(reply)) return SRV_REDIS_DURABILITY_UNKNOWN;
  for (size_t i = 0; i + 1 < reply->elements; i += 2) {
    const redisReply *name = reply->element[i], *value = reply->element[i + 1];
    if (text_is(name, "appendonly")) appends = text_is(value, "yes");
    if (text_is(name, "appendfsync")) always = text_is(value, "always");
    if (text_is(name, "no-appendfsync-on-rewrite")) at_any_time = text_is(value, "no");
    if (text_is(name, "maxmemory-policy"))
      keeps = text_is(value, "noeviction") ||
              (is_text(value) && strncmp(value->str, "volatile-", 9) == 0);
  }
  return appends && always && at_any_time && keeps ? SRV_REDIS_DURABLE : SRV_REDIS_NOT_DURABLE;
}

static bool has_line(const redisReply *reply, const char *line) {
  size_t length = strlen(line);
  for (const char *at = reply->str; (at = strstr(at, line)); at += length)
    if ((at == reply->str || at[-1] == '\n') &&
        (at[length] == '\r' || at[length] == '\n' || !at[length]))
      return true;
  return false;
}

/* After CONFIG SET appendonly yes, a restarted Redis ignores the new file until its first rewrite
 * is complete. Until then a rewrite is in progress or scheduled, also after a failed one. A rewrite
 * in progress may also be a later one of a complete file; INFO does not distinguish the two. */
srv_redis_durability srv_redis_read_persistence(const redisReply *reply) {
  if (!is_text(reply)) return SRV_REDIS_DURABILITY_UNKNOWN;
  if (has_line(reply, "aof_enabled:0")) return SRV_REDIS_NOT_DURABLE;
  if (!has_line(reply, "aof_enabled:1")) return SRV_REDIS_DURABILITY_UNKNOWN;
  bool rests =
      has_line(reply, "aof_rewrite_in_progress:0") && has_line(reply, "aof_rewrite_scheduled:0");
  return rests ? SRV_REDIS_DURABLE : SRV_REDIS_DURABLE_AFTER_REWRITE;
}
