/* Opening of regular files that are read at start. */
#ifndef SRV_PROCESS_FILE_H
#define SRV_PROCESS_FILE_H

#include <stddef.h>
#include <stdint.h>

/* Opens a regular file for reading and returns its descriptor; -1: the reason is in *why. Other
 * files are refused, because opening a FIFO would block the start until a writer appears. mode and
 * bytes may be NULL; they return the file's mode and size. */
int srv_file_open(const char *path, unsigned *mode, uint64_t *bytes, const char **why);

#endif
