/* Opening of regular files that are read at start. */
#ifndef SRV_PROCESS_FILE_H
#define SRV_PROCESS_FILE_H

#include <stddef.h>
#include <stdint.h>

/* Opens a regular file for reading. -1: the reason is in *why. Other files are refused: opening a
 * FIFO would block the start until a writer appears. mode and bytes (or NULL) return mode and size.
 */
int srv_file_open(const char *path, unsigned *mode, uint64_t *bytes, const char **why);

#endif
