/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * dtrace --check.
 *
 * Nothing here knows what a provider requires: a check is a small D program
 * that is compiled, loaded, armed and removed as any other, and the reason of a
 * failure is the message that tracing gives.  Such a program does not fail for
 * want of a feature of the kernel that tracing can do without, so check asks
 * the substrate for these (dt_exec_ops.each_feature).  Libraries that are
 * loaded on first use are loaded.
 */
#include "libdtrace/check.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/privilege.h"
#include "base/str.h"
#include "consume/json.h"
#include "ctf/dwarf_lib.h"
#include "libdtrace/dt_impl.h"
#include "provider/pfm_lib.h"

/* The place in which the program is tried. */
enum how {
	HOW_USUAL,     /* where dtrace itself would */
	HOW_FUNCTIONS, /* by the kernel, in a process of -c */
	HOW_PROCESS,   /* in a process of -c */
	HOW_WRITES,    /* by the kernel, with option destructive */
};

struct trial {
	const char *name, *what;
	enum how how;
	const char *text;
	const char *gives; /* what may give it to a user with the privileges */
	const char *there; /* if the kernel has this file, that is not it */
};

#define BTF_FILE "/sys/kernel/btf/vmlinux"

/* One for each provider; those of D libraries have no row. */
static const struct trial probes[] = {
	{ "dtrace", "BEGIN, END and ERROR", HOW_USUAL, "BEGIN { }", NULL,
	    NULL },
	{ "syscall", "system calls", HOW_USUAL,
	    "syscall::read:entry, syscall::read:return { @ = count(); }", NULL,
	    NULL },
	{ "profile", "samples of every CPU, and ticks", HOW_USUAL,
	    "profile-97, tick-1s { @ = count(); }", NULL, NULL },
	{ "sdt", "the kernel's tracepoints, with typed arguments", HOW_USUAL,
	    "sdt:::sched_process_exit { @ = count(); }",
	    "a kernel with CONFIG_DEBUG_INFO_BTF", BTF_FILE },
	{ "rawtp",
	    "the kernel's tracepoints, with the arguments of their calls",
	    HOW_USUAL, "rawtp:::sched_process_exit { @ = count(); }",
	    "a kernel with CONFIG_DEBUG_INFO_BTF", BTF_FILE },
	{ "pid", "functions of programs, by the kernel (uprobes)",
	    HOW_FUNCTIONS,
	    "pid$target:libc.so.6:malloc:entry,"
	    "pid$target:libc.so.6:malloc:return { @ = count(); }",
	    "a kernel with CONFIG_UPROBES", NULL },
	{ "usdt", "probes of programs, also of libraries that they load later",
	    HOW_FUNCTIONS, "dtracecheck$target::: { @ = count(); }",
	    "a kernel with CONFIG_UPROBES", NULL },
	{ "fbt", "functions of the kernel", HOW_USUAL,
	    "fbt::vfs_read:entry { @ = count(); }",
	    "a kernel with CONFIG_KPROBES, or with CONFIG_FUNCTION_TRACER and "
	    "CONFIG_DYNAMIC_FTRACE_WITH_DIRECT_CALLS",
	    NULL },
	{ "cpc", "events that the kernel counts", HOW_USUAL,
	    "cpc:::cpu_clock-all-1000000000 { @ = count(); }",
	    "a kernel with CONFIG_PERF_EVENTS", NULL },
};

static const struct trial features[] = {
	{ "process",
	    "functions of processes that the user owns, without the "
	    "kernel",
	    HOW_PROCESS,
	    "pid$target:libc.so.6:malloc:entry,"
	    "pid$target:libc.so.6:malloc:return { @ = count(); }",
	    NULL, NULL },
	{ "kernel-types", "the kernel's types and variables in D", HOW_USUAL,
	    "BEGIN { trace(curthread->comm); }",
	    "a kernel with CONFIG_DEBUG_INFO_BTF, and /sys mounted", BTF_FILE },
	{ "strings", "strings of a program that are not in memory yet",
	    HOW_FUNCTIONS,
	    "pid$target:libc.so.6:puts:entry { @[copyinstr(arg0)] = count(); }",
	    "Linux 5.17", NULL },
	{ "copyout", "copyout() and copyoutstr()", HOW_WRITES,
	    "syscall::read:entry /pid == 0/ { copyoutstr(\"\", arg1, 1); }",
	    "a kernel without lockdown (boot option lockdown=none)", NULL },
	{ "counters", "events that the processor counts", HOW_USUAL,
	    "cpc:::cpu_cycles-all-100000000 { @ = count(); }",
	    "a machine with performance counters; virtual machines often have "
	    "none",
	    NULL },
};
#define LEN(a) (sizeof(a) / sizeof((a)[0]))

/* Providers of D libraries, in words.  A user's own has none. */
static const struct {
	const char *name, *what;
} libraries[] = {
	{ "fpuinfo", "emulated floating-point instructions" },
	{ "io", "requests of disks and of NFS" },
	{ "ip", "IP packets" },
	{ "lockstat", "locks of the kernel" },
	{ "mib", "counters of network protocols" },
	{ "nfsv3", "requests to the NFS server, version 3" },
	{ "nfsv4", "requests to the NFS server, version 4" },
	{ "proc", "processes, threads and signals" },
	{ "sched", "threads on CPUs, and in queues for them" },
	{ "sysevent", "events that the kernel reports to programs" },
	{ "sysinfo", "counters of the kernel's work" },
	{ "tcp", "TCP segments and connections" },
	{ "udp", "UDP datagrams" },
	{ "vfs", "operations on files" },
	{ "vminfo", "counters of memory" },
};

struct checking {
	char *const *names;
	size_t nnames;
	dt_check_setup_f *setup;
	void *arg;
	FILE *out;
	struct dt_hdl *dtp; /* for options and names only */
	bool is_json, is_trying, has_printed;
	const char *part; /* text: the title that is due, or NULL */
	char *needs;	  /* text: the capabilities that were named last */
	bool lacks;
	VEC(const char *) seen; /* names of checks */
	int status;		/* of setup() */
};

/* ---- results ------------------------------------------------------------ */

/* ABSENT: Linux cannot have it on any machine, so this one lacks nothing. */
enum answer { YES, NO, ABSENT };

static const struct {
	const char *text, *json;
} answers[] = {
	[YES] = { "yes", "true" },
	[NO] = { "no", "false" },
	[ABSENT] = { "--", "null" },
};

static void
put_json(struct strbuf *sb, const char *name, const char *value)
{
	strbuf_printf(sb, ", \"%s\": ", name);
	if (value == NULL)
		strbuf_adds(sb, "null");
	else
		json_text(sb, value, strlen(value));
}

static void
print_json(struct checking *c, enum answer answer, const char *name,
    const char *what, const char *why, const char *gives)
{
	struct strbuf sb = { 0 };

	strbuf_printf(&sb, "%s\n  { \"works\": %s", c->has_printed ? "," : "",
	    answers[answer].json);
	put_json(&sb, "name", name);
	put_json(&sb, "what", what);
	put_json(&sb, "why", why);
	put_json(&sb, "gives", why != NULL ? gives : NULL);
	strbuf_adds(&sb, " }");
	fputs(sb.s, c->out);
	strbuf_fini(&sb);
	c->has_printed = true;
}

/* Without the descriptions of probes that the user has not written. */
static const char *
without_probes(const char *why)
{
	static const struct {
		const char *start, *end;
	} parts[] = { { "probe ", " is not available: " },
		{ "probe description ", ": " } };
	const char *end;

	for (size_t i = 0; i < LEN(parts); i++) {
		if (strncmp(why, parts[i].start, strlen(parts[i].start)) == 0 &&
		    (end = strstr(why, parts[i].end)) != NULL)
			why = end + strlen(parts[i].end);
	}
	return why;
}

/*
 * Does the reason name the capabilities that the one before named?  An ordinary
 * user lacks the same ones for most checks.
 */
static bool
needs_the_same(struct checking *c, const char *why)
{
	const char *needs = why != NULL ? strstr(why, "needs the cap") : NULL;
	size_t len;

	if (needs == NULL)
		return false;
	len = strcspn(needs, ":");
	if (c->needs != NULL && strlen(c->needs) == len &&
	    strncmp(c->needs, needs, len) == 0)
		return true;
	free(c->needs);
	c->needs = mem_strndup(needs, len);
	return false;
}

static void
print_text(struct checking *c, enum answer answer, const char *name,
    const char *what, const char *why, const char *gives)
{
	bool is_same = needs_the_same(c, why);

	if (c->part != NULL)
		fprintf(c->out, "%s%s\n", c->has_printed ? "\n" : "", c->part);
	c->part = NULL;
	fprintf(c->out, "  %-3s  %-14s %s%s\n", answers[answer].text, name,
	    what, is_same ? ": needs the same capabilities" : "");
	why = why != NULL && !is_same ? without_probes(why) : NULL;
	if (why != NULL)
		fprintf(c->out, "%22s%s\n", "", why);
	if (why != NULL && gives != NULL)
		fprintf(c->out, "%22sneeded: %s\n", "", gives);
	c->has_printed = true;
}

/*
 * A provider that Linux cannot have counts as lacking only if the user has
 * asked for it by name.
 */
static void
tell_answer(struct checking *c, enum answer answer, const char *name,
    const char *what, const char *why, const char *gives)
{
	c->lacks |= answer == NO || (answer == ABSENT && c->nnames > 0);
	(c->is_json ? print_json : print_text)(
	    c, answer, name, what, why, gives);
	fflush(c->out);
}

static void
tell(struct checking *c, const char *name, const char *what, const char *why,
    const char *gives)
{
	tell_answer(c, why == NULL ? YES : NO, name, what, why, gives);
}

/* Is the check wanted?  Its name is known from now on. */
static bool
wants(struct checking *c, const char *name)
{
	VEC_PUSH(&c->seen, name);
	if (!c->is_trying || c->status != 0)
		return false;
	for (size_t i = 0; i < c->nnames; i++) {
		if (strcmp(c->names[i], name) == 0)
			return true;
	}
	return c->nnames == 0;
}

/* ---- trials ------------------------------------------------------------- */

/*
 * The message of a failure in one line: of diagnostics the first, without
 * the place in a program that the user has not seen (malloced).
 */
static char *
reason(const char *msg)
{
	const char *end = msg + strcspn(msg, "\n");
	const char *tag = strstr(msg, "error: [");
	const char *text = tag != NULL ? strstr(tag, "] ") : NULL;

	if (text != NULL && text < end)
		msg = text + 2;
	return mem_strndup(msg, (size_t)(end - msg));
}

static int
set_up(struct dt_hdl *h, const struct trial *t)
{
	bool has_process = t->how == HOW_FUNCTIONS || t->how == HOW_PROCESS;
	const char *substrate = t->how == HOW_PROCESS ? "process" :
	    t->how == HOW_FUNCTIONS		      ? "kernel" :
							"auto";
	/* the process is killed before it has run */
	char *argv[] = { (char[]){ "true" }, NULL };

	if (dt_setopt(h, "quiet", NULL) != 0 ||
	    dt_setopt(
		h, "zdefs", strcmp(t->name, "usdt") == 0 ? NULL : "off") != 0 ||
	    dt_setopt(h, "substrate", substrate) != 0)
		return -1;
	if (t->how == HOW_WRITES && dt_setopt(h, "destructive", NULL) != 0)
		return -1;
	return has_process ? dt_proc_create_argv(h, argv) : 0;
}

static int
trace_once(struct dt_hdl *h, const struct trial *t)
{
	struct dt_proginfo info;
	struct dt_prog *p;

	if (set_up(h, t) != 0)
		return -1;
	p = dt_compile_str(
	    h, t->text, LANG_PSPEC_NAME, 0, 1, (char *[]){ (char[]){ "" } });
	if (p == NULL || dt_prog_exec(h, p, &info) != 0 || dt_go(h) != 0)
		return -1;
	return dt_stop(h);
}

static bool
names_capability(const char *why)
{
	return strstr(why, "the capabilit") != NULL;
}

/* A reason of a trial names the privileges that lack, before anything else. */
static const char *
what_gives(const struct trial *t, const char *why)
{
	if (why == NULL || names_capability(why) ||
	    (t->how != HOW_PROCESS && !dt_privilege_has(DT_PRIV_KERNEL)))
		return NULL;
	return t->there != NULL && access(t->there, F_OK) == 0 ? NULL :
								 t->gives;
}

/* A kernel without types has few of a library's probes. */
static bool
names_types(const char *why)
{
	return strstr(why, "cannot read the kernel's types") != NULL;
}

/*
 * A library's other probes may work, while a capability or the kernel's types
 * lack for some: the reason (malloced), or NULL.
 */
static char *
lacks_some(const struct dt_hdl *h, const char *prov)
{
	const struct dt_missing *first = NULL;
	size_t n = 0;

	VEC_FOREACH(&h->probes.missing, m) {
		if (strcmp(m->prov, prov) != 0 ||
		    (!names_capability(m->why) && !names_types(m->why)))
			continue;
		first = n++ == 0 ? m : first;
	}
	return first == NULL ?
	    NULL :
	    mem_printf("%zu of its probes %s not available, "
		       "such as %s:::%s: %s",
		n, n == 1 ? "is" : "are", prov, first->name, first->why);
}

static void
try(struct checking *c, const struct trial *t)
{
	struct dt_hdl *h = dt_open();
	enum answer answer = YES;
	char *why = NULL;

	if (h == NULL)
		why = mem_printf("%s", strerror(errno));
	else if ((c->status = c->setup(h, c->arg)) == 0 &&
	    trace_once(h, t) != 0)
		why = reason(dt_errmsg(h));
	else if (c->status == 0)
		why = lacks_some(h, t->name);
	if (why != NULL)
		answer = h != NULL && dt_provider_is_absent(h, t->name) ?
		    ABSENT :
		    NO;
	if (c->status == 0)
		tell_answer(
		    c, answer, t->name, t->what, why, what_gives(t, why));
	free(why);
	if (h != NULL)
		dt_close(h);
}

static void
try_all(struct checking *c, const struct trial *trials, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (wants(c, trials[i].name))
			try(c, &trials[i]);
	}
}

/* All probes of a provider that a D library defines. */
static void
try_library(struct checking *c, const char *name)
{
	struct trial t = {
		.name = name, .what = "a D library's probes", .how = HOW_USUAL
	};
	char *text;

	for (size_t i = 0; i < LEN(libraries); i++) {
		if (strcmp(libraries[i].name, name) == 0)
			t.what = libraries[i].what;
	}

	if (!wants(c, name))
		return;
	text = mem_printf("%s::: { @ = count(); }", name);
	t.text = text;
	try(c, &t);
	free(text);
}

struct names {
	VEC(const char *) v;
};

/* Descriptions with $target are for a program that somebody has named. */
static void
take_library(const char *name, void *arg)
{
	struct names *names = arg;

	if (strchr(name, '$') == NULL)
		VEC_PUSH(&names->v, name);
}

static int
compare_names(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void
try_libraries(struct checking *c)
{
	struct names names = { 0 };
	const char *last = "";

	dt_libs_each_provider(c->dtp, take_library, &names);
	if (names.v.n != 0)
		qsort(
		    names.v.v, names.v.n, sizeof(names.v.v[0]), compare_names);
	VEC_FOREACH(&names.v, name) {
		if (strcmp(*name, last) != 0)
			try_library(c, *name);
		last = *name;
	}
	VEC_FREE(&names.v);
}

/* ---- what is asked ------------------------------------------------------ */

static void
tell_err(struct checking *c, const char *name, const char *what, int rc,
    struct err *err, const char *gives)
{
	char *why = rc != 0 ? mem_strdup(err_text(err)) : NULL;

	err_clear(err);
	tell(c, name, what, why, gives);
	free(why);
}

static void
ask_libdw(struct checking *c)
{
	struct err err = { 0 };

	if (wants(c, "libdw"))
		tell_err(c, "libdw", "types of programs, from DWARF",
		    dw_lib_need(&err), &err, NULL);
}

static void
ask_libpfm(struct checking *c)
{
	struct dt_pfm_event event;
	struct err err = { 0 };

	if (wants(c, "libpfm"))
		tell_err(c, "libpfm", "all names of the processor's events",
		    dt_pfm_find("perf::PERF_COUNT_SW_CPU_CLOCK", &event, &err),
		    &err, NULL);
}

/* The C library stands for all that a distribution's debug packages have. */
static void
ask_debug_files(struct checking *c)
{
	struct dw_file df;
	struct err err = { 0 };
	Dl_info info = { 0 };
	int fd, rc;

	if (!wants(c, "debug-files"))
		return;
	dladdr(dlsym(RTLD_DEFAULT, "malloc"), &info);
	fd = open(info.dli_fname != NULL ? info.dli_fname : "/",
	    O_RDONLY | O_CLOEXEC);
	rc = dw_file_open(&df, info.dli_fname, fd, &err);
	if (rc == 0)
		dw_file_close(&df);
	if (fd >= 0)
		close(fd);
	tell_err(c, "debug-files", "types of the C library", rc, &err,
	    "its debug files (Debian package libc6-dbg)");
}

static bool
wants_feature(const char *name, void *arg)
{
	return wants(arg, name);
}

static void
tell_feature(const struct dt_feature *f, void *arg)
{
	tell(arg, f->name, f->what, f->why, f->gives);
}

/* Processes that dtrace does not start. */
static void
ask_processes(struct checking *c)
{
	char *why;

	if (wants(c, "running")) {
		why = dt_ptrace_refusal(false);
		tell(c, "running", "-p: processes that run already", why, NULL);
		free(why);
	}
	if (wants(c, "others")) {
		why = dt_privilege_has(DT_PRIV_PROC) ?
		    NULL :
		    dt_privilege_refusal(
			DT_PRIV_PROC, "tracing another user's process");
		tell(c, "others", "processes of other users", why, NULL);
		free(why);
	}
}

static void
go_through(struct checking *c)
{
	c->part = "PROBES";
	try_all(c, probes, LEN(probes));
	try_libraries(c);
	c->part = "FEATURES";
	try_all(c, features, LEN(features));
	dt_exec_bpf.each_feature(wants_feature, tell_feature, c);
	c->part = "PROCESSES";
	ask_processes(c);
	c->part = "LIBRARIES AND FILES";
	ask_libdw(c);
	ask_libpfm(c);
	ask_debug_files(c);
}

/* The first name that no check has, or NULL. */
static const char *
unknown_name(const struct checking *c)
{
	for (size_t i = 0; i < c->nnames; i++) {
		bool is_known = false;

		VEC_FOREACH(&c->seen, s)
			is_known |= strcmp(*s, c->names[i]) == 0;
		if (!is_known)
			return c->names[i];
	}
	return NULL;
}

static void
run(struct checking *c)
{
	c->is_json = dt_is_json(c->dtp);
	c->is_trying = true;
	if (c->is_json)
		fputs("{ \"checks\": [", c->out);
	go_through(c);
	if (c->is_json)
		fputs("\n] }\n", c->out);
}

int
dt_check(struct dt_hdl *h, char *const *names, size_t n,
    dt_check_setup_f *setup, void *arg, FILE *out, const char **wrong)
{
	struct checking c = { .names = names,
		.nnames = n,
		.setup = setup,
		.arg = arg,
		.out = out,
		.dtp = h };

	c.status = setup(c.dtp, arg);
	/* opens the libraries; one that fails is reported by its provider */
	if (c.status == 0)
		err_suffices(dt_libs_load_for(c.dtp, "", 0));
	if (c.status == 0)
		go_through(&c); /* learns the names */
	*wrong = unknown_name(&c);
	if (c.status == 0 && *wrong == NULL)
		run(&c);
	VEC_FREE(&c.seen);
	free(c.needs);
	if (c.status != 0)
		return c.status;
	return *wrong != NULL ? DT_CHECK_UNKNOWN :
	    c.lacks	      ? DT_CHECK_LACKING :
				DT_CHECK_ALL;
}
