/* SPDX-License-Identifier: BSD-2-Clause */
#include "dtraced/ending.h"

#include <signal.h>

static volatile sig_atomic_t is_asked;

static void
on_signal(int signo)
{
	(void)signo;
	is_asked = 1;
}

void
ending_catch(int signo)
{
	struct sigaction sa = { .sa_handler = on_signal };

	sigemptyset(&sa.sa_mask);
	sigaction(signo, &sa, NULL);
}

bool
ending_is_asked(void)
{
	return is_asked != 0;
}
