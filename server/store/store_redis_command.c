/* Encodes the commands to Redis. A write is one Lua script, which Redis runs atomically. */
#include "store/store_redis.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Parameters of the script of a write, by their names in the script: keys, then arguments, in this
 * order. The last argument is `part`, the record's bytes, unless they were staged. */
#define SCRIPT_KEYS(X)                                                                             \
  X(KEYS, keys)                                                                                    \
  X(HEADS, heads)                                                                                  \
  X(PARTS, parts)                                                                                  \
  X(SHAPES, shapes)                                                                                \
  X(NAMES, names)                                                                                  \
  X(USES, uses)                                                                                    \
  X(STORE, store)                                                                                  \
  X(STAGE, stage)                                                                                  \
  X(EAR, ear)                                                                                      \
  X(TOLD, told)
#define SCRIPT_ARGUMENTS(X)                                                                        \
  X(ACT, act)                                                                                      \
  X(ID, id)                                                                                        \
  X(BEFORE, before)                                                                                \
  X(REVISION, revision)                                                                            \
  X(BODIES, bodies)                                                                                \
  X(HEAD, head)                                                                                    \
  X(NAMED, named)                                                                                  \
  X(NAMED_LIST, named_list)                                                                        \
  X(SPACE, space)                                                                                  \
  X(STAGED, staged)                                                                                \
  X(EVENTS, events)                                                                                \
  X(TEXT, text)                                                                                    \
  X(MOST, most)                                                                                    \
  X(ROOM, room)                                                                                    \
  X(FOLLOWED, followed)                                                                            \
  X(STAMP, stamp)

#define IN_SCRIPT(NAME, name) #name ", "
#define KEYS_IN_SCRIPT SCRIPT_KEYS(IN_SCRIPT)
#define ARGUMENTS_IN_SCRIPT SCRIPT_ARGUMENTS(IN_SCRIPT)
#define AS_WORD(NAME, name) WORD_##NAME,

/* Indices of the words in the EVALSHA or EVAL command. */
enum {
  WORD_EVAL,
  WORD_SCRIPT,
  WORD_KEY_COUNT,
  SCRIPT_KEYS(AS_WORD) SCRIPT_ARGUMENTS(AS_WORD) WORD_PART,
  WORDS
};

/* Fencing: a write is refused unless the key is at the revision that the write follows. Revision
 * numbers are never reused under any id: a new scene starts above all deleted ones (`last`). So a
 * daemon that was suspended while others wrote, or while the scene was deleted and recreated, is
 * refused. Numbers are compared as texts, since Lua's numbers are exact only up to 2^53.
 *
 * A Redis that has lost writes assigns revision numbers again. Each revision therefore also has the
 * stamp of the write that made it. A write that follows or compacts a revision of the same number
 * but another stamp is refused.
 *
 * Events are appended atomically with their write and get their numbers (below 2^53) there, if the
 * scene has subscribers (`ear`). A fault of the event keys does not fail the write: the event keys
 * are removed, and subscribers detect the gap. Long events are sent only if there are subscribers:
 * a write with omitted events ('?') is refused then, and repeated with them.
 *
 * Expiry of an unused shape states the stamp of its last use. It is refused if the shape was used
 * later: it was posted again, or the last scene that referred to it was changed.
 *
 * All checks precede the first change: types of the keys, counts, and the presence of the record
 * that a change follows. If Redis is out of memory, it refuses the first command of a write that
 * adds data; later commands of the script are not refused. A deletion starts with a removal,
 * which Redis never refuses. */
const char *const srv_redis_script =
    __extension__ /* longer than the string literals that ISO C requires compilers to accept */
    "local " KEYS_IN_SCRIPT "none = unpack(KEYS)\n"
    "local " ARGUMENTS_IN_SCRIPT "part = unpack(ARGV)\n"
    "local scenes = space == 'scenes'\n"
    "staged, events, most, room = staged + 0, events + 0, most + 0, room + 0\n"
    "local call, may = redis.call, redis.acl_check_cmd\n"
    "if may then\n"
    "  for _, words in ipairs({{'HSET', keys, 'a', 'b'}, {'HDEL', keys, 'a'}, {'HINCRBY', keys, "
    "'a', 1}, {'UNLINK', keys},\n"
    "      {'RPUSH', keys, 'a'}, {'LPUSH', keys, 'a'}, {'LTRIM', keys, 0, 0}, {'LMOVE', keys, "
    "keys, 'LEFT', 'LEFT'}}) do\n"
    "    if not may(unpack(words)) then return redis.error_reply('NOPERM ' .. words[1]) end\n"
    "  end\n"
    "end\n"
    "local function is_other(mark) return followed ~= '0' and mark ~= followed end\n"
    "local function digits(n) return string.format('%.0f', n) end\n"
    "local function above(a, b) if #a ~= #b then return #a > #b end return a > b end\n"
    "local format = call('HGET', store, 'format')\n"
    "if format and format ~= '" SRV_REDIS_FORMAT "' then return {'FORMAT', format} end\n"
    "local entry = call('HGET', keys, id)\n"
    "local current, seen, mark = '0', '0', '0'\n"
    "if entry then current, seen, mark = string.match(entry, '^(%d+) (%d+) (%d+)$') end\n"
    "local function is_revision(text)\n"
    "  return string.find(text, '^%d+$') and not above(text, '" SRV_REDIS_REVISION_MAX_TEXT "')\n"
    "end\n"
    "if not current or not is_revision(current) then return {'DAMAGED'} end\n"
    "local last = call('HGET', store, 'last') or '0'\n"
    "if not is_revision(last) or not is_revision(revision) then return {'DAMAGED', store} end\n"
    "local moved = {'MOVED', current, last, mark}\n"
    "if staged > 0 and call('LLEN', stage) ~= staged then return {'AGAIN'} end\n"
    "local heard = events > 0 and redis.pcall('HMGET', ear, 'last', 'closed', 'bytes') or {}\n"
    "local function append(revision, bodies)\n"
    "  local last, bytes = digits(heard[1] + events), heard[3] + #text\n"
    "  call('XADD', told, last .. '-0', 'n', events, 'r', revision, 'b', bodies, 't', text, 's', "
    "stamp, 'p', mark)\n"
    "  call('HSET', ear, 'last', last)\n"
    "  local kept = call('XLEN', told)\n"
    "  if kept == 1 then call('PEXPIRE', told, math.max(call('PTTL', ear), 1)) end\n"
    "  while kept > most or (kept > 1 and bytes > room) do\n"
    "    bytes = bytes - #call('XRANGE', told, '-', '+', 'COUNT', 1)[1][2][8]\n"
    "    kept = kept - 1\n"
    "    call('XTRIM', told, 'MAXLEN', kept)\n"
    "  end\n"
    "  call('HSET', ear, 'bytes', digits(bytes))\n"
    "  if revision == '0' then call('HSET', ear, 'closed', 1) end\n"
    "end\n"
    "local function tell(revision, bodies)\n"
    "  if heard.err or not heard[1] or heard[2] then return end\n"
    "  if not pcall(append, revision, bodies) then redis.pcall('UNLINK', told, ear) end\n"
    "end\n"
    "local function push(way)\n"
    "  if part then call(way, parts, part) end\n"
    "  for i = 1, staged do\n"
    "    if way == 'RPUSH' then call('LMOVE', stage, parts, 'LEFT', 'RIGHT')\n"
    "    else call('LMOVE', stage, parts, 'RIGHT', 'LEFT') end\n"
    "  end\n"
    "end\n"
    "if act == 'fold' then\n"
    "  local upto, gone, mark = 0, 0, '0'\n"
    "  for i, text in ipairs(call('LRANGE', heads, 0, -1)) do\n"
    "    local at, count, made = string.match(text, '^(%d+) %d+ (%d+) %d+ (%d+)$')\n"
    "    if not at then return {'DAMAGED', heads} end\n"
    "    gone = gone + count\n"
    "    if at == revision and not is_other(made) then upto, mark = i, made break end\n"
    "  end\n"
    "  if not entry or upto == 0 then return moved end\n"
    "  if call('LLEN', parts) < gone then return {'DAMAGED', parts} end\n"
    "  call('LTRIM', heads, upto, -1)\n"
    "  call('LTRIM', parts, gone, -1)\n"
    "  call('LPUSH', heads, head .. ' ' .. mark)\n"
    "  push('LPUSH')\n"
    "  return {'OK'}\n"
    "end\n"
    "if current ~= before or is_other(mark) or (act ~= 'base' and not entry) then return moved "
    "end\n"
    "if act == 'seen' then\n"
    "  call('HSET', keys, id, current .. ' ' .. stamp .. ' ' .. mark)\n"
    "  return {'OK'}\n"
    "end\n"
    "if act == 'remove' and not scenes and followed ~= '0' and seen ~= bodies then return moved "
    "end\n"
    "if scenes and act ~= 'remove' and not above(revision, entry and current or last) then return "
    "moved end\n"
    "if act == 'remove' and not scenes and (call('HGET', uses, id) or '0') ~= '0' then return "
    "{'NAMED'} end\n"
    "if text == '?' and not heard.err and heard[1] and not heard[2] then return {'TELL'} end\n"
    "if act == 'change' then\n"
    "  local at, count, made = string.match(call('LRANGE', heads, -1, -1)[1] or '', '^(%d+) %d+ "
    "(%d+) %d+ (%d+)$')\n"
    "  if at ~= current or made ~= mark then return {'DAMAGED', heads} end\n"
    "  if call('LLEN', parts) < count + 0 then return {'DAMAGED', parts} end\n"
    "end\n"
    "local function is_count(shape) return string.find(call('HGET', uses, shape) or '0', "
    "'^%-?%d+$') end\n"
    "local fresh, stale = {}, {}\n"
    "if named == '1' then\n"
    "  for shape in string.gmatch(named_list, '[^%z]+') do\n"
    "    if call('HEXISTS', shapes, shape) == 0 then return {'UNKNOWN', shape} end\n"
    "    if not is_count(shape) then return {'DAMAGED', uses} end\n"
    "    fresh[#fresh + 1] = shape\n"
    "  end\n"
    "end\n"
    "if scenes and (named == '1' or act == 'remove') then\n"
    "  for shape in string.gmatch(call('HGET', names, id) or '', '[^%z]+') do\n"
    "    if not is_count(shape) then return {'DAMAGED', uses} end\n"
    "    stale[#stale + 1] = shape\n"
    "  end\n"
    "end\n"
    "local function name_no_more()\n"
    "  for _, shape in ipairs(stale) do\n"
    "    if call('HINCRBY', uses, shape, -1) == 0 then call('HDEL', uses, shape) end\n"
    "  end\n"
    "  call('HDEL', names, id)\n"
    "end\n"
    "local function see_what_nobody_names()\n"
    "  for _, shape in ipairs(stale) do\n"
    "    local entry = call('HEXISTS', uses, shape) == 0 and redis.pcall('HGET', shapes, shape)\n"
    "    local number, made = string.match(type(entry) == 'string' and entry or '', '^(%d+) %d+ "
    "(%d+)$')\n"
    "    if number then call('HSET', shapes, shape, number .. ' ' .. stamp .. ' ' .. made) end\n"
    "  end\n"
    "end\n"
    "local done = {'OK', events > 0 and (heard.err or not heard[1] or heard[2]) and 'UNHEARD'}\n"
    "if act == 'remove' then\n"
    "  call('HDEL', keys, id)\n"
    "  call('UNLINK', heads, parts)\n"
    "  if not scenes then return {'OK'} end\n"
    "  name_no_more()\n"
    "  see_what_nobody_names()\n"
    "  local greatest = above(current, revision) and current or revision\n"
    "  if above(greatest, last) then call('HSET', store, 'last', greatest) end\n"
    "  tell('0', '0')\n"
    "  return done\n"
    "end\n"
    "if act == 'base' then\n"
    "  call('HSET', store, 'format', '" SRV_REDIS_FORMAT "')\n"
    "  call('UNLINK', heads, parts)\n"
    "end\n"
    "call('HSET', keys, id, revision .. ' ' .. bodies .. ' ' .. stamp)\n"
    "call('RPUSH', heads, head .. ' ' .. stamp)\n"
    "push('RPUSH')\n"
    "if scenes and named == '1' then\n"
    "  name_no_more()\n"
    "  for i, shape in ipairs(fresh) do call('HINCRBY', uses, shape, 1) end\n"
    "  if #fresh > 0 then call('HSET', names, id, named_list) end\n"
    "  see_what_nobody_names()\n"
    "end\n"
    "tell(revision, bodies)\n"
    "return done\n";

/* Checks whether the user may run every command of the script, since a script that is refused after
 * its first change would leave half a write. From Redis 7 on, the script itself checks permissions.
 * For older versions each connection runs this probe, which tries the commands on a key that does
 * not exist, in ways that change nothing. In an empty store the pushes create a list, which is
 * removed. Commands of events are not probed: a write succeeds without them. */
const char srv_redis_probe[] =
    "local store, none = unpack(KEYS)\n"
    "local function may(name, ...)\n"
    "  local got = redis.pcall(name, ...)\n"
    "  local why = type(got) == 'table' and got.err or ''\n"
    "  for _, word in ipairs({'NOPERM', 'The user executing', 'Unknown Redis command'}) do\n"
    "    if string.find(why, word, 1, true) then error({name = name}) end\n"
    "  end\n"
    "  return got\n"
    "end\n"
    "local function all()\n"
    "  may('HSET', store, 'a', 'b', 'c')\n"
    "  may('HINCRBY', none, 'a', 'b')\n"
    "  for _, name in ipairs({'UNLINK', 'LLEN', 'HGETALL'}) do may(name, none) end\n"
    "  for _, name in ipairs({'HGET', 'HEXISTS', 'HDEL', 'RPUSHX'}) do may(name, none, 'a') end\n"
    "  for _, name in ipairs({'LRANGE', 'LTRIM'}) do may(name, none, 0, 0) end\n"
    "  may('LMOVE', none, none, 'LEFT', 'LEFT')\n"
    "  may('EXPIRE', none, 1)\n"
    "  local list = may('HGET', store, 'format') and store or none\n"
    "  may('RPUSH', list, '')\n"
    "  may('LPUSH', list, '')\n"
    "  may('UNLINK', none)\n"
    "end\n"
    "local good, what = pcall(all)\n"
    "if good then return 1 end\n"
    "return redis.error_reply('NOPERM ' .. (type(what) == 'table' and what.name or "
    "tostring(what)))\n";

static const char *space_name(srv_store_space space) {
  return space == SRV_STORE_SCENES ? "scenes" : "shapes";
}

static srv_redis_bytes format(int count, const char **words, const size_t *lengths,
                              unsigned replies) {
  char *bytes = NULL;
  int length = redisFormatCommandArgv(&bytes, count, words, lengths);
  /* redisFormatCommandArgv fails for commands of 2 GiB or more. */
  if (length < 0) return (srv_redis_bytes){0};
  return (srv_redis_bytes){bytes, (size_t)length, replies};
}

srv_redis_bytes srv_redis_command(const char *const *words) {
  const char *list[SRV_REDIS_WORDS_MAX];
  int count = 0;
  for (; words[count]; count++) {
    assert(count < SRV_REDIS_WORDS_MAX);
    list[count] = words[count];
  }
  return format(count, list, NULL, 1);
}

/* ---- writes --------------------------------------------------------------------------------- */

static size_t parts_of(const srv_store_write *write) {
  return (write->length + SRV_REDIS_PART_BYTES - 1) / SRV_REDIS_PART_BYTES;
}

typedef struct call {
  const char *words[WORDS];
  size_t lengths[WORDS];
  char numbers[WORDS][24];
} call;

static void put_script_word(call *c, int word, const char *bytes, size_t length) {
  assert(!c->words[word]);
  c->words[word] = bytes;
  c->lengths[word] = length;
}

static void put_script_text(call *c, int word, const char *text) {
  put_script_word(c, word, text, strlen(text));
}

static void put_script_number(call *c, int word, uint64_t number) {
  snprintf(c->numbers[word], sizeof c->numbers[word], "%" PRIu64, number);
  put_script_text(c, word, c->numbers[word]);
}

typedef struct key_names {
  char keys[32], heads[32 + CT_ID_LENGTH_MAX], parts[32 + CT_ID_LENGTH_MAX];
  char listened[32 + CT_ID_LENGTH_MAX], events[32 + CT_ID_LENGTH_MAX];
} key_names;

static void name_keys(key_names *out, srv_store_space space, const char *id) {
  snprintf(out->keys, sizeof out->keys, SRV_REDIS_KEY "%s", space_name(space));
  snprintf(out->heads, sizeof out->heads, SRV_REDIS_KEY_HEADS "%s:%s", space_name(space), id);
  snprintf(out->parts, sizeof out->parts, SRV_REDIS_KEY_PARTS "%s:%s", space_name(space), id);
  snprintf(out->listened, sizeof out->listened, SRV_REDIS_KEY_SUBSCRIBED "%s", id);
  snprintf(out->events, sizeof out->events, SRV_REDIS_KEY_EVENTS "%s", id);
}

static void set_keys(call *c, const key_names *names, const char *stage) {
  put_script_number(c, WORD_KEY_COUNT, WORD_ACT - WORD_KEYS);
  put_script_text(c, WORD_KEYS, names->keys);
  put_script_text(c, WORD_HEADS, names->heads);
  put_script_text(c, WORD_PARTS, names->parts);
  put_script_text(c, WORD_SHAPES, SRV_REDIS_KEY_SHAPES);
  put_script_text(c, WORD_NAMES, SRV_REDIS_KEY_NAMES);
  put_script_text(c, WORD_USES, SRV_REDIS_KEY_USES);
  put_script_text(c, WORD_STORE, SRV_REDIS_KEY_STORE);
  put_script_text(c, WORD_STAGE, stage ? stage : SRV_REDIS_KEY_NONE);
  put_script_text(c, WORD_EAR, names->listened);
  put_script_text(c, WORD_TOLD, names->events);
}

static void set_event_words(call *c, const srv_store *store, const srv_store_write *write,
                            bool with_events) {
  bool is_there = write->events && write->events_length <= SRV_REDIS_EVENTS_BYTES;
  put_script_number(c, WORD_EVENTS, write->event_count);
  if (!with_events && write->events_length > SRV_REDIS_EVENTS_SHORT)
    put_script_text(c, WORD_TEXT, "?");
  else
    put_script_word(c, WORD_TEXT, is_there ? write->events : "",
                    is_there ? write->events_length : 0);
  put_script_number(c, WORD_MOST, store->event_writes_max);
  put_script_number(c, WORD_ROOM, store->event_bytes_max);
}

srv_redis_bytes srv_redis_write_command(const srv_store *store, const srv_store_write *write,
                                        const char *digest, const char *stage, bool with_events) {
  static const char *const acts[] = {"change", "base", "fold", "remove", "seen"};
  key_names names;
  char head[96];
  call c = {0};
  bool has_part = !stage && write->length;
  name_keys(&names, write->space, write->id);
  snprintf(head, sizeof head, "%" PRIu64 " %" PRIu64 " %zu %zu", write->revision,
           write->act == SRV_STORE_CHANGE ? write->before : UINT64_C(0), parts_of(write),
           write->length);
  put_script_text(&c, WORD_EVAL, digest ? "EVALSHA" : "EVAL");
  put_script_text(&c, WORD_SCRIPT, digest ? digest : srv_redis_script);
  set_keys(&c, &names, stage);
  put_script_text(&c, WORD_ACT, acts[write->act]);
  put_script_text(&c, WORD_ID, write->id);
  put_script_number(&c, WORD_BEFORE, write->before);
  put_script_number(&c, WORD_REVISION, write->revision);
  put_script_number(&c, WORD_BODIES, write->bodies);
  put_script_text(&c, WORD_HEAD, head);
  put_script_text(&c, WORD_NAMED, write->has_shapes ? "1" : "0");
  put_script_word(&c, WORD_NAMED_LIST, write->shapes ? write->shapes : "",
                  write->has_shapes ? write->shapes_length : 0);
  put_script_text(&c, WORD_SPACE, space_name(write->space));
  put_script_number(&c, WORD_STAGED, stage ? parts_of(write) : 0);
  set_event_words(&c, store, write, with_events);
  put_script_number(&c, WORD_FOLLOWED, write->before_stamp);
  put_script_number(&c, WORD_STAMP, write->stamp);
  if (has_part) put_script_word(&c, WORD_PART, write->bytes, write->length);
  for (int i = 0; i < WORD_PART; i++) assert(c.words[i]);
  return format(has_part ? WORDS : WORD_PART, c.words, c.lengths, 1);
}

srv_redis_bytes srv_redis_stage_command(const srv_store_write *write, const char *stage,
                                        size_t at) {
  size_t length =
      write->length - at < SRV_REDIS_PART_BYTES ? write->length - at : SRV_REDIS_PART_BYTES;
  if (at == 0) {
    /* The first part creates the list and sets its expiry. */
    static const char script[] =
        "redis.call('RPUSH', KEYS[1], ARGV[1]) redis.call('EXPIRE', KEYS[1], ARGV[2]) return 1";
    const char *words[] = {"EVAL", script, "1", stage, write->bytes, SRV_REDIS_STAGE_SECONDS};
    size_t lengths[] = {
        4, sizeof script - 1, 1, strlen(stage), length, strlen(SRV_REDIS_STAGE_SECONDS)};
    return format(6, words, lengths, 1);
  }
  /* RPUSHX: a list that has expired is not created again. */
  const char *words[] = {"RPUSHX", stage, write->bytes + at};
  size_t lengths[] = {6, strlen(stage), length};
  return format(3, words, lengths, 1);
}

/* ---- reads ---------------------------------------------------------------------------------- */

/* Concatenates several commands, and frees the pieces. */
static srv_redis_bytes join(const srv_redis_bytes *pieces, int count) {
  size_t length = 0;
  bool whole = true;
  for (int i = 0; i < count; i++) {
    length += pieces[i].length;
    whole = whole && pieces[i].bytes;
  }
  char *bytes = whole ? malloc(length) : NULL;
  size_t at = 0;
  for (int i = 0; i < count; i++) {
    if (bytes) memcpy(bytes + at, pieces[i].bytes, pieces[i].length);
    at += pieces[i].length;
    redisFreeCommand(pieces[i].bytes);
  }
  return (srv_redis_bytes){bytes, length, bytes ? (unsigned)count : 0};
}

#define COMMAND(...) srv_redis_command((const char *const[]){__VA_ARGS__, NULL})

/* Reads `last` after the key's entry: if the scene was deleted before the entry was read, `last` is
 * at least its revision. */
srv_redis_bytes srv_redis_lookup_command(const srv_store_lookup *lookup) {
  key_names names;
  name_keys(&names, lookup->space, lookup->id);
  srv_redis_bytes pieces[] = {lookup->id[0] ? COMMAND("HGET", names.keys, lookup->id)
                                            : COMMAND("HGETALL", names.keys),
                              COMMAND("HGET", SRV_REDIS_KEY_STORE, "last")};
  return join(pieces, 2);
}

srv_redis_bytes srv_redis_load_command(const srv_store_load *load, bool by_script) {
  key_names names;
  name_keys(&names, load->space, load->id);
  if (by_script) {
    static const char script[] =
        "return {redis.call('HGET', KEYS[1], ARGV[1]), redis.call('LRANGE', KEYS[2], 0, -1),"
        " redis.call('LRANGE', KEYS[3], 0, -1)}";
    return COMMAND("EVAL", script, "3", names.keys, names.heads, names.parts, load->id);
  }
  srv_redis_bytes pieces[] = {COMMAND("MULTI"), COMMAND("HGET", names.keys, load->id),
                              COMMAND("LRANGE", names.heads, "0", "-1"),
                              COMMAND("LRANGE", names.parts, "0", "-1"), COMMAND("EXEC")};
  return join(pieces, 5);
}

/* ---- events --------------------------------------------------------------------------------- */

/* Registers a subscriber. A new stream begins at the clock's microseconds and above all known
 * numbers, so that it contains no number that clients have retained from an earlier stream. A
 * subscriber that has a greater number than the stream has received events that Redis has lost; the
 * stream is then started again. Streams with unknown numbers, and keys of another type, are
 * removed. */
static const char subscribe_script[] =
    "local scenes, listened, told = unpack(KEYS)\n"
    "local id, known_first, known_last, seconds = unpack(ARGV)\n"
    "local call = redis.call\n"
    "local entry = call('HGET', scenes, id)\n"
    "if not entry then\n"
    "  local known = known_last ~= '0' and redis.pcall('XRANGE', told, '(' .. known_last, '+') or "
    "{}\n"
    "  return {'0 0 0 0 0', known.err and {} or known}\n"
    "end\n"
    "local got, kept = redis.pcall('HMGET', listened, 'first', 'last', 'closed'), "
    "redis.pcall('XLEN', told)\n"
    "local why = got.err or type(kept) == 'table' and kept.err\n"
    "if why and not string.find(why, 'WRONGTYPE', 1, true) then return got.err and got or kept "
    "end\n"
    "local function is_number(text) return text and #text < 17 and string.find(text, '^%d+$') end\n"
    "if why or (got[2] and not (is_number(got[1]) and is_number(got[2]))) then\n"
    "  call('UNLINK', listened, told)\n"
    "  got = {}\n"
    "end\n"
    "local first, last, closed = unpack(got, 1, 3)\n"
    "local ahead = last and tonumber(known_last) > tonumber(last)\n"
    "if not last or closed or ahead then\n"
    "  local time = call('TIME')\n"
    "  local number = time[1] * 1000000 + time[2]\n"
    "  number = math.max(number, (last or 0) + 1)\n"
    "  if not last then call('UNLINK', told) end\n"
    "  if not last then call('HSET', listened, 'bytes', 0) end\n"
    "  first = string.format('%.0f', number)\n"
    "  last = first\n"
    "  call('HSET', listened, 'first', first, 'last', last)\n"
    "  call('HDEL', listened, 'closed')\n"
    "end\n"
    "call('EXPIRE', listened, seconds)\n"
    "call('EXPIRE', told, seconds)\n"
    "local heard = (known_first == '0' or ahead) and first or known_last\n"
    "return {first .. ' ' .. last .. ' ' .. string.match(entry, '^%d+ %d+ %d+$'), call('XRANGE', "
    "told, '(' .. heard, '+')}\n";

srv_redis_bytes srv_redis_subscribe_command(const char *id, uint64_t first, uint64_t last) {
  key_names names;
  char numbers[2][24];
  name_keys(&names, SRV_STORE_SCENES, id);
  snprintf(numbers[0], sizeof numbers[0], "%" PRIu64, first);
  snprintf(numbers[1], sizeof numbers[1], "%" PRIu64, last);
  return COMMAND("EVAL", subscribe_script, "3", names.keys, names.listened, names.events, id,
                 numbers[0], numbers[1], SRV_REDIS_EVENTS_SECONDS);
}

/* Largest number of entries per scene in one reply. */
#define ENTRIES_MAX_TEXT "100"

srv_redis_bytes srv_redis_wait_events_command(const char *const *ids, const uint64_t *last,
                                              size_t count, uint64_t wait_ms) {
  enum { HEAD = 6 };
  typedef char text[32 + CT_ID_LENGTH_MAX];
  char wait[24];
  text *texts = calloc(2 * count + 1, sizeof *texts);
  const char **words = calloc(HEAD + 2 * count, sizeof *words);
  srv_redis_bytes bytes = {0};
  snprintf(wait, sizeof wait, "%" PRIu64, wait_ms);
  const char *const head[HEAD] = {"XREAD", "COUNT", ENTRIES_MAX_TEXT, "BLOCK", wait, "STREAMS"};
  if (texts && words) {
    memcpy(words, head, sizeof head);
    for (size_t i = 0; i < count; i++) {
      snprintf(texts[i], sizeof texts[i], SRV_REDIS_KEY_EVENTS "%s", ids[i]);
      snprintf(texts[count + i], sizeof texts[i], "%" PRIu64 "-0", last[i]);
      words[HEAD + i] = texts[i];
      words[HEAD + count + i] = texts[count + i];
    }
    bytes = format((int)(HEAD + 2 * count), words, NULL, 1);
  }
  free(texts);
  free(words);
  return bytes;
}
