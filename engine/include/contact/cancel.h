/* Cancel flag: any thread raises it to stop a long computation, which polls it every few
 * microseconds to milliseconds. */
#ifndef CONTACT_CANCEL_H
#define CONTACT_CANCEL_H

#include <contact/linkage.h>

#include <stdbool.h>

CT_DECLARATIONS_BEGIN

/* Functions that take a flag borrow it; NULL: the call cannot be cancelled. */
typedef struct ct_cancel ct_cancel;

/* Creates a lowered flag that the caller owns; NULL: out of memory. */
ct_cancel *ct_cancel_create(void);
void ct_cancel_raise(ct_cancel *cancel);        /* any thread */
bool ct_cancel_raised(const ct_cancel *cancel); /* false for NULL; any thread */
void ct_cancel_destroy(ct_cancel *cancel);

CT_DECLARATIONS_END

#endif
