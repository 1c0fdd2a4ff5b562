/* Resources of the process and the limits that depend on them: standard descriptors, open files,
 * memory of the control group. */
#ifndef SRV_PROCESS_MACHINE_H
#define SRV_PROCESS_MACHINE_H

#include <api/api.h>

/* Opens /dev/null for each closed standard descriptor. Otherwise a file opened later would get its
 * number, and messages to standard error would be written into that file. Must be called before
 * anything is opened. False after one sentence on standard error (if that is open): there is no
 * /dev/null. */
bool srv_machine_open_standard(void);

/* Number of descriptors reserved for the listener, epoll, the log and libuv. */
#define SRV_SPARE_FILES 64u
/* Raises the process's limit of open files to the configured number of connections; lowers that
 * number if the hard limit is too small. False after one sentence on standard error: too few for a
 * single connection. */
bool srv_machine_fit_files(api_limits *limits);
/* Scenes, posted shapes and a request may each use 1 / SRV_MEMORY_SHARE of the memory. The rest is
 * for the store, and for free memory that the heaps have not returned to the kernel. */
#define SRV_MEMORY_SHARE 4u

/* Sets the defaults of limits that depend on the memory, B: posted shapes may use a share of it. */
void srv_machine_fit_standards(api_limits *limits, uint64_t memory);
/* Lowers the limit of a request's memory to a share of the memory that the process's control groups
 * allow. */
void srv_machine_fit_memory(api_limits *limits);

#define SRV_MEMORY_MAX ((uint64_t)1 << 50)
/* Returns the memory of the machine or, if less, of the process's control groups; at most
 * SRV_MEMORY_MAX, B. */
uint64_t srv_machine_memory(void);

#endif
