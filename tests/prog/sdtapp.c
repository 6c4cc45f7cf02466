/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Probes by <sys/sdt.h> alone, counted as they fire.
 *
 *	sdtapp ROUNDS [MICROSECONDS between them [quiet]]
 */
#define _SDT_HAS_SEMAPHORES 1
#include <sys/sdt.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

__extension__ unsigned short sdtapp_round_semaphore
    __attribute__((used, section(".probes")));
__extension__ unsigned short sdtapp_forms_semaphore
    __attribute__((used, section(".probes")));
__extension__ volatile unsigned short sdtapp_asked_semaphore
    __attribute__((used, section(".probes")));

static char words[3][8];
static unsigned long rounds_done, asked;
static volatile int number = 7;

/* Arguments in memory, in registers, and as numbers. */
static void __attribute__((noinline))
forms(long a, const char *word, unsigned char byte)
{
	volatile short on_stack = (short)(a - 100);

	STAP_PROBE6(sdtapp, forms, a, word, byte, on_stack, number, -5);
}

int
main(int argc, char **argv)
{
	int rounds = argc > 1 ? atoi(argv[1]) : 1;
	useconds_t pause = argc > 2 ? (useconds_t)atoi(argv[2]) : 0;

	/* written at run time, so in memory: no probe waits for its page */
	strcpy(words[0], "zero");
	strcpy(words[1], "one");
	strcpy(words[2], "two");
	for (int i = 0; i < rounds; i++) {
		DTRACE_PROBE2(sdtapp, round, i, words[i % 3]);
		rounds_done++;
		forms(i, words[i % 3], (unsigned char)(250 + i));
		if (sdtapp_asked_semaphore) {
			DTRACE_PROBE1(sdtapp, asked, i);
			asked++;
		}
		if (pause != 0)
			usleep(pause);
	}
	if (argc > 3)
		return 0;
	printf("round %lu\nasked %lu\n", rounds_done, asked);
	return 0;
}
