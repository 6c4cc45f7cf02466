/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DTRACED_ENDING_H
#define DTRACED_ENDING_H

#include <stdbool.h>

/* From now on the signal asks this process to end. */
void ending_catch(int signo);
/* Has a signal asked it to?  A child has what its parent had at the fork. */
bool ending_is_asked(void);

#endif
