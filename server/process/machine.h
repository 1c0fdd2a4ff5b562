/* What the process is given, and what of it bounds the daemon: standard descriptors, open files, memory of the control group. */
#ifndef SRV_PROCESS_MACHINE_H
#define SRV_PROCESS_MACHINE_H

#include <api/api.h>

/* Opens /dev/null for each of the standard descriptors that is closed: another file would take its number, and what is written to
 * standard error would go there. To be called before anything is opened. False after one sentence on standard error, where that is
 * open: there is no /dev/null. */
bool srv_machine_open_standard(void);

/* Open files for every connection; fewer connections when the hard limit forbids it. False after one sentence on standard error:
 * there is room for none. */
bool srv_machine_fit_files(api_limits *limits);
/* Scenes, posted shapes and what a request uses may each take so large a share of the memory: the rest is for the store and for
 * what the heaps have not given back. */
#define SRV_MEMORY_SHARE 4u

/* What limits are that nobody has set, where the machine has so much memory: posted shapes may take a share of it. */
void srv_machine_fit_standards(api_limits *limits, uint64_t memory);
/* A request may use at most a share of what the control groups of the process allow. */
void srv_machine_fit_memory(api_limits *limits);

/* Bytes of memory that the machine has, and its control groups allow. */
uint64_t srv_machine_memory(void);

#endif
