/* Settings of the daemon. One table (config.c) defines options, environment variables, defaults,
 * help texts and ranges. Precedence: option, environment, file, default. */
#ifndef SRV_PROCESS_CONFIG_H
#define SRV_PROCESS_CONFIG_H

#include <api/api.h>

/* Largest number of worker threads; each allocates scratch memory at start. */
#define SRV_WORKERS_MAX 256

/* Values of a repeatable option; owned by the list. */
typedef struct srv_words {
  char **items;
  size_t count, capacity;
} srv_words;

/* Origin of a setting, in ascending precedence. */
typedef enum srv_origin {
  SRV_ORIGIN_DEFAULT,
  SRV_ORIGIN_FILE,
  SRV_ORIGIN_ENVIRONMENT,
  SRV_ORIGIN_FLAG
} srv_origin;

/* Size of a buffer for the name of a setting in the form in which the user gave it. */
#define SRV_GIVEN_MAX 512

/* Largest number of options in the table. */
#define SRV_OPTIONS_MAX 96

typedef struct srv_config {
  const char *file;    /* file of settings; NULL: none */
  uint64_t port;       /* 0: a free port */
  const char *address; /* numeric IPv4 or IPv6, or "localhost" */
  uint64_t workers;
  const char *durability; /* "memory" or "disk" */
  const char *data;       /* folder of the store in a file; NULL: none */
  bool data_idle;    /* `data` is not used, because durability is memory, which was not requested
                        explicitly */
  const char *store; /* URL of a store in Redis (redis://...), which replaces `durability` and
                        `data`; NULL: none */
  const char *store_password_file;
  bool stale_reads; /* reads do not query a shared store first, and may miss recent writes of other
                       daemons */
  uint64_t shape_seconds; /* lifetime of shapes in the store that no scene uses, s */
  uint64_t scene_memory;  /* upper bound of the scenes in memory if there is a store, B */
  const char *token_file; /* NULL: no token is required */
  srv_words allow_hosts;
  bool insecure;
  srv_words scenes; /* files of scenes to preload */
  const char *log;  /* "stderr", "errors" or "off" */
  bool healthcheck; /* query a running daemon (--healthcheck) instead of serving */
  bool print;       /* print the settings (--print-config) instead of serving */
  api_limits limits;
  /* For --print-config: */
  api_limits requested_limits; /* the limits before they were lowered to be consistent and to fit
                                  the machine */
  unsigned char origins[SRV_OPTIONS_MAX];
  unsigned lines[SRV_OPTIONS_MAX]; /* line in the settings file, if that is the setting's origin */
  char *file_text;                 /* text of the settings file, to which settings point; owned */
} srv_config;

typedef enum srv_config_outcome {
  SRV_CONFIG_RUN,   /* *config is set; end with srv_config_free */
  SRV_CONFIG_SHOWN, /* nothing to serve: --help or --version was printed; exit status 0 */
  SRV_CONFIG_BAD    /* one sentence was written to standard error; exit status 2 */
} srv_config_outcome;

/* Reads all settings. Texts point into argv, the environment or config->file_text; lists own
 * theirs. */
srv_config_outcome srv_config_read(srv_config *config, int argc, char **argv);
/* Prints the settings and their origins to standard output, as a file for --config. Files with
 * secrets are named, but their content is not printed. False after one sentence on standard error:
 * a value cannot be written in such a file. */
bool srv_config_print(const srv_config *config);
/* Writes the origin of the option's value to out, as "--data", "CONTACTD_DATA" or "FILE:LINE:
 * data". Returns out. */
const char *srv_config_given(const srv_config *config, const char *option, char out[SRV_GIVEN_MAX]);
void srv_config_free(srv_config *config);

#endif
