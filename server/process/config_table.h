/* Table of settings, shared by its readers (config.c, config_file.c) and its printer
 * (config_show.c). */
#ifndef SRV_PROCESS_CONFIG_TABLE_H
#define SRV_PROCESS_CONFIG_TABLE_H

#include "process/config.h"

typedef enum srv_option_kind {
  SRV_KIND_NUMBER, /* uint64_t between least and greatest */
  SRV_KIND_WORD,   /* one of `words`, blank-separated */
  SRV_KIND_TEXT,   /* any non-empty text */
  SRV_KIND_LIST,   /* repeatable text; in the environment separated by commas */
  SRV_KIND_FLAG,   /* present or not; in the environment and in a file 0 or 1 */
  SRV_KIND_LIMIT,  /* as NUMBER, given as --limit NAME=VALUE */
  SRV_KIND_FILE,   /* as TEXT, not in a file: --config */
  SRV_KIND_ACTION, /* as FLAG, on the command line only: done instead of serving */
  SRV_KIND_HELP,
  SRV_KIND_VERSION
} srv_option_kind;

typedef struct srv_option {
  srv_option_kind kind;
  const char *name;
  const char *value; /* placeholder in --help */
  size_t offset;     /* in srv_config */
  uint64_t standard, least, greatest;
  const char *words; /* WORD: the first is the default; TEXT: the default or NULL */
  const char *unit;
  const char *text;
} srv_option;

/* Value of `standard`: the number of cores. */
#define SRV_STANDARD_CORES UINT64_MAX
/* Value of `standard`: a share of the memory of the machine or its control groups (machine.h). */
#define SRV_STANDARD_MEMORY (UINT64_MAX - 1)

extern const srv_option srv_options[];
extern const size_t srv_option_count; /* at most SRV_OPTIONS_MAX */

static inline const void *srv_option_member(const srv_config *config, const srv_option *row) {
  return (const char *)config + row->offset;
}

/* "jsonBytes" and "json-bytes" both become "CONTACTD_JSON_BYTES". */
void srv_option_variable(const srv_option *row, char *out, size_t capacity);
/* Finds an option by its name without dashes; `limits`: finds a limit. NULL: unknown name. */
const srv_option *srv_option_find(bool limits, const char *name, size_t length);
/* Longest text of srv_option_nearest. */
#define SRV_NEAREST_MAX 96
/* "; did you mean --NAME?" with the most similar option or limit; "" if none is similar. Returns
 * out. */
const char *srv_option_nearest(bool limits, const char *name, size_t length,
                               char out[SRV_NEAREST_MAX]);
/* Parses NAME=VALUE to a limit and its value. NULL after one sentence on standard error, which
 * begins with `given`. */
const srv_option *srv_option_limit(const char *given, const char *text, const char **value);
/* Sets the member. A list is extended by values of the same origin, and replaced by those of
 * another. False after one sentence on standard error; `given` is the option as the user spelled
 * it. The text is borrowed, except for lists. */
bool srv_option_set(srv_config *config, const srv_option *row, srv_origin origin, const char *given,
                    const char *text);

/* ---- config_file.c -------------------------------------------------------------------------- */

/* Applies the settings of config->file. False after one sentence on standard error with file, line
 * and option. */
bool srv_config_read_file(srv_config *config);

/* ---- config_show.c -------------------------------------------------------------------------- */

void srv_config_help(void);

#endif
