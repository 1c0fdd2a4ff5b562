/* Resources of the process and the limits that follow from them: standard descriptors, open files,
 * memory of the control group. */
#ifndef SRV_PROCESS_MACHINE_H
#define SRV_PROCESS_MACHINE_H

#include <api/api.h>

/* Opens /dev/null for each closed standard descriptor: otherwise another file would get its number,
 * and standard error would be written to it. Call before anything is opened. False after one
 * sentence on standard error (if open): there is no /dev/null. */
bool srv_machine_open_standard(void);

/* Descriptors reserved for the listener, epoll, the log and libuv. */
#define SRV_SPARE_FILES 64u
/* Raises the limit of open files for the configured connections; lowers the connections if the
 * hard limit is too small. False after one sentence on standard error: too few for any
 * connection. */
bool srv_machine_fit_files(api_limits *limits);
/* Scenes, posted shapes and a request may each use 1/4 of the memory. The rest is for the store and
 * for free memory that the heaps have not returned. */
#define SRV_MEMORY_SHARE 4u

/* Sets defaults of limits that depend on the machine's memory: posted shapes may use a share of it.
 */
void srv_machine_fit_standards(api_limits *limits, uint64_t memory);
/* Limits a request to a share of the memory that the process's control groups allow. */
void srv_machine_fit_memory(api_limits *limits);

#define SRV_MEMORY_MAX ((uint64_t)1 << 50)
/* Memory of the machine, or less if the control groups allow less, at most SRV_MEMORY_MAX, B. */
uint64_t srv_machine_memory(void);

#endif
