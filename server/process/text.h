/* Formats numbers as decimal text. */
#ifndef SRV_PROCESS_TEXT_H
#define SRV_PROCESS_TEXT_H

#include <stddef.h>
#include <stdint.h>

/* Formats a time in ms with three decimals; returns the length. out: at least 24 bytes. */
size_t srv_text_ms(char *out, uint64_t ns);
/* Formats the number in decimal; returns the length. out: at least 21 bytes. */
size_t srv_text_unsigned(char *out, uint64_t value);

#endif
