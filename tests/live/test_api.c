/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The published API, by its header and the shared library alone.  The output
 * that programs must print follows doc/reference/language.md section 15.
 */
#include "api_session.h"

#include <pthread.h>
#include <sys/syscall.h>

/* Check the output of a program that leaves every record and datum to the
 * library. */
static void
assert_prints(dtrace_consume_rec_f *rf, const char *text, const char *expected)
{
	dtrace_hdl_t *h = open_handle();
	char *out = NULL;
	size_t len;
	FILE *fp = open_memstream(&out, &len);

	go(h, text);
	assert_int_equal(work(h, fp, NULL, rf, NULL), DTRACE_WORKSTATUS_DONE);
	fclose(fp);
	assert_string_equal(out, expected);
	free(out);
	dtrace_close(h);
}

/* ---- handle, options, errors -------------------------------------------- */

static void
test_open(void **state)
{
	int error = 0;

	(void)state;
	assert_null(dtrace_open(DTRACE_VERSION + 1, 0, &error));
	assert_int_equal(error, EDT_VERSION);
	assert_null(dtrace_open(DTRACE_VERSION, 0x100, &error));
	assert_int_equal(error, EINVAL);
	assert_null(dtrace_open(DTRACE_VERSION, DTRACE_O_ILP32, &error));
	assert_int_equal(error, EDT_DATAMODEL);
	assert_non_null(strstr(dtrace_errmsg(NULL, EDT_DATAMODEL), "64-bit"));
	assert_int_equal(EDT_CANTLOAD, 1075);
	assert_int_equal(EDT_BADOPTNAME, 1038);
}

static void
test_errors(void **state)
{
	dtrace_hdl_t *h = open_handle();
	char program[] = "BEGIN { @@@ }";

	(void)state;
	assert_null(dtrace_program_strcompile(
	    h, program, DTRACE_PROBESPEC_NAME, 0, 0, NULL));
	assert_int_equal(dtrace_errno(h), EDT_COMPILER);
	assert_non_null(strstr(dtrace_errmsg(h, EDT_COMPILER), "D_SYNTAX"));
	assert_null(strstr(dtrace_errmsg(h, EDT_NOMEM), "D_SYNTAX"));
	assert_null(dtrace_program_strcompile(
	    h, "BEGIN { }", DTRACE_PROBESPEC_NAME, 0x2000, 0, NULL));
	assert_int_equal(dtrace_errno(h), EINVAL);
	assert_int_equal(dtrace_consume(h, stdout, NULL, NULL, NULL), -1);
	assert_int_equal(dtrace_errno(h), EINVAL);
	assert_string_equal(dtrace_faultstr(h, 4), "divide-by-zero");
	assert_null(dtrace_subrstr(h, 9999));
	assert_string_equal(dtrace_subrstr(h, 0), "rand");
	dtrace_close(h);
}

static void
test_nodev(void **state)
{
	int error;
	dtrace_hdl_t *h = dtrace_open(DTRACE_VERSION, DTRACE_O_NODEV, &error);

	(void)state;
	assert_non_null(h);
	assert_non_null(dtrace_program_strcompile(
	    h, "BEGIN { exit(0); }", DTRACE_PROBESPEC_NAME, 0, 0, NULL));
	assert_int_equal(dtrace_go(h), -1);
	assert_non_null(strstr(dtrace_errmsg(h, dtrace_errno(h)), "compiling"));
	dtrace_close(h);
}

static void
test_options(void **state)
{
	dtrace_hdl_t *h = open_handle();
	dtrace_optval_t value;

	(void)state;
	assert_int_equal(dtrace_setopt(h, "strsize", "1k"), 0);
	assert_int_equal(dtrace_getopt(h, "strsize", &value), 0);
	assert_int_equal(value, 1024);
	assert_int_equal(dtrace_getopt(h, "cpu", &value), 0);
	assert_int_equal(value, DTRACEOPT_UNSET);
	assert_int_equal(dtrace_setopt(h, "nonesuch", "1"), -1);
	assert_int_equal(dtrace_errno(h), EDT_BADOPTNAME);
	assert_int_equal(dtrace_setopt(h, "strsize", "much"), -1);
	assert_int_equal(dtrace_errno(h), EDT_BADOPTVAL);
	assert_int_equal(dtrace_setopt(h, "oformat", "json"), -1);
	assert_int_equal(dtrace_errno(h), EDT_BADOPTVAL);
	go(h, "BEGIN { }");
	assert_int_equal(dtrace_setopt(h, "strsize", "2k"), -1);
	assert_int_equal(dtrace_errno(h), EDT_BADOPTCTX);
	assert_int_equal(dtrace_go(h), -1);
	assert_int_equal(dtrace_errno(h), EDT_ACTIVE);
	dtrace_close(h);
}

static void
test_destructive(void **state)
{
	dtrace_hdl_t *h = open_handle();
	dtrace_prog_t *prog = dtrace_program_strcompile(h,
	    "BEGIN { system(\"true\"); }", DTRACE_PROBESPEC_NAME, 0, 0, NULL);

	(void)state;
	assert_non_null(prog);
	assert_int_equal(dtrace_program_exec(h, prog, NULL), -1);
	assert_int_equal(dtrace_errno(h), EDT_DESTRUCTIVE);
	dtrace_close(h);
}

static void
test_flags(void **state)
{
	dtrace_hdl_t *h = open_handle();
	const char *text = "syscall::nonesuch:entry { }";

	(void)state;
	assert_null(dtrace_program_strcompile(
	    h, text, DTRACE_PROBESPEC_NAME, 0, 0, NULL));
	assert_non_null(dtrace_program_strcompile(
	    h, text, DTRACE_PROBESPEC_NAME, DTRACE_C_ZDEFS, 0, NULL));
	assert_null(dtrace_program_strcompile(
	    h, text, DTRACE_PROBESPEC_NAME, 0, 0, NULL));
	assert_null(dtrace_program_strcompile(
	    h, "", DTRACE_PROBESPEC_NAME, 0, 0, NULL));
	assert_non_null(dtrace_program_strcompile(
	    h, "", DTRACE_PROBESPEC_NAME, DTRACE_C_EMPTY, 0, NULL));
	dtrace_close(h);
}

static void
test_info(void **state)
{
	dtrace_hdl_t *h = open_handle();
	char text[] = "BEGIN, END { trace(1); @a = count(); printf(\"x\"); }";
	FILE *fp = fmemopen(text, strlen(text), "r");
	dtrace_prog_t *prog = dtrace_program_fcompile(h, fp, 0, 0, NULL);
	dtrace_proginfo_t info;
	char buf[DTRACE_ATTR2STR_MAX];

	(void)state;
	fclose(fp);
	must(h, prog == NULL);
	must(h, dtrace_program_exec(h, prog, &info));
	assert_int_equal(info.dpi_matches, 2);
	assert_int_equal(info.dpi_aggregates, 1);
	assert_int_equal(info.dpi_recgens, 2);
	assert_int_equal(info.dpi_speculations, 0);
	assert_string_equal(
	    dtrace_attr2str(info.dpi_descattr, buf, sizeof(buf)),
	    "Stable/Stable/Common");
	dtrace_close(h);
}

/* A program that went through DOF does the same as before. */
static void
test_dof(void **state)
{
	dtrace_hdl_t *h = open_handle();
	dtrace_prog_t *prog = dtrace_program_strcompile(h,
	    "BEGIN { printf(\"%d\", 42); exit(0); }", DTRACE_PROBESPEC_NAME, 0,
	    0, NULL);
	char *dof, *out = NULL;
	uint64_t size;
	size_t len;
	FILE *fp;

	(void)state;
	must(h, prog == NULL);
	assert_null(dtrace_dof_create(h, prog, DTRACE_D_PROBES));
	dof = dtrace_dof_create(h, prog, DTRACE_D_STRIP);
	must(h, dof == NULL);
	assert_memory_equal(dof, "\177DOF", 4);
	memcpy(&size, dof + 48, sizeof(size)); /* dofh_filesz */
	dtrace_close(h);

	h = open_handle();
	fp = fmemopen(dof, size, "r");
	prog = dtrace_program_fcompile(h, fp, 0, 0, NULL);
	fclose(fp);
	dtrace_dof_destroy(h, dof);
	must(h, prog == NULL);
	must(h, dtrace_program_exec(h, prog, NULL));
	must(h, dtrace_go(h));
	fp = open_memstream(&out, &len);
	assert_int_equal(
	    work(h, fp, NULL, this_rec, NULL), DTRACE_WORKSTATUS_DONE);
	fclose(fp);
	assert_string_equal(out, "42");
	free(out);
	dtrace_close(h);
}

/* The functions behind dtrace -h and -G. */
static void
test_build(void **state)
{
	char path[] = "/tmp/test_api.XXXXXX", nosuch[] = "nosuch.o",
	     *missing[] = { nosuch };
	char *header = NULL, magic[4] = "";
	int fd = mkstemp(path);
	dtrace_hdl_t *h = open_handle();
	dtrace_prog_t *prog;
	size_t len;
	FILE *fp = open_memstream(&header, &len);

	(void)state;
	assert_true(fd >= 0);
	prog =
	    dtrace_program_strcompile(h, "provider api { probe a__b(int); };",
		DTRACE_PROBESPEC_NAME, 0, 0, NULL);
	must(h, prog == NULL);
	must(h, dtrace_program_header(h, fp, "api.h"));
	fclose(fp);
	assert_non_null(strstr(header, "#ifndef _API_H\n"));
	assert_non_null(strstr(header, "#define API_A_B(arg0) "));
	free(header);
	must(h, dtrace_program_link(h, prog, 0, path, 0, NULL));
	assert_int_equal(pread(fd, magic, 4, 0), 4);
	assert_memory_equal(magic, "\177ELF", 4);
	assert_int_equal(dtrace_program_link(h, prog, 0, path, 1, missing), -1);
	assert_int_equal(dtrace_errno(h), EDT_ELFVERSION);
	assert_non_null(strstr(dtrace_errmsg(h, EDT_ELFVERSION), "nosuch.o"));
	close(fd);
	unlink(path);
	dtrace_close(h);
}

/* ---- records ------------------------------------------------------------ */

static void
test_prints(void **state)
{
	(void)state;
	assert_prints(this_rec,
	    "BEGIN { trace(\"one\"); printf(\" %d %s\\n\", "
	    "2, \"two\"); trace(execname == \"x\"); exit(0); }",
	    "one 2 two\n0");
	assert_prints(this_rec,
	    "BEGIN { @a[\"k\"] = sum(7); printa(\"%s %@d;\","
	    " @a); clear(@a); printa(\"%@d\", @a); exit(0); }",
	    "k 7;0");
	assert_prints(NULL, "BEGIN { trace(1); exit(0); }", "");
}

static int
note_record(const dtrace_probedata_t *data, void *arg)
{
	note(arg, data->dtpda_pdesc->dtpd_name);
	note(arg, "(");
	return strcmp(data->dtpda_pdesc->dtpd_name, "END") == 0 ?
	    DTRACE_CONSUME_NEXT :
	    DTRACE_CONSUME_THIS;
}

static int
note_datum(
    const dtrace_probedata_t *data, const dtrace_recdesc_t *rec, void *arg)
{
	const char *p;
	struct trace *tr = arg;

	if (rec == NULL) {
		note(tr, ")");
		return DTRACE_CONSUME_NEXT;
	}
	p = data->dtpda_data + rec->dtrd_offset;
	assert_true(
	    rec->dtrd_offset + rec->dtrd_size <= data->dtpda_edesc->dtepd_size);
	assert_int_equal(rec->dtrd_offset % rec->dtrd_alignment, 0);
	if (rec->dtrd_action == DTRACEACT_EXIT)
		note(tr, "exit");
	else if (rec->dtrd_size == sizeof(int))
		note(tr, *(const int *)(const void *)p == 42 ? "42 " : "? ");
	else {
		assert_int_equal(rec->dtrd_size, tr->strsize);
		note(tr, p);
		note(tr, " ");
	}
	return DTRACE_CONSUME_NEXT;
}

/* A string is complete, whether it is stored as a constant, execname or a
 * copy. */
static void
test_records(void **state)
{
	dtrace_hdl_t *h = open_handle();
	struct trace tr = { .strsize = 64 };

	(void)state;
	assert_int_equal(dtrace_setopt(h, "strsize", "64"), 0);
	go(h,
	    "BEGIN { trace(\"const\"); trace((int)42); trace(execname); "
	    "trace(strjoin(\"a\", \"b\")); exit(0); } END { trace(1); }");
	assert_int_equal(work(h, stdout, note_record, note_datum, &tr),
	    DTRACE_WORKSTATUS_DONE);
	assert_string_equal(tr.text, "BEGIN(const 42 test_api ab exit)END(");
	assert_int_equal(dtrace_status(h), DTRACE_STATUS_STOPPED);
	dtrace_close(h);
}

/* Check a stack of this process: the process, its frames, and room for names
 * behind them. */
static int
check_stack(
    const dtrace_probedata_t *data, const dtrace_recdesc_t *rec, void *arg)
{
	unsigned *nseen = arg;
	uint64_t words[4];

	if (rec == NULL || rec->dtrd_action != DTRACEACT_JSTACK)
		return DTRACE_CONSUME_NEXT;
	assert_int_equal(rec->dtrd_arg, 3 | (uint64_t)100 << 32);
	assert_int_equal(rec->dtrd_size, (1 + 3) * 8 + 104);
	memcpy(words, data->dtpda_data + rec->dtrd_offset, sizeof(words));
	assert_int_equal(words[0], getpid());
	for (unsigned i = 1; i < 4; i++)
		assert_int_not_equal(words[i], 0);
	for (uint32_t i = sizeof(words); i < rec->dtrd_size; i++)
		assert_int_equal(data->dtpda_data[rec->dtrd_offset + i], 0);
	++*nseen;
	return DTRACE_CONSUME_NEXT;
}

static void
test_user_stack(void **state)
{
	dtrace_hdl_t *h = open_handle();
	unsigned nseen = 0;

	(void)state;
	go(h, "BEGIN { trace(1); jstack(3, 100); trace(2); exit(0); }");
	assert_int_equal(
	    work(h, stdout, NULL, check_stack, &nseen), DTRACE_WORKSTATUS_DONE);
	assert_int_equal(nseen, 1);
	dtrace_close(h);
}

static int
answer(const dtrace_probedata_t *data, void *arg)
{
	(void)data;
	return *(int *)arg;
}

static void
assert_ends(int rc, int error)
{
	dtrace_hdl_t *h = open_handle();

	go(h, "BEGIN { trace(1); exit(0); }");
	assert_int_equal(
	    work(h, stdout, answer, NULL, &rc), DTRACE_WORKSTATUS_ERROR);
	assert_int_equal(dtrace_errno(h), error);
	rc = DTRACE_CONSUME_THIS;
	assert_int_equal(
	    work(h, stdout, answer, NULL, &rc), DTRACE_WORKSTATUS_DONE);
	dtrace_close(h);
}

/* No further callback is called after one has ended the work. */
static int
count_record(const dtrace_probedata_t *data, void *arg)
{
	(void)data;
	++*(int *)arg;
	return DTRACE_CONSUME_ABORT;
}

static void
test_speculation(void **state)
{
	dtrace_hdl_t *h = open_handle();
	int n = 0;

	(void)state;
	go(h,
	    "BEGIN { i = speculation(); } "
	    "BEGIN { speculate(i); trace(1); } "
	    "BEGIN { speculate(i); trace(2); } BEGIN { commit(i); }");
	assert_int_equal(
	    dtrace_work(h, stdout, NULL, NULL, NULL), DTRACE_WORKSTATUS_OKAY);
	dtrace_close(h);

	h = open_handle();
	go(h,
	    "BEGIN { i = speculation(); speculate(i); trace(1); } "
	    "BEGIN { speculate(i); trace(2); } BEGIN { commit(i); }");
	assert_int_equal(dtrace_work(h, stdout, count_record, NULL, &n),
	    DTRACE_WORKSTATUS_ERROR);
	assert_int_equal(dtrace_errno(h), EDT_DIRABORT);
	assert_int_equal(n, 1);
	dtrace_close(h);
}

static void
test_answers(void **state)
{
	(void)state;
	assert_ends(DTRACE_CONSUME_ABORT, EDT_DIRABORT);
	assert_ends(77, EDT_BADRVAL);
}

static void
test_stop(void **state)
{
	dtrace_hdl_t *h = open_handle();
	struct trace tr = { .strsize = 256 };

	(void)state;
	assert_int_equal(dtrace_status(h), DTRACE_STATUS_NONE);
	go(h, "END { trace(\"last\"); }");
	assert_int_equal(dtrace_status(h), DTRACE_STATUS_OKAY);
	must(h, dtrace_stop(h));
	assert_int_equal(dtrace_status(h), DTRACE_STATUS_STOPPED);
	must(h, dtrace_consume(h, stdout, NULL, note_datum, &tr));
	assert_string_equal(tr.text, "last )");
	dtrace_close(h);
}

/* ---- handlers ----------------------------------------------------------- */

static void
test_fault(void **state)
{
	static const char text[] = "int zero; BEGIN { trace(1 / zero); } "
				   "BEGIN { exit(0); }";
	dtrace_hdl_t *h = open_handle();
	int fault = -1;

	(void)state;
	must(h, dtrace_handle_err(h, note_fault, &fault));
	assert_int_equal(dtrace_handle_err(h, note_fault, &fault), -1);
	assert_int_equal(dtrace_errno(h), EALREADY);
	go(h, text);
	assert_int_equal(
	    work(h, stdout, NULL, NULL, NULL), DTRACE_WORKSTATUS_DONE);
	assert_int_equal(fault, 4);
	dtrace_close(h);

	h = open_handle();
	go(h, text);
	assert_int_equal(
	    work(h, stdout, NULL, NULL, NULL), DTRACE_WORKSTATUS_ERROR);
	assert_int_equal(dtrace_errno(h), EDT_ERRABORT);
	dtrace_close(h);
}

/* A record's description is right, whatever record came before. */
static int
note_described(const dtrace_probedata_t *data, void *arg)
{
	assert_int_equal(
	    data->dtpda_edesc->dtepd_probeid, data->dtpda_pdesc->dtpd_id);
	note(arg, data->dtpda_pdesc->dtpd_func);
	note(arg, " ");
	return DTRACE_CONSUME_NEXT;
}

static int
note_failed(const dtrace_errdata_t *data, void *arg)
{
	assert_int_equal(
	    data->dteda_edesc->dtepd_probeid, data->dteda_pdesc->dtpd_id);
	note(arg, "failed: ");
	note(arg, data->dteda_pdesc->dtpd_func);
	note(arg, " ");
	return DTRACE_HANDLE_OK;
}

static void
test_described(void **state)
{
	dtrace_hdl_t *h = open_handle();
	struct trace tr = { .strsize = 0 };
	char text[256];

	(void)state;
	snprintf(text, sizeof(text),
	    "syscall::getpid:entry, syscall::getppid:entry, "
	    "syscall::getsid:entry /tid == %d/ "
	    "{ trace(1 / (probefunc != \"getppid\")); }",
	    (int)gettid());
	must(h, dtrace_handle_err(h, note_failed, &tr));
	go(h, text);
	syscall(SYS_getpid);
	syscall(SYS_getppid);
	syscall(SYS_getpid);
	syscall(SYS_getsid, 0);
	syscall(SYS_getpid);
	must(h, dtrace_stop(h));
	must(h, dtrace_consume(h, stdout, note_described, NULL, &tr));
	assert_string_equal(
	    tr.text, "getpid failed: getppid getpid getsid getpid ");
	dtrace_close(h);
}

static int
note_drop(const dtrace_dropdata_t *data, void *arg)
{
	uint64_t *drops = arg;

	assert_int_equal(data->dtdda_kind, DTRACEDROP_SPECUNAVAIL);
	*drops = data->dtdda_total;
	assert_non_null(strstr(data->dtdda_msg, "failed speculation"));
	return DTRACE_HANDLE_OK;
}

static void
test_drop(void **state)
{
	static const char text[] = "BEGIN { speculation(); speculation(); "
				   "speculation(); exit(0); }";
	dtrace_hdl_t *h = open_handle();
	uint64_t drops = 0;

	(void)state;
	must(h, dtrace_handle_drop(h, note_drop, &drops));
	go(h, text);
	assert_int_equal(
	    work(h, stdout, NULL, NULL, NULL), DTRACE_WORKSTATUS_DONE);
	assert_int_equal(drops, 2);
	dtrace_close(h);

	h = open_handle();
	go(h, text);
	assert_int_equal(
	    work(h, stdout, NULL, NULL, NULL), DTRACE_WORKSTATUS_ERROR);
	assert_int_equal(dtrace_errno(h), EDT_DROPABORT);
	dtrace_close(h);
}

static int
note_setopt(const dtrace_setoptdata_t *data, void *arg)
{
	dtrace_setoptdata_t *seen = arg;

	assert_string_equal(data->dtsda_option, "stackindent");
	*seen = *data;
	return DTRACE_HANDLE_OK;
}

static void
test_setopt(void **state)
{
	dtrace_hdl_t *h = open_handle();
	dtrace_setoptdata_t seen = { 0 };

	(void)state;
	must(h, dtrace_handle_setopt(h, note_setopt, &seen));
	go(h, "BEGIN { setopt(\"stackindent\", \"3\"); exit(0); }");
	assert_int_equal(
	    work(h, stdout, NULL, NULL, NULL), DTRACE_WORKSTATUS_DONE);
	assert_int_equal(seen.dtsda_oldval, 14);
	assert_int_equal(seen.dtsda_newval, 3);
	dtrace_close(h);
}

/* Note each piece of text with its flags: "[flags text]". */
static int
note_text(const dtrace_bufdata_t *data, void *arg)
{
	char piece[128];

	snprintf(piece, sizeof(piece), "[%u %s]", data->dtbda_flags,
	    data->dtbda_buffered);
	note(arg, piece);
	assert_true((data->dtbda_flags == 0) == (data->dtbda_aggdata == NULL));
	return DTRACE_HANDLE_OK;
}

static void
test_buffered(void **state)
{
	dtrace_hdl_t *h = open_handle();
	struct trace tr = { 0 };

	(void)state;
	assert_int_equal(dtrace_setopt(h, "quiet", NULL), 0);
	go(h,
	    "BEGIN { trace(1); printf(\"two\"); @a[3] = sum(4); "
	    "printa(\"k %d v %@d\\n\", @a); exit(0); }");
	assert_int_equal(dtrace_work(h, NULL, NULL, this_rec, NULL),
	    DTRACE_WORKSTATUS_ERROR);
	assert_int_equal(dtrace_errno(h), EDT_NOBUFFERED);
	must(h, dtrace_handle_buffered(h, note_text, &tr));
	assert_int_equal(
	    work(h, NULL, NULL, this_rec, NULL), DTRACE_WORKSTATUS_DONE);
	assert_string_equal(
	    tr.text, "[0 1][0 two][4 k ][1 3][4  v ][2 4][12 \n]");
	dtrace_close(h);
}

/* ---- aggregations ------------------------------------------------------- */

static int
note_row(const dtrace_aggdata_t *data, void *arg)
{
	const dtrace_aggdesc_t *ad = data->dtada_desc;
	const dtrace_recdesc_t *rec = &ad->dtagd_rec[ad->dtagd_nrecs - 1];
	const char *bytes = data->dtada_data;
	char text[64];

	snprintf(text, sizeof(text), "%s%d=%lld ", ad->dtagd_name,
	    *(const int *)(const void *)(bytes + ad->dtagd_rec[1].dtrd_offset),
	    (long long)*(
		const int64_t *)(const void *)(bytes + rec->dtrd_offset));
	note(arg, text);
	return DTRACE_AGGWALK_NEXT;
}

static dtrace_hdl_t *
aggregated(const char *text)
{
	dtrace_hdl_t *h = open_handle();

	go(h, text);
	assert_int_equal(
	    work(h, stdout, NULL, NULL, NULL), DTRACE_WORKSTATUS_DONE);
	must(h, dtrace_aggregate_snap(h));
	return h;
}

static void
test_orders(void **state)
{
	static const struct {
		dtrace_aggregate_walk_f *walk;
		const char *expected;
	} walks[] = {
		{ dtrace_aggregate_walk_keysorted, "a1=9 a2=5 b1=7 b3=1 " },
		{ dtrace_aggregate_walk_valsorted, "a2=5 a1=9 b3=1 b1=7 " },
		{ dtrace_aggregate_walk_keyrevsorted, "b3=1 b1=7 a2=5 a1=9 " },
		{ dtrace_aggregate_walk_valrevsorted, "b1=7 b3=1 a1=9 a2=5 " },
		{ dtrace_aggregate_walk_keyvarsorted, "a1=9 b1=7 a2=5 b3=1 " },
		{ dtrace_aggregate_walk_valvarsorted, "b3=1 a2=5 b1=7 a1=9 " },
		{ dtrace_aggregate_walk_keyvarrevsorted,
		    "b3=1 a2=5 b1=7 a1=9 " },
		{ dtrace_aggregate_walk_valvarrevsorted,
		    "a1=9 b1=7 a2=5 b3=1 " },
		{ dtrace_aggregate_walk_sorted, "a2=5 a1=9 b3=1 b1=7 " },
	};
	dtrace_hdl_t *h =
	    aggregated("BEGIN { @a[1] = sum(9); @a[2] = sum(5); "
		       "@b[1] = sum(7); @b[3] = sum(1); exit(0); }");

	(void)state;
	for (size_t i = 0; i < sizeof(walks) / sizeof(walks[0]); i++) {
		struct trace tr = { 0 };

		must(h, walks[i].walk(h, note_row, &tr));
		assert_string_equal(tr.text, walks[i].expected);
	}
	dtrace_close(h);
}

static int
note_line(const dtrace_aggdata_t **data, const int n, void *arg)
{
	for (int i = 0; i < n; i++)
		note_row(data[i], arg);
	note(arg, "| ");
	return DTRACE_AGGWALK_NEXT;
}

static int
remove_line(const dtrace_aggdata_t **data, const int n, void *arg)
{
	(void)data;
	(void)n;
	(void)arg;
	return DTRACE_AGGWALK_REMOVE;
}

static void
test_joined(void **state)
{
	dtrace_hdl_t *h =
	    aggregated("BEGIN { @a[1] = sum(9); @a[2] = sum(5); "
		       "@b[1] = sum(7); @b[3] = sum(1); exit(0); }");
	dtrace_aggvarid_t ids[] = { 1, 2 }, bad[] = { 3 };
	struct trace tr = { 0 };

	(void)state;
	must(h, dtrace_aggregate_walk_joined(h, ids, 2, note_line, &tr));
	assert_string_equal(
	    tr.text, "b3=1 a0=0 b3=1 | a2=5 a2=5 b0=0 | a1=9 a1=9 b1=7 | ");
	must(h, dtrace_setopt(h, "aggsortkey", NULL));
	memset(&tr, 0, sizeof(tr));
	must(h, dtrace_aggregate_walk_joined(h, ids, 2, note_line, &tr));
	assert_string_equal(
	    tr.text, "a1=9 a1=9 b1=7 | a2=5 a2=5 b0=0 | b3=1 a0=0 b3=1 | ");
	assert_int_equal(
	    dtrace_aggregate_walk_joined(h, bad, 1, note_line, &tr), -1);
	assert_int_equal(dtrace_errno(h), EDT_BADAGGVAR);
	assert_int_equal(
	    dtrace_aggregate_walk_joined(h, ids, 2, remove_line, NULL), -1);
	assert_int_equal(dtrace_errno(h), EDT_BADRVAL);
	dtrace_close(h);
}

static int
change_row(const dtrace_aggdata_t *data, void *arg)
{
	int key = *(const int *)(const void *)(data->dtada_data +
	    data->dtada_desc->dtagd_rec[1].dtrd_offset);

	return key == *(int *)arg ? DTRACE_AGGWALK_REMOVE :
				    DTRACE_AGGWALK_CLEAR;
}

static void
test_changes(void **state)
{
	dtrace_hdl_t *h = aggregated("BEGIN { @a[1] = sum(9); @a[2] = sum(5); "
				     "@a[3] = sum(1); exit(0); }");
	struct trace tr = { 0 };
	int key = 2;

	(void)state;
	must(h, dtrace_aggregate_walk(h, change_row, &key));
	must(h, dtrace_aggregate_walk_keysorted(h, note_row, &tr));
	assert_string_equal(tr.text, "a1=0 a3=0 ");
	must(h, dtrace_aggregate_snap(h));
	must(h, dtrace_aggregate_walk_keysorted(h, note_row, &tr));
	assert_string_equal(tr.text, "a1=0 a3=0 a1=0 a3=0 ");
	dtrace_close(h);
}

static int
halve(const dtrace_aggdata_t *data, void *arg)
{
	(void)arg;
	((dtrace_aggdata_t *)(uintptr_t)data)->dtada_normal = 2;
	return DTRACE_AGGWALK_NORMALIZE;
}

/* Calls of the library's isatty() come here. */
static unsigned nisatty;

__attribute__((visibility("default"))) int
isatty(int fd)
{
	(void)fd;
	nisatty++;
	errno = ENOTTY;
	return 0;
}

/* A program closes its file when it likes; the library looks at it no more. */
static void
test_closed(void **state)
{
	dtrace_hdl_t *h = open_handle();
	FILE *fp = fopen("/dev/null", "we");

	(void)state;
	assert_non_null(fp);
	go(h, "BEGIN { exit(0); }");
	nisatty = 0;
	assert_int_equal(
	    work(h, fp, NULL, this_rec, NULL), DTRACE_WORKSTATUS_DONE);
	assert_int_not_equal(nisatty, 0);
	fclose(fp);
	nisatty = 0;
	must(h, dtrace_setopt(h, "flowindent", NULL));
	assert_int_equal(nisatty, 0);
	dtrace_close(h);
}

static void
test_aggprint(void **state)
{
	dtrace_hdl_t *h = aggregated("BEGIN { @a[1] = sum(10); @a[2] = sum(6);"
				     " exit(0); }");
	char *out = NULL;
	size_t len;
	FILE *fp = open_memstream(&out, &len);

	(void)state;
	must(h, dtrace_aggregate_walk(h, halve, NULL));
	must(h, dtrace_aggregate_print(h, fp, dtrace_aggregate_walk_keysorted));
	must(h, dtrace_aggregate_print(h, fp, NULL));
	fclose(fp);
	assert_string_equal(out,
	    "\n        1                5\n"
	    "        2                3\n"
	    "\n        2                3\n"
	    "        1                5\n");
	free(out);
	dtrace_close(h);
}

/* The value of lquantize() begins with its parameters. */
static int
check_lquantize(const dtrace_aggdata_t *data, void *arg)
{
	const dtrace_recdesc_t *rec = &data->dtada_desc->dtagd_rec[1];
	const uint64_t *w = (const uint64_t *)(const void *)(data->dtada_data +
	    rec->dtrd_offset);

	assert_int_equal(rec->dtrd_action, DTRACEAGG_LQUANTIZE);
	assert_int_equal(DTRACE_LQUANTIZE_BASE(w[0]), -5);
	assert_int_equal(DTRACE_LQUANTIZE_LEVELS(w[0]), 2);
	assert_int_equal(DTRACE_LQUANTIZE_STEP(w[0]), 5);
	assert_int_equal(rec->dtrd_size, 5 * sizeof(uint64_t));
	assert_int_equal(w[3], 1);
	*(bool *)arg = true;
	return DTRACE_AGGWALK_NEXT;
}

static void
test_lquantize(void **state)
{
	dtrace_hdl_t *h =
	    aggregated("BEGIN { @ = lquantize(3, -5, 5, 5); exit(0); }");
	bool seen = false;

	(void)state;
	must(h, dtrace_aggregate_walk(h, check_lquantize, &seen));
	assert_true(seen);
	dtrace_close(h);
}

/* ---- names -------------------------------------------------------------- */

static void
test_descriptions(void **state)
{
	dtrace_hdl_t *h = open_handle();
	dtrace_probedesc_t pd;
	char buf[1024], attr[DTRACE_ATTR2STR_MAX];
	dtrace_attribute_t a;

	(void)state;
	must(h,
	    dtrace_str2desc(
		h, DTRACE_PROBESPEC_NAME, "syscall::read:entry", &pd));
	assert_string_equal(pd.dtpd_provider, "syscall");
	assert_string_equal(pd.dtpd_func, "read");
	assert_string_equal(
	    dtrace_desc2str(&pd, buf, sizeof(buf)), "syscall::read:entry");
	must(h, dtrace_str2desc(h, DTRACE_PROBESPEC_FUNC, "vmlinux:read", &pd));
	assert_string_equal(pd.dtpd_mod, "vmlinux");
	assert_string_equal(pd.dtpd_func, "read");
	assert_int_equal(
	    dtrace_str2desc(h, DTRACE_PROBESPEC_NAME, "a:b:c:d:e", &pd), -1);
	assert_int_equal(dtrace_errno(h), EDT_BADSPEC);
	assert_int_equal(dtrace_str2attr("Stable/Evolving/ISA", &a), 0);
	assert_string_equal(
	    dtrace_attr2str(a, attr, sizeof(attr)), "Stable/Evolving/ISA");
	assert_int_equal(dtrace_str2attr("Stable/Odd/ISA", &a), -1);
	assert_null(dtrace_stability_name(8));
	assert_string_equal(dtrace_class_name(5), "Common");
	dtrace_close(h);
}

static int
note_probe(dtrace_hdl_t *h, const dtrace_probedesc_t *pd, void *arg)
{
	dtrace_probedesc_t by_id;

	must(h, dtrace_id2desc(h, pd->dtpd_id, &by_id));
	assert_memory_equal(&by_id, pd, sizeof(by_id));
	note(arg, pd->dtpd_name);
	note(arg, " ");
	return 0;
}

static void
test_probes(void **state)
{
	dtrace_hdl_t *h = open_handle();
	dtrace_probedesc_t pd = { .dtpd_provider = "dtrace" };
	struct trace tr = { 0 };
	dtrace_probeinfo_t info;

	(void)state;
	/* the list has all probes, those of D libraries too */
	must(h, dtrace_setopt(h, "syslibdir", DLIB_DIR));
	must(h, dtrace_probe_iter(h, &pd, note_probe, &tr));
	assert_string_equal(tr.text, "BEGIN END ERROR ");
	memset(&tr, 0, sizeof(tr));
	must(h, dtrace_probe_iter(h, NULL, note_probe, &tr));
	assert_memory_equal(tr.text, "BEGIN END ERROR entry return", 28);
	assert_int_equal(dtrace_probe_info(h, &pd, &info), -1);
	assert_int_equal(dtrace_errno(h), EDT_BADPGLOB);
	must(h,
	    dtrace_str2desc(
		h, DTRACE_PROBESPEC_NAME, "syscall::read:entry", &pd));
	must(h, dtrace_probe_info(h, &pd, &info));
	assert_int_equal(info.dtp_argc, 3);
	assert_string_equal(info.dtp_argv[2].dtargd_native, "size_t");
	must(h, dtrace_str2desc(h, DTRACE_PROBESPEC_NAME, "nonesuch", &pd));
	assert_int_equal(dtrace_probe_iter(h, &pd, note_probe, &tr), -1);
	assert_int_equal(dtrace_errno(h), EDT_NOPROBE);
	dtrace_close(h);
}

static void
test_symbols(void **state)
{
	dtrace_hdl_t *h = open_handle();
	dtrace_syminfo_t si;
	Elf64_Sym sym;
	char buf[128];

	(void)state;
	must(h,
	    dtrace_lookup_by_name(h, DTRACE_OBJ_KMODS, "vfs_read", &sym, &si));
	assert_string_equal(si.dts_object, "vmlinux");
	must(h, dtrace_lookup_by_addr(h, sym.st_value + 1, &sym, &si));
	assert_string_equal(si.dts_name, "vfs_read");
	assert_int_equal(dtrace_addr2str(h, sym.st_value + 2, buf, sizeof(buf)),
	    strlen("vmlinux`vfs_read+0x2"));
	assert_string_equal(buf, "vmlinux`vfs_read+0x2");
	assert_int_equal(dtrace_lookup_by_name(
			     h, DTRACE_OBJ_EVERY, "no_such_symbol", &sym, &si),
	    -1);
	assert_int_equal(dtrace_errno(h), EDT_NOSYM);
	dtrace_close(h);
}

/* ---- processes, threads ------------------------------------------------- */

static void
test_process(void **state)
{
	dtrace_hdl_t *h = open_handle();
	char name[] = "true", missing[] = "/nonexistent/command";
	char *argv[] = { name, NULL }, *bad[] = { missing, NULL };
	struct ps_prochandle *p;
	struct trace tr = { .strsize = 256 };

	(void)state;
	assert_null(dtrace_proc_create(h, missing, bad));
	assert_int_equal(dtrace_errno(h), EDT_NOENT);
	p = dtrace_proc_create(h, name, argv);
	must(h, p == NULL);
	assert_true(dtrace_proc_pid(h, p) > 0);
	go(h,
	    "syscall::exit_group:entry /pid == $target/ "
	    "{ trace(execname); }");
	dtrace_proc_continue(h, p);
	assert_int_equal(
	    work(h, stdout, NULL, note_datum, &tr), DTRACE_WORKSTATUS_DONE);
	assert_string_equal(tr.text, "true )");
	dtrace_close(h);
}

static void *
run_thread(void *arg)
{
	struct trace *tr = arg;
	char text[64];

	tr->strsize = 256;
	for (int i = 0; i < 3; i++) {
		dtrace_hdl_t *h = open_handle();

		snprintf(
		    text, sizeof(text), "BEGIN { trace(\"%d\"); exit(0); }", i);
		go(h, text);
		work(h, stdout, NULL, note_datum, tr);
		dtrace_close(h);
	}
	return NULL;
}

static void
test_threads(void **state)
{
	struct trace trs[2] = { 0 };
	pthread_t threads[2];

	(void)state;
	for (int i = 0; i < 2; i++)
		assert_int_equal(
		    pthread_create(&threads[i], NULL, run_thread, &trs[i]), 0);
	for (int i = 0; i < 2; i++) {
		pthread_join(threads[i], NULL);
		assert_string_equal(trs[i].text, "0 exit)1 exit)2 exit)");
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_open),
		cmocka_unit_test(test_build),
		cmocka_unit_test(test_errors),
		cmocka_unit_test(test_nodev),
		cmocka_unit_test(test_options),
		cmocka_unit_test(test_destructive),
		cmocka_unit_test(test_flags),
		cmocka_unit_test(test_info),
		cmocka_unit_test(test_dof),
		cmocka_unit_test(test_prints),
		cmocka_unit_test(test_records),
		cmocka_unit_test(test_answers),
		cmocka_unit_test(test_speculation),
		cmocka_unit_test(test_stop),
		cmocka_unit_test(test_fault),
		cmocka_unit_test(test_described),
		cmocka_unit_test(test_drop),
		cmocka_unit_test(test_user_stack),
		cmocka_unit_test(test_setopt),
		cmocka_unit_test(test_buffered),
		cmocka_unit_test(test_orders),
		cmocka_unit_test(test_joined),
		cmocka_unit_test(test_changes),
		cmocka_unit_test(test_closed),
		cmocka_unit_test(test_aggprint),
		cmocka_unit_test(test_lquantize),
		cmocka_unit_test(test_descriptions),
		cmocka_unit_test(test_probes),
		cmocka_unit_test(test_symbols),
		cmocka_unit_test(test_process),
		cmocka_unit_test(test_threads),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
