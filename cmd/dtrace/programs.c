/* SPDX-License-Identifier: BSD-2-Clause */
#include "dtrace/programs.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "dtrace/message.h"
#include "dtrace/progress.h"

/*
 * The length of a word of descriptions.  A slash ends it, unless it begins the
 * path of a module, behind which another colon comes.
 */
static size_t
word_len(const char *text)
{
	size_t len = strcspn(text, "{/; \t\n"), path;

	while (text[len] == '/' && len > 0 && text[len - 1] == ':') {
		path = strcspn(text + len, ":{; \t\n");
		if (text[len + path] != ':')
			break;
		len += path;
		len += strcspn(text + len, "{/; \t\n");
	}
	return len;
}

/*
 * The name of a program of the command line: its text before the clause, as in
 * every DTrace, but on one line and without control lines.
 */
static char *
program_name(const char *text)
{
	struct strbuf name = { 0 };
	size_t len;

	for (;; text += len) {
		text += strspn(text, " \t\n");
		len = strcspn(text, "\n");
		if (*text == '#')
			continue;
		len = word_len(text);
		if (len == 0)
			break;
		strbuf_printf(
		    &name, "%s%.*s", name.len > 0 ? " " : "", (int)len, text);
	}
	return name.s != NULL ? strbuf_steal(&name) : mem_strdup("");
}

void
programs_add(
    struct dtrace_cmd *c, bool is_file, enum lang_pspec spec, const char *arg)
{
	VEC_PUSH(&c->programs,
	    (struct dtrace_program){ is_file, spec, arg,
		is_file ? mem_strdup(arg) : program_name(arg), NULL });
}

static const char *
program_kind(const struct dtrace_program *p)
{
	return p->is_file ? "script" : "description";
}

/* With -x errtags the first line has the form of other DTraces. */
static int
fail_to_compile(struct dtrace_cmd *c, const struct dtrace_program *p)
{
	const char *first = dt_errclassic(c->dtp);

	if (*first != '\0') {
		progress_end();
		fprintf(stderr, "dtrace: %s %s: %s\n",
		    p->is_file ? "failed to compile script" :
				 "invalid probe specifier",
		    p->is_file ? p->name : p->arg, first);
	}
	message_fail_to(c, "failed to compile %s %s", program_kind(p), p->name);
	if (dt_err_has_tag(c->dtp, "D_MACRO_UNUSED"))
		split_command_hint(&c->split, c->operands.v + 1);
	return EXIT_FAILURE;
}

/*
 * -S of DOF, or of a program that contains it, prints a listing: nothing runs.
 */
static int
print_file(struct dtrace_cmd *c, const struct dtrace_program *p)
{
	int rc = dt_print_file(c->dtp, p->arg, c->out);

	if (rc < 0)
		return message_fail_to(c, "failed to print %s", p->arg);
	c->nprinted += rc == 1;
	return rc == 1 ? 0 : GO_ON;
}

/*
 * -S, or option verbose: print the compiler's output.  Option disasm may select
 * the kernel's programs instead (bits 1 to 3), or both.
 */
static int
dump_difos(struct dtrace_cmd *c, const struct dtrace_program *p)
{
	enum { DISASM_DIF = 1, DISASM_BPF = 2 | 4 | 8 };
	int64_t verbose = 0, listings;

	dt_getopt(c->dtp, "verbose", &verbose);
	if (!c->do_dis && verbose != 1)
		return GO_ON;
	if (dt_getopt(c->dtp, "disasm", &listings) != 0 ||
	    listings == DT_OPT_UNSET)
		listings = DISASM_DIF;
	if ((listings & DISASM_DIF) != 0)
		dt_prog_dump(c->dtp, p->prog, stderr);
	if ((listings & DISASM_BPF) != 0 &&
	    dt_set_dump(c->dtp, "bpf", stderr) != 0)
		return message_fail(c);
	return GO_ON;
}

static int
compile(struct dtrace_cmd *c, struct dtrace_program *p)
{
	/* with -G, the operands are objects */
	unsigned flags =
	    c->build != BUILD_NONE ? LANG_F_BUILD | LANG_F_ARGREF : 0;
	char **argv = c->operands.v;
	int argc = (int)c->operands.n - 1;
	int status = c->do_dis && p->is_file ? print_file(c, p) : GO_ON;

	if (status != GO_ON)
		return status;
	if (p->is_file) {
		argv[0] = (char *)(uintptr_t)p->arg;
		p->prog = dt_compile_file(c->dtp, p->arg, flags, argc, argv);
	} else {
		p->prog =
		    dt_compile_str(c->dtp, p->arg, p->spec, flags, argc, argv);
	}
	if (p->prog == NULL)
		return fail_to_compile(c, p);
	message_notices(c);
	return dump_difos(c, p);
}

static int
compile_programs(struct dtrace_cmd *c)
{
	/* the listing tells which patterns match nothing */
	if (c->do_list && dt_setopt(c->dtp, "zdefs", NULL) != 0)
		return message_fail(c);
	dt_list_names(c->dtp, c->do_list && !c->is_verbose);
	VEC_FOREACH(&c->programs, p) {
		size_t nprinted = c->nprinted;
		int status = compile(c, p);

		if (status != GO_ON && c->nprinted == nprinted)
			return status;
	}
	return c->nprinted == 0 ? GO_ON : 0;
}

/* A dump during the start needs the terminal: show no progress. */
int
programs_compile(struct dtrace_cmd *c)
{
	if (c->dumps == NULL && !c->do_dis)
		progress_begin();
	progress_stage("compiling");
	return compile_programs(c);
}

int
programs_report(struct dtrace_cmd *c)
{
	dt_notice_options(c->dtp);
	message_notices(c);
	VEC_FOREACH(&c->programs, p) {
		char *what = mem_printf("%s %s", program_kind(p), p->name);
		int rc = dt_prog_report(c->dtp, p->prog, what, c->out);

		free(what);
		if (rc != 0)
			return message_fail_to(
			    c, "failed to report on '%s'", p->name);
	}
	return GO_ON;
}

/* Programs without a clause end at once. */
static int
check_matches(struct dtrace_cmd *c, uint64_t nmatches)
{
	int64_t flag;

	if (nmatches != 0 ||
	    (dt_getopt(c->dtp, "zdefs", &flag) == 0 && flag == 1))
		return GO_ON;
	progress_end();
	fputs("dtrace: no probes matched\n", stderr);
	return EXIT_FAILURE;
}

int
programs_enable(struct dtrace_cmd *c)
{
	uint64_t nmatches = 0;

	VEC_FOREACH(&c->programs, p) {
		struct dt_proginfo info;

		if (dt_prog_exec(c->dtp, p->prog, &info) != 0)
			return message_fail_to(
			    c, "failed to enable '%s'", p->name);
		nmatches += info.matches;
		if (c->is_quiet)
			continue;
		progress_hide();
		fprintf(stderr, "dtrace: %s '%s' matched %u probe%s\n",
		    program_kind(p), p->name, info.matches,
		    info.matches == 1 ? "" : "s");
	}
	return check_matches(c, nmatches);
}
