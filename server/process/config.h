/* Settings of the daemon. One table (config.c) gives the options, the environment variables, the defaults, the --help text and the
 * checks. Precedence: option, then environment, then file, then default. */
#ifndef SRV_PROCESS_CONFIG_H
#define SRV_PROCESS_CONFIG_H

#include <api/api.h>

/* Most threads that compute: memory for each is taken at start. */
#define SRV_WORKERS_MAX 256

/* Values of a repeatable option. The texts are owned by the list. */
typedef struct srv_words {
  char **items;
  size_t count;
} srv_words;

/* Where a setting comes from: each over those before it. */
typedef enum srv_origin { SRV_ORIGIN_DEFAULT, SRV_ORIGIN_FILE, SRV_ORIGIN_ENVIRONMENT, SRV_ORIGIN_FLAG } srv_origin;

/* Room for how an option was spelled. */
#define SRV_GIVEN_MAX 512

/* At most so many options. */
#define SRV_OPTIONS_MAX 96

typedef struct srv_config {
  const char *file;    /* of settings; NULL: none */
  uint64_t port;       /* 0: a free one */
  const char *address; /* numeric IPv4 or IPv6, or "localhost" */
  uint64_t workers;
  const char *durability; /* "memory" or "disk" */
  const char *data;       /* folder of the store; NULL: none */
  bool data_idle;         /* nothing is kept there, and nobody has said that the durability is to be memory */
  const char *store;      /* redis://... in place of durability and data; NULL: none */
  const char *store_password_file;
  bool stale_reads;       /* of a store that others write to, too: reads do not ask it */
  uint64_t shape_seconds; /* that a shape which no scene names is kept in the store */
  uint64_t scene_memory;  /* bytes of scenes in memory, where a store has them all */
  const char *token_file; /* NULL: no token asked for */
  srv_words allow_hosts;
  bool insecure;
  srv_words scenes; /* files */
  const char *log;  /* "stderr" or "off" */
  bool healthcheck; /* ask a daemon instead of being one */
  bool print;       /* show the settings instead of serving */
  api_limits limits;
  /* The rest is for who shows the settings. */
  api_limits asked; /* the limits before they were lowered to fit each other and the machine */
  unsigned char origins[SRV_OPTIONS_MAX];
  unsigned lines[SRV_OPTIONS_MAX]; /* of the file, where that is the origin */
  char *file_text;                 /* owned; texts of the file stand in it */
} srv_config;

typedef enum srv_config_outcome {
  SRV_CONFIG_RUN,   /* *config is set; end with srv_config_free */
  SRV_CONFIG_SHOWN, /* --help or --version has been answered: exit 0 */
  SRV_CONFIG_BAD    /* one sentence on standard error: exit 2 */
} srv_config_outcome;

/* Texts of the result are borrowed from argv and the environment, but for the lists and those of the file. */
srv_config_outcome srv_config_read(srv_config *config, int argc, char **argv);
/* The settings and where each comes from, on standard output, as a file that --config reads. Names of files with secrets are
 * shown, never what is in them. False after one sentence on standard error: such a file cannot hold one of them. */
bool srv_config_print(const srv_config *config);
/* Where the option's value comes from, in `out`: "--data", "CONTACTD_DATA" or "FILE:LINE: data". */
const char *srv_config_given(const srv_config *config, const char *option, char out[SRV_GIVEN_MAX]);
void srv_config_free(srv_config *config);

#endif
