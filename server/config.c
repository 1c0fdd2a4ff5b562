/* The table of settings and its four readers: defaults, environment, command line, --help. What a value means beyond its range
 * (files that must exist, addresses that must parse) is checked where it is used. */
#include "config.h"

#include <ctype.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <uv.h>

typedef enum option_kind {
  KIND_NUMBER, /* uint64_t between least and greatest */
  KIND_WORD,   /* one of `words`, blank-separated */
  KIND_TEXT,   /* any text but the empty one */
  KIND_LIST,   /* repeatable text; in the environment separated by commas */
  KIND_FLAG,   /* present or not; in the environment 0 or 1 */
  KIND_LIMIT,  /* as NUMBER, given as --limit NAME=VALUE */
  KIND_ACTION, /* as FLAG, on the command line only: done instead of serving */
  KIND_HELP,
  KIND_VERSION
} option_kind;

typedef struct option {
  option_kind kind;
  const char *name;
  const char *value; /* placeholder in --help */
  size_t offset;     /* in srv_config */
  uint64_t standard, least, greatest;
  const char *words; /* WORD: the first is the default; TEXT: the default or NULL */
  const char *unit;
  const char *text;
} option;

/* Stands in `standard` for "as many as there are cores". */
#define STANDARD_CORES UINT64_MAX

#define AT(member) offsetof(srv_config, member)
#define LIMIT_ROW(member, name, standard, least, greatest, unit, text)                                                             \
  {KIND_LIMIT, name, "N", AT(limits.member), standard, least, greatest, NULL, unit, text},

static const option options[] = {
    {KIND_NUMBER, "port", "N", AT(port), 7077, 0, 65535, NULL, "", "port to listen on; 0 takes a free one"},
    {KIND_TEXT, "address", "ADDRESS", AT(address), 0, 0, 0, "127.0.0.1", "", "IPv4 or IPv6 address to listen on"},
    {KIND_NUMBER, "workers", "N", AT(workers), STANDARD_CORES, 1, SRV_WORKERS_MAX, NULL, "",
     "threads that compute; by default one per core"},
    {KIND_WORD, "durability", "WORD", AT(durability), 0, 0, 0, "memory disk", "",
     "what an acknowledged write survives: the end of the request, or that of the daemon and of the machine"},
    {KIND_TEXT, "data", "FOLDER", AT(data), 0, 0, 0, NULL, "", "folder of the store of --durability disk"},
    {KIND_NUMBER, "shape-seconds", "N", AT(shape_seconds), 604800, 1, 315360000, NULL, "s",
     "with a store, how long a posted shape that no scene names is kept"},
    {KIND_TEXT, "token-file", "FILE", AT(token_file), 0, 0, 0, NULL, "", "file with the token that requests must bear"},
    {KIND_LIST, "allow-host", "NAME", AT(allow_hosts), 0, 0, 0, NULL, "",
     "name that a request's Host may have beside loopback's; repeatable"},
    {KIND_FLAG, "insecure", NULL, AT(insecure), 0, 0, 0, NULL, "", "allow an address that is not loopback without a token"},
    {KIND_LIST, "scene", "FILE", AT(scenes), 0, 0, 0, NULL, "",
     "scene document to load at start, unless the store has its id already; repeatable"},
    {KIND_WORD, "log", "WORD", AT(log), 0, 0, 0, "stderr off", "", "where a line per request goes"},
    API_LIMIT_MAP(LIMIT_ROW){KIND_ACTION, "healthcheck", NULL, AT(healthcheck), 0, 0, 0, NULL, "",
                             "ask the daemon at this address and port if it is ready; status 0: it is, 1: it is not"},
    {KIND_VERSION, "version", NULL, 0, 0, 0, 0, NULL, "", "print the version"},
    {KIND_HELP, "help", NULL, 0, 0, 0, 0, NULL, "", "print this text"},
};
#define OPTION_COUNT (sizeof options / sizeof options[0])

static void *member_of(srv_config *config, const option *row) { return (char *)config + row->offset; }

/* "jsonBytes" and "json-bytes" both become "CONTACTD_JSON_BYTES". */
static void environment_name(const char *name, char *out, size_t capacity) {
  size_t n = (size_t)snprintf(out, capacity, "CONTACTD_");
  for (; *name && n + 2 < capacity; name++) {
    if (isupper((unsigned char)*name)) out[n++] = '_';
    out[n++] = *name == '-' ? '_' : (char)toupper((unsigned char)*name);
  }
  out[n] = 0;
}

/* ---- values ---------------------------------------------------------------------------------------------------------- */

static bool parse_number(const char *text, uint64_t *out) {
  uint64_t value = 0;
  if (!*text) return false;
  for (; *text; text++) {
    if (*text < '0' || *text > '9') return false;
    uint64_t digit = (uint64_t)(*text - '0');
    if (value > (UINT64_MAX - digit) / 10) return false;
    value = value * 10 + digit;
  }
  *out = value;
  return true;
}

static bool word_listed(const char *words, const char *word) {
  size_t length = strlen(word);
  for (const char *at = words; length && *at;) {
    size_t n = strcspn(at, " ");
    if (n == length && memcmp(at, word, n) == 0) return true;
    at += n + strspn(at + n, " ");
  }
  return false;
}

static bool words_add(srv_words *words, const char *text, size_t length) {
  char **grown = realloc(words->items, (words->count + 1) * sizeof *grown);
  if (!grown) return false;
  words->items = grown;
  char *copy = malloc(length + 1);
  if (!copy) return false;
  memcpy(copy, text, length);
  copy[length] = 0;
  words->items[words->count++] = copy;
  return true;
}

/* Sets the member; false after one sentence on standard error. `given` is how the user spelled the option. */
static bool set_value(srv_config *config, const option *row, const char *given, const char *text) {
  void *member = member_of(config, row);
  uint64_t number = 0;
  switch (row->kind) {
  case KIND_NUMBER:
  case KIND_LIMIT:
    if (!parse_number(text, &number) || number < row->least || number > row->greatest) {
      fprintf(stderr, "contactd: %s: '%.64s' is not a whole number between %llu and %llu%s%s.\n", given, text,
              (unsigned long long)row->least, (unsigned long long)row->greatest, row->unit[0] ? " " : "", row->unit);
      return false;
    }
    memcpy(member, &number, sizeof number);
    return true;
  case KIND_WORD:
    if (!word_listed(row->words, text)) {
      fprintf(stderr, "contactd: %s: '%.64s' is not one of: %s.\n", given, text, row->words);
      return false;
    }
    memcpy(member, &text, sizeof text);
    return true;
  case KIND_TEXT:
  case KIND_LIST:
    if (!*text) {
      fprintf(stderr, "contactd: %s: the value is empty.\n", given);
      return false;
    }
    if (row->kind == KIND_TEXT) memcpy(member, &text, sizeof text);
    else if (!words_add(member, text, strlen(text))) {
      fprintf(stderr, "contactd: %s: out of memory.\n", given);
      return false;
    }
    return true;
  default: return false;
  }
}

/* ---- readers --------------------------------------------------------------------------------------------------------- */

static void set_defaults(srv_config *config) {
  *config = (srv_config){0};
  for (size_t i = 0; i < OPTION_COUNT; i++) {
    const option *row = &options[i];
    void *member = member_of(config, row);
    if (row->kind == KIND_NUMBER || row->kind == KIND_LIMIT) {
      uint64_t value = row->standard;
      if (value == STANDARD_CORES) {
        value = uv_available_parallelism();
        if (value > SRV_WORKERS_MAX) value = SRV_WORKERS_MAX;
      }
      memcpy(member, &value, sizeof value);
    } else if (row->kind == KIND_TEXT) {
      memcpy(member, &row->words, sizeof row->words);
    }
  }
  config->durability = "memory";
  config->log = "stderr";
}

static bool read_list_variable(srv_config *config, const option *row, const char *name, const char *text) {
  for (const char *at = text; *at;) {
    size_t n = strcspn(at, ",");
    if (n && !words_add(member_of(config, row), at, n)) {
      fprintf(stderr, "contactd: %s: out of memory.\n", name);
      return false;
    }
    at += n + (at[n] == ',');
  }
  return true;
}

static bool read_environment(srv_config *config) {
  for (size_t i = 0; i < OPTION_COUNT; i++) {
    const option *row = &options[i];
    if (row->kind >= KIND_ACTION) continue;
    char name[64];
    environment_name(row->name, name, sizeof name);
    const char *text = getenv(name);
    if (!text) continue;
    if (row->kind == KIND_FLAG) {
      bool on = strcmp(text, "1") == 0;
      if (!on && strcmp(text, "0") != 0) {
        fprintf(stderr, "contactd: %s: '%.64s' is neither 0 nor 1.\n", name, text);
        return false;
      }
      memcpy(member_of(config, row), &on, sizeof on);
    } else if (row->kind == KIND_LIST ? !read_list_variable(config, row, name, text) : !set_value(config, row, name, text)) {
      return false;
    }
  }
  return true;
}

static void words_clear(srv_words *words) {
  for (size_t i = 0; i < words->count; i++) free(words->items[i]);
  free(words->items);
  *words = (srv_words){0};
}

static const option *find_option(option_kind limit_or_any, const char *name, size_t length) {
  for (size_t i = 0; i < OPTION_COUNT; i++) {
    bool is_limit = options[i].kind == KIND_LIMIT;
    if (is_limit == (limit_or_any == KIND_LIMIT) && strlen(options[i].name) == length && memcmp(options[i].name, name, length) == 0)
      return &options[i];
  }
  return NULL;
}

static void print_help(void) {
  printf("usage: contactd [options]\nAnswers contact questions about 3-D scenes over HTTP with JSON.\n\n");
  for (size_t i = 0; i < OPTION_COUNT; i++) {
    const option *row = &options[i];
    char left[64], name[64];
    if (row->kind == KIND_LIMIT) snprintf(left, sizeof left, "--limit %s=%s", row->name, row->value);
    else snprintf(left, sizeof left, "--%s%s%s", row->name, row->value ? " " : "", row->value ? row->value : "");
    printf("  %-34s %s", left, row->text);
    if (row->kind == KIND_WORD) printf(": %s", row->words);
    printf("\n");
    if (row->kind >= KIND_ACTION) continue;
    environment_name(row->name, name, sizeof name);
    printf("  %-34s %s", "", name);
    if (row->kind == KIND_LIMIT || row->kind == KIND_NUMBER) {
      if (row->standard != STANDARD_CORES) printf(", default %llu", (unsigned long long)row->standard);
      printf(", %llu to %llu%s%s", (unsigned long long)row->least, (unsigned long long)row->greatest, row->unit[0] ? " " : "",
             row->unit);
    } else if (row->kind == KIND_WORD) {
      printf(", default %.*s", (int)strcspn(row->words, " "), row->words);
    } else if (row->kind == KIND_TEXT && row->words) {
      printf(", default %s", row->words);
    } else if (row->kind == KIND_LIST) {
      printf(", separated by commas");
    } else if (row->kind == KIND_FLAG) {
      printf(", 0 or 1");
    }
    printf("\n");
  }
}

/* One argument with its value, which may be in the next one. Advances *at past both. */
static srv_config_outcome read_argument(srv_config *config, char **argv, int argc, int *at) {
  const char *argument = argv[(*at)++];
  if (strncmp(argument, "--", 2) != 0 || !argument[2]) {
    fprintf(stderr, "contactd: '%.64s' is not an option; --help lists them.\n", argument);
    return SRV_CONFIG_BAD;
  }
  size_t length = strcspn(argument + 2, "=");
  const char *value = argument[2 + length] == '=' ? argument + 3 + length : NULL;
  bool is_limit = length == 5 && memcmp(argument + 2, "limit", 5) == 0;
  const option *row = find_option(KIND_NUMBER, argument + 2, length);
  if (!row && !is_limit) {
    fprintf(stderr, "contactd: '%.64s' is not an option; --help lists them.\n", argument);
    return SRV_CONFIG_BAD;
  }
  bool takes_value = is_limit || row->value;
  if (!takes_value && value) {
    fprintf(stderr, "contactd: --%s takes no value.\n", row->name);
    return SRV_CONFIG_BAD;
  }
  if (takes_value && !value) {
    if (*at >= argc) {
      fprintf(stderr, "contactd: %.64s needs a value.\n", argument);
      return SRV_CONFIG_BAD;
    }
    value = argv[(*at)++];
  }
  char given[96];
  if (is_limit) {
    length = strcspn(value, "=");
    row = find_option(KIND_LIMIT, value, length);
    if (!row || value[length] != '=') {
      fprintf(stderr, "contactd: --limit: '%.64s' is not NAME=VALUE with a name that --help lists.\n", value);
      return SRV_CONFIG_BAD;
    }
    snprintf(given, sizeof given, "--limit %s", row->name);
    value += length + 1;
  } else {
    snprintf(given, sizeof given, "--%s", row->name);
  }
  if (row->kind == KIND_HELP) {
    print_help();
    return SRV_CONFIG_SHOWN;
  }
  if (row->kind == KIND_VERSION) {
    printf("contactd %s\n", CONTACTD_VERSION);
    return SRV_CONFIG_SHOWN;
  }
  if (row->kind == KIND_FLAG || row->kind == KIND_ACTION) {
    bool on = true;
    memcpy(member_of(config, row), &on, sizeof on);
    return SRV_CONFIG_RUN;
  }
  return set_value(config, row, given, value) ? SRV_CONFIG_RUN : SRV_CONFIG_BAD;
}

srv_config_outcome srv_config_read(srv_config *config, int argc, char **argv) {
  set_defaults(config);
  srv_config_outcome outcome = read_environment(config) ? SRV_CONFIG_RUN : SRV_CONFIG_BAD;

  /* A list on the command line replaces the environment's. */
  for (int i = 1; i < argc; i++) {
    if (strncmp(argv[i], "--allow-host", 12) == 0) words_clear(&config->allow_hosts);
    if (strncmp(argv[i], "--scene", 7) == 0) words_clear(&config->scenes);
  }
  for (int at = 1; at < argc && outcome == SRV_CONFIG_RUN;) outcome = read_argument(config, argv, argc, &at);

  /* What holds for requests that say nothing is never more than what they may say. */
  api_limits *limits = &config->limits;
  if (limits->deadline_ms > limits->deadline_max_ms) limits->deadline_ms = limits->deadline_max_ms;
  if (limits->page > limits->page_max) limits->page = limits->page_max;
  if (outcome == SRV_CONFIG_RUN && strcmp(config->durability, "disk") == 0 && !config->data && !config->healthcheck) {
    fprintf(stderr, "contactd: --durability: disk needs a folder, --data; without one the durability is memory.\n");
    outcome = SRV_CONFIG_BAD;
  }
  if (outcome != SRV_CONFIG_RUN) srv_config_free(config);
  return outcome;
}

void srv_config_free(srv_config *config) {
  words_clear(&config->allow_hosts);
  words_clear(&config->scenes);
}
