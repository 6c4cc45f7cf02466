/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Setting options of the handle: from the caller, the environment and --dump.
 */
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/vec.h"
#include "libdtrace/dt_impl.h"

extern char **environ;

int
dt_setopt(struct dt_hdl *h, const char *name, const char *value)
{
	struct err err = { 0 };

	if (dt_replay_check_option(h, name) != 0)
		return -1;
	if (dt_options_set(&h->opts, name, value, h->exec != NULL, &err) != 0)
		return dt_fail_err(h, &err);
	dt_log(h, "option %s%s%s", name, value != NULL ? "=" : "",
	    value != NULL ? value : "");
	dt_color_apply(h);
	dt_update_consumer(h);
	return dt_replays_setopt(h, name, value);
}

static int
setopt_env(struct dt_hdl *h, const char *var, const char *rest)
{
	const char *eq = strchr(rest, '=');
	char *name =
	    mem_strndup(rest, eq != NULL ? (size_t)(eq - rest) : strlen(rest));
	struct err err = { 0 };
	int rc;

	for (char *p = name; *p != '\0'; p++) {
		if (*p >= 'A' && *p <= 'Z')
			*p += 'a' - 'A';
	}
	/* the environment is for all runs: some of it concerns no replay */
	if (dt_replay_check_option(h, name) != 0) {
		free(name);
		return 0;
	}
	rc = dt_options_set(&h->opts, name,
	    eq != NULL && eq[1] != '\0' ? eq + 1 : NULL, false, &err);
	if (dt_options_find(name) == DT_OPT_MAX) { /* an option of
							 * another DTrace */
		dt_options_note(&h->opts,
		    mem_printf("environment variable "
			       "%.*s: %s",
			(int)strcspn(var, "="), var, err_text(&err)));
		err_clear(&err);
		rc = 0;
	}
	free(name);
	dt_color_apply(h);
	if (rc != 0) {
		dt_fail(h, "environment variable %.*s: %s",
		    (int)strcspn(var, "="), var, err_text(&err));
		err_clear(&err);
	}
	return rc != 0 ? -1 : 0;
}

int
dt_setopt_env(struct dt_hdl *h)
{
	static const char prefix[] = "DTRACE_OPT_";

	for (char **e = environ; e != NULL && *e != NULL; e++) {
		if (strncmp(*e, prefix, sizeof(prefix) - 1) == 0 &&
		    setopt_env(h, *e, *e + sizeof(prefix) - 1) != 0)
			return -1;
	}
	return 0;
}

int
dt_getopt(struct dt_hdl *h, const char *name, int64_t *value)
{
	enum dt_opt opt = dt_options_find(name);

	if (opt == DT_OPT_MAX)
		return dt_fail(h, "there is no option '%s'", name);
	*value = h->opts.vals[opt].has_value ? dt_opt(h, opt) : DT_OPT_UNSET;
	return 0;
}

void
dt_set_output_name(struct dt_hdl *h, const char *name)
{
	h->output.name = name;
}

void
dt_set_verbose(struct dt_hdl *h)
{
	h->is_verbose = true;
}

void
dt_notice_options(struct dt_hdl *h)
{
	VEC_FOREACH(&h->opts.notes, note) {
		dt_notice(h, "%s", *note);
		free(*note);
	}
	h->opts.notes.n = 0;
}

const char *const dt_dump_names[DT_DUMP_MAX] = {
#define DT_DUMP(NAME, name) [DT_DUMP_##NAME] = name,
#include "libdtrace/dumps.def"
#undef DT_DUMP
};

static int
set_one_dump(struct dt_hdl *h, const char *stage, size_t len)
{
	struct strbuf all = { 0 };

	for (enum dt_dump i = 0; i < DT_DUMP_MAX; i++) {
		if (strlen(dt_dump_names[i]) == len &&
		    memcmp(dt_dump_names[i], stage, len) == 0) {
			h->dump.stages[i] = true;
			strbuf_fini(&all);
			return 0;
		}
		strbuf_printf(&all, " %s", dt_dump_names[i]);
	}
	dt_fail(h, "there is no stage '%.*s' to dump; stages are%s", (int)len,
	    stage, all.s);
	strbuf_fini(&all);
	return -1;
}

int
dt_set_dump(struct dt_hdl *h, const char *stages, FILE *out)
{
	h->dump.out = out;
	for (;;) {
		size_t len = strcspn(stages, ",");

		if (set_one_dump(h, stages, len) != 0)
			return -1;
		if (stages[len] == '\0')
			return 0;
		stages += len + 1;
	}
}
