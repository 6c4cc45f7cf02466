/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Makes probes while it runs (libdtrace-usdt): argv[1] rounds, argv[2]
 * microseconds apart.  Each round fires made:plugin:work:begin and done, and
 * asks whether done is traced; prints how often the answer was yes.
 */
#include <libdtrace-usdt.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct dtrace_usdt_probe *
add(struct dtrace_usdt_provider *p, const char *func, const char *name, int n,
    const char *const *types)
{
	struct dtrace_usdt_probe *probe =
	    dtrace_usdt_probe(p, func, name, n, types);

	if (probe == NULL) {
		perror(name);
		exit(1);
	}
	return probe;
}

static void
check_name(const char *name, bool is_good)
{
	struct dtrace_usdt_provider *p = dtrace_usdt_provider(name, "plugin");

	if ((p != NULL) != is_good || (p == NULL && errno != EINVAL))
		printf("%s: %s\n", name, p != NULL ? "taken" : "refused");
	dtrace_usdt_destroy(p);
}

/* A name must leave room for a number of up to ten digits behind it. */
static void
check_names(void)
{
	char name[] = "a234567890123456789012345678901234567890123456789012ab";

	check_name(name, false); /* 54 characters */
	name[53] = '\0';
	check_name(name, true);
	check_name("made2", false);
	check_name("2made", false);
	check_name("ma-de", false);
	check_name("", false);
}

int
main(int argc, char **argv)
{
	static const char *const types[] = { "char *", "int", "long", "int",
		"int", "int", "int", "unsigned char" };
	int rounds = argc > 1 ? atoi(argv[1]) : 1, nasked = 0;
	useconds_t pause = argc > 2 ? (useconds_t)atoi(argv[2]) : 0;
	struct dtrace_usdt_provider *p = dtrace_usdt_provider("made", "plugin");
	struct dtrace_usdt_probe *begin = add(p, "work", "begin", 0, NULL);
	struct dtrace_usdt_probe *done = add(p, "work", "all-done", 8, types);

	check_names();
	if (dtrace_usdt_enable(p) != 0) {
		perror("dtrace_usdt_enable");
		return 1;
	}
	for (int i = 0; i < rounds; i++) {
		char text[32];
		uintptr_t args[] = { (uintptr_t)text, (uintptr_t)-i, 1UL << 40,
			3, 4, 5, 6, 255 };

		snprintf(text, sizeof(text), "round %d", i);
		dtrace_usdt_fire(begin, NULL);
		nasked += dtrace_usdt_is_enabled(done);
		dtrace_usdt_fire(done, args);
		if (pause != 0)
			usleep(pause);
	}
	printf("traced %d times\n", nasked);
	dtrace_usdt_destroy(p);
	return 0;
}
