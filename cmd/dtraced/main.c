/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * dtraced(8): an agent that traces for the consoles of a fleet (doc/fleet.md).
 */
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dtraced/agent.h"
#include "dtraced/ending.h"
#include "dtraced/merger.h"
#include "dtraced/metrics.h"

#define EXIT_USAGE 2
#define CONF "/etc/dtrace/dtraced.conf"
/* A signal is noticed so late, and a merger sends values so late. */
#define TURN_MS 200
#define MERGE_MS 50

static void
set_signals(void)
{
	ending_catch(SIGTERM);
	ending_catch(SIGINT);
	signal(SIGPIPE, SIG_IGN);
}

static int
fail(struct err *err)
{
	fprintf(stderr, "dtraced: %s\n", err_text(err));
	err_clear(err);
	return EXIT_FAILURE;
}

static int
usage(void)
{
	fputs(
	    "usage: dtraced [--merge] [-c FILE] [-v]\n"
	    "       dtraced --new-key FILE\n"
	    "    -c FILE         the configuration, " CONF "\n"
	    "    --merge         be a merger: fold the data of hosts for "
	    "consoles\n"
	    "    -v              say on standard error what goes to the log\n"
	    "    --new-key FILE  make an author's key; print its public half\n",
	    stderr);
	return EXIT_USAGE;
}

static int
make_key(const char *path)
{
	struct fl_key key = { 0 };
	char text[FL_PUBLIC_TEXT];
	struct err err = { 0 };

	if (fl_key_create(path, &key, &err) != 0 ||
	    fl_public_format(key.public, text, &err) != 0)
		return fail(&err);
	fl_key_fini(&key);
	puts(text);
	return EXIT_SUCCESS;
}

/* Without a server in the configuration, dtraced only serves metrics. */
static int
serve_metrics(const struct fl_conf *conf, fl_journal_f *say)
{
	struct err err = { 0 };

	return metrics_serve(conf, say, &err) != 0 ? fail(&err) : EXIT_SUCCESS;
}

static int
serve_fleet(const char *path, const struct fl_conf *conf, bool is_verbose)
{
	struct agent a = { .is_verbose = is_verbose };
	struct metrics_keeper metrics = { .conf = conf,
		.say = is_verbose ? agent_say : NULL };
	struct err err = { 0 };
	int status = EXIT_SUCCESS;

	/* before the agent, which waits for a server that is away */
	metrics_keep(&metrics);
	if (agent_open(&a, path, &err) != 0)
		status = fail(&err);
	else if (is_verbose)
		fprintf(stderr, "dtraced: %s waits for requests\n", a.name);
	while (status == EXIT_SUCCESS && !ending_is_asked()) {
		metrics_keep(&metrics);
		if (agent_work(&a, TURN_MS, &err) != 0)
			status = fail(&err);
	}
	metrics_end(&metrics);
	agent_close(&a);
	return status;
}

/* A merger traces nothing, and has no metrics. */
static int
serve_merger(const char *path, bool is_verbose)
{
	struct merger m = { .is_verbose = is_verbose };
	struct err err = { 0 };
	int status = EXIT_SUCCESS;

	set_signals();
	if (merger_open(&m, path, &err) != 0)
		status = fail(&err);
	else if (is_verbose)
		fprintf(
		    stderr, "dtraced: %s waits for runs to merge\n", m.name);
	while (status == EXIT_SUCCESS && !ending_is_asked()) {
		if (merger_work(&m, MERGE_MS, &err) != 0)
			status = fail(&err);
	}
	merger_close(&m);
	return status;
}

static int
serve(const char *path, bool is_verbose)
{
	struct fl_conf conf = { 0 };
	struct err err = { 0 };
	int status;

	set_signals();
	if (fl_conf_read(path, &conf, &err) != 0)
		status = fail(&err);
	else if (conf.url == NULL && conf.metrics != NULL)
		status = serve_metrics(&conf, is_verbose ? agent_say : NULL);
	else
		status = serve_fleet(path, &conf, is_verbose);
	fl_conf_fini(&conf);
	return status;
}

int
main(int argc, char **argv)
{
	enum { OPT_NEW_KEY = 256, OPT_MERGE, OPT_HELP };
	static const struct option longs[] = {
		{ "new-key", required_argument, NULL, OPT_NEW_KEY },
		{ "merge", no_argument, NULL, OPT_MERGE },
		{ "help", no_argument, NULL, OPT_HELP },
		{ NULL, 0, NULL, 0 },
	};
	const char *conf = CONF;
	bool is_verbose = false, merges = false;
	int opt;

	while ((opt = getopt_long(argc, argv, "c:v", longs, NULL)) != -1) {
		if (opt == OPT_NEW_KEY)
			return make_key(optarg);
		if (opt == 'c')
			conf = optarg;
		else if (opt == 'v')
			is_verbose = true;
		else if (opt == OPT_MERGE)
			merges = true;
		else
			return usage();
	}
	if (optind != argc)
		return usage();
	return merges ? serve_merger(conf, is_verbose) :
			serve(conf, is_verbose);
}
