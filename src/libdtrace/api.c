/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The published API: the handle, its options, and what its errors mean.
 *
 * A function of the underlying handle fails with -1 and a message; this layer
 * gives the failure its code.  The message is kept for dtrace_errmsg() of that
 * code.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/str.h"
#include "consume/ksyms.h"
#include "libdtrace/api.h"
#include "libdtrace/api_impl.h"
#include "sym/sym_cache.h"

const char _dtrace_version[] = "OpenDTrace for Linux, D 1.13";
int _dtrace_debug; /* the program's variable: read by dtrace_open() only */

int
api_fail(dtrace_hdl_t *h, int error)
{
	h->error = error;
	h->has_text = false;
	return -1;
}

int
api_fail_dt(dtrace_hdl_t *h, int error)
{
	h->error = error;
	h->has_text = true;
	return -1;
}

/* ---- life --------------------------------------------------------------- */

static dtrace_hdl_t *
open_failed(int *errp, int error)
{
	if (errp != NULL)
		*errp = error;
	return NULL;
}

/* Look up an address among the names that the calling program knows. */
static bool
vector_lookup(void *arg, uint64_t addr, const char **mod, const char **name,
    uint64_t *offset)
{
	dtrace_hdl_t *h = arg;
	dtrace_syminfo_t si = { 0 };
	Elf64_Sym sym = { 0 };

	if (h->vector.dtv_lookup_by_addr(h->vector_arg, addr, &sym, &si) != 0 ||
	    si.dts_object == NULL || si.dts_name == NULL)
		return false;
	*mod = si.dts_object;
	*name = si.dts_name;
	*offset = addr - sym.st_value;
	return true;
}

dtrace_hdl_t *
dtrace_vopen(
    int version, int flags, int *errp, const dtrace_vector_t *vector, void *arg)
{
	dtrace_hdl_t *h;

	if (vector != NULL &&
	    (vector->dtv_ioctl != NULL || vector->dtv_status != NULL ||
		vector->dtv_sysconf != NULL))
		return open_failed(errp, EOPNOTSUPP);
	h = dtrace_open(version, flags, errp);
	if (h == NULL || vector == NULL || vector->dtv_lookup_by_addr == NULL)
		return h;
	h->vector = *vector;
	h->vector_arg = arg;
	h->dt->output.lookup = vector_lookup;
	h->dt->output.lookup_arg = h;
	return h;
}

/* The handle of dt.h gets the hooks of this one. */
static void
init(dtrace_hdl_t *h)
{
	h->dt->output.hooks = &api_hooks;
	h->dt->output.hooks_arg = h;
	h->saved_out = -1;
	arena_init(&h->stmt_arena);
}

dtrace_hdl_t *
api_guest(struct dt_hdl *dt)
{
	dtrace_hdl_t *h = mem_alloc(sizeof(*h));

	h->dt = dt;
	h->is_guest = true;
	init(h);
	return h;
}

dtrace_hdl_t *
dtrace_open(int version, int flags, int *errp)
{
	dtrace_hdl_t *h;

	if (version <= 0 || version > DTRACE_VERSION)
		return open_failed(errp, EDT_VERSION);
	if ((flags & ~DTRACE_O_MASK) != 0)
		return open_failed(errp, EINVAL);
	if ((flags & DTRACE_O_ILP32) != 0)
		return open_failed(errp, EDT_DATAMODEL);
	h = mem_alloc(sizeof(*h));
	h->flags = flags;
	h->dt = dt_open();
	if (h->dt == NULL) {
		free(h);
		return open_failed(errp, errno);
	}
	init(h);
	if (_dtrace_debug != 0)
		dt_setopt(h->dt, "debug", NULL);
	return h;
}

void
dtrace_close(dtrace_hdl_t *h)
{
	if (h == NULL)
		return;
	api_records_fini(h);
	api_aggs_fini(h);
	ksyms_destroy(h->ksyms);
	sym_cache_destroy(h->syms);
	api_formats_fini(h);
	arena_fini(&h->stmt_arena);
	if (h->saved_out >= 0)
		close(h->saved_out);
	if (!h->is_guest)
		dt_close(h->dt);
	strbuf_fini(&h->text);
	free(h);
}

int
dtrace_ctlfd(dtrace_hdl_t *h)
{
	int fd = dt_ctl_fd(h->dt);

	return fd < 0 ? api_fail_dt(h, errno) : fd;
}

void
dtrace_update(dtrace_hdl_t *h)
{
	if (h->ksyms != NULL)
		ksyms_forget(h->ksyms);
	if (h->dt->output.consumer != NULL)
		consumer_update(h->dt->output.consumer);
	if (h->dt->output.formatter != NULL)
		consumer_update(h->dt->output.formatter);
}

/* ---- errors ------------------------------------------------------------- */

static const char *const error_texts[] = {
#define TEXT(code, text) [EDT_##code - EDT_BASE] = text
	TEXT(VERSION,
	    "the client asks for a version of the API that the "
	    "library does not have"),
	TEXT(VERSINVAL, "a version of D is malformed"),
	TEXT(VERSUNDEF, "there is no such version of D"),
	TEXT(VERSREDUCED, "the version of D cannot be lowered any more"),
	TEXT(CTF, "types could not be read"),
	TEXT(COMPILER, "the program could not be compiled"),
	TEXT(NOTUPREG,
	    "a key has more components than there are tuple "
	    "registers"),
	TEXT(NOMEM, "out of memory"),
	TEXT(INT2BIG, "an integer table is full"),
	TEXT(STR2BIG, "a string table is full"),
	TEXT(NOMOD, "there is no such module"),
	TEXT(NOPROV, "there is no such provider"),
	TEXT(NOPROBE, "there is no such probe"),
	TEXT(NOSYM, "there is no such symbol"),
	TEXT(NOSYMADDR, "no symbol is at that address"),
	TEXT(NOTYPE, "there is no such type"),
	TEXT(NOVAR, "there is no such variable"),
	TEXT(NOAGG, "there is no such aggregation"),
	TEXT(BADSCOPE, "a scope is used where it cannot be"),
	TEXT(BADSPEC, "a probe specifier is not valid"),
	TEXT(BADSPCV, "a macro variable in a probe description is not set"),
	TEXT(BADID, "a probe id is not valid"),
	TEXT(NOTLOADED, "the module is not loaded"),
	TEXT(NOCTF, "the module has no types"),
	TEXT(DATAMODEL, "only the 64-bit data model is supported"),
	TEXT(DIFVERS, "the version of DIF is not supported"),
	TEXT(BADAGG, "aggregation data are malformed"),
	TEXT(FIO, "a file could not be read or written"),
	TEXT(DIFINVAL, "the DIF is not valid"),
	TEXT(DIFSIZE, "the DIF is too large"),
	TEXT(DIFFAULT, "the DIF could not be copied"),
	TEXT(BADPROBE, "a probe description is malformed"),
	TEXT(BADPGLOB, "a probe description may not be a pattern here"),
	TEXT(NOSCOPE, "a declaration is outside of every scope"),
	TEXT(NODECL, "there is no such declaration"),
	TEXT(DMISMATCH, "data do not fit their description"),
	TEXT(DOFFSET, "a datum is beyond the end of its record"),
	TEXT(DALIGN, "a datum is not aligned"),
	TEXT(BADOPTNAME, "there is no such option"),
	TEXT(BADOPTVAL, "the value of an option is not valid"),
	TEXT(BADOPTCTX, "the option cannot be set at this time"),
	TEXT(CPPFORK, "the preprocessor could not be started"),
	TEXT(CPPEXEC, "the preprocessor could not be run"),
	TEXT(CPPENT, "there is no preprocessor"),
	TEXT(CPPERR, "the preprocessor failed"),
	TEXT(SYMOFLOW, "a symbol table is full"),
	TEXT(ACTIVE, "tracing has begun already"),
	TEXT(DESTRUCTIVE,
	    "destructive actions are not permitted (option "
	    "destructive permits them)"),
	TEXT(NOANON, "there is no anonymous tracing"),
	TEXT(ISANON, "anonymous tracing has not been claimed"),
	TEXT(ENDTOOBIG, "END records more than its buffer holds"),
	TEXT(NOCONV, "the value cannot be converted"),
	TEXT(BADCONV, "a conversion does not fit its argument"),
	TEXT(BADERROR, "an error record is malformed"),
	TEXT(ERRABORT, "aborted because a probe's program failed"),
	TEXT(DROPABORT, "aborted because data were dropped"),
	TEXT(DIRABORT, "aborted by a callback"),
	TEXT(BADRVAL, "a callback returned a value that means nothing"),
	TEXT(BADNORMAL, "the factor of normalize() must be positive"),
	TEXT(BUFTOOSMALL, "the buffer is too small for a record"),
	TEXT(BADTRUNC, "trunc() has no valid count"),
	TEXT(BUSY, "something else uses what tracing needs"),
	TEXT(ACCESS, "more privileges are needed to trace"),
	TEXT(NOENT, "the kernel does not have what tracing needs"),
	TEXT(BRICKED, "tracing was ended to keep the system responsive"),
	TEXT(HARDWIRE, "a part of the program cannot be replaced"),
	TEXT(ELFVERSION, "the version of an ELF file is not supported"),
	TEXT(NOBUFFERED,
	    "there is neither a file for the output nor a handler "
	    "(dtrace_handle_buffered)"),
	TEXT(UNSTABLE, "a description names something too unstable"),
	TEXT(BADSETOPT, "setopt() in the program failed"),
	TEXT(BADSTACKPC, "a stack has an address that is not valid"),
	TEXT(BADAGGVAR, "no aggregation has that id"),
	TEXT(OVERSION, "the client was built for an older version"),
	TEXT(ENABLING_ERR, "the program could not be enabled"),
	TEXT(NOPROBES, "the program has no probes"),
	TEXT(CANTLOAD, "a module could not be loaded"),
#undef TEXT
};

int
dtrace_errno(const dtrace_hdl_t *h)
{
	return h->error;
}

/* The text of a diagnostic without its last newline. */
static const char *
without_newline(struct strbuf *sb, const char *text)
{
	size_t len = strlen(text);

	while (len > 0 && text[len - 1] == '\n')
		len--;
	strbuf_reset(sb);
	strbuf_add(sb, text, len);
	strbuf_addc(sb, '\0');
	return sb->s;
}

const char *
dtrace_errmsg(const dtrace_hdl_t *h, int error)
{
	size_t i = (size_t)error - EDT_BASE;

	if (h != NULL && h->has_text && error == h->error &&
	    *dt_errmsg(h->dt) != '\0')
		return without_newline(
		    &((dtrace_hdl_t *)(uintptr_t)h)->text, dt_errmsg(h->dt));
	if (error >= EDT_BASE &&
	    i < sizeof(error_texts) / sizeof(error_texts[0]))
		return error_texts[i];
	return error == 0		   ? "no error" :
	    strerrordesc_np(error) != NULL ? strerrordesc_np(error) :
					     "there is no error of that number";
}

static dtrace_diag_t
public_diag(const struct dt_diag *d)
{
	return (dtrace_diag_t){ .dtdg_severity = DTRACE_DIAG_ERROR,
		.dtdg_tag = d->tag,
		.dtdg_file = d->file,
		.dtdg_line = d->line,
		.dtdg_column = d->column,
		.dtdg_length = d->len,
		.dtdg_message = d->msg,
		.dtdg_hint = d->hint };
}

int
dtrace_diag_iter(dtrace_hdl_t *h, dtrace_diag_f *f, void *arg)
{
	int rc = 0;

	if (!h->has_text || h->error != EDT_COMPILER)
		return 0;
	VEC_FOREACH(&h->dt->messages.diags, d) {
		dtrace_diag_t diag = public_diag(d);

		rc = f(h, &diag, arg);
		if (rc != 0)
			break;
	}
	return rc;
}

const char *
dtrace_notices(dtrace_hdl_t *h)
{
	return dt_notices(h->dt);
}

const char *
dtrace_faultstr(const dtrace_hdl_t *h, int fault)
{
	(void)h;
	return consume_fault_str(fault < 0 ? 0 : (uint32_t)fault);
}

const char *
dtrace_subrstr(const dtrace_hdl_t *h, int subr)
{
	const struct dif_subrinfo *si =
	    subr < 0 ? NULL : dif_subr_find((uint32_t)subr);

	(void)h;
	return si != NULL ? si->name : NULL;
}

/* ---- options ------------------------------------------------------------ */

int
dtrace_setopt(dtrace_hdl_t *h, const char *name, const char *value)
{
	enum dt_opt opt = dt_options_find(name);
	int error = opt == DT_OPT_MAX ? EDT_BADOPTNAME :
	    h->dt->exec != NULL && dt_optinfo[opt].class_ != DT_OPT_DYNAMIC ?
					EDT_BADOPTCTX :
					EDT_BADOPTVAL;

	if (value != NULL &&
	    (opt == DT_OPT_LISTEN ||
		(opt == DT_OPT_OFORMAT && strcmp(value, "text") != 0))) {
		dt_fail(h->dt,
		    "%s=%s is dtrace(8)'s: a consumer of "
		    "its own decides what it writes",
		    name, value);
		return api_fail_dt(h, EDT_BADOPTVAL);
	}
	if (dt_setopt(h->dt, name, value) != 0)
		return api_fail_dt(h, error);
	return 0;
}

int
dtrace_getopt(dtrace_hdl_t *h, const char *name, dtrace_optval_t *value)
{
	if (dt_getopt(h->dt, name, value) != 0)
		return api_fail_dt(h, EDT_BADOPTNAME);
	return 0;
}

/* ---- DOF ---------------------------------------------------------------- */

void *
dtrace_getopt_dof(dtrace_hdl_t *h)
{
	struct strbuf sb = { 0 };

	if (dt_encode(h->dt, NULL, 0, false, &sb) != 0) {
		strbuf_fini(&sb);
		api_fail_dt(h, EDT_COMPILER);
		return NULL;
	}
	return strbuf_steal(&sb);
}

/* The program may belong to another handle. */
void *
dtrace_geterr_dof(dtrace_hdl_t *h)
{
	static const char text[] =
	    "dtrace:::ERROR { trace(arg1); trace(arg2); trace(arg3); "
	    "trace(arg4); trace(arg5); }";
	dtrace_hdl_t *other;
	dtrace_prog_t *prog;
	void *dof = NULL;
	int error = 0;

	api_fail(h, 0);
	if (h->err_f == NULL)
		return NULL;
	other = dtrace_open(DTRACE_VERSION, DTRACE_O_NODEV, &error);
	if (other == NULL) {
		api_fail(h, error);
		return NULL;
	}
	prog = dtrace_program_strcompile(
	    other, text, DTRACE_PROBESPEC_NAME, 0, 0, NULL);
	if (prog != NULL)
		dof = dtrace_dof_create(other, prog, 0);
	if (dof == NULL)
		api_fail(h, dtrace_errno(other));
	dtrace_close(other);
	return dof;
}
