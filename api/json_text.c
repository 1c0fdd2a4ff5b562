/* Parsing: a scan for what jansson does not bound, then jansson. Merge patches after RFC 7396. The members' meaning is not here. */
#include "json_text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What jansson 2.14 takes from malloc on a 64-bit machine, in bytes, rounded up: a value's own block and what a container takes for
 * each member or element, with the slack of arrays that double. */
#define OBJECT_BYTES 256
#define ARRAY_BYTES 144
#define NUMBER_BYTES 32
#define STRING_BYTES 80
#define ELEMENT_BYTES 24
#define MEMBER_BYTES 112

/* Bytes between two looks at the cancel flag. */
#define CANCEL_STRIDE 1024

/* Deepest patch that is followed: jsonDepth is at most 512. */
#define MERGE_LEVELS_MAX 513

/* ---- allocation -------------------------------------------------------------------------------------------------------- */

/* jansson 2.14 does not look whether its lexer's token could grow: the byte is dropped, and a string that lost its closing quote is
 * then copied beyond its end. So while a text is parsed there is a reserve as large as any growth of a token. The first allocation
 * that fails gets it if it fits, and the text ends for the parser with the next byte it asks for; so there is no second growth. */
typedef struct parsing {
  char *reserve; /* owned by the parse */
  size_t reserve_bytes;
  bool failed; /* an allocation has */
} parsing;

static _Thread_local parsing *current; /* NULL when this thread does not parse */

static void *guarded_malloc(size_t bytes) {
  void *block = malloc(bytes);
  if (block || !current) return block;
  bool first = !current->failed;
  current->failed = true;
  return first && bytes <= current->reserve_bytes ? current->reserve : NULL;
}

static void guarded_free(void *block) {
  if (!current || block != current->reserve) free(block);
}

void api_json_start(void) {
  json_object_seed(0);
  json_set_alloc_funcs(guarded_malloc, guarded_free);
}

/* ---- places in the text ------------------------------------------------------------------------------------------------ */

typedef struct text_place {
  size_t line, column, byte; /* from 1; columns count characters */
} text_place;

/* The place of the byte at offset. */
static text_place locate(const char *bytes, size_t offset, size_t first_line) {
  text_place place = {.line = first_line ? first_line : 1, .column = 1, .byte = offset + 1};
  for (size_t i = 0; i < offset; i++) {
    if (bytes[i] == '\n') {
      place.line++;
      place.column = 1;
    } else if (((unsigned char)bytes[i + 1] & 0xc0) != 0x80) {
      place.column++;
    }
  }
  return place;
}

/* ---- the scan ---------------------------------------------------------------------------------------------------------- */

typedef struct scan {
  const char *bytes;
  size_t length;
  const api_json_options *options;
  api_faults *faults;
  uint64_t memory;      /* estimate so far */
  size_t longest_token; /* bytes; at least that of any token that the parser meets */
  size_t depth;
} scan;

/* Offset after the string whose opening quote is at `at`. */
static size_t skip_string(const char *bytes, size_t length, size_t at) {
  for (size_t i = at + 1; i < length; i++) {
    if (bytes[i] == '\\') i++;
    else if (bytes[i] == '"') return i + 1;
  }
  return length;
}

static bool in_number(char byte) {
  return (byte >= '0' && byte <= '9') || byte == '+' || byte == '-' || byte == '.' || byte == 'e' || byte == 'E';
}

static bool in_word(char byte) { return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z'); }

/* Offset after the letters at `at`: true, false, null, or what is no JSON. */
static size_t skip_word(const char *bytes, size_t length, size_t at) {
  while (at < length && in_word(bytes[at])) at++;
  return at;
}

/* Offset after the number at `at`, or 0 after a fault. */
static size_t skip_number(scan *s, size_t at) {
  size_t end = at;
  while (end < s->length && in_number(s->bytes[end])) end++;
  if (end - at <= API_NUMBER_LITERAL_MAX) return end;
  text_place place = locate(s->bytes, at, s->options->line);
  api_fault *fault = api_fault_at(s->faults, API_PROBLEM_MALFORMED_JSON, s->options->at,
                                  "Line %zu, column %zu (byte %zu): a number of more than %d characters.", place.line, place.column,
                                  place.byte, API_NUMBER_LITERAL_MAX);
  api_fault_limit(fault, API_NUMBER_LITERAL_MAX, (double)(end - at));
  return 0;
}

static bool open_container(scan *s, size_t at) {
  s->memory += s->bytes[at] == '{' ? OBJECT_BYTES : ARRAY_BYTES;
  if (++s->depth <= s->options->depth) return true;
  text_place place = locate(s->bytes, at, s->options->line);
  api_fault *fault =
      api_fault_at(s->faults, API_PROBLEM_TOO_DEEP, s->options->at, "Line %zu, column %zu (byte %zu): nested beyond %zu levels.",
                   place.line, place.column, place.byte, s->options->depth);
  api_fault_limit(fault, (double)s->options->depth, (double)s->depth);
  return false;
}

/* The parser loses a zero byte that follows a number or a word. */
static bool refuse_zero(scan *s, size_t at) {
  text_place place = locate(s->bytes, at, s->options->line);
  api_fault_at(s->faults, API_PROBLEM_MALFORMED_JSON, s->options->at, "Line %zu, column %zu (byte %zu): a zero byte.", place.line,
               place.column, place.byte);
  return false;
}

/* False after a fault. Grammar is left to the parser: the scan only counts tokens, and is right about them in any text that the
 * parser accepts. */
static bool scan_text(scan *s) {
  size_t i = 0;
  while (i < s->length) {
    char byte = s->bytes[i];
    size_t next = i + 1;
    switch (byte) {
    case '"':
      next = skip_string(s->bytes, s->length, i);
      s->memory += STRING_BYTES + (next - i);
      break;
    case '{':
    case '[':
      if (!open_container(s, i)) return false;
      break;
    case '}':
    case ']':
      if (s->depth) s->depth--;
      break;
    case 0:
      if (!s->options->zeros) return refuse_zero(s, i);
      break;
    case ',': s->memory += ELEMENT_BYTES; break;
    case ':': s->memory += MEMBER_BYTES; break;
    default:
      if (in_word(byte)) {
        next = skip_word(s->bytes, s->length, i);
      } else if (in_number(byte)) {
        next = skip_number(s, i);
        if (!next) return false;
        s->memory += NUMBER_BYTES;
      }
    }
    if (s->longest_token < next - i) s->longest_token = next - i;
    i = next;
  }
  if (s->memory <= s->options->memory) return true;
  api_fault *fault =
      api_fault_at(s->faults, API_PROBLEM_BODY_TOO_LARGE, s->options->at,
                   "The values of this JSON text would take about %llu bytes of memory, more than requestMemoryBytes.",
                   (unsigned long long)s->memory);
  api_fault_limit(fault, (double)s->options->memory, (double)s->memory);
  return false;
}

/* ---- the parser -------------------------------------------------------------------------------------------------------- */

typedef struct feed {
  const char *bytes;
  size_t length, at;
  const ct_cancel *cancel;
} feed;

/* Hands out the text byte by byte, so that it can end right after a failed allocation, and ends it when cancelled. */
static size_t next_byte(void *buffer, size_t size, void *context) {
  feed *f = context;
  (void)size;
  if (f->at == f->length || current->failed) return 0;
  if (f->at % CANCEL_STRIDE == 0 && ct_cancel_raised(f->cancel)) return 0;
  *(char *)buffer = f->bytes[f->at++];
  return 1;
}

/* The string that ends at offset `end`, without its quotes; empty if there is none. */
static ct_text string_before(const char *bytes, size_t length, size_t end) {
  for (size_t i = 0; i < end; i++) {
    if (bytes[i] != '"') continue;
    size_t after = skip_string(bytes, length, i);
    if (after == end && after >= i + 2) return (ct_text){bytes + i + 1, after - i - 2};
    i = after - 1;
  }
  return (ct_text){0};
}

/* The parser's words, but for those that speak of its own options, or could tell more. */
static const char *syntax_words(const json_error_t *error, bool lines, char echo[API_ECHO_MAX + 4]) {
  switch (json_error_code(error)) {
  case json_error_null_character:
  case json_error_null_byte_in_key: return "a text may not hold the character U+0000";
  case json_error_end_of_input_expected:
    return lines ? "NDJSON has one value on each line (curl keeps the line ends with --data-binary, not with -d)"
                 : "more text follows the value";
  default: return api_echo(api_text(error->text), echo);
  }
}

static void tell_syntax(const char *bytes, size_t length, const api_json_options *options, const json_error_t *error,
                        api_faults *faults) {
  size_t end = error->position > 0 ? (size_t)error->position : 0;
  if (end > length) end = length;
  text_place place = locate(bytes, end ? end - 1 : 0, options->line);
  char echo[API_ECHO_MAX + 4];
  if (json_error_code(error) == json_error_duplicate_key) {
    api_fault_at(faults, API_PROBLEM_MALFORMED_JSON, options->at, "Line %zu, column %zu (byte %zu): the name \"%s\" occurs twice.",
                 place.line, place.column, place.byte, api_echo(string_before(bytes, length, end), echo));
    return;
  }
  api_fault_at(faults, API_PROBLEM_MALFORMED_JSON, options->at, "Line %zu, column %zu (byte %zu): %s.", place.line, place.column,
               place.byte, syntax_words(error, options->line > 0, echo));
}

json_t *api_json_parse(const char *bytes, size_t length, const api_json_options *options, api_faults *faults) {
  scan s = {.bytes = bytes, .length = length, .options = options, .faults = faults};
  if (length == 0) {
    api_fault_at(faults, API_PROBLEM_MALFORMED_JSON, options->at, "Line 1, column 1 (byte 1): the text is empty.");
    return NULL;
  }
  if (!scan_text(&s)) return NULL;

  /* A token's room doubles, with a byte for its end. */
  parsing state = {.reserve_bytes = 2 * (s.longest_token + 2) + 64};
  state.reserve = malloc(state.reserve_bytes);
  if (!state.reserve) {
    api_fault_memory(faults);
    return NULL;
  }
  feed f = {bytes, length, 0, options->cancel};
  json_error_t error = {0};
  current = &state;
  json_t *value = json_load_callback(next_byte, &f, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, &error);
  bool cancelled = ct_cancel_raised(options->cancel);
  bool memory = state.failed || (!value && (error.text[0] == 0 || json_error_code(&error) == json_error_out_of_memory));
  if (!value || cancelled || memory) {
    json_decref(value);
    value = NULL;
    if (cancelled) api_fault_cancelled(faults);
    else if (memory) api_fault_memory(faults);
    else tell_syntax(bytes, length, options, &error, faults);
  }
  current = NULL;
  free(state.reserve);
  return value;
}

/* ---- merge patch ------------------------------------------------------------------------------------------------------- */

typedef struct merge_level {
  json_t *target, *patch; /* objects */
  void *member;           /* of patch: the next to apply */
} merge_level;

/* Applies one member. *deeper is the object to go into, or NULL. False: out of memory. */
static bool merge_member(json_t *target, const char *name, json_t *value, json_t **deeper) {
  *deeper = NULL;
  if (json_is_null(value)) {
    json_object_del(target, name);
    return true;
  }
  if (!json_is_object(value)) return json_object_set(target, name, value) == 0;
  json_t *old = json_object_get(target, name);
  if (!json_is_object(old) && json_object_set_new(target, name, json_object()) != 0) return false;
  *deeper = json_object_get(target, name);
  return *deeper != NULL;
}

bool api_json_merge(json_t **target, json_t *patch) {
  if (!json_is_object(patch)) {
    json_decref(*target);
    *target = json_incref(patch);
    return true;
  }
  if (!json_is_object(*target)) {
    json_t *empty = json_object();
    if (!empty) return false;
    json_decref(*target);
    *target = empty;
  }
  merge_level levels[MERGE_LEVELS_MAX];
  size_t depth = 1;
  levels[0] = (merge_level){*target, patch, json_object_iter(patch)};
  while (depth) {
    merge_level *top = &levels[depth - 1];
    if (!top->member) {
      depth--;
      continue;
    }
    const char *name = json_object_iter_key(top->member);
    json_t *value = json_object_iter_value(top->member), *deeper;
    top->member = json_object_iter_next(top->patch, top->member);
    if (!merge_member(top->target, name, value, &deeper)) return false;
    if (!deeper) continue;
    if (depth == MERGE_LEVELS_MAX) return false;
    levels[depth++] = (merge_level){deeper, value, json_object_iter(value)};
  }
  return true;
}
