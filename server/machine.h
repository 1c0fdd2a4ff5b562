/* Limits of the machine that bound those of the daemon: open files, memory of the control group. */
#ifndef SRV_MACHINE_H
#define SRV_MACHINE_H

#include <api/api.h>

/* Open files for every connection; fewer connections when the hard limit forbids it. False after one sentence on standard error:
 * there is room for none. */
bool srv_machine_fit_files(api_limits *limits);
/* A request may use at most a quarter of what the control groups of the process allow. */
void srv_machine_fit_memory(api_limits *limits);

/* Bytes of memory that the machine has, and its control groups allow. */
uint64_t srv_machine_memory(void);

#endif
