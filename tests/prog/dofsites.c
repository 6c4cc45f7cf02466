/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Calls the functions of dofsites.S argv[1] times, argv[2] microseconds apart,
 * and prints how often asked was reported as enabled.  First it makes a system
 * call through syscall(), whose instruction may make any call.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

void work(int n, const char *text);
void last(int n);
int asks(void);

int
main(int argc, char **argv)
{
	int times = argc > 1 ? atoi(argv[1]) : 1, n = 0;
	useconds_t pause = argc > 2 ? (useconds_t)atoi(argv[2]) : 0;
	char text[] = "text  ";

	for (int i = 0; i < times; i++) {
		text[5] = (char)('a' + i % 26);
		work(i - 2, text);
		n += asks();
		last(-i);
		if (pause != 0)
			usleep(pause);
	}
	syscall(SYS_getppid);
	printf("enabled %d\n", n);
	return 0;
}
