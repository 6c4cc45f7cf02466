/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The consumer, fed by a substrate made of arrays.  Expected output is written
 * from doc/reference/language.md section 15.
 */
#include "tests/unit/unit.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "base/vec.h"
#include "consume/consume_impl.h"
#include "consume/event.h"
#include "fake_exec.h"

/* ---- a plan ------------------------------------------------------------ */

static struct dt_probe probes[] = {
	{ .id = 1, .prov = "dtrace", .mod = "", .func = "", .name = "BEGIN" },
	{ .id = 36,
	    .prov = "syscall",
	    .mod = "vmlinux",
	    .func = "read",
	    .name = "entry" },
	{ .id = 37,
	    .prov = "syscall",
	    .mod = "vmlinux",
	    .func = "read",
	    .name = "return" },
	{ .id = 90,
	    .prov = "fbt",
	    .mod = "vmlinux",
	    .func = "vfs_read",
	    .name = "entry" },
	{ .id = 91,
	    .prov = "fbt",
	    .mod = "vmlinux",
	    .func = "vfs_read",
	    .name = "return" },
};

static struct dif_obj byref_obj = { .rtype = { .flags = DIF_TF_BYREF } };
static const struct dif_action src_signed = { .is_signed = true };
static const struct dif_action src_unsigned = { .is_signed = false };
static const struct dif_action src_bytes = { .difo = &byref_obj };

struct env {
	struct fake_exec x;
	struct plan *pl;
	struct dif_agg aggs[4];
	struct consume_opts opts;
	struct consumer *c;
	char *out, *err;
	size_t out_len, err_len;
	FILE *fout, *ferr;
};

static struct env *
env_create(void)
{
	struct plan_opts po = { .strsize = 32, .stackframes = 4 };
	struct env *e = calloc(1, sizeof(*e));

	e->pl = plan_create(&po);
	e->opts.stackindent = 14;
	return e;
}

static struct plan_clause *
env_clause(struct env *e, size_t probe)
{
	struct plan_clause pc = { .size = PLAN_RECHDR,
		.epid_base = ++e->pl->nepids };

	VEC_PUSH(&pc.probes, &probes[probe]);
	VEC_PUSH(&e->pl->clauses, pc);
	return &e->pl->clauses.v[e->pl->clauses.n - 1];
}

static struct plan_rec *
clause_rec(struct plan_clause *pc, uint16_t action, uint32_t size,
    enum plan_store store, const struct dif_action *src)
{
	struct plan_rec rec = { .action = action,
		.size = size,
		.store = store,
		.src = src,
		.offset = (pc->size + 7) / 8 * 8 };

	rec.group = (uint32_t)pc->recs.n + 1;
	pc->size = rec.offset + size;
	VEC_PUSH(&pc->recs, rec);
	return &pc->recs.v[pc->recs.n - 1];
}

static void
env_agg(struct env *e, uint16_t kind, uint64_t arg)
{
	struct plan_agg pa = { 0 };
	size_t i = e->pl->aggs.n;

	e->aggs[i] = (struct dif_agg){ .id = (uint32_t)i + 1,
		.name = (char *)(uintptr_t) "a",
		.kind = kind,
		.arg = arg };
	pa.agg = &e->aggs[i];
	pa.key_size = PLAN_KEYHDR;
	pa.val_size = plan_agg_val_size(kind, arg);
	VEC_PUSH(&e->pl->aggs, pa);
}

static void
agg_add_key(struct env *e, size_t i, uint32_t size, enum plan_store store,
    const struct dif_action *src)
{
	struct plan_agg *pa = &e->pl->aggs.v[i];
	struct plan_rec rec = { .action = DT_ACT_DIFEXPR,
		.size = size,
		.store = store,
		.src = src,
		.offset = pa->key_size };

	pa->key_size += (size + 7) / 8 * 8;
	VEC_PUSH(&pa->keys, rec);
}

static void
env_start(struct env *e)
{
	e->fout = open_memstream(&e->out, &e->out_len);
	e->ferr = open_memstream(&e->err, &e->err_len);
	e->x.e.ops = &fake_ops;
	e->x.e.ncpus = 2;
	e->c = consumer_create(
	    e->pl, &fake_ops, &e->x.e, &e->opts, e->fout, e->ferr);
}

static void
env_destroy(struct env *e)
{
	consumer_destroy(e->c);
	fclose(e->fout);
	fclose(e->ferr);
	free(e->out);
	free(e->err);
	plan_destroy(e->pl);
	free(e);
}

/* Add a record; each datum is copied from the next pointer. */
static void
env_fire(struct env *e, uint32_t epid, uint32_t cpu, ...)
{
	const struct plan_clause *pc = plan_by_epid(e->pl, epid, NULL);
	size_t n = e->x.nrecs++;
	va_list ap;

	memset(e->x.data[n], 0, sizeof(e->x.data[n]));
	va_start(ap, cpu);
	VEC_FOREACH(&pc->recs, rec)
		if (rec->size != 0)
			memcpy(e->x.data[n] + rec->offset,
			    va_arg(ap, const void *), rec->size);
	va_end(ap);
	e->x.recs[n] = (struct dt_record){
		.epid = epid, .cpu = cpu, .data = e->x.data[n], .size = pc->size
	};
}

static void
env_put(struct env *e, uint32_t agg_id, uint16_t cpu, const void *key,
    size_t key_len, const void *val)
{
	struct fake_ent *ent = &e->x.ents[e->x.nents++];

	memset(ent, 0, sizeof(*ent));
	ent->agg_id = agg_id;
	memcpy(ent->key, &cpu, sizeof(cpu));
	memcpy(ent->key + PLAN_KEYHDR, key, key_len);
	memcpy(ent->val, val, e->pl->aggs.v[agg_id - 1].val_size);
}

static void
put_str_count(
    struct env *e, uint32_t agg_id, uint16_t cpu, const char *key, uint64_t val)
{
	env_put(e, agg_id, cpu, key, strlen(key), &val);
}

static void
expect_text(const char *what, const char *got, const char *want)
{
	if (strcmp(got, want) != 0)
		fail_msg("%s: got <<<%s>>>\nwant <<<%s>>>", what, got, want);
}

static void
expect_out(struct env *e, const char *want)
{
	fflush(e->fout);
	expect_text("output", e->out ? e->out : "", want);
	rewind(e->fout);
	fflush(e->fout);
	memset(e->out, 0, strlen(want) + 1);
}

static void
expect_err(struct env *e, const char *want)
{
	fflush(e->ferr);
	expect_text("messages", e->err ? e->err : "", want);
	rewind(e->ferr);
}

/* ---- numbers ----------------------------------------------------------- */

static void
expect_number(uint64_t v, int width)
{
	struct strbuf got = { 0 };
	char want[128];

	strbuf_adds(&got, "<");
	out_u64(&got, v, width);
	out_i64(&got, (int64_t)v, width);
	out_i64(&got, -(int64_t)v, 0);
	strbuf_adds(&got, ">");
	snprintf(want, sizeof(want), "<%*llu%*lld%lld>", width,
	    (unsigned long long)v, width, (long long)v, -(long long)v);
	assert_string_equal(got.s, want);
	assert_int_equal(got.len, strlen(want));
	strbuf_fini(&got);
}

/* Numbers around every power of 10 and of 2, where the number of digits may
 * change. */
static void
test_numbers(void **state)
{
	static const int widths[] = { 0, 1, 5, 16, 40 };
	uint64_t ten = 1;

	(void)state;
	for (int i = 0; i < 64; i++) {
		uint64_t two = UINT64_C(1) << i;

		for (size_t w = 0; w < sizeof(widths) / sizeof(*widths); w++)
			for (uint64_t d = 0; d < 3; d++) {
				if (two != INT64_MAX + UINT64_C(2) - d)
					expect_number(two - 1 + d, widths[w]);
				expect_number(ten - 1 + d, widths[w]);
			}
		ten = i < 19 ? ten * 10 : 1;
	}
}

/* ---- printf ------------------------------------------------------------ */

struct wide {
	uint32_t w[4];
};

static const struct conv_case {
	const char *fmt;
	uint32_t size;
	bool is_signed;
	uint64_t v;
	const char *text; /* a string argument instead */
	const char *want;
} conv_cases[] = {
	{ "%d", 4, true, (uint64_t)-5, NULL, "-5" },
	{ "%i", 8, true, INT64_MIN, NULL, "-9223372036854775808" },
	{ "%d", 1, false, 200, NULL, "200" },
	{ "%d", 1, true, 200, NULL, "-56" },
	{ "%d", 8, false, UINT64_MAX, NULL, "18446744073709551615" },
	{ "%hd", 8, true, 65535, NULL, "-1" },
	{ "%hhu", 4, true, 511, NULL, "255" },
	{ "%lld", 4, true, (uint64_t)-7, NULL, "-7" },
	{ "%u", 4, true, (uint64_t)-1, NULL, "4294967295" },
	{ "[%6d]", 4, true, 42, NULL, "[    42]" },
	{ "[%-6d]", 4, true, 42, NULL, "[42    ]" },
	{ "[%06d]", 4, true, (uint64_t)-42, NULL, "[-00042]" },
	{ "[%+d]", 4, true, 42, NULL, "[+42]" },
	{ "[% d]", 4, true, 42, NULL, "[ 42]" },
	{ "[%.4d]", 4, true, 42, NULL, "[0042]" },
	{ "[%u]", 8, false, 10000000000u, NULL, "[10000000000]" },
	{ "%d", 8, false, 99999999, NULL, "99999999" },
	{ "%d", 8, false, 100000000, NULL, "100000000" },
	{ "%d", 8, false, 120345067, NULL, "120345067" },
	{ "%d", 8, false, 9999999999999999, NULL, "9999999999999999" },
	{ "%d", 8, false, 10000000000000000, NULL, "10000000000000000" },
	{ "%d", 8, false, 1234567890123456789, NULL, "1234567890123456789" },
	{ "%x", 4, true, (uint64_t)-1, NULL, "ffffffff" },
	{ "%#x %%", 4, true, 255, NULL, "0xff %" },
	{ "%X", 8, true, 0xabcdef, NULL, "ABCDEF" },
	{ "%o", 4, true, 8, NULL, "10" },
	{ "%#o", 4, true, 8, NULL, "010" },
	{ "0x%p", 8, false, 0x1000, NULL, "0x1000" },
	{ "%c", 4, true, 'x', NULL, "x" },
	{ "[%3c]", 1, true, 'x', NULL, "[  x]" },
	{ "%C%%", 1, true, '\n', NULL, "\\n%" },
	{ "%C", 1, true, 'q', NULL, "q" },
	{ "%C", 1, true, 1, NULL, "\\001" },
	{ "%wc", 4, true, 0x20ac, NULL, "\xe2\x82\xac" },
	{ "%lc", 4, true, 0x1f600, NULL, "\xf0\x9f\x98\x80" },
	{ "%A", 8, false, 0x7fff1234, NULL, "0x7fff1234" },
	{ "%a", 8, false, 16, NULL, "0x10" },
	{ "%P", 4, true, 65500, NULL, "65500" },
	{ "%P", 4, true, 22, NULL, "ssh" },
	{ "%Y", 8, true, 1000000000000000000, NULL, "2001 Sep  9 01:46:40" },
	{ "%T", 8, true, 1000000000000000000, NULL,
	    "Sun, 09 Sep 2001 01:46:40 UTC" },
	{ "%s|", 0, true, 0, "hello", "hello|" },
	{ "[%8s]", 0, true, 0, "abc", "[     abc]" },
	{ "[%-8s]", 0, true, 0, "abc", "[abc     ]" },
	{ "[%.2s]", 0, true, 0, "abc", "[ab]" },
	{ "%S", 0, true, 0, "a\tb\"\\\x7f", "a\\tb\\\"\\\\\\177" },
	{ "%I", 0, true, 0, "not an address", "not an address" },
	{ "%I", 0, true, 0, "127.0.0.1", "localhost" },
	{ "%d and %d", 4, true, 1, NULL, "1 and " },
};

static void
check_conv(const struct conv_case *cc)
{
	struct env *e = env_create();
	struct plan_clause *pc = env_clause(e, 0);
	struct dif_action src = { .fmt = (char *)(uintptr_t)cc->fmt,
		.is_signed = cc->is_signed };
	char text[32] = "";
	int status;

	clause_rec(pc, DT_ACT_PRINTF, cc->text ? 32 : cc->size,
	    cc->text ? PLAN_STR : PLAN_BYTES, &src);
	e->opts.quiet = true;
	env_start(e);
	if (cc->text != NULL)
		strcpy(text, cc->text);
	env_fire(e, 1, 0, cc->text ? (const void *)text : &cc->v);
	assert_int_equal(consumer_work(e->c, &status), 0);
	fflush(e->fout);
	expect_text(cc->fmt, e->out, cc->want);
	env_destroy(e);
}

static void
test_conversions(void **state)
{
	(void)state;
	setenv("TZ", "UTC", 1);
	for (size_t i = 0; i < sizeof(conv_cases) / sizeof(conv_cases[0]); i++)
		check_conv(&conv_cases[i]);
}

static void
test_printf_args(void **state)
{
	static const struct dif_action src = {
		.fmt = (char *)(uintptr_t) "<%*d %-*s %.*f %ws %ls>\n",
		.is_signed = true
	};
	struct env *e = env_create();
	struct plan_clause *pc = env_clause(e, 0);
	struct wide w = { { 'w', 0x3b1, 0, 'x' } };
	int width = 5, left = 4, prec = 2, v = 42, status;
	double pi = 3.14159;

	(void)state;
	clause_rec(pc, DT_ACT_PRINTF, 4, PLAN_BYTES, &src);
	clause_rec(pc, DT_ACT_PRINTF, 4, PLAN_BYTES, &src);
	clause_rec(pc, DT_ACT_PRINTF, 4, PLAN_BYTES, &src);
	clause_rec(pc, DT_ACT_PRINTF, 16, PLAN_STR_COMM, &src);
	clause_rec(pc, DT_ACT_PRINTF, 4, PLAN_BYTES, &src);
	clause_rec(pc, DT_ACT_PRINTF, 8, PLAN_BYTES, &src);
	clause_rec(pc, DT_ACT_PRINTF, 16, PLAN_BYTES, &src);
	clause_rec(pc, DT_ACT_PRINTF, 16, PLAN_BYTES, &src);
	VEC_FOREACH(&pc->recs, rec)
		rec->group = 1;
	e->opts.quiet = true;
	env_start(e);
	env_fire(e, 1, 0, &width, &v, &left, "ab\0\0\0\0\0\0\0\0\0\0\0\0\0",
	    &prec, &pi, &w, &w);
	assert_int_equal(consumer_work(e->c, &status), 0);
	expect_out(e, "<   42 ab   3.14 w\xce\xb1 w\xce\xb1>\n");
	env_destroy(e);
}

/* ---- trace and friends ------------------------------------------------- */

#define HEADING "CPU     ID                    FUNCTION:NAME\n"
#define AT_READ "  1     36                       read:entry "
#define AT_BEGIN "  0      1                           :BEGIN "
#define DUMP_HEAD                                                              \
	"             0  1  2  3  4  5  6  7  8  9  a  b  c  d  e  f"          \
	"  0123456789abcdef\n"

static void
test_trace_formats(void **state)
{
	struct env *e = env_create();
	struct plan_clause *pc = env_clause(e, 1);
	int64_t i8 = -8;
	int32_t i4 = -4;
	uint32_t u4 = UINT32_MAX;
	uint16_t u2 = 2;
	int8_t i1 = -1;
	int status;

	(void)state;
	clause_rec(pc, DT_ACT_DIFEXPR, 8, PLAN_BYTES, &src_signed);
	clause_rec(pc, DT_ACT_DIFEXPR, 4, PLAN_BYTES, &src_signed);
	clause_rec(pc, DT_ACT_DIFEXPR, 4, PLAN_BYTES, &src_unsigned);
	clause_rec(pc, DT_ACT_DIFEXPR, 2, PLAN_BYTES, &src_unsigned);
	clause_rec(pc, DT_ACT_DIFEXPR, 1, PLAN_BYTES, &src_signed);
	clause_rec(pc, DT_ACT_DIFEXPR, 16, PLAN_STR_COMM, &src_signed);
	env_start(e);
	env_fire(
	    e, 1, 1, &i8, &i4, &u4, &u2, &i1, "bash\0\0\0\0\0\0\0\0\0\0\0");
	env_fire(
	    e, 1, 1, &i8, &i4, &u4, &u2, &i1, "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0");
	assert_int_equal(consumer_work(e->c, &status), 0);
	expect_out(e,
	    HEADING AT_READ "               -8       -4 4294967295     2  -1"
			    "  bash                             \n" AT_READ
			    "               -8       -4 4294967295     2  -1"
			    "                                   \n");
	env_destroy(e);
}

static void
test_quiet(void **state)
{
	struct env *e = env_create();
	struct plan_clause *pc = env_clause(e, 1);
	int32_t i4 = -4;
	int status;

	(void)state;
	clause_rec(pc, DT_ACT_DIFEXPR, 4, PLAN_BYTES, &src_signed);
	clause_rec(pc, DT_ACT_DIFEXPR, 8, PLAN_STR, &src_signed);
	e->opts.quiet = true;
	env_start(e);
	env_fire(e, 1, 1, &i4, "unended!");
	assert_int_equal(consumer_work(e->c, &status), 0);
	expect_out(e, "-4unended!");
	env_destroy(e);
}

static void
test_default_action_and_exit(void **state)
{
	struct env *e = env_create();
	int code = 3, status = -1;

	(void)state;
	env_clause(e, 1);
	clause_rec(env_clause(e, 0), DT_ACT_EXIT, 4, PLAN_BYTES, &src_signed);
	env_start(e);
	env_fire(e, 1, 1);
	assert_int_equal(consumer_work(e->c, &status), 0);
	env_fire(e, 2, 0, &code);
	assert_int_equal(consumer_work(e->c, &status), 1);
	assert_int_equal(status, 3);
	expect_out(e, HEADING AT_READ "\n" AT_BEGIN "\n");
	env_destroy(e);
}

static void
test_bytes_and_dump(void **state)
{
	struct env *e = env_create();
	struct plan_clause *pc = env_clause(e, 0);
	int status;

	(void)state;
	clause_rec(pc, DT_ACT_DIFEXPR, 8, PLAN_BYTES, &src_bytes);
	clause_rec(pc, DT_ACT_DIFEXPR, 18, PLAN_BYTES, &src_bytes);
	env_start(e);
	env_fire(e, 1, 0, "text\n\0\0", "\1binary\0data\x80~ 012345");
	assert_int_equal(consumer_work(e->c, &status), 0);
	expect_out(e,
	    HEADING AT_BEGIN
	    "  text\n                            \n" DUMP_HEAD
	    "         0: 01 62 69 6e 61 72 79 00 64 61 74 61 80 7e 20 30"
	    "  .binary.data.~ 0\n"
	    "        10: 31 32                                          "
	    "  12\n\n");
	env_destroy(e);
}

static void
test_tracemem(void **state)
{
	struct env *e = env_create();
	struct plan_clause *pc = env_clause(e, 0);
	int32_t size = 2, negative = -1;
	int status;

	(void)state;
	clause_rec(pc, DT_ACT_TRACEMEM, 4, PLAN_BYTES, &src_bytes)->arg = 1;
	clause_rec(pc, DT_ACT_TRACEMEM, 4, PLAN_BYTES, &src_bytes)->arg = 2;
	clause_rec(pc, DT_ACT_TRACEMEM, 4, PLAN_BYTES, &src_signed)->arg = 4;
	clause_rec(pc, DT_ACT_TRACEMEM_DYNSIZE, 4, PLAN_BYTES, &src_signed);
	clause_rec(pc, DT_ACT_TRACEMEM, 4, PLAN_BYTES, &src_bytes);
	e->opts.quiet = true;
	env_start(e);
	env_fire(e, 1, 0, "abcd", "efgh", &size, &negative, "ijkl");
	assert_int_equal(consumer_work(e->c, &status), 0);
	expect_out(e,
	    "\n" DUMP_HEAD "         0: 61 62 63 64                         "
	    "             abcd\n"
	    "\n" DUMP_HEAD "         0: 65 66                               "
	    "             ef\n"
	    "\n" DUMP_HEAD);
	env_destroy(e);
}

static void
test_rawbytes(void **state)
{
	struct env *e = env_create();
	int status;

	(void)state;
	clause_rec(env_clause(e, 0), DT_ACT_DIFEXPR, 4, PLAN_BYTES, &src_bytes);
	e->opts.quiet = e->opts.rawbytes = true;
	env_start(e);
	env_fire(e, 1, 0, "abc");
	assert_int_equal(consumer_work(e->c, &status), 0);
	expect_out(e,
	    "\n" DUMP_HEAD "         0: 61 62 63 00             "
	    "                         abc.\n");
	env_destroy(e);
}

static void
test_stack(void **state)
{
	struct env *e = env_create();
	struct plan_clause *pc = env_clause(e, 0);
	uint64_t pcs[4] = { 0x20, 0x10, 0, 0x30 };
	int status;

	(void)state;
	clause_rec(pc, DT_ACT_STACK, 32, PLAN_STACK, &src_unsigned);
	env_start(e);
	env_fire(e, 1, 0, pcs);
	assert_int_equal(consumer_work(e->c, &status), 0);
	expect_out(e,
	    HEADING AT_BEGIN "\n              0x20\n"
			     "              0x10\n\n");
	env_destroy(e);
}

/* ---- flowindent -------------------------------------------------------- */

static void
test_flowindent(void **state)
{
	struct env *e = env_create();
	int status;

	(void)state;
	env_clause(e, 0); /* 1: BEGIN */
	env_clause(e, 1); /* 2: syscall read entry */
	env_clause(e, 3); /* 3: fbt vfs_read entry */
	env_clause(e, 3); /* 4: the same probe again */
	env_clause(e, 4); /* 5: fbt vfs_read return */
	env_clause(e, 4); /* 6: the same probe again */
	env_clause(e, 2); /* 7: syscall read return */
	e->opts.flowindent = true;
	env_start(e);
	env_fire(e, 1, 0);
	env_fire(e, 2, 0);
	env_fire(e, 3, 0);
	env_fire(e, 2, 1); /* another CPU has its own nesting */
	env_fire(e, 4, 0);
	env_fire(e, 5, 0);
	env_fire(e, 6, 0);
	env_fire(e, 7, 0);
	assert_int_equal(consumer_work(e->c, &status), 0);
	expect_out(e,
	    "CPU FUNCTION                                 \n"
	    "  0 | :BEGIN                                  \n"
	    "  0  => read                                  \n"
	    "  0    -> vfs_read                            \n"
	    "  1  => read                                  \n"
	    "  0     | vfs_read:entry                      \n"
	    "  0     | vfs_read:return                     \n"
	    "  0    <- vfs_read                            \n"
	    "  0  <= read                                  \n");
	env_destroy(e);
}

/* ---- distributions ----------------------------------------------------- */

#define HIST_HEAD                                                              \
	"\n           value  ------------- Distribution -------------"         \
	" count    \n"

static void
check_hist(uint16_t kind, uint64_t arg, const int64_t *counts, const char *want)
{
	struct strbuf sb = { 0 };
	struct hist h = { 0 };
	struct bars b = { .normal = 1 };

	hist_init(&h, kind, arg);
	assert_int_equal(h.n, plan_agg_val_size(kind, arg) / 8);
	hist_print(&sb, &h, counts, &b);
	expect_text("distribution", sb.s, want);
	strbuf_fini(&sb);
	hist_fini(&h);
}

/* llquantize(2, 62, 62, 2): the last bound is 2^63, which is one too high. */
static void
test_llquantize_bounds_wrap(void **state)
{
	uint64_t arg = 2ULL << 48 | 62ULL << 32 | 62ULL << 16 | 2;
	struct hist h = { 0 };
	int64_t bound;

	(void)state;
	hist_init(&h, DT_ACT_LLQUANTIZE, arg);
	assert_int_equal(h.bounds[h.n - 1], INT64_MIN);
	assert_true(hist_max(&h, h.n - 2, &bound));
	assert_int_equal(bound, INT64_MAX);
	assert_false(hist_max(&h, h.n - 1, &bound));
	hist_fini(&h);
}

static void
test_quantize(void **state)
{
	int64_t counts[127] = { 0 };

	(void)state;
	check_hist(DT_ACT_QUANTIZE, 0, counts,
	    HIST_HEAD
	    "              -1 |                                         0"
	    "        \n"
	    "               0 |                                         0"
	    "        \n"
	    "               1 |                                         0"
	    "        \n");
	counts[64 + 9] = 1;  /* 512 */
	counts[64 + 10] = 3; /* 1024 */
	check_hist(DT_ACT_QUANTIZE, 0, counts,
	    HIST_HEAD
	    "             256 |                                         0"
	    "        \n"
	    "             512 |@@@@@@@@@@                               1"
	    "        \n"
	    "            1024 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@           3"
	    "        \n"
	    "            2048 |                                         0"
	    "        \n");
	memset(counts, 0, sizeof(counts));
	counts[62] = 2; /* -1 */
	counts[63] = 1; /* 0 */
	check_hist(DT_ACT_QUANTIZE, 0, counts,
	    HIST_HEAD
	    "              -2 |                                         0"
	    "        \n"
	    "              -1 |@@@@@@@@@@@@@@@@@@@@@@@@@@@              2"
	    "        \n"
	    "               0 |@@@@@@@@@@@@@                            1"
	    "        \n"
	    "               1 |                                         0"
	    "        \n");
}

/* Negative counts (a negative increment) draw to the left. */
static void
test_quantize_signs(void **state)
{
	int64_t counts[127] = { 0 };

	(void)state;
	counts[64] = -1;
	check_hist(DT_ACT_QUANTIZE, 0, counts,
	    HIST_HEAD
	    "               0                                         | 0"
	    "        \n"
	    "               1 @@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@| -1"
	    "       \n"
	    "               2                                         | 0"
	    "        \n");
	counts[65] = 3;
	check_hist(DT_ACT_QUANTIZE, 0, counts,
	    HIST_HEAD
	    "               0                     |                     0"
	    "        \n"
	    "               1                @@@@@|                     -1"
	    "       \n"
	    "               2                     |@@@@@@@@@@@@@@@      3"
	    "        \n"
	    "               4                     |                     0"
	    "        \n");
}

static void
test_lquantize(void **state)
{
	/* base -10, 4 levels of 5: < -10, -10, -5, 0, 5, >= 10 */
	uint64_t arg = (uint64_t)5 << 48 | (uint64_t)4 << 32 | (uint32_t)-10;
	int64_t counts[6] = { 1, 0, 0, 0, 0, 1 };

	(void)state;
	check_hist(DT_ACT_LQUANTIZE, arg, counts,
	    HIST_HEAD
	    "           < -10 |@@@@@@@@@@@@@@@@@@@@                     1"
	    "        \n"
	    "             -10 |                                         0"
	    "        \n"
	    "              -5 |                                         0"
	    "        \n"
	    "               0 |                                         0"
	    "        \n"
	    "               5 |                                         0"
	    "        \n"
	    "           >= 10 |@@@@@@@@@@@@@@@@@@@@                     1"
	    "        \n");
}

static void
test_llquantize(void **state)
{
	/* factor 10, magnitudes 0 to 1, 10 steps:
	 * < 1, 1 ... 9, 10 20 ... 90, >= 100 */
	uint64_t arg =
	    (uint64_t)10 << 48 | (uint64_t)0 << 32 | (uint64_t)1 << 16 | 10;
	int64_t counts[20] = { 0 };

	(void)state;
	counts[9] = 1;
	counts[10] = 1;
	check_hist(DT_ACT_LLQUANTIZE, arg, counts,
	    HIST_HEAD
	    "               8 |                                         0"
	    "        \n"
	    "               9 |@@@@@@@@@@@@@@@@@@@@                     1"
	    "        \n"
	    "              10 |@@@@@@@@@@@@@@@@@@@@                     1"
	    "        \n"
	    "              20 |                                         0"
	    "        \n");
	memset(counts, 0, sizeof(counts));
	counts[0] = counts[19] = 0;
	counts[18] = 1;
	check_hist(DT_ACT_LLQUANTIZE, arg, counts,
	    HIST_HEAD
	    "              80 |                                         0"
	    "        \n"
	    "              90 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@ 1"
	    "        \n"
	    "          >= 100 |                                         0"
	    "        \n");
}

/* ---- aggregations ------------------------------------------------------ */

/* @a[string] = count() over two CPUs: b 3, a 3, c 1 */
static struct env *
counts_env(void)
{
	struct env *e = env_create();

	env_agg(e, DT_ACT_COUNT, 0);
	agg_add_key(e, 0, 16, PLAN_STR_COMM, &src_signed);
	put_str_count(e, 1, 0, "b", 1);
	put_str_count(e, 1, 0, "c", 1);
	put_str_count(e, 1, 1, "b", 2);
	put_str_count(e, 1, 1, "a", 3);
	return e;
}

#define ROW(key, val)                                                          \
	"  " key "                                                "            \
	" " val "\n"
#define ROW_A ROW("a ", "               3")
#define ROW_B ROW("b ", "               3")
#define ROW_C ROW("c ", "               1")

static void
check_order(bool by_key, bool is_reverse, const char *want)
{
	struct env *e = counts_env();
	int status;

	e->opts.aggsortkey = by_key;
	e->opts.aggsortrev = is_reverse;
	env_start(e);
	assert_int_equal(consumer_finish(e->c, &status), 0);
	expect_out(e, want);
	env_destroy(e);
}

static void
test_agg_order(void **state)
{
	(void)state;
	check_order(false, false, "\n" ROW_C ROW_A ROW_B);
	check_order(false, true, "\n" ROW_B ROW_A ROW_C);
	check_order(true, false, "\n" ROW_A ROW_B ROW_C);
	check_order(true, true, "\n" ROW_C ROW_B ROW_A);
}

static void
test_agg_functions(void **state)
{
	static const struct {
		uint16_t kind;
		uint64_t cpu0[4], cpu1[4];
		const char *want;
	} cases[] = {
		{ DT_ACT_COUNT, { 1 }, { 2 }, "\n                3\n" },
		{ DT_ACT_SUM, { 1 }, { (uint64_t)-3 },
		    "\n               -2\n" },
		{ DT_ACT_MIN, { 5 }, { (uint64_t)-3 },
		    "\n               -3\n" },
		{ DT_ACT_MAX, { 5 }, { (uint64_t)-3 },
		    "\n                5\n" },
		/* avg of 1 and 4 truncates; of -1 and -4 toward zero */
		{ DT_ACT_AVG, { 1, 1 }, { 1, 4 }, "\n                2\n" },
		{ DT_ACT_AVG, { 1, (uint64_t)-1 }, { 1, (uint64_t)-4 },
		    "\n               -2\n" },
		{ DT_ACT_AVG, { 0, 0 }, { 0, 0 }, "\n                0\n" },
		/* 2, 4 | 4, 4, 5, 5, 7, 9: the textbook's 2 */
		{ DT_ACT_STDDEV, { 2, 6, 20, 0 }, { 6, 34, 212, 0 },
		    "\n                2\n" },
		/* squares beyond 64 bits: +-2^33 */
		{ DT_ACT_STDDEV, { 1, UINT64_C(1) << 33, 0, 4 },
		    { 1, -(UINT64_C(1) << 33), 0, 4 },
		    "\n       8589934592\n" },
	};
	int status;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct env *e = env_create();

		env_agg(e, cases[i].kind, 0);
		env_put(e, 1, 0, "", 0, cases[i].cpu0);
		env_put(e, 1, 1, "", 0, cases[i].cpu1);
		env_start(e);
		assert_int_equal(consumer_finish(e->c, &status), 0);
		expect_out(e, cases[i].want);
		env_destroy(e);
	}
}

/* Keys of all sizes, signed order, then a second key. */
static void
test_agg_keys(void **state)
{
	static const struct {
		int32_t a;
		uint32_t pad;
		uint16_t b;
	} keys[] = { { 1, 0, 2 }, { -1, 0, 9 }, { 1, 0, 1 } };
	struct env *e = env_create();
	uint64_t one = 1;
	int status;

	(void)state;
	env_agg(e, DT_ACT_SUM, 0);
	agg_add_key(e, 0, 4, PLAN_BYTES, &src_signed);
	agg_add_key(e, 0, 2, PLAN_BYTES, &src_unsigned);
	for (size_t i = 0; i < 3; i++)
		env_put(e, 1, 0, &keys[i], sizeof(keys[i]), &one);
	env_start(e);
	assert_int_equal(consumer_finish(e->c, &status), 0);
	expect_out(e,
	    "\n"
	    "       -1     9                1\n"
	    "        1     1                1\n"
	    "        1     2                1\n");
	e->c->opts.aggsortkeypos = 1;
	assert_int_equal(consumer_finish(e->c, &status), 0);
	expect_out(e,
	    "\n"
	    "        1     1                1\n"
	    "        1     2                1\n"
	    "       -1     9                1\n");
	env_destroy(e);
}

static void
test_agg_quantize_row(void **state)
{
	struct env *e = env_create();
	int64_t counts[127] = { 0 };
	int status;

	(void)state;
	env_agg(e, DT_ACT_QUANTIZE, 0);
	agg_add_key(e, 0, 16, PLAN_STR_COMM, &src_signed);
	counts[64] = 1;
	env_put(e, 1, 0, "b", 1, counts);
	counts[65] = 1;
	env_put(e, 1, 1, "b", 1, counts);
	env_start(e);
	assert_int_equal(consumer_finish(e->c, &status), 0);
	expect_out(e,
	    "\n"
	    "  b                                                 " HIST_HEAD
	    "               0 |                                         0"
	    "        \n"
	    "               1 |@@@@@@@@@@@@@@@@@@@@@@@@@@@              2"
	    "        \n"
	    "               2 |@@@@@@@@@@@@@                            1"
	    "        \n"
	    "               4 |                                         0"
	    "        \n\n");
	env_destroy(e);
}

/* printa() with and without a format; the end prints nothing again. */
static void
test_printa(void **state)
{
	static const struct dif_action with_fmt = {
		.fmt = (char *)(uintptr_t) "%-3s=%@4d;\n"
	};
	static const struct dif_action no_fmt = { 0 };
	struct env *e = counts_env();
	uint64_t id = 1;
	int status;

	(void)state;
	clause_rec(env_clause(e, 0), DT_ACT_PRINTA, 8, PLAN_BYTES, &with_fmt)
	    ->arg = 1;
	clause_rec(env_clause(e, 0), DT_ACT_PRINTA, 8, PLAN_BYTES, &no_fmt)
	    ->arg = 1;
	e->opts.quiet = true;
	env_start(e);
	env_fire(e, 1, 0, &id);
	env_fire(e, 2, 0, &id);
	assert_int_equal(consumer_work(e->c, &status), 0);
	assert_int_equal(consumer_finish(e->c, &status), 0);
	expect_out(e,
	    "c  =   1;\na  =   3;\nb  =   3;\n"
	    "\n" ROW_C ROW_A ROW_B "\n");
	env_destroy(e);
}

static void
test_printa_joined(void **state)
{
	static const struct dif_action src = {
		.fmt = (char *)(uintptr_t) "%s %@d %@d\n"
	};
	struct env *e = counts_env();
	struct plan_clause *pc = env_clause(e, 0);
	uint64_t id = 1;
	int status;

	(void)state;
	env_agg(e, DT_ACT_MAX, 0); /* another element of the same key */
	agg_add_key(e, 1, 32, PLAN_STR, &src_signed);
	put_str_count(e, 2, 0, "c", 7);
	put_str_count(e, 2, 0, "d", 5);
	clause_rec(pc, DT_ACT_PRINTA, 8, PLAN_BYTES, &src)->arg = 1;
	clause_rec(pc, DT_ACT_PRINTA, 8, PLAN_BYTES, &src)->arg = 2;
	pc->recs.v[1].group = pc->recs.v[0].group;
	e->opts.quiet = true;
	env_start(e);
	env_fire(e, 1, 0, &id, &id);
	assert_int_equal(consumer_work(e->c, &status), 0);
	expect_out(e, "d 0 5\nc 1 7\na 3 0\nb 3 0\n");
	e->c->opts.aggsortpos = 1;
	env_fire(e, 1, 0, &id, &id);
	assert_int_equal(consumer_work(e->c, &status), 0);
	expect_out(e, "a 3 0\nb 3 0\nd 0 5\nc 1 7\n");
	e->c->opts.aggsortkey = true;
	env_fire(e, 1, 0, &id, &id);
	assert_int_equal(consumer_work(e->c, &status), 0);
	expect_out(e, "a 3 0\nb 3 0\nc 1 7\nd 0 5\n");
	env_destroy(e);
}

/* A clause of one library action on @a, with its operand. */
static void
libact_clause(struct env *e, uint64_t which, bool has_operand)
{
	struct plan_clause *pc = env_clause(e, 0);

	clause_rec(pc, DT_ACT_LIBACT, 4, PLAN_BYTES, &src_signed)->arg = which;
	if (!has_operand)
		return;
	clause_rec(pc, DT_ACT_LIBACT, 8, PLAN_BYTES, &src_signed)->arg = which;
	pc->recs.v[1].group = pc->recs.v[0].group;
}

static void
test_libacts(void **state)
{
	struct env *e = counts_env();
	int64_t two = 2, minus_one = -1, none = 0;
	uint32_t id = 1;
	int status;

	(void)state;
	libact_clause(e, DT_LIBACT_CLEAR, false);	/* 1 */
	libact_clause(e, DT_LIBACT_TRUNC, true);	/* 2 */
	libact_clause(e, DT_LIBACT_NORMALIZE, true);	/* 3 */
	libact_clause(e, DT_LIBACT_DENORMALIZE, false); /* 4 */
	e->opts.quiet = true;
	env_start(e);
	env_fire(e, 3, 0, &id, &two);
	assert_int_equal(consumer_finish(e->c, &status), 0);
	expect_out(e,
	    "\n" ROW("c ", "               0") ROW("a ", "               1")
		ROW("b ", "               1"));
	env_fire(e, 4, 0, &id);
	env_fire(e, 2, 0, &id, &two);
	assert_int_equal(consumer_work(e->c, &status), 0);
	put_str_count(e, 1, 0, "a", 4);
	put_str_count(e, 1, 0, "c", 2);
	assert_int_equal(consumer_finish(e->c, &status), 0);
	expect_out(e,
	    "\n" ROW("c ", "               2")
		ROW_B ROW("a ", "               7"));
	env_fire(e, 2, 0, &id, &minus_one);
	assert_int_equal(consumer_finish(e->c, &status), 0);
	expect_out(e, "\n" ROW("c ", "               2"));
	env_fire(e, 1, 0, &id); /* clear() */
	assert_int_equal(consumer_finish(e->c, &status), 0);
	expect_out(e, "\n" ROW("c ", "               0"));
	put_str_count(e, 1, 1, "c", 1);
	assert_int_equal(consumer_finish(e->c, &status), 0);
	expect_out(e, "\n" ROW_C);
	env_fire(e, 2, 0, &id, &none);
	env_fire(e, 3, 0, &id, &none);
	assert_int_equal(consumer_finish(e->c, &status), 0);
	expect_out(e, "\n");
	expect_err(e,
	    "dtrace: normalize() of @a by 0: the factor must be "
	    "positive\n");
	env_destroy(e);
}

/*
 * Many keys with random values come out complete, merged and in order.  The
 * second CPU has some of the keys soon after, the third has some much later.
 */
#define MANY 5000

static int
many_ent(uint64_t cpu, uint64_t i, int64_t val, dt_aggent_f *f, void *arg)
{
	uint64_t key[2] = { cpu, i }; /* CPU: not part of the key */

	return f(1, key, &val, arg);
}

static int64_t
many_sum(uint64_t i)
{
	uint64_t r = (i + 1) * 6364136223846793005u;

	return (int64_t)(r >> 33) % 1000 - 500;
}

static int
many_walk(struct dt_exec *e, uint32_t agg_id, dt_aggent_f *f, void *arg)
{
	struct fake_exec *x = fake_of(e);
	int error = 0;

	(void)x;
	assert_int_equal(agg_id, 1);
	for (uint64_t i = 0; i < MANY && error == 0; i++) {
		error = many_ent(
		    0, i, many_sum(i) - (i % 3 == 0) - (i % 7 == 0), f, arg);
		if (error == 0 && i % 3 == 0)
			error = many_ent(1, i, 1, f, arg);
	}
	for (uint64_t i = 0; i < MANY && error == 0; i += 7)
		error = many_ent(2, i, 1, f, arg);
	return error;
}

static void
test_agg_many(void **state)
{
	struct dt_exec_ops ops = fake_ops;
	struct env *e = env_create();
	long long key, val, last_key = -1, last_val = -1000;
	size_t n = 0;
	char *line;
	int status;

	(void)state;
	ops.agg_walk = many_walk;
	env_agg(e, DT_ACT_SUM, 0);
	agg_add_key(e, 0, 8, PLAN_BYTES, &src_signed);
	env_start(e);
	e->c->ops = &ops;
	assert_int_equal(consumer_finish(e->c, &status), 0);
	for (line = strtok(e->out, "\n"); line != NULL;
	     line = strtok(NULL, "\n")) {
		assert_int_equal(sscanf(line, "%lld %lld", &key, &val), 2);
		assert_true(
		    val > last_val || (val == last_val && key > last_key));
		assert_true(key >= 0 && key < MANY);
		assert_int_equal(val, many_sum((uint64_t)key));
		last_key = key;
		last_val = val;
		n++;
	}
	assert_int_equal(n, MANY);
	env_destroy(e);
}

/* ---- messages ---------------------------------------------------------- */

static void
test_faults(void **state)
{
	struct env *e = env_create();
	int status;

	(void)state;
	env_clause(e, 1);
	env_start(e);
	e->x.recs[0] = (struct dt_record){ .err = { .epid = 1,
					       .action = 2,
					       .fault = DIF_FLT_BADADDR,
					       .offset = 12,
					       .value = 0x10 } };
	e->x.recs[1] = (struct dt_record){ .err = { .epid = 1,
					       .fault = DIF_FLT_DIVZERO,
					       .offset = -1,
					       .value = 7 } };
	e->x.nrecs = 2;
	assert_int_equal(consumer_work(e->c, &status), 0);
	expect_err(e,
	    "dtrace: error on enabled probe ID 1 (ID 36: "
	    "syscall:vmlinux:read:entry): invalid address (0x10) in action "
	    "#2 at DIF offset 12\n"
	    "dtrace: error on enabled probe ID 1 (ID 36: "
	    "syscall:vmlinux:read:entry): divide-by-zero in predicate\n");
	env_destroy(e);
}

/* A kind of fault is reported once; with the option, each fault is reported. */
static void
check_repeats(bool allfaults, const char *want)
{
	struct env *e = env_create();
	int status;

	env_clause(e, 1);
	e->opts.allfaults = allfaults;
	env_start(e);
	for (uint64_t i = 0; i < 3; i++)
		e->x.recs[e->x.nrecs++] =
		    (struct dt_record){ .err = { .epid = 1,
					    .action = 1,
					    .fault = DIF_FLT_BADADDR,
					    .offset = -1,
					    .value = i } };
	assert_int_equal(consumer_work(e->c, &status), 0);
	assert_int_equal(consumer_finish(e->c, &status), 0);
	expect_err(e, want);
	env_destroy(e);
}

#define WHERE                                                                  \
	"dtrace: error on enabled probe ID 1 (ID 36: "                         \
	"syscall:vmlinux:read:entry): invalid address"

static void
test_faults_repeat(void **state)
{
	(void)state;
	check_repeats(false,
	    WHERE " (0x0) in action #1\n" WHERE " in action #1 (2 more)\n");
	check_repeats(true,
	    WHERE " (0x0) in action #1\n" WHERE " (0x1) in action #1\n" WHERE
		  " (0x2) in action #1\n");
}

static void
test_bad_records(void **state)
{
	struct env *e = env_create();
	int status;

	(void)state;
	clause_rec(
	    env_clause(e, 1), DT_ACT_DIFEXPR, 8, PLAN_BYTES, &src_signed);
	env_start(e);
	e->x.recs[0] =
	    (struct dt_record){ .epid = 9, .data = e->x.data[0], .size = 64 };
	e->x.recs[1] =
	    (struct dt_record){ .epid = 1, .data = e->x.data[0], .size = 12 };
	e->x.nrecs = 2;
	assert_int_equal(consumer_work(e->c, &status), 0);
	expect_err(e,
	    "dtrace: dropped a record that is not valid (EPID 9, 64 bytes)\n"
	    "dtrace: dropped a record that is not valid (EPID 1, 12 "
	    "bytes)\n");
	env_destroy(e);
}

#define LEAK " none was ended: each needs commit() or discard()"
static void
test_drops(void **state)
{
	struct env *e = env_create();

	(void)state;
	e->opts.bufsize = 4 << 20;
	e->opts.aggsize = 3 << 10;
	e->opts.dynvarsize = 1000;
	e->opts.nspec = 1;
	e->opts.nspec_max = 1000;
	env_start(e);
	consumer_report_drops(e->c);
	e->x.drops[DT_DROP_PRINCIPAL][0] = 1;
	e->x.drops[DT_DROP_PRINCIPAL][1] = 5;
	e->x.drops[DT_DROP_AGG][1] = 2;
	e->x.drops[DT_DROP_DYNAMIC][0] = 1;
	e->x.drops[DT_DROP_DYNAMIC][1] = 3;
	consumer_report_drops(e->c);
	e->x.drops[DT_DROP_PRINCIPAL][1] = 7;
	e->x.drops[DT_DROP_MISSED][0] = 3;
	e->x.drops[DT_DROP_MISSED][1] = 1;
	consumer_report_drops(e->c);
	e->x.drops[DT_DROP_AGG][0] = 15;
	e->x.drops[DT_DROP_SPECUNAVAIL][1] = 2;
	consumer_report_drops(e->c);
	e->x.drops[DT_DROP_AGG][0] += UINT64_C(1) << 50;
	e->x.drops[DT_DROP_SPECUNAVAIL][0] = 65535;
	consumer_report_drops(e->c);
	expect_err(e,
	    "dtrace: 1 drop on CPU 0; -x bufsize=8m would have been enough\n"
	    "dtrace: 5 drops on CPU 1; -x bufsize=8m would have been enough\n"
	    "dtrace: 2 aggregation drops on CPU 1; -x aggsize=4k would have "
	    "been enough\n"
	    "dtrace: 4 dynamic variable drops; -x dynvarsize=2000 or more\n"
	    "dtrace: 2 drops on CPU 1; -x bufsize=8m would have been enough\n"
	    "dtrace: 3 profile firings missed or late on CPU 0\n"
	    "dtrace: 1 profile firing missed or late on CPU 1, which was idle "
	    "for 97 % of the time\ndtrace: 15 aggregation drops on CPU 0; "
	    "-x aggsize=8k would have been enough\n"
	    "dtrace: 2 failed speculations (no speculative buffer available); "
	    "-x nspec=3 would have been enough, but" LEAK "\n"
	    "dtrace: 1125899906842624 aggregation drops on CPU 0; no aggsize "
	    "would have been enough\n"
	    "dtrace: 65535 failed speculations (no speculative buffer "
	    "available); no nspec would have been enough, and" LEAK "\n");
	env_destroy(e);
}

static void
test_output_error(void **state)
{
	struct env *e = env_create();
	FILE *full = fopen("/dev/full", "w");
	int status;

	(void)state;
	env_clause(e, 1);
	env_start(e);
	e->c->out = e->c->first_out = full;
	env_fire(e, 1, 0);
	assert_int_equal(consumer_work(e->c, &status), -ENOSPC);
	fclose(full);
	env_destroy(e);
}

/* The address of a kernel function and its name; false: the kernel hides
 * them. */
static bool
a_kernel_function(uint64_t *addr, char *name)
{
	FILE *f = fopen("/proc/kallsyms", "r");
	unsigned long long a = 0;
	char type = 0;

	while (f != NULL &&
	    fscanf(f, "%llx %c %127s%*[^\n]", &a, &type, name) == 3)
		if (type == 'T' && strcmp(name, "vfs_read") == 0)
			break;
	if (f != NULL)
		fclose(f);
	*addr = a;
	return a != 0 && strcmp(name, "vfs_read") == 0;
}

/* A pointer to a kernel function prints its name; one to a process's function,
 * a number. */
static void
test_print_function(void **state)
{
	struct ctf_graph g;
	struct ctf_type *fn, *pair;
	struct dif_action src = { .kind = DT_ACT_DIFEXPR };
	struct env *e = env_create();
	uint64_t data[3];
	char name[128], want[512];
	int status;

	(void)state;
	if (!a_kernel_function(&data[0], name))
		skip();
	data[1] = data[0];
	data[2] = 0;
	ctf_graph_init(&g);
	fn = ctf_new(&g, CTF_K_FUNCTION);
	fn->ref = g.t_int;
	pair = ctf_tag(&g, CTF_K_STRUCT, "fns");
	pair->size = sizeof(data);
	pair->is_incomplete = false;
	for (unsigned i = 0; i < 3; i++)
		VEC_PUSH(&pair->members,
		    (struct ctf_member){
			"f", ctf_pointer(&g, fn, i == 1), 64 * i, 0 });
	src.type = pair;
	src.fmt = (char *)(uintptr_t) "struct fns";
	e->opts.types = &g;
	e->opts.quiet = true;
	clause_rec(
	    env_clause(e, 0), DT_ACT_DIFEXPR, sizeof(data), PLAN_BYTES, &src);
	env_start(e);
	env_fire(e, 1, 0, data);
	assert_int_equal(consumer_work(e->c, &status), 0);
	snprintf(want, sizeof(want),
	    "struct fns {\n"
	    "    int (*)() f = vmlinux`vfs_read\n"
	    "    int (userland *)() f = 0x%llx\n"
	    "    int (*)() f = 0\n}",
	    (unsigned long long)data[0]);
	expect_out(e, want);
	env_destroy(e);
	ctf_graph_fini(&g);
}

/* An array of too many values is given as its bytes. */
static void
test_value_budget(void **state)
{
	static int data[70000];
	struct ctf_graph g;
	struct dif_action src = { .kind = DT_ACT_DIFEXPR };
	struct plan_rec rec = { .size = 262140, .store = PLAN_BYTES };
	struct datum d = { .rec = &rec, .data = data };
	dtrace_value_t val;
	struct arena a;

	(void)state;
	ctf_graph_init(&g);
	arena_init(&a);
	src.type = ctf_array(&g, g.t_int, 70000), rec.src = &src;
	assert_int_equal(value_datum(NULL, &a, &d).dtva_count, 65535);
	rec.size = sizeof(data) - 1; /* not all was recorded */
	val = value_datum(NULL, &a, &d);
	assert_int_equal(val.dtva_kind, DTRACE_VALUE_BYTES);
	assert_ptr_equal(val.dtva_data, data);
	assert_int_equal(val.dtva_size, rec.size);
	arena_fini(&a);
	ctf_graph_fini(&g);
}

/* A type known only by name, as in a program from a file. */
static void
test_print_name(void **state)
{
	static const struct dif_action src = {
		.fmt = (char *)(uintptr_t) "uint16_t"
	};
	static const struct dif_action unknown = {
		.fmt = (char *)(uintptr_t) "struct nowhere"
	};
	struct ctf_graph g;
	struct env *e = env_create();
	struct plan_clause *pc = env_clause(e, 0);
	uint16_t v = 513;
	int status;

	(void)state;
	ctf_graph_init(&g);
	e->opts.types = &g;
	e->opts.quiet = true;
	clause_rec(pc, DT_ACT_DIFEXPR, 2, PLAN_BYTES, &src);
	clause_rec(pc, DT_ACT_DIFEXPR, 2, PLAN_BYTES, &unknown);
	env_start(e);
	env_fire(e, 1, 0, &v, &v);
	assert_int_equal(consumer_work(e->c, &status), 0);
	expect_out(e, "uint16_t 0x201\n513");
	env_destroy(e);
	ctf_graph_fini(&g);
}

/* system() runs with -w only, after the output that precedes it. */
static void
test_system(void **state)
{
	static const struct dif_action src = {
		.fmt = (char *)(uintptr_t) "exit %d", .is_signed = true
	};
	struct env *e = env_create();
	int v = 0, status;

	(void)state;
	clause_rec(env_clause(e, 0), DT_ACT_SYSTEM, 4, PLAN_BYTES, &src);
	env_start(e);
	env_fire(e, 1, 0, &v);
	assert_int_equal(consumer_work(e->c, &status), 0);
	expect_err(e, "dtrace: system() needs destructive actions (-w)\n");
	e->c->opts.destructive = true;
	env_fire(e, 1, 0, &v);
	assert_int_equal(consumer_work(e->c, &status), 0);
	expect_out(e, HEADING AT_BEGIN "\n" AT_BEGIN "\n");
	env_destroy(e);
}

/* ---- text ---------------------------------------------------------------- */

/*
 * A string that strsize cut in the middle of a character is text without it.
 * Messages are escaped as their own file wants.
 */
static void
test_controls(void **state)
{
	struct env *e = env_create();
	char cut[32] = "0123456789012345678901234567890\303";
	int status;

	(void)state;
	clause_rec(
	    env_clause(e, 0), DT_ACT_DIFEXPR, 32, PLAN_STR_COMM, &src_bytes);
	e->opts.quiet = true;
	e->opts.controls = CONTROLS_ESCAPE;
	env_start(e);
	memcpy(cut + 30, "\033\303", 2);
	env_fire(e, 1, 0, cut);
	assert_int_equal(consumer_work(e->c, &status), 0);
	expect_out(e, "012345678901234567890123456789\\033");
	consumer_warn(e->c, "name\033");
	fflush(e->ferr);
	assert_string_equal(e->err, "dtrace: name\\033\n");
	e->opts.controls =
	    CONTROLS_AUTO; /* a stream in memory is no terminal */
	consumer_set_opts(e->c, &e->opts);
	assert_false(e->c->has_escapes);
	env_destroy(e);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_controls),
		cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_conversions),
		cmocka_unit_test(test_printf_args),
		cmocka_unit_test(test_trace_formats),
		cmocka_unit_test(test_quiet),
		cmocka_unit_test(test_default_action_and_exit),
		cmocka_unit_test(test_bytes_and_dump),
		cmocka_unit_test(test_tracemem),
		cmocka_unit_test(test_rawbytes),
		cmocka_unit_test(test_stack),
		cmocka_unit_test(test_flowindent),
		cmocka_unit_test(test_quantize),
		cmocka_unit_test(test_quantize_signs),
		cmocka_unit_test(test_lquantize),
		cmocka_unit_test(test_llquantize),
		cmocka_unit_test(test_llquantize_bounds_wrap),
		cmocka_unit_test(test_agg_order),
		cmocka_unit_test(test_agg_functions),
		cmocka_unit_test(test_agg_keys),
		cmocka_unit_test(test_agg_quantize_row),
		cmocka_unit_test(test_printa),
		cmocka_unit_test(test_printa_joined),
		cmocka_unit_test(test_libacts),
		cmocka_unit_test(test_agg_many),
		cmocka_unit_test(test_faults),
		cmocka_unit_test(test_bad_records),
		cmocka_unit_test(test_faults_repeat),
		cmocka_unit_test(test_drops),
		cmocka_unit_test(test_output_error),
		cmocka_unit_test(test_print_function),
		cmocka_unit_test(test_print_name),
		cmocka_unit_test(test_value_budget),
		cmocka_unit_test(test_system),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
