/* Table of settings and its readers: defaults, file, environment and command line, in ascending
 * precedence. Only ranges and words are checked here; whether files exist and addresses are valid
 * is checked where they are used. */
#include "process/array.h"
#include "process/config_table.h"
#include "process/machine.h"

#include <ctype.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <uv.h>

#define AT(member) offsetof(srv_config, member)
#define LIMIT_ROW(member, name, standard, least, greatest, unit, text)                             \
  {SRV_KIND_LIMIT, name, "N", AT(limits.member), standard, least, greatest, NULL, unit, text},

const srv_option srv_options[] = {
    {SRV_KIND_FILE, "config", "FILE", AT(file), 0, 0, 0, NULL, "",
     "file of settings, one line NAME = VALUE per option"},
    {SRV_KIND_NUMBER, "port", "N", AT(port), 7077, 0, 65535, NULL, "",
     "port to listen on; 0: a free port"},
    {SRV_KIND_TEXT, "address", "ADDRESS", AT(address), 0, 0, 0, "127.0.0.1", "",
     "IPv4 or IPv6 address to listen on"},
    {SRV_KIND_NUMBER, "workers", "N", AT(workers), SRV_STANDARD_CORES, 1, SRV_WORKERS_MAX, NULL, "",
     "number of worker threads; by default one per core"},
    {SRV_KIND_WORD, "durability", "WORD", AT(durability), 0, 0, 0, "memory disk", "",
     "where scenes are stored; on disk, acknowledged writes survive the end of the daemon and of "
     "the machine"},
    {SRV_KIND_TEXT, "data", "FOLDER", AT(data), 0, 0, 0, NULL, "",
     "folder of the store of --durability disk"},
    {SRV_KIND_TEXT, "store", "URL", AT(store), 0, 0, 0, NULL, "",
     "redis://[user@]host[:port][/database]: store scenes in this Redis, which several daemons can "
     "share; overrides --durability"},
    {SRV_KIND_TEXT, "store-password-file", "FILE", AT(store_password_file), 0, 0, 0, NULL, "",
     "file with the password of --store"},
    {SRV_KIND_FLAG, "stale-reads", NULL, AT(stale_reads), 0, 0, 0, NULL, "",
     "with --store, answer reads of scenes in memory without querying Redis for newer revisions; "
     "such replies have the header X-Stale-Reads: 1"},
    {SRV_KIND_NUMBER, "shape-seconds", "N", AT(shape_seconds), 604800, 1, 315360000, NULL, "s",
     "with a store, time after which a posted shape that no scene refers to is deleted; the time "
     "restarts when the daemon starts"},
    {SRV_KIND_NUMBER, "scene-memory", "N", AT(scene_memory), SRV_STANDARD_MEMORY, 65536,
     SRV_MEMORY_MAX, NULL, "bytes",
     "with a store, limit of the memory of loaded scenes; the least recently used ones are evicted "
     "and loaded again on use. By default a quarter of the machine's memory"},
    {SRV_KIND_TEXT, "token-file", "FILE", AT(token_file), 0, 0, 0, NULL, "",
     "file with the token that requests must send"},
    {SRV_KIND_LIST, "allow-host", "NAME", AT(allow_hosts), 0, 0, 0, NULL, "",
     "name accepted in the Host header, besides the loopback names; repeatable"},
    {SRV_KIND_FLAG, "insecure", NULL, AT(insecure), 0, 0, 0, NULL, "",
     "allow an address other than loopback without a token"},
    {SRV_KIND_LIST, "scene", "FILE", AT(scenes), 0, 0, 0, NULL, "",
     "scene document to load at start, unless the store already has its id; with --store, the "
     "start fails if Redis is unreachable; repeatable"},
    {SRV_KIND_WORD, "log", "WORD", AT(log), 0, 0, 0, "stderr errors off", "",
     "what is written to standard error: stderr: one line per request and per event; errors: "
     "events, "
     "and requests whose reply has status 500 or above; off: nothing"},
    API_LIMIT_MAP(LIMIT_ROW){
        SRV_KIND_ACTION, "print-config", NULL, AT(print), 0, 0, 0, NULL, "",
        "print all settings with their origins, in the format of a file of settings"},
    {SRV_KIND_ACTION, "healthcheck", NULL, AT(healthcheck), 0, 0, 0, NULL, "",
     "query whether the daemon at this address and port is ready; exit status 0: ready, 1: not "
     "ready"},
    {SRV_KIND_VERSION, "version", NULL, 0, 0, 0, 0, NULL, "", "print the version"},
    {SRV_KIND_HELP, "help", NULL, 0, 0, 0, 0, NULL, "", "print this text"},
};
#define OPTION_COUNT (sizeof srv_options / sizeof srv_options[0])
_Static_assert(OPTION_COUNT <= SRV_OPTIONS_MAX, "origins has a place for each option");
const size_t srv_option_count = OPTION_COUNT;

static void *get_option_member(srv_config *config, const srv_option *row) {
  return (char *)config + row->offset;
}

void srv_option_variable(const srv_option *row, char *out, size_t capacity) {
  const char *name = row->name;
  size_t n = (size_t)snprintf(out, capacity, "CONTACTD_");
  for (; *name && n + 2 < capacity; name++) {
    if (isupper((unsigned char)*name)) out[n++] = '_';
    out[n++] = *name == '-' ? '_' : (char)toupper((unsigned char)*name);
  }
  out[n] = 0;
}

const srv_option *srv_option_find(bool limits, const char *name, size_t length) {
  for (size_t i = 0; i < OPTION_COUNT; i++) {
    const srv_option *row = &srv_options[i];
    if ((row->kind == SRV_KIND_LIMIT) == limits && strlen(row->name) == length &&
        memcmp(row->name, name, length) == 0)
      return row;
  }
  return NULL;
}

const char *srv_option_nearest(bool limits, const char *name, size_t length,
                               char out[SRV_NEAREST_MAX]) {
  api_spelling likeness = api_spelling_start(name, length);
  for (size_t i = 0; i < OPTION_COUNT; i++)
    if ((srv_options[i].kind == SRV_KIND_LIMIT) == limits)
      api_spelling_consider(&likeness, srv_options[i].name, strlen(srv_options[i].name));
  const char *mark = limits ? "" : "--";
  out[0] = 0;
  if (likeness.best.length)
    snprintf(out, SRV_NEAREST_MAX, "; did you mean %s%.*s?", mark, (int)likeness.best.length,
             likeness.best.bytes);
  return out;
}

const srv_option *srv_option_limit(const char *given, const char *text, const char **value) {
  size_t length = strcspn(text, "=");
  const srv_option *row = text[length] == '=' ? srv_option_find(true, text, length) : NULL;
  if (row) {
    *value = text + length + 1;
    return row;
  }
  char nearest[SRV_NEAREST_MAX];
  fprintf(stderr, "contactd: %s: '%.64s' is not NAME=VALUE with a name that --help lists%s\n",
          given, text, srv_option_nearest(true, text, length, nearest)[0] ? nearest : ".");
  return NULL;
}

/* ---- values --------------------------------------------------------------------------------- */

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

static bool is_listed_word(const char *words, const char *word) {
  size_t length = strlen(word);
  for (const char *at = words; length && *at;) {
    size_t n = strcspn(at, " ");
    if (n == length && memcmp(at, word, n) == 0) return true;
    at += n + strspn(at + n, " ");
  }
  return false;
}

static bool append_word(srv_words *words, const char *text, size_t length) {
  if (!srv_array_reserve(&words->items, &words->capacity, words->count + 1, sizeof *words->items,
                         4))
    return false;
  char *copy = malloc(length + 1);
  if (!copy) return false;
  memcpy(copy, text, length);
  copy[length] = 0;
  words->items[words->count++] = copy;
  return true;
}

static void clear_words(srv_words *words) {
  for (size_t i = 0; i < words->count; i++) free(words->items[i]);
  free(words->items);
  *words = (srv_words){0};
}

static bool set_number(void *member, const srv_option *row, const char *given, const char *text) {
  uint64_t number = 0;
  if (!parse_number(text, &number) || number < row->least || number > row->greatest) {
    fprintf(stderr, "contactd: %s: '%.64s' is not a whole number between %llu and %llu%s%s.\n",
            given, text, (unsigned long long)row->least, (unsigned long long)row->greatest,
            row->unit[0] ? " " : "", row->unit);
    return false;
  }
  memcpy(member, &number, sizeof number);
  return true;
}

static bool set_flag(void *member, const char *given, const char *text) {
  bool on = strcmp(text, "1") == 0;
  if (!on && strcmp(text, "0") != 0) {
    fprintf(stderr, "contactd: %s: '%.64s' is neither 0 nor 1.\n", given, text);
    return false;
  }
  memcpy(member, &on, sizeof on);
  return true;
}

static bool set_word(void *member, const srv_option *row, const char *given, const char *text) {
  if (!is_listed_word(row->words, text)) {
    fprintf(stderr, "contactd: %s: '%.64s' is not one of: %s.\n", given, text, row->words);
    return false;
  }
  memcpy(member, &text, sizeof text);
  return true;
}

static bool set_text(void *member, const srv_option *row, const char *given, const char *text) {
  if (!*text) {
    fprintf(stderr, "contactd: %s: the value is empty.\n", given);
    return false;
  }
  if (row->kind != SRV_KIND_LIST) {
    memcpy(member, &text, sizeof text);
    return true;
  }
  bool added = append_word(member, text, strlen(text));
  if (!added) fprintf(stderr, "contactd: %s: out of memory.\n", given);
  return added;
}

bool srv_option_set(srv_config *config, const srv_option *row, srv_origin origin, const char *given,
                    const char *text) {
  void *member = get_option_member(config, row);
  unsigned char *from = &config->origins[row - srv_options];
  if (row->kind == SRV_KIND_LIST && *from != origin) clear_words(member);
  *from = (unsigned char)origin;
  switch (row->kind) {
  case SRV_KIND_NUMBER:
  case SRV_KIND_LIMIT: return set_number(member, row, given, text);
  case SRV_KIND_WORD: return set_word(member, row, given, text);
  case SRV_KIND_TEXT:
  case SRV_KIND_FILE:
  case SRV_KIND_LIST: return set_text(member, row, given, text);
  default: return set_flag(member, given, text);
  }
}

/* ---- readers -------------------------------------------------------------------------------- */

static void set_defaults(srv_config *config) {
  *config = (srv_config){0};
  uint64_t memory = srv_machine_memory();
  for (size_t i = 0; i < OPTION_COUNT; i++) {
    const srv_option *row = &srv_options[i];
    void *member = get_option_member(config, row);
    if (row->kind == SRV_KIND_NUMBER || row->kind == SRV_KIND_LIMIT) {
      uint64_t value = row->standard;
      if (value == SRV_STANDARD_CORES) {
        value = uv_available_parallelism();
        if (value > SRV_WORKERS_MAX) value = SRV_WORKERS_MAX;
      }
      if (value == SRV_STANDARD_MEMORY) value = memory / SRV_MEMORY_SHARE;
      memcpy(member, &value, sizeof value);
    } else if (row->kind == SRV_KIND_TEXT) {
      memcpy(member, &row->words, sizeof row->words);
    }
  }
  srv_machine_fit_standards(&config->limits, memory);
  config->durability = "memory";
  config->log = "stderr";
}

/* ---- the environment ------------------------------------------------------------------------ */

/* Adds the values of a comma-separated list to an option. False after one sentence on standard
 * error. */
static bool set_list(srv_config *config, const srv_option *row, const char *name,
                     const char *text) {
  char *copy = strdup(text), *rest = copy;
  bool good = copy && (!*text || text[strspn(text, ",")]);
  if (!good)
    fprintf(stderr, "contactd: %s: %s.\n", name,
            copy ? "there is nothing between the commas" : "out of memory");
  for (const char *item; good && (item = strsep(&rest, ","));)
    if (*item) good = srv_option_set(config, row, SRV_ORIGIN_ENVIRONMENT, name, item);
  free(copy);
  return good;
}

/* True if an option has this CONTACTD_ variable. False after one sentence on standard error;
 * unknown variables are refused, because a misspelt one would otherwise have no effect. */
static bool is_known(const char *variable, size_t length) {
  char name[64], best[64] = "";
  api_spelling likeness = api_spelling_start(variable, length);
  for (size_t i = 0; i < OPTION_COUNT; i++) {
    if (srv_options[i].kind >= SRV_KIND_ACTION) continue;
    srv_option_variable(&srv_options[i], name, sizeof name);
    if (strlen(name) == length && memcmp(name, variable, length) == 0) return true;
    size_t before = likeness.distance;
    api_spelling_consider(&likeness, name, strlen(name));
    if (likeness.distance < before) memcpy(best, name, strlen(name) + 1);
  }
  fprintf(stderr, "contactd: %.*s: no option has this variable; %s%s%s\n",
          length < 64 ? (int)length : 64, variable,
          best[0] ? "did you mean " : "--help lists them.", best, best[0] ? "?" : "");
  return false;
}

static bool read_environment(srv_config *config) {
  for (char **variable = environ; *variable; variable++)
    if (strncmp(*variable, "CONTACTD_", 9) == 0 && !is_known(*variable, strcspn(*variable, "=")))
      return false;
  for (size_t i = 0; i < OPTION_COUNT; i++) {
    const srv_option *row = &srv_options[i];
    if (row->kind >= SRV_KIND_FILE) continue;
    char name[64];
    srv_option_variable(row, name, sizeof name);
    const char *text = getenv(name);
    if (!text) continue;
    bool good = row->kind == SRV_KIND_LIST
                    ? set_list(config, row, name, text)
                    : srv_option_set(config, row, SRV_ORIGIN_ENVIRONMENT, name, text);
    if (!good) return false;
  }
  return true;
}

/* ---- the command line ----------------------------------------------------------------------- */

typedef struct argument {
  const srv_option *row;
  const char *value; /* "1" for an option without a value */
  char given[96];
} argument;

static bool report_bad_argument(const char *text, const char *why) {
  fprintf(stderr, "contactd: %.64s %s.\n", text, why);
  return false;
}

/* Parses one argument and its value, which may be the next argument, and advances *at past both.
 * False after one sentence on standard error. */
static bool read_argument(char **argv, int argc, int *at, argument *out) {
  const char *text = argv[(*at)++];
  if (strcmp(text, "-h") == 0) text = "--help";
  size_t length = strncmp(text, "--", 2) == 0 ? strcspn(text + 2, "=") : 0;
  bool is_limit = length == 5 && memcmp(text + 2, "limit", 5) == 0;
  out->row = length ? srv_option_find(false, text + 2, length) : NULL;
  if (!out->row && !is_limit) {
    char nearest[SRV_NEAREST_MAX];
    const char *name = text + strspn(text, "-");
    fprintf(stderr, "contactd: '%.64s' is not an option%s\n", text,
            srv_option_nearest(false, name, strcspn(name, "="), nearest)[0]
                ? nearest
                : "; --help lists them.");
    return false;
  }
  out->value = text[2 + length] == '=' ? text + 3 + length : NULL;
  bool takes_value = is_limit || out->row->value;
  snprintf(out->given, sizeof out->given, "--%.*s", (int)length, text + 2);
  if (!takes_value && out->value) return report_bad_argument(out->given, "takes no value");
  if (takes_value && !out->value && *at >= argc)
    return report_bad_argument(out->given, "needs a value");
  if (!out->value) out->value = takes_value ? argv[(*at)++] : "1";
  if (!is_limit) return true;
  out->row = srv_option_limit(out->given, out->value, &out->value);
  if (out->row) snprintf(out->given, sizeof out->given, "--limit %s", out->row->name);
  return out->row != NULL;
}

/* First pass over the arguments: finds --help, --version and the settings file, which must be read
 * before the other options. */
static srv_config_outcome find_actions_and_file(srv_config *config, int argc, char **argv) {
  argument found;
  for (int at = 1; at < argc;) {
    if (!read_argument(argv, argc, &at, &found)) return SRV_CONFIG_BAD;
    if (found.row->kind == SRV_KIND_HELP) srv_config_help();
    if (found.row->kind == SRV_KIND_VERSION) printf("contactd %s\n", CONTACTD_VERSION);
    if (found.row->kind == SRV_KIND_HELP || found.row->kind == SRV_KIND_VERSION)
      return SRV_CONFIG_SHOWN;
    if (found.row->kind == SRV_KIND_FILE &&
        !srv_option_set(config, found.row, SRV_ORIGIN_FLAG, found.given, found.value))
      return SRV_CONFIG_BAD;
  }
  const char *variable = "CONTACTD_CONFIG", *text = getenv(variable);
  if (config->file || !text) return SRV_CONFIG_RUN;
  bool good = srv_option_set(config, srv_option_find(false, "config", 6), SRV_ORIGIN_ENVIRONMENT,
                             variable, text);
  return good ? SRV_CONFIG_RUN : SRV_CONFIG_BAD;
}

static bool read_arguments(srv_config *config, int argc, char **argv) {
  argument found;
  for (int at = 1; at < argc;)
    if (!read_argument(argv, argc, &at, &found) ||
        !srv_option_set(config, found.row, SRV_ORIGIN_FLAG, found.given, found.value))
      return false;
  return true;
}

/* ---- origin of a value ---------------------------------------------------------------------- */

const char *srv_config_given(const srv_config *config, const char *option,
                             char out[SRV_GIVEN_MAX]) {
  const srv_option *row = srv_option_find(false, option, strlen(option));
  size_t index = (size_t)(row - srv_options);
  if (config->origins[index] == SRV_ORIGIN_ENVIRONMENT)
    srv_option_variable(row, out, SRV_GIVEN_MAX);
  /* each value of a list has a line of its own, so none is named */
  else if (config->origins[index] == SRV_ORIGIN_FILE && row->kind == SRV_KIND_LIST)
    snprintf(out, SRV_GIVEN_MAX, "%.400s: %s", config->file, option);
  else if (config->origins[index] == SRV_ORIGIN_FILE)
    snprintf(out, SRV_GIVEN_MAX, "%.400s:%u: %s", config->file, config->lines[index], option);
  else snprintf(out, SRV_GIVEN_MAX, "--%s", option);
  return out;
}

/* ---- all of it ------------------------------------------------------------------------------ */

/* Lowers the defaults of request parameters to their maxima. */
static void fit_limits(srv_config *config) {
  api_limits *limits = &config->limits;
  config->requested_limits = *limits;
  if (limits->deadline_ms > limits->deadline_max_ms) limits->deadline_ms = limits->deadline_max_ms;
  if (limits->page > limits->page_max) limits->page = limits->page_max;
}

/* True if the settings that serving needs are consistent. False after one sentence on standard
 * error. */
static bool are_settings_consistent(const srv_config *config) {
  const char *option = NULL, *why = NULL;
  char given[SRV_GIVEN_MAX];
  if (config->store || config->healthcheck) return true;
  if (strcmp(config->durability, "disk") == 0 && !config->data) {
    option = "durability";
    why = "disk needs a folder, --data; without one the durability is memory";
  } else if (config->stale_reads) {
    option = "stale-reads";
    why = "it has no effect without --store";
  } else if (config->store_password_file) {
    option = "store-password-file";
    why = "it is the password of --store, which is not given";
  }
  if (option) fprintf(stderr, "contactd: %s: %s.\n", srv_config_given(config, option, given), why);
  return !option;
}

srv_config_outcome srv_config_read(srv_config *config, int argc, char **argv) {
  set_defaults(config);
  srv_config_outcome outcome = find_actions_and_file(config, argc, argv);
  bool good = outcome == SRV_CONFIG_RUN && (!config->file || srv_config_read_file(config)) &&
              read_environment(config) && read_arguments(config, argc, argv);
  fit_limits(config);
  good = good && are_settings_consistent(config);
  bool said =
      config->origins[srv_option_find(false, "durability", 10) - srv_options] != SRV_ORIGIN_DEFAULT;
  config->data_idle = config->data && !config->store && !said;
  if (!good) srv_config_free(config);
  return good || outcome != SRV_CONFIG_RUN ? outcome : SRV_CONFIG_BAD;
}

void srv_config_free(srv_config *config) {
  clear_words(&config->allow_hosts);
  clear_words(&config->scenes);
  free(config->file_text);
  config->file_text = NULL;
}
