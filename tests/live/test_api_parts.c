/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Further parts of the published API: statements, formats, types, objects, and
 * the handle's functions outside of a session.
 */
#include "api_session.h"

#include <poll.h>
#include <signal.h>
#include <sys/wait.h>

/* ---- statements --------------------------------------------------------- */

struct listing {
	char text[1024];
	dtrace_stmtdesc_t *stmts[16];
	int n;
};

static int
note_stmt(
    dtrace_hdl_t *h, dtrace_prog_t *prog, dtrace_stmtdesc_t *stmt, void *arg)
{
	const dtrace_ecbdesc_t *ecb = stmt->dtsd_ecbdesc;
	struct listing *li = arg;
	size_t len = strlen(li->text);

	(void)h;
	(void)prog;
	snprintf(li->text + len, sizeof(li->text) - len,
	    "%s%s%s:", ecb->dted_probe.dtpd_name,
	    ecb->dted_pred.dtpdd_difo != NULL ? "/" : "",
	    stmt->dtsd_aggdata != NULL ? (const char *)stmt->dtsd_aggdata : "");
	for (const dtrace_actdesc_t *ad = stmt->dtsd_action; ad != NULL;
	     ad = ad == stmt->dtsd_action_last ? NULL : ad->dtad_next) {
		len = strlen(li->text);
		snprintf(li->text + len, sizeof(li->text) - len, " %x",
		    ad->dtad_kind);
		if (ad->dtad_difo != NULL)
			assert_true(ad->dtad_difo->dtdo_len > 0);
		assert_true(ad->dtad_uarg == (uintptr_t)stmt);
	}
	strcat(li->text, "\n");
	li->stmts[li->n++] = stmt;
	return 0;
}

/* Each action gives one statement for each description. */
static void
test_stmt_iter(void **state)
{
	dtrace_hdl_t *h = open_handle();
	dtrace_prog_t *prog = dtrace_program_strcompile(h,
	    "BEGIN, END /pid/ { x = 1; printf(\"%d %s\", x, \"s\"); "
	    "@a[x] = sum(2); } tick-1s { }",
	    DTRACE_PROBESPEC_NAME, 0, 0, NULL);
	struct listing li = { 0 };
	char buf[32];

	(void)state;
	must(h, prog == NULL);
	must(h, dtrace_stmt_iter(h, prog, note_stmt, &li));
	assert_string_equal(li.text,
	    "BEGIN/: 1\nBEGIN/: 3 3\nBEGIN/a: 1 1 705\n"
	    "END/: 1\nEND/: 3 3\nEND/a: 1 1 705\n"
	    "tick-1s:\n");
	assert_ptr_equal(li.stmts[0]->dtsd_ecbdesc, li.stmts[2]->dtsd_ecbdesc);
	assert_ptr_not_equal(
	    li.stmts[0]->dtsd_ecbdesc, li.stmts[3]->dtsd_ecbdesc);
	assert_int_equal(dtrace_printf_format(
			     h, li.stmts[1]->dtsd_fmtdata, buf, sizeof(buf)),
	    5);
	assert_string_equal(buf, "%d %s");
	assert_null(li.stmts[0]->dtsd_fmtdata);
	dtrace_close(h);
}

/* The program BEGIN { printf("<%d>", 42); exit(7); }, made by hand. */
static void
test_stmt_add(void **state)
{
	static uint32_t text[] = { 0x25000001, 0x23000001 }; /* setx, ret */
	static uint64_t ints[] = { 42 }, seven[] = { 7 };
	static char strs[] = "";
	dtrace_difo_t value = { .dtdo_buf = text,
		.dtdo_len = 2,
		.dtdo_inttab = ints,
		.dtdo_intlen = 1,
		.dtdo_strtab = strs,
		.dtdo_strlen = 1,
		.dtdo_rtype = { .dtdt_ckind = 1, .dtdt_size = 8 } };
	dtrace_difo_t status = value, broken = value;
	dtrace_ecbdesc_t ecb = { .dted_probe = { .dtpd_name = "BEGIN" } };
	dtrace_ecbdesc_t nowhere = { .dted_probe = { .dtpd_name = "BEGUN" } };
	dtrace_hdl_t *h = open_handle();
	dtrace_prog_t *prog = dtrace_program_strcompile(
	    h, "", DTRACE_PROBESPEC_NAME, DTRACE_C_EMPTY, 0, NULL);
	dtrace_stmtdesc_t *stmt;
	dtrace_actdesc_t *ad;
	char *out = NULL;
	size_t len;
	FILE *fp;

	(void)state;
	status.dtdo_inttab = seven;
	status.dtdo_rtype.dtdt_size = 4;
	broken.dtdo_len = 1; /* the object does not end with RET */
	must(h, prog == NULL);

	stmt = dtrace_stmt_create(h, &ecb);
	ad = dtrace_stmt_action(h, stmt);
	ad->dtad_kind = DTRACEACT_PRINTF;
	ad->dtad_difo = &broken;
	stmt->dtsd_fmtdata = dtrace_printf_create(h, "<%d>");
	assert_int_equal(dtrace_stmt_add(h, prog, stmt), -1);
	assert_int_equal(dtrace_errno(h), EDT_COMPILER);
	assert_non_null(strstr(dtrace_errmsg(h, EDT_COMPILER), "DIF"));
	ad->dtad_difo = &value;
	must(h, dtrace_stmt_add(h, prog, stmt));
	stmt = dtrace_stmt_create(h, &ecb);
	ad = dtrace_stmt_action(h, stmt);
	ad->dtad_kind = DTRACEACT_EXIT;
	ad->dtad_difo = &status;
	must(h, dtrace_stmt_add(h, prog, stmt));
	dtrace_stmt_destroy(h, stmt);

	/*
	 * an unfit statement is refused, and changes nothing
	 */
	stmt = dtrace_stmt_create(h, &nowhere);
	assert_int_equal(dtrace_stmt_add(h, prog, stmt), -1);
	assert_non_null(
	    strstr(dtrace_errmsg(h, EDT_COMPILER), "does not match"));
	stmt = dtrace_stmt_create(h, &ecb);
	ad = dtrace_stmt_action(h, stmt);
	ad->dtad_kind = DTRACEAGG_SUM;
	ad->dtad_ntuple = 3;
	ad->dtad_difo = &value;
	assert_int_equal(dtrace_stmt_add(h, prog, stmt), -1);
	assert_non_null(strstr(dtrace_errmsg(h, EDT_COMPILER), "tuple"));

	must(h, dtrace_program_exec(h, prog, NULL));
	assert_int_equal(dtrace_stmt_add(h, prog, stmt), -1);
	assert_int_equal(dtrace_errno(h), EDT_BUSY);
	must(h, dtrace_go(h));
	fp = open_memstream(&out, &len);
	assert_int_equal(
	    work(h, fp, NULL, this_rec, NULL), DTRACE_WORKSTATUS_DONE);
	fclose(fp);
	assert_string_equal(out, "<42>");
	free(out);
	dtrace_close(h);
}

struct copying {
	dtrace_prog_t *to;
};

static int
copy_stmt(
    dtrace_hdl_t *h, dtrace_prog_t *prog, dtrace_stmtdesc_t *stmt, void *arg)
{
	(void)prog;
	must(h, dtrace_stmt_add(h, ((struct copying *)arg)->to, stmt));
	return 0;
}

/* Statements of every kind are copied from one program to another. */
static void
test_stmt_copy(void **state)
{
	static const char text[] =
	    "BEGIN { x = 3; @a[x, \"k\"] = sum(x); @q = quantize(x, 2); } "
	    "BEGIN /x == 3/ { trace(x); printf(\" %s %d \", \"y\", x); "
	    "printa(\"%d %s %@d\\n\", @a); printa(@q); clear(@a); exit(0); }";
	dtrace_hdl_t *h = open_handle();
	dtrace_prog_t *from = dtrace_program_strcompile(
	    h, text, DTRACE_PROBESPEC_NAME, 0, 0, NULL);
	struct copying c = { .to = dtrace_program_strcompile(h, "",
				 DTRACE_PROBESPEC_NAME, DTRACE_C_EMPTY, 0,
				 NULL) };
	char *out = NULL;
	size_t len;
	FILE *fp = open_memstream(&out, &len);

	(void)state;
	must(h, from == NULL || c.to == NULL);
	must(h, dtrace_stmt_iter(h, from, copy_stmt, &c));
	must(h, dtrace_program_exec(h, c.to, NULL));
	must(h, dtrace_go(h));
	assert_int_equal(
	    work(h, fp, NULL, this_rec, NULL), DTRACE_WORKSTATUS_DONE);
	fclose(fp);
	assert_memory_equal(out, "3 y 3 3 k 3\n\n", 13);
	assert_non_null(strstr(out, "2 |@@@@"));
	free(out);
	dtrace_close(h);
}

/* ---- formats ------------------------------------------------------------ */

struct packed {
	int64_t n;
	char text[8];
	int32_t m;
};

static void
test_fprintf(void **state)
{
	static const dtrace_recdesc_t recs[] = {
		{ .dtrd_action = DTRACEACT_PRINTF,
		    .dtrd_size = 8,
		    .dtrd_alignment = 8 },
		{ .dtrd_action = DTRACEACT_PRINTF,
		    .dtrd_offset = 8,
		    .dtrd_size = 8,
		    .dtrd_alignment = 8 },
		{ .dtrd_action = DTRACEACT_PRINTF,
		    .dtrd_offset = 16,
		    .dtrd_size = 4,
		    .dtrd_alignment = 4 },
	};
	struct packed data = { -5, "abcdefgh", 7 };
	dtrace_recdesc_t bad = recs[0];
	dtrace_hdl_t *h = open_handle();
	void *format = dtrace_printf_create(h, "%d [%s] %*x%%");
	char *out = NULL;
	size_t len;
	FILE *fp = open_memstream(&out, &len);

	(void)state;
	must(h, format == NULL);
	assert_int_equal(
	    dtrace_fprintf(h, fp, format, NULL, recs, 3, &data, sizeof(data)),
	    -1);
	assert_int_equal(dtrace_errno(h), EDT_DMISMATCH);
	format = dtrace_printf_create(h, "%d [%s] %x%%");
	assert_int_equal(
	    dtrace_fprintf(h, fp, format, NULL, recs, 3, &data, sizeof(data)),
	    3);
	fclose(fp);
	assert_string_equal(out, "-5 [abcdefgh] 7%");
	free(out);

	assert_int_equal(
	    dtrace_fprintf(h, stdout, format, NULL, recs, 3, &data, 16), -1);
	assert_int_equal(dtrace_errno(h), EDT_DOFFSET);
	format = dtrace_printf_create(h, "%d");
	bad.dtrd_offset = 4;
	assert_int_equal(dtrace_fprintf(h, stdout, format, NULL, &bad, 1, &data,
			     sizeof(data)),
	    -1);
	assert_int_equal(dtrace_errno(h), EDT_DALIGN);
	bad.dtrd_offset = 0;
	bad.dtrd_size = 24;
	assert_int_equal(dtrace_fprintf(h, stdout, format, NULL, &bad, 1, &data,
			     sizeof(data)),
	    -1);
	assert_int_equal(dtrace_errno(h), EDT_BADCONV);
	assert_null(dtrace_printf_create(h, "%@d"));
	assert_int_equal(dtrace_errno(h), EDT_COMPILER);
	assert_null(dtrace_printf_create(h, "%J"));
	assert_non_null(strstr(dtrace_errmsg(h, EDT_COMPILER), "J"));
	dtrace_close(h);
}

/* A process id comes before the addresses of a process's stack. */
static void
test_format_stack(void **state)
{
	static const uint64_t data[] = { 1, 0x1234, 0x5678, 0 };
	dtrace_recdesc_t rec = { .dtrd_action = DTRACEACT_USTACK,
		.dtrd_size = sizeof(data),
		.dtrd_alignment = 8,
		.dtrd_arg = 99 };
	dtrace_hdl_t *h = open_handle();
	void *format = dtrace_printf_create(h, "[%k]");
	char *out = NULL;
	size_t len;
	FILE *fp = open_memstream(&out, &len);

	(void)state;
	must(h, dtrace_setopt(h, "noresolve", NULL));
	assert_int_equal(
	    dtrace_fprintf(h, fp, format, NULL, &rec, 1, data, sizeof(data)),
	    1);
	rec.dtrd_action = DTRACEACT_STACK;
	assert_int_equal(
	    dtrace_fprintf(h, fp, format, NULL, &rec, 1, data, sizeof(data)),
	    1);
	fclose(fp);
	assert_string_equal(out,
	    "[\n              0x1234\n              0x5678\n]"
	    "[\n              0x1\n              0x1234\n"
	    "              0x5678\n]");
	free(out);
	rec.dtrd_size = 4;
	assert_int_equal(
	    dtrace_fprintf(h, stdout, format, NULL, &rec, 1, data, 4), -1);
	assert_int_equal(dtrace_errno(h), EDT_BADCONV);
	dtrace_close(h);
}

/* Format the action's data with a format of the test's. */
static int
own_format(
    const dtrace_probedata_t *data, const dtrace_recdesc_t *rec, void *arg)
{
	const dtrace_eprobedesc_t *ed = data->dtpda_edesc;
	dtrace_hdl_t *h = data->dtpda_handle;

	if (rec == NULL)
		return DTRACE_CONSUME_NEXT;
	if (rec != &ed->dtepd_rec[0] || rec->dtrd_action != DTRACEACT_PRINTF)
		return DTRACE_CONSUME_NEXT;
	assert_int_equal(
	    dtrace_fprintf(h, arg, dtrace_printf_create(h, "%s=%d;"), data, rec,
		(unsigned)ed->dtepd_nrecs, data->dtpda_data, ed->dtepd_size),
	    2);
	return DTRACE_CONSUME_NEXT;
}

static void
test_own_format(void **state)
{
	dtrace_hdl_t *h = open_handle();
	char *out = NULL;
	size_t len;
	FILE *fp = open_memstream(&out, &len);

	(void)state;
	go(h, "BEGIN { printf(\"%s %d\", execname, 42); exit(0); }");
	assert_int_equal(
	    work(h, fp, NULL, own_format, fp), DTRACE_WORKSTATUS_DONE);
	fclose(fp);
	assert_string_equal(out, "test_api_parts=42;");
	free(out);
	dtrace_close(h);
}

static void
test_fprinta(void **state)
{
	dtrace_recdesc_t recs[] = { { .dtrd_action = DTRACEACT_PRINTA,
					.dtrd_arg = 1 },
		{ .dtrd_action = DTRACEACT_PRINTA, .dtrd_arg = 9 } };
	dtrace_hdl_t *h = open_handle();
	void *format = dtrace_printa_create(h, "%s:%@d,");
	char *out = NULL;
	size_t len;
	FILE *fp = open_memstream(&out, &len);

	(void)state;
	must(h, format == NULL);
	assert_int_equal(
	    dtrace_fprinta(h, fp, format, NULL, recs, 1, NULL, 0), -1);
	assert_int_equal(dtrace_errno(h), EINVAL);
	go(h, "BEGIN { @a[\"x\"] = sum(4); @a[\"y\"] = sum(2); exit(0); }");
	work(h, fp, NULL, NULL, NULL);
	assert_int_equal(
	    dtrace_fprinta(h, fp, format, NULL, recs, 1, NULL, 0), 1);
	assert_int_equal(
	    dtrace_fprinta(h, fp, format, NULL, &recs[1], 1, NULL, 0), -1);
	assert_int_equal(dtrace_errno(h), EDT_BADAGGVAR);
	fclose(fp);
	assert_string_equal(out, "y:2,x:4,");
	free(out);
	dtrace_close(h);
}

static char *
file_text(const char *path)
{
	static char text[256];
	FILE *fp = fopen(path, "r");
	size_t n = fp != NULL ? fread(text, 1, sizeof(text) - 1, fp) : 0;

	text[n] = '\0';
	if (fp != NULL)
		fclose(fp);
	return text;
}

static void
test_system(void **state)
{
	static const dtrace_recdesc_t rec = { .dtrd_size = 32,
		.dtrd_alignment = 1 };
	char first[] = "/tmp/test_api.XXXXXX", other[64], name[32];
	dtrace_hdl_t *h = open_handle();
	void *format = dtrace_printf_create(h, "printf '%s' >&2");
	void *path = dtrace_printf_create(h, "%s");
	int fd = mkstemp(first);
	FILE *fp = fdopen(fd, "w");

	(void)state;
	snprintf(other, sizeof(other), "%s.b", first);
	snprintf(name, sizeof(name), "%s.b", first);
	assert_int_equal(
	    dtrace_system(h, fp, format, NULL, &rec, 1, name, 32), -1);
	assert_int_equal(dtrace_errno(h), EDT_DESTRUCTIVE);
	must(h, dtrace_setopt(h, "destructive", NULL));
	format = dtrace_printf_create(h, "printf ran > %s");
	assert_int_equal(
	    dtrace_system(h, fp, format, NULL, &rec, 1, name, 32), 1);
	assert_string_equal(file_text(other), "ran");

	fputs("one ", fp);
	assert_int_equal(
	    dtrace_freopen(h, fp, path, NULL, &rec, 1, name, 32), 1);
	fputs(" two", fp);
	snprintf(name, sizeof(name), ".");
	assert_int_equal(
	    dtrace_freopen(h, fp, path, NULL, &rec, 1, name, 32), 1);
	fputs("three", fp);
	fclose(fp);
	assert_string_equal(file_text(other), "ran two");
	assert_string_equal(file_text(first), "one three");
	unlink(first);
	unlink(other);
	dtrace_close(h);
}

static void
test_print(void **state)
{
	static const uint16_t value[] = { 1, 0x1f };
	dtrace_hdl_t *h = open_handle();
	char *out = NULL;
	size_t len;
	FILE *fp = open_memstream(&out, &len);

	(void)state;
	must(h,
	    dtrace_program_strcompile(h, "struct pair { uint16_t a, b; };",
		DTRACE_PROBESPEC_NAME, DTRACE_C_EMPTY, 0, NULL) == NULL);
	assert_int_equal(
	    dtrace_print(h, fp, "struct pair", value, sizeof(value)), 1);
	fclose(fp);
	assert_string_equal(out,
	    "struct pair {\n    uint16_t a = 0x1\n    uint16_t b = 0x1f\n}");
	free(out);
	assert_int_equal(
	    dtrace_print(h, stdout, "struct", value, sizeof(value)), -1);
	assert_int_equal(dtrace_errno(h), EDT_NOTYPE);
	dtrace_close(h);
}

/* ---- types, objects ----------------------------------------------------- */

static void
test_types(void **state)
{
	char text[] = "struct task_struct *[3]", buf[64], pid[] = "pid";
	FILE *fp = fmemopen(text, strlen(text), "r");
	dtrace_hdl_t *h = open_handle();
	dtrace_typeinfo_t ti, mi;
	dtrace_syminfo_t si;
	Elf64_Sym sym;
	uint64_t off;

	(void)state;
	must(h, dtrace_type_strcompile(h, "const char *", &ti));
	assert_int_equal(dtrace_type_size(h, &ti), 8);
	assert_int_equal(
	    dtrace_type_name(h, &ti, buf, sizeof(buf)), strlen("const char *"));
	assert_string_equal(buf, "const char *");
	assert_string_equal(ti.dtt_object, "D");
	must(h, dtrace_type_fcompile(h, fp, &ti));
	fclose(fp);
	assert_int_equal(dtrace_type_size(h, &ti), 24);
	assert_string_equal(ti.dtt_object, "vmlinux");
	must(h, dtrace_type_strcompile(h, "string", &ti));
	assert_int_equal(dtrace_type_size(h, &ti), 256);

	must(h, dtrace_lookup_by_type(h, "vmlinux", "struct file", &ti));
	must(h, dtrace_lookup_by_type(h, DTRACE_OBJ_KMODS, "struct file", &mi));
	assert_int_equal(ti.dtt_type, mi.dtt_type);
	must(h,
	    dtrace_lookup_by_type(
		h, DTRACE_OBJ_EVERY, "struct task_struct", &ti));
	must(h, dtrace_type_member(h, &ti, pid, &mi, &off));
	dtrace_type_name(h, &mi, buf, sizeof(buf));
	assert_string_equal(buf, "pid_t");
	assert_int_equal(off % 32, 0);
	assert_int_equal(dtrace_type_member(h, &ti, "nonesuch", &mi, &off), -1);
	assert_int_equal(dtrace_lookup_by_type(
			     h, DTRACE_OBJ_CDEFS, "struct task_struct", &ti),
	    -1);
	assert_int_equal(dtrace_errno(h), EDT_NOTYPE);
	must(h, dtrace_lookup_by_type(h, DTRACE_OBJ_CDEFS, "int", &ti));
	/* the text contains more than a type */
	assert_int_equal(dtrace_type_strcompile(h, "int); exit(0", &ti), -1);
	assert_int_equal(dtrace_type_strcompile(h, "3", &ti), -1);

	must(h,
	    dtrace_lookup_by_name(h, DTRACE_OBJ_KMODS, "vfs_read", &sym, &si));
	must(h, dtrace_symbol_type(h, &sym, &si, &ti));
	dtrace_type_name(h, &ti, buf, sizeof(buf));
	assert_non_null(strstr(buf, "ssize_t"));
	dtrace_close(h);
}

static int
note_object(dtrace_hdl_t *h, const dtrace_objinfo_t *info, void *arg)
{
	struct trace *tr = arg;

	(void)h;
	if (info->dto_id == 0) {
		assert_string_equal(info->dto_name, "vmlinux");
		assert_int_equal(info->dto_flags,
		    DTRACE_OBJ_F_KERNEL | DTRACE_OBJ_F_PRIMARY);
		assert_true(info->dto_text_size > 1 << 20);
	}
	if ((info->dto_flags & DTRACE_OBJ_F_KERNEL) == 0 &&
	    strncmp(info->dto_name, "[vdso]", 6) != 0) {
		note(tr, info->dto_name);
		note(tr, " ");
	}
	return 0;
}

/* This test itself, as a process of the handle. */
static void
test_objects(void **state)
{
	dtrace_hdl_t *h = open_handle();
	struct trace tr = { 0 };
	dtrace_objinfo_t info;
	dtrace_syminfo_t si;
	Elf64_Sym sym;
	char buf[64];

	(void)state;
	must(h, dtrace_proc_grab(h, getpid(), 0) == NULL);
	must(h, dtrace_object_iter(h, note_object, &tr));
	assert_memory_equal(tr.text, "test_api_parts ", 15);
	assert_non_null(strstr(tr.text, "libc.so.6 "));
	must(h, dtrace_object_info(h, "libc.so.6", &info));
	/* a function that no sanitizer replaces */
	assert_true((uintptr_t)&getpagesize >= info.dto_text_va &&
	    (uintptr_t)&getpagesize < info.dto_text_va + info.dto_text_size);
	must(h, dtrace_object_info(h, DTRACE_OBJ_EXEC, &info));
	assert_string_equal(info.dto_name, "test_api_parts");
	assert_int_equal(info.dto_flags, DTRACE_OBJ_F_PRIMARY);
	assert_int_equal(dtrace_object_info(h, "nonesuch", &info), -1);
	assert_int_equal(dtrace_errno(h), EDT_NOMOD);

	must(h,
	    dtrace_lookup_by_name(h, DTRACE_OBJ_EXEC, "file_text", &sym, &si));
	assert_int_equal(sym.st_value, (uintptr_t)file_text);
	assert_string_equal(si.dts_object, "test_api_parts");
	must(h, dtrace_lookup_by_addr(h, sym.st_value + 1, &sym, &si));
	assert_string_equal(si.dts_name, "file_text");
	dtrace_uaddr2str(
	    h, getpid(), (uintptr_t)file_text + 1, buf, sizeof(buf));
	assert_string_equal(buf, "test_api_parts`file_text+0x1");
	dtrace_uaddr2str(h, getpid(), 0x10, buf, sizeof(buf));
	assert_string_equal(buf, "0x10");
	assert_int_equal(
	    dtrace_lookup_by_name(h, "libc.so.6", "nonesuch", &sym, &si), -1);
	assert_int_equal(dtrace_errno(h), EDT_NOSYM);
	dtrace_close(h);
}

/* ---- other functions of the handle --------------------------------------- */

static int
ours(void *arg, uint64_t addr, Elf64_Sym *sym, dtrace_syminfo_t *si)
{
	++*(int *)arg;
	if (addr >> 8 != 0xffffffff123456)
		return -1;
	sym->st_value = addr & ~0xffUL;
	*si = (dtrace_syminfo_t){ .dts_object = "mine", .dts_name = "thing" };
	return 0;
}

static int
no_device(void *arg, int request, void *data)
{
	(void)arg;
	(void)request;
	(void)data;
	return -1;
}

static void
test_vopen(void **state)
{
	dtrace_vector_t vec = { .dtv_lookup_by_addr = ours }, device = vec;
	int error = 0, asked = 0;
	dtrace_hdl_t *h;
	char buf[64];

	(void)state;
	device.dtv_ioctl = no_device;
	assert_null(dtrace_vopen(DTRACE_VERSION, 0, &error, &device, &asked));
	assert_int_equal(error, EOPNOTSUPP);
	h = dtrace_vopen(DTRACE_VERSION, 0, &error, &vec, &asked);
	assert_non_null(h);
	dtrace_addr2str(h, 0xffffffff12345678, buf, sizeof(buf));
	assert_string_equal(buf, "mine`thing+0x78");
	assert_int_equal(asked, 1);
	dtrace_close(h);
	h = dtrace_vopen(DTRACE_VERSION, 0, &error, NULL, NULL);
	assert_non_null(h);
	dtrace_close(h);
}

/* The descriptor is readable at a record, at a timer and at the end, and at no
 * other time. */
static void
test_ctlfd(void **state)
{
	dtrace_hdl_t *h = open_handle();
	struct pollfd pfd = { .events = POLLIN };
	int n = 0;

	(void)state;
	must(h, dtrace_setopt(h, "switchrate", "10s"));
	must(h, dtrace_setopt(h, "aggrate", "10s"));
	must(h, dtrace_setopt(h, "statusrate", "10s"));
	pfd.fd = dtrace_ctlfd(h);
	assert_true(pfd.fd >= 0);
	assert_int_equal(pfd.fd, dtrace_ctlfd(h));
	go(h, "tick-200ms { n++; } tick-200ms /n == 3/ { exit(0); }");
	dtrace_work(h, stdout, NULL, NULL, NULL);
	assert_int_equal(poll(&pfd, 1, 50), 0);
	while (dtrace_status(h) == DTRACE_STATUS_OKAY && n < 100) {
		assert_int_equal(poll(&pfd, 1, 5000), 1);
		dtrace_sleep(h);
		if (dtrace_work(h, stdout, NULL, NULL, NULL) ==
		    DTRACE_WORKSTATUS_DONE)
			break;
		n++;
	}
	assert_true(n >= 2 && n < 20);
	dtrace_close(h);
}

static void
test_update(void **state)
{
	dtrace_hdl_t *h = open_handle();
	dtrace_syminfo_t si;
	Elf64_Sym sym;
	char buf[64];

	(void)state;
	must(h,
	    dtrace_lookup_by_name(h, DTRACE_OBJ_KMODS, "vfs_read", &sym, &si));
	dtrace_addr2str(h, sym.st_value, buf, sizeof(buf));
	dtrace_update(h);
	dtrace_addr2str(h, sym.st_value, buf, sizeof(buf));
	assert_string_equal(buf, "vmlinux`vfs_read");
	dtrace_close(h);
}

static uint64_t
dof_size(const char *dof)
{
	uint64_t size;

	memcpy(&size, dof + 48, sizeof(size)); /* dofh_filesz */
	return size;
}

static dtrace_prog_t *
load_dof(dtrace_hdl_t *h, char *dof)
{
	FILE *fp = fmemopen(dof, dof_size(dof), "r");
	dtrace_prog_t *prog =
	    dtrace_program_fcompile(h, fp, DTRACE_C_EMPTY, 0, NULL);

	fclose(fp);
	must(h, prog == NULL);
	return prog;
}

static void
test_getopt_dof(void **state)
{
	dtrace_hdl_t *h = open_handle();
	dtrace_optval_t value;
	void *dof;

	(void)state;
	must(h, dtrace_setopt(h, "strsize", "333"));
	must(h, dtrace_setopt(h, "droptags", NULL));
	dof = dtrace_getopt_dof(h);
	must(h, dof == NULL);
	dtrace_close(h);

	h = open_handle();
	load_dof(h, dof);
	dtrace_dof_destroy(h, dof);
	must(h, dtrace_getopt(h, "strsize", &value));
	assert_int_equal(value, 333);
	must(h, dtrace_getopt(h, "droptags", &value));
	assert_int_equal(value, 1);
	/* the settings are options, so a program can follow */
	go(h, "BEGIN { exit(0); }");
	dtrace_close(h);
}

static int
note_arg(const dtrace_probedata_t *data, const dtrace_recdesc_t *rec, void *arg)
{
	char text[64];

	if (rec == NULL)
		return DTRACE_CONSUME_NEXT;
	snprintf(text, sizeof(text), "%llx ",
	    (unsigned long long)*(
		const uint64_t *)(const void *)(data->dtpda_data +
		rec->dtrd_offset));
	note(arg, text);
	return DTRACE_CONSUME_NEXT;
}

static void
test_geterr_dof(void **state)
{
	dtrace_hdl_t *h = open_handle();
	struct trace tr = { 0 };
	int fault = -1;
	char *dof;

	(void)state;
	assert_null(dtrace_geterr_dof(h));
	assert_int_equal(dtrace_errno(h), 0);
	must(h, dtrace_handle_err(h, note_fault, &fault));
	dof = dtrace_geterr_dof(h);
	must(h, dof == NULL);
	must(h, dtrace_program_exec(h, load_dof(h, dof), NULL));
	dtrace_dof_destroy(h, dof);
	must(h, dtrace_go(h));
	must(h, dtrace_stop(h));
	must(h, dtrace_consume(h, stdout, NULL, note_arg, &tr));
	assert_string_equal(tr.text, ""); /* no error was reported */
	dtrace_close(h);
}

static void
test_debug(void **state)
{
	int saved = dup(STDERR_FILENO);
	char path[] = "/tmp/test_api.XXXXXX";
	int fd = mkstemp(path);
	dtrace_hdl_t *h;

	(void)state;
	dup2(fd, STDERR_FILENO);
	close(fd);
	_dtrace_debug = 1;
	h = open_handle();
	_dtrace_debug = 0;
	dtrace_close(h);
	h = open_handle();
	must(h, dtrace_setopt(h, "strsize", "99"));
	dtrace_close(h);
	dup2(saved, STDERR_FILENO);
	close(saved);
	assert_non_null(strstr(file_text(path), "debug:"));
	assert_null(strstr(file_text(path), "strsize"));
	unlink(path);
}

struct ends {
	dtrace_hdl_t *h;
	int n, status, known;
};

static void
note_end(struct ps_prochandle *p, const char *msg, void *arg)
{
	struct ends *e = arg;

	assert_null(msg);
	e->n++;
	e->known = dtrace_proc_status(e->h, p, &e->status);
}

static void
test_proc_handler(void **state)
{
	char sh[] = "sh", c[] = "-c", three[] = "exit 3";
	char *argv[] = { sh, c, three, NULL };
	struct ends e = { .h = open_handle() };
	struct ps_prochandle *p;

	(void)state;
	must(e.h, dtrace_handle_proc(e.h, note_end, &e));
	assert_int_equal(dtrace_handle_proc(e.h, note_end, &e), -1);
	assert_int_equal(dtrace_errno(e.h), EALREADY);
	p = dtrace_proc_create(e.h, sh, argv);
	must(e.h, p == NULL);
	assert_int_equal(dtrace_proc_status(e.h, p, &e.status), 0);
	go(e.h, "END { }");
	dtrace_proc_continue(e.h, p);
	work(e.h, stdout, NULL, NULL, NULL);
	assert_int_equal(e.n, 1);
	assert_int_equal(e.known, 1);
	assert_true(WIFEXITED(e.status) && WEXITSTATUS(e.status) == 3);
	assert_int_equal(dtrace_proc_status(e.h, NULL, &e.status), -1);
	dtrace_close(e.h);
}

/* A released process goes on, and its end does not stop tracing. */
static void
test_proc_release(void **state)
{
	char name[] = "sleep", five[] = "50";
	char *argv[] = { name, five, NULL };
	dtrace_hdl_t *h = open_handle();
	struct ps_prochandle *p = dtrace_proc_create(h, name, argv);
	pid_t pid;

	(void)state;
	must(h, p == NULL);
	pid = dtrace_proc_pid(h, p);
	go(h, "BEGIN { printf(\"%d\", $target); } tick-100ms { exit(0); }");
	dtrace_proc_release(h, p);
	dtrace_proc_release(h, p);
	assert_int_equal(dtrace_status(h), DTRACE_STATUS_OKAY);
	assert_int_equal(
	    work(h, stdout, NULL, NULL, NULL), DTRACE_WORKSTATUS_DONE);
	dtrace_close(h);
	assert_int_equal(waitpid(pid, NULL, WNOHANG), 0);
	assert_int_equal(kill(pid, SIGKILL), 0);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
}

static void
test_xstr2desc(void **state)
{
	char zero[] = "me", one[] = "read", text[] = "syscall::$1:entry";
	char *argv[] = { zero, one };
	dtrace_hdl_t *h = open_handle();
	dtrace_probedesc_t pd;
	const char *names[64];
	int n;

	(void)state;
	must(h, dtrace_xstr2desc(h, DTRACE_PROBESPEC_NAME, text, 2, argv, &pd));
	assert_string_equal(pd.dtpd_func, "read");
	assert_string_equal(pd.dtpd_name, "entry");
	must(h,
	    dtrace_xstr2desc(h, DTRACE_PROBESPEC_PROVIDER, "$1", 2, argv, &pd));
	assert_string_equal(pd.dtpd_provider, "read");
	assert_int_equal(
	    dtrace_xstr2desc(h, DTRACE_PROBESPEC_NAME, "$2", 2, argv, &pd), -1);
	assert_int_equal(dtrace_errno(h), EDT_BADSPCV);
	assert_int_equal(dtrace_xstr2desc(h, DTRACE_PROBESPEC_NAME,
			     "BEGIN { exit(0); }", 0, NULL, &pd),
	    -1);
	assert_int_equal(dtrace_errno(h), EDT_BADSPEC);
	assert_int_equal(dtrace_xstr2desc(h, DTRACE_PROBESPEC_NAME,
			     "BEGIN, END", 0, NULL, &pd),
	    -1);

	n = dtrace_provider_modules(h, names, 64);
	assert_int_equal(n, dtrace_provider_modules(h, NULL, 0));
	assert_true(n >= 3 && n < 64);
	assert_string_equal(names[0], "dtrace");
	assert_int_equal(dtrace_provider_modules(h, names, -1), n);
	dtrace_close(h);
}

/* ---- additional data of rows --------------------------------------------- */

struct more {
	int64_t delta, sum, percpu, percpu_delta;
	int64_t total;
	uint32_t flags;
	int minbin, maxbin, rows;
	dtrace_epid_t epid;
};

static int
note_more(const dtrace_aggdata_t *data, void *arg)
{
	const dtrace_aggdesc_t *ad = data->dtada_desc;
	struct more *m = arg;

	m->rows++;
	m->epid = ad->dtagd_epid;
	m->total = data->dtada_total;
	m->flags = data->dtada_flags;
	m->minbin = data->dtada_minbin;
	m->maxbin = data->dtada_maxbin;
	if (ad->dtagd_rec[ad->dtagd_nrecs - 1].dtrd_action != DTRACEAGG_SUM)
		return DTRACE_AGGWALK_NEXT;
	m->sum += *(int64_t *)(void *)(data->dtada_data +
	    ad->dtagd_rec[ad->dtagd_nrecs - 1].dtrd_offset);
	m->delta += *(int64_t *)(void *)data->dtada_delta;
	for (int i = 0; data->dtada_percpu[i] != NULL; i++) {
		m->percpu += *(int64_t *)(void *)data->dtada_percpu[i];
		m->percpu_delta +=
		    *(int64_t *)(void *)data->dtada_percpu_delta[i];
	}
	return DTRACE_AGGWALK_NEXT;
}

/* A program of two halves: the data of each snapshot is kept apart. */
static void
test_delta(void **state)
{
	dtrace_hdl_t *h = open_handle();
	struct more m = { 0 };

	(void)state;
	assert_int_equal(dtrace_aggregate_keep(h, 0x1000), -1);
	must(h,
	    dtrace_aggregate_keep(
		h, DTRACE_A_PERCPU | DTRACE_A_KEEPDELTA | DTRACE_A_TOTAL));
	go(h,
	    "BEGIN { printf(\"x\"); } "
	    "BEGIN { @a[1] = sum(10); @a[2] = sum(-3); } "
	    "END { @a[1] = sum(5); }");
	assert_int_equal(dtrace_aggregate_keep(h, 0), -1);
	assert_int_equal(dtrace_errno(h), EDT_ACTIVE);
	must(h, dtrace_aggregate_snap(h));
	must(h, dtrace_aggregate_walk(h, note_more, &m));
	assert_int_equal(m.rows, 2);
	assert_int_equal(m.epid, 2); /* of the first clause to update it */
	assert_int_equal(m.sum, 7);
	assert_int_equal(m.delta, 7);
	assert_int_equal(m.percpu, 7);
	assert_int_equal(m.percpu_delta, 7);
	assert_int_equal(m.total, 13);
	assert_int_equal(m.flags &
		(DTRACE_A_HASNEGATIVES | DTRACE_A_HASPOSITIVES |
		    DTRACE_A_TOTAL),
	    DTRACE_A_HASNEGATIVES | DTRACE_A_HASPOSITIVES | DTRACE_A_TOTAL);

	must(h, dtrace_stop(h));
	must(h, dtrace_consume(h, stdout, NULL, NULL, NULL));
	must(h, dtrace_aggregate_snap(h));
	memset(&m, 0, sizeof(m));
	must(h, dtrace_aggregate_walk(h, note_more, &m));
	assert_int_equal(m.sum, 12);
	assert_int_equal(m.delta, 5);
	assert_int_equal(m.percpu, 12);
	assert_int_equal(m.percpu_delta, 5);
	assert_int_equal(m.total, 18);

	/* clearing affects all copies */
	dtrace_aggregate_clear(h);
	memset(&m, 0, sizeof(m));
	must(h, dtrace_aggregate_walk(h, note_more, &m));
	assert_int_equal(m.sum, 0);
	assert_int_equal(m.delta, 0);
	assert_int_equal(m.percpu, 0);
	dtrace_close(h);
}

static void
test_bins(void **state)
{
	dtrace_hdl_t *h = open_handle();
	struct more m = { 0 };

	(void)state;
	must(h, dtrace_setopt(h, "aggzoom", NULL));
	must(h, dtrace_setopt(h, "aggpack", NULL));
	go(h,
	    "BEGIN { @[1] = quantize(1); @[2] = quantize(8); "
	    "@[2] = quantize(9); exit(0); }");
	work(h, stdout, NULL, NULL, NULL);
	must(h, dtrace_aggregate_snap(h));
	must(h, dtrace_aggregate_walk(h, note_more, &m));
	assert_int_equal(m.total, 3);
	assert_int_equal(m.minbin, DTRACE_QUANTIZE_ZEROBUCKET + 1);
	assert_int_equal(m.maxbin, DTRACE_QUANTIZE_ZEROBUCKET + 4);
	assert_int_equal(m.flags & ~(unsigned)DTRACE_A_HASPOSITIVES,
	    DTRACE_A_TOTAL | DTRACE_A_MINMAXBIN);
	dtrace_close(h);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_stmt_iter),
		cmocka_unit_test(test_stmt_add),
		cmocka_unit_test(test_stmt_copy),
		cmocka_unit_test(test_fprintf),
		cmocka_unit_test(test_format_stack),
		cmocka_unit_test(test_own_format),
		cmocka_unit_test(test_fprinta),
		cmocka_unit_test(test_system),
		cmocka_unit_test(test_print),
		cmocka_unit_test(test_types),
		cmocka_unit_test(test_objects),
		cmocka_unit_test(test_vopen),
		cmocka_unit_test(test_ctlfd),
		cmocka_unit_test(test_update),
		cmocka_unit_test(test_getopt_dof),
		cmocka_unit_test(test_geterr_dof),
		cmocka_unit_test(test_debug),
		cmocka_unit_test(test_proc_handler),
		cmocka_unit_test(test_proc_release),
		cmocka_unit_test(test_xstr2desc),
		cmocka_unit_test(test_delta),
		cmocka_unit_test(test_bins),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
