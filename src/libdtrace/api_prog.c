/* SPDX-License-Identifier: BSD-2-Clause */
/* The published API: programs, and the processes that they trace. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/str.h"
#include "base/vec.h"
#include "libdtrace/api_impl.h"

/*
 * A dtrace_prog_t is a struct dt_prog; a struct ps_prochandle is the number of
 * a struct dt_proc, plus 1.  Both are opaque and belong to the handle.
 */
struct dt_prog *
api_prog(dtrace_prog_t *prog)
{
	return (struct dt_prog *)prog;
}

/* ---- compiling ---------------------------------------------------------- */

static const struct {
	unsigned cflag, lang_flag;
} lang_cflags[] = {
	{ DTRACE_C_EMPTY, LANG_F_EMPTY },
	{ DTRACE_C_CPP, LANG_F_CPP },
	{ DTRACE_C_PSPEC, LANG_F_PSPEC },
	{ DTRACE_C_ARGREF, LANG_F_ARGREF },
	{ DTRACE_C_DEFARG, LANG_F_DEFARG },
};

/* Flags that are options of the handle: set for one compile only. */
static const struct {
	unsigned cflag;
	enum dt_opt opt;
} opt_cflags[] = {
	{ DTRACE_C_ZDEFS, DT_OPT_ZDEFS },
	{ DTRACE_C_ETAGS, DT_OPT_ERRTAGS },
	{ DTRACE_C_NOLIBS, DT_OPT_NOLIBS },
};
#define NELEMS(a) (sizeof(a) / sizeof((a)[0]))

static int
check_cflags(dtrace_hdl_t *h, unsigned cflags)
{
	unsigned known = 0;

	for (size_t i = 0; i < NELEMS(lang_cflags); i++)
		known |= lang_cflags[i].cflag;
	for (size_t i = 0; i < NELEMS(opt_cflags); i++)
		known |= opt_cflags[i].cflag;
	if ((cflags & ~known) == 0)
		return 0;
	dt_fail(h->dt, "compile flags 0x%x are not supported", cflags & ~known);
	return api_fail_dt(h, EINVAL);
}

static unsigned
lang_flags_of(unsigned cflags)
{
	unsigned flags = 0;

	for (size_t i = 0; i < NELEMS(lang_cflags); i++) {
		if ((cflags & lang_cflags[i].cflag) != 0)
			flags |= lang_cflags[i].lang_flag;
	}
	return flags;
}

static void
set_opt_cflags(
    struct dt_hdl *dt, unsigned cflags, int64_t saved[NELEMS(opt_cflags)])
{
	for (size_t i = 0; i < NELEMS(opt_cflags); i++) {
		struct dt_optval *v = &dt->opts.vals[opt_cflags[i].opt];

		saved[i] = v->num;
		if ((cflags & opt_cflags[i].cflag) != 0)
			v->num = 1;
	}
}

/* Options set by a pragma in the program are reset together with the flags. */
static void
restore_opt_cflags(
    struct dt_hdl *dt, unsigned cflags, const int64_t saved[NELEMS(opt_cflags)])
{
	for (size_t i = 0; i < NELEMS(opt_cflags); i++) {
		if ((cflags & opt_cflags[i].cflag) != 0)
			dt->opts.vals[opt_cflags[i].opt].num = saved[i];
	}
}

static dtrace_prog_t *
compile(dtrace_hdl_t *h, const char *text, size_t len, enum lang_pspec spec,
    unsigned cflags, int argc, char *const argv[])
{
	int64_t saved[NELEMS(opt_cflags)];
	struct dt_prog *p;

	if (check_cflags(h, cflags) != 0)
		return NULL;
	set_opt_cflags(h->dt, cflags, saved);
	p = dt_compile_mem(
	    h->dt, text, len, spec, lang_flags_of(cflags), argc, argv);
	restore_opt_cflags(h->dt, cflags, saved);
	if (p == NULL)
		api_fail_dt(h, EDT_COMPILER);
	return (dtrace_prog_t *)p;
}

dtrace_prog_t *
dtrace_program_strcompile(dtrace_hdl_t *h, const char *text,
    dtrace_probespec_t spec, unsigned int cflags, int argc, char *const argv[])
{
	if (spec < DTRACE_PROBESPEC_PROVIDER || spec > DTRACE_PROBESPEC_NAME) {
		api_fail(h, EINVAL);
		return NULL;
	}
	return compile(
	    h, text, strlen(text), (enum lang_pspec)spec, cflags, argc, argv);
}

dtrace_prog_t *
dtrace_program_fcompile(dtrace_hdl_t *h, FILE *fp, unsigned int cflags,
    int argc, char *const argv[])
{
	struct strbuf sb = { 0 };
	dtrace_prog_t *prog = NULL;
	char buf[4096];
	size_t n;

	while ((n = fread(buf, 1, sizeof(buf), fp)) > 0)
		strbuf_add(&sb, buf, n);
	if (ferror(fp) || sb.len > INT32_MAX)
		api_fail(h, EDT_FIO);
	else
		prog = compile(h, sb.s != NULL ? sb.s : "", sb.len,
		    LANG_PSPEC_NAME, cflags, argc, argv);
	strbuf_fini(&sb);
	return prog;
}

/* ---- other forms -------------------------------------------------------- */

void *
dtrace_dof_create(dtrace_hdl_t *h, dtrace_prog_t *prog, unsigned int dflags)
{
	const struct dif_prog *dif = api_prog(prog)->dif;
	struct strbuf sb = { 0 };

	if ((dflags & ~(unsigned)DTRACE_D_STRIP) != 0) {
		dt_fail(h->dt,
		    "DOF flags 0x%x are not supported: "
		    "dtrace_program_link() is for probes of a program",
		    dflags & ~(unsigned)DTRACE_D_STRIP);
		api_fail_dt(h, EINVAL);
		return NULL;
	}
	if (dt_encode(h->dt, &dif, 1, dflags == DTRACE_D_STRIP, &sb) != 0) {
		strbuf_fini(&sb);
		api_fail_dt(h, EDT_COMPILER);
		return NULL;
	}
	return strbuf_steal(&sb);
}

void
dtrace_dof_destroy(dtrace_hdl_t *h, void *dof)
{
	(void)h;
	free(dof);
}

int
dtrace_program_link(dtrace_hdl_t *h, dtrace_prog_t *prog, unsigned int dflags,
    const char *file, int objc, char *const objv[])
{
	(void)prog; /* the object is of all programs */
	if ((dflags & ~(unsigned)(DTRACE_D_STRIP | DTRACE_D_PROBES)) != 0) {
		dt_fail(h->dt, "DOF flags 0x%x are not known", dflags);
		return api_fail_dt(h, EINVAL);
	}
	if (objc < 0 ||
	    dt_write_object(h->dt, file, 0, objv, (size_t)objc) != 0)
		return api_fail_dt(h, EDT_ELFVERSION);
	return 0;
}

int
dtrace_program_header(dtrace_hdl_t *h, FILE *fp, const char *name)
{
	struct strbuf sb = { 0 };
	const char *path = name != NULL ? name : "usdt.h";
	int rc = dt_header(h->dt, path, "a D program", &sb);

	if (rc == 0 &&
	    (fwrite(sb.s, 1, sb.len, fp) != sb.len || fflush(fp) != 0))
		rc = dt_fail(
		    h->dt, "cannot write the header: %s", strerror(errno));
	strbuf_fini(&sb);
	return rc == 0 ? 0 : api_fail_dt(h, EDT_NOPROV);
}

/* ---- enabling ----------------------------------------------------------- */

dtrace_attribute_t
api_attribute(struct dif_attr a)
{
	return (dtrace_attribute_t){ a.name, a.data, a.class_ };
}

static void
count_actions(const struct dif_clause *c, dtrace_proginfo_t *info)
{
	info->dpi_recgens += c->default_action;
	VEC_FOREACH(&c->actions, a) {
		if (DT_ACT_IS_AGG(a->kind))
			info->dpi_aggregates++;
		else if (DT_ACT_IS_SPEC(a->kind))
			info->dpi_speculations++;
		else if (!a->in_tuple &&
		    (a->kind != DT_ACT_DIFEXPR ||
			(a->difo != NULL && a->difo->rtype.size != 0)))
			info->dpi_recgens++;
	}
}

static void
clause_info(const struct dt_prog *p, size_t i, struct dif_attr *descs,
    dtrace_proginfo_t *info)
{
	const struct dif_clause *c = &p->dif->clauses.v[i];
	bool is_repeated = dt_match_is_repeated(p, i);

	count_actions(c, info);
	if (p->matches == NULL)
		return;
	if (!is_repeated)
		info->dpi_matches += (unsigned)p->matches[i].probes.n;
	VEC_FOREACH(&p->matches[i].probes, probe) {
		VEC_FOREACH(&c->pdescs, desc)
			*descs =
			    dif_attr_min(*descs, dt_probe_attr(desc, *probe));
	}
}

void
dtrace_program_info(
    dtrace_hdl_t *h, dtrace_prog_t *prog, dtrace_proginfo_t *info)
{
	const struct dt_prog *p = api_prog(prog);
	struct dif_attr descs = DIF_ATTR_MAX, stmts = DIF_ATTR_PROGRAM;

	(void)h;
	memset(info, 0, sizeof(*info));
	for (size_t i = 0; i < p->dif->clauses.n; i++) {
		clause_info(p, i, &descs, info);
		stmts = dif_attr_min(stmts, p->dif->clauses.v[i].attr);
	}
	info->dpi_descattr = api_attribute(descs);
	info->dpi_stmtattr = api_attribute(stmts);
}

static bool
is_destructive(const struct dt_prog *p)
{
	VEC_FOREACH(&p->dif->clauses, c) {
		VEC_FOREACH(&c->actions, a) {
			if (DT_ACT_IS_DESTRUCTIVE(a->kind) ||
			    (a->difo != NULL && a->difo->is_destructive))
				return true;
		}
	}
	return false;
}

int
dtrace_program_exec(
    dtrace_hdl_t *h, dtrace_prog_t *prog, dtrace_proginfo_t *info)
{
	struct dt_prog *p = api_prog(prog);
	struct dt_proginfo ignored;

	if (h->dt->exec != NULL)
		return api_fail(h, EDT_ACTIVE);
	if (dt_prog_exec(h->dt, p, &ignored) != 0)
		return api_fail_dt(h,
		    is_destructive(p) &&
			    !dt_opt_flag(h->dt, DT_OPT_DESTRUCTIVE) ?
			EDT_DESTRUCTIVE :
			EDT_ENABLING_ERR);
	if (info != NULL)
		dtrace_program_info(h, prog, info);
	return 0;
}

/* ---- processes ---------------------------------------------------------- */

struct ps_prochandle *
api_proc(size_t i)
{
	return (struct ps_prochandle *)(uintptr_t)(i + 1);
}

static struct ps_prochandle *
last_proc(dtrace_hdl_t *h)
{
	return api_proc(h->dt->procs.list.n - 1);
}

static struct dt_proc *
proc_of(dtrace_hdl_t *h, struct ps_prochandle *p)
{
	size_t i = (size_t)(uintptr_t)p - 1;

	return i < h->dt->procs.list.n ? &h->dt->procs.list.v[i] : NULL;
}

struct ps_prochandle *
dtrace_proc_create(dtrace_hdl_t *h, const char *file, char *const argv[])
{
	struct {
		VEC(char *) v;
	} words = { 0 };
	int rc;

	VEC_PUSH(&words.v, mem_strdup(file));
	for (size_t i = 1; argv[0] != NULL && argv[i] != NULL; i++)
		VEC_PUSH(&words.v, mem_strdup(argv[i]));
	VEC_PUSH(&words.v, NULL);
	rc = dt_proc_create_argv(h->dt, words.v.v);
	VEC_FOREACH(&words.v, word)
		free(*word);
	VEC_FREE(&words.v);
	if (rc != 0) {
		api_fail_dt(h, EDT_NOENT);
		return NULL;
	}
	return last_proc(h);
}

struct ps_prochandle *
dtrace_proc_grab(dtrace_hdl_t *h, pid_t pid, int flags)
{
	if (flags != 0) {
		api_fail(h, EINVAL);
		return NULL;
	}
	if (dt_proc_grab(h->dt, pid) != 0) {
		api_fail_dt(h, ESRCH);
		return NULL;
	}
	return last_proc(h);
}

pid_t
dtrace_proc_pid(dtrace_hdl_t *h, struct ps_prochandle *p)
{
	const struct dt_proc *proc = proc_of(h, p);

	return proc != NULL ? proc->pid : -1;
}

void
dtrace_proc_release(dtrace_hdl_t *h, struct ps_prochandle *p)
{
	struct dt_proc *proc = proc_of(h, p);

	if (proc != NULL && !proc->has_ended)
		dt_proc_forget(h->dt, proc);
}

int
dtrace_proc_status(dtrace_hdl_t *h, struct ps_prochandle *p, int *status)
{
	const struct dt_proc *proc = proc_of(h, p);

	if (proc == NULL)
		return api_fail(h, EINVAL);
	if (proc->has_ended && status != NULL)
		*status = proc->status;
	return proc->has_ended;
}

void
dtrace_proc_continue(dtrace_hdl_t *h, struct ps_prochandle *p)
{
	struct dt_proc *proc = proc_of(h, p);

	if (proc != NULL)
		dt_proc_release(proc);
}
