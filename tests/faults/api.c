/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A consumer that is written against <dtrace.h> alone, and looks at each
 * result.
 *
 *	api compile	programs, DOF, a header, an object, statements, types,
 *			formats, symbols, probes
 *	api trace PROGRAM [ARGUMENT...]
 *			records, speculation and aggregations of that program
 *
 * If a call fails, the consumer prints dtrace_errmsg(), closes the handle and
 * exits with status 1.
 */
#include <dtrace.h>

#include <err.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Is the call's result good?  Says which call failed, and why. */
static bool
went(dtrace_hdl_t *h, const char *call, bool is_good)
{
	if (!is_good)
		fprintf(stderr, "dtrace: %s: %s\n", call,
		    dtrace_errmsg(h, dtrace_errno(h)));
	return is_good;
}

static dtrace_hdl_t *
open_handle(void)
{
	int error = 0;
	dtrace_hdl_t *h = dtrace_open(DTRACE_VERSION, 0, &error);

	if (h == NULL) {
		fprintf(stderr, "dtrace: cannot open: %s\n",
		    dtrace_errmsg(NULL, error));
		return NULL;
	}
	if (!went(h, "dtrace_setopt",
		dtrace_setopt(h, "syslibdir", DLIB_DIR) == 0)) {
		dtrace_close(h);
		return NULL;
	}
	return h;
}

/* ---- api compile --------------------------------------------------------- */

static const char program[] =
    "inline int twice = 6; self int seen;"
    "syscall::write:entry /curthread->pid > 0/"
    "{ self->seen = twice; @a[execname] = quantize(arg2); }"
    "BEGIN { printf(\"%d %s\\n\", twice, strjoin(\"a\", \"b\")); exit(0); }";

static dtrace_prog_t *
compile(dtrace_hdl_t *h, const char *text)
{
	dtrace_prog_t *prog = dtrace_program_strcompile(
	    h, text, DTRACE_PROBESPEC_NAME, 0, 0, NULL);

	return went(h, "dtrace_program_strcompile", prog != NULL) ? prog : NULL;
}

static int
count_statement(
    dtrace_hdl_t *h, dtrace_prog_t *prog, dtrace_stmtdesc_t *stmt, void *arg)
{
	(void)h;
	(void)prog;
	(void)stmt;
	++*(int *)arg;
	return 0;
}

/* DOF is a program of its own: another handle reads it. */
static bool
read_dof(void *dof)
{
	dtrace_hdl_t *h = open_handle();
	bool is_good = false;
	uint64_t size;
	FILE *fp;

	if (h == NULL)
		return false;
	memcpy(&size, (const char *)dof + 48, sizeof(size)); /* dofh_filesz */
	fp = fmemopen(dof, size, "r");
	if (fp == NULL)
		fprintf(
		    stderr, "dtrace: cannot read DOF: %s\n", strerror(errno));
	else {
		is_good = went(h, "dtrace_program_fcompile",
		    dtrace_program_fcompile(h, fp, 0, 0, NULL) != NULL);
		fclose(fp);
	}
	dtrace_close(h);
	return is_good;
}

static bool
through_dof(dtrace_hdl_t *h, dtrace_prog_t *prog)
{
	void *dof = dtrace_dof_create(h, prog, 0);
	bool is_good =
	    went(h, "dtrace_dof_create", dof != NULL) && read_dof(dof);

	if (dof != NULL)
		dtrace_dof_destroy(h, dof);
	return is_good;
}

static bool
take_apart(dtrace_hdl_t *h)
{
	dtrace_prog_t *prog = compile(h, program);
	dtrace_proginfo_t info;
	int nstatements = 0;

	if (prog == NULL || !through_dof(h, prog) ||
	    !went(h, "dtrace_stmt_iter",
		dtrace_stmt_iter(h, prog, count_statement, &nstatements) == 0))
		return false;
	dtrace_program_info(h, prog, &info);
	printf("%d statements, %u aggregating\n", nstatements,
	    info.dpi_aggregates);
	return true;
}

static bool
build(dtrace_hdl_t *h)
{
	dtrace_prog_t *prog = compile(
	    h, "provider api { probe a__b(int); probe done(char *); };");

	return prog != NULL &&
	    went(h, "dtrace_program_header",
		dtrace_program_header(h, stdout, "api.h") == 0) &&
	    went(h, "dtrace_program_link",
		dtrace_program_link(h, prog, 0, "api.o", 0, NULL) == 0);
}

static bool
find_types(dtrace_hdl_t *h)
{
	dtrace_typeinfo_t ti, mi;
	uint64_t offset;
	char name[64];

	if (!went(h, "dtrace_lookup_by_type",
		dtrace_lookup_by_type(
		    h, DTRACE_OBJ_EVERY, "struct list_head", &ti) == 0) ||
	    !went(h, "dtrace_type_member",
		dtrace_type_member(h, &ti, "prev", &mi, &offset) == 0) ||
	    !went(h, "dtrace_type_name",
		dtrace_type_name(h, &mi, name, sizeof(name)) >= 0) ||
	    !went(h, "dtrace_type_strcompile",
		dtrace_type_strcompile(h, "struct file *[4]", &ti) == 0))
		return false;
	printf("%s at %d, %zu bytes\n", name, (int)offset,
	    dtrace_type_size(h, &ti));
	return true;
}

static bool
find_symbols(dtrace_hdl_t *h)
{
	dtrace_syminfo_t si;
	char name[64];
	Elf64_Sym sym;

	if (!went(h, "dtrace_lookup_by_name",
		dtrace_lookup_by_name(
		    h, DTRACE_OBJ_KMODS, "vfs_read", &sym, &si) == 0) ||
	    !went(h, "dtrace_lookup_by_addr",
		dtrace_lookup_by_addr(h, sym.st_value, NULL, &si) == 0))
		return false;
	dtrace_addr2str(h, sym.st_value, name, sizeof(name));
	printf("%s %s\n", si.dts_name, name);
	return true;
}

static int
note_last(dtrace_hdl_t *h, const dtrace_objinfo_t *info, void *arg)
{
	(void)h;
	*(const char **)arg = info->dto_name;
	return 0;
}

/* The last one is the module that was loaded first. */
static bool
find_objects(dtrace_hdl_t *h)
{
	const char *last = "none";

	if (!went(h, "dtrace_object_iter",
		dtrace_object_iter(h, note_last, &last) == 0))
		return false;
	printf("%s\n", last);
	return true;
}

static int
show_probe(dtrace_hdl_t *h, const dtrace_probedesc_t *pdesc, void *arg)
{
	char text[256];

	(void)h;
	(void)arg;
	printf("%s\n", dtrace_desc2str(pdesc, text, sizeof(text)));
	return 0;
}

static bool
find_probes(dtrace_hdl_t *h)
{
	dtrace_probedesc_t pdesc;
	dtrace_probeinfo_t info;

	if (!went(h, "dtrace_str2desc",
		dtrace_str2desc(
		    h, DTRACE_PROBESPEC_NAME, "sched:::on-cpu", &pdesc) == 0) ||
	    !went(h, "dtrace_probe_info",
		dtrace_probe_info(h, &pdesc, &info) == 0) ||
	    !went(h, "dtrace_str2desc",
		dtrace_str2desc(h, DTRACE_PROBESPEC_NAME,
		    "syscall::getp*:entry", &pdesc) == 0))
		return false;
	return went(h, "dtrace_probe_iter",
	    dtrace_probe_iter(h, &pdesc, show_probe, NULL) == 0);
}

static bool
make_format(dtrace_hdl_t *h)
{
	void *format = dtrace_printf_create(h, "%d of %s\n");
	char text[32];

	if (!went(h, "dtrace_printf_create", format != NULL))
		return false;
	dtrace_printf_format(h, format, text, sizeof(text));
	fputs(text, stdout);
	return true;
}

static bool
compile_all(dtrace_hdl_t *h)
{
	return take_apart(h) && find_types(h) && find_symbols(h) &&
	    find_objects(h) && find_probes(h) && make_format(h) && build(h);
}

/* ---- api trace ----------------------------------------------------------- */

static const char script[] =
    "syscall::access:entry /pid == $target/"
    "{ self->s = speculation(); speculate(self->s);"
    " printf(\"%s\\n\", copyinstr(arg0)); }"
    "syscall::access:return /self->s/ { commit(self->s); self->s = 0; }"
    "syscall::getpriority:entry /pid == $target/"
    "{ @n[probefunc] = count(); @q = quantize(arg0); trace(probename); }"
    "BEGIN { trace(1); @n[\"begin\"] = count(); @n[\"none\"] = count();"
    " clear(@n); *(int *)8; } END { printf(\"end\\n\"); }";

static int
show_record(
    const dtrace_probedata_t *data, const dtrace_recdesc_t *rec, void *arg)
{
	(void)data;
	(void)arg;
	if (rec == NULL)
		puts("");
	return DTRACE_CONSUME_THIS;
}

static int
show_fault(const dtrace_errdata_t *data, void *arg)
{
	(void)arg;
	fputs(data->dteda_msg, stdout);
	return DTRACE_HANDLE_OK;
}

static int
count_row(const dtrace_aggdata_t *data, void *arg)
{
	(void)data;
	++*(int *)arg;
	return DTRACE_AGGWALK_NEXT;
}

static bool
enable(dtrace_hdl_t *h, char *const argv[], struct ps_prochandle **proc)
{
	dtrace_prog_t *prog;

	if (!went(h, "dtrace_setopt", dtrace_setopt(h, "quiet", NULL) == 0) ||
	    !went(
		h, "dtrace_setopt", dtrace_setopt(h, "bufsize", "64k") == 0) ||
	    !went(h, "dtrace_handle_err",
		dtrace_handle_err(h, show_fault, NULL) == 0) ||
	    !went(h, "dtrace_aggregate_keep",
		dtrace_aggregate_keep(h, DTRACE_A_PERCPU | DTRACE_A_TOTAL) ==
		    0))
		return false;
	*proc = dtrace_proc_create(h, argv[0], argv);
	return went(h, "dtrace_proc_create", *proc != NULL) &&
	    (prog = compile(h, script)) != NULL &&
	    went(h, "dtrace_program_exec",
		dtrace_program_exec(h, prog, NULL) == 0) &&
	    went(h, "dtrace_go", dtrace_go(h) == 0);
}

static bool
work(dtrace_hdl_t *h)
{
	dtrace_workstatus_t rc = DTRACE_WORKSTATUS_OKAY;

	while (rc == DTRACE_WORKSTATUS_OKAY) {
		dtrace_sleep(h);
		rc = dtrace_work(h, stdout, NULL, show_record, NULL);
	}
	return went(h, "dtrace_work", rc == DTRACE_WORKSTATUS_DONE);
}

static bool
trace(dtrace_hdl_t *h, char *const argv[])
{
	struct ps_prochandle *proc;
	int nrows = 0, status;

	if (!enable(h, argv, &proc))
		return false;
	dtrace_proc_continue(h, proc);
	if (!work(h) ||
	    !went(h, "dtrace_aggregate_snap", dtrace_aggregate_snap(h) == 0) ||
	    !went(h, "dtrace_aggregate_walk_valsorted",
		dtrace_aggregate_walk_valsorted(h, count_row, &nrows) == 0) ||
	    !went(h, "dtrace_aggregate_print",
		dtrace_aggregate_print(h, stdout, NULL) == 0))
		return false;
	dtrace_proc_status(h, proc, &status);
	printf("%d rows, status %#x\n", nrows, (unsigned)status);
	return true;
}

int
main(int argc, char **argv)
{
	dtrace_hdl_t *h;
	bool is_good;

	if (argc < 2)
		errx(2, "usage: api compile | api trace PROGRAM");
	h = open_handle();
	if (h == NULL)
		return 1;
	is_good = strcmp(argv[1], "compile") == 0 ? compile_all(h) :
						    trace(h, argv + 2);
	dtrace_close(h);
	if (fflush(stdout) != 0) {
		fprintf(stderr, "dtrace: stdout: %s\n", strerror(errno));
		return 1;
	}
	return is_good ? 0 : 1;
}
