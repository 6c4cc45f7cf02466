/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A program with probes, by dtrace -h and -G, that counts how often they fire.
 *
 *	usdtapp ROUNDS [MICROSECONDS between them [quiet]]
 *
 * prints how often each fired, and in how many rounds `enabled` was traced.
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct request {
	int r_id;
	int r_len;
	const char *r_path;
};

#include "usdtapp.h"

static char paths[2][8];
static unsigned long starts, dones, enableds;

static void __attribute__((noinline))
serve(int id, const char *path, size_t len)
{
	struct request r = { id, (int)len, path };

	USDTAPP_REQUEST_START(id, path, len);
	starts++;
	if (USDTAPP_ENABLED_ENABLED()) {
		USDTAPP_ENABLED(id);
		enableds++;
	}
	USDTAPP_REQUEST_DONE(&r);
	USDTAPP_SWAPPED(id, path);
	dones++;
}

int
main(int argc, char **argv)
{
	int rounds = argc > 1 ? atoi(argv[1]) : 1;
	useconds_t pause = argc > 2 ? (useconds_t)atoi(argv[2]) : 0;

	/* written at run time, so in memory: no probe waits for its page */
	strcpy(paths[0], "/even");
	strcpy(paths[1], "/odd");
	USDTAPP_START();
	USDTAPP_SIZES((char)-1, (unsigned char)UCHAR_MAX, (short)-2,
	    (unsigned short)USHRT_MAX, -3, UINT_MAX, LONG_MIN, ULONG_MAX,
	    ULLONG_MAX - 1);
	for (int i = 0; i < rounds; i++) {
		serve(i, paths[i % 2], (size_t)i + 5);
		if (pause != 0)
			usleep(pause);
	}
	if (argc > 3)
		return 0;
	printf("request-start %lu\nrequest-done %lu\nenabled %lu\n", starts,
	    dones, enableds);
	return 0;
}
