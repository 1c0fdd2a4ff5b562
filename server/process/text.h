/* Numbers as text. */
#ifndef SRV_PROCESS_TEXT_H
#define SRV_PROCESS_TEXT_H

#include <stddef.h>
#include <stdint.h>

/* Formats milliseconds with three decimals; returns the length. out has 24 bytes. */
size_t srv_text_ms(char *out, uint64_t ns);
/* Formats the number; returns the length. out has 21 bytes. */
size_t srv_text_unsigned(char *out, uint64_t value);

#endif
