/* Files that are read at start. */
#ifndef SRV_PROCESS_FILE_H
#define SRV_PROCESS_FILE_H

#include <stddef.h>
#include <stdint.h>

/* A descriptor of the regular file, to be read; -1: *why tells. Anything else could keep the start waiting for ever: a pipe opens
 * when somebody writes to it. mode and bytes (NULL: not wanted) are the file's. */
int srv_file_open(const char *path, unsigned *mode, uint64_t *bytes, const char **why);

#endif
