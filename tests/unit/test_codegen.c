/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The type checker and the generator.
 *
 * Three kinds of evidence: expressions are compiled, run by the small machine
 * below and compared with the C compiler's result for the same text; the DIF of
 * some snippets is compared as text; each mistake must give its tag at its
 * line.
 */
#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/vec.h"
#include "codegen/codegen.h"

/* ---- compiling ----------------------------------------------------------- */

struct compiled {
	struct diags ds;
	struct arena arena;
	struct cg_session *s;
	struct dif_prog *prog;
};

static void
compile_more(struct compiled *c, const char *text)
{
	struct lang_compile lc = { .text = text,
		.len = strlen(text),
		.pspec = LANG_PSPEC_NAME,
		.arena = &c->arena,
		.diags = &c->ds,
		.target = -1 };

	dif_prog_destroy(c->prog);
	c->prog = cg_compile(c->s, &lc, lang_parse(&lc));
}

static void
compile(struct compiled *c, const char *text)
{
	memset(c, 0, sizeof(*c));
	diags_init(&c->ds);
	arena_init(&c->arena);
	c->s = cg_session_create();
	compile_more(c, text);
}

static void
release(struct compiled *c)
{
	dif_prog_destroy(c->prog);
	cg_session_destroy(c->s);
	diags_fini(&c->ds);
	arena_fini(&c->arena);
}

static void
must_compile(struct compiled *c, const char *text)
{
	struct strbuf sb = { 0 };

	if (c->prog != NULL)
		return;
	diags_format(&c->ds, 1, &sb);
	fail_msg("%s\n%s", text, sb.s);
}

/* ---- a machine to run it on ---------------------------------------------- */

#define MAXVARS 64
#define STRSIZE 256

struct sample {
	int8_t i8;
	uint8_t u8;
	int16_t i16;
	uint32_t u32;
	int lo : 5;
	unsigned mid : 11;
	int hi : 16;
	int64_t i64;
	char text[8];
	struct {
		int x, y[3];
	} in;
};

static struct sample sample = { -3, 250, -300, 4000000000U, -7, 1029, -12345,
	-5000000000LL, "hello", { 11, { 21, 22, 23 } } };

struct place {
	uint32_t id;
	uint8_t scope;
	unsigned nkeys;
	uint64_t keys[DIF_NTREGS]; /* strings: hashed */
	uint64_t value;
};

struct machine {
	struct place places[MAXVARS];
	unsigned nplaces;
	uint64_t tuple[DIF_NTREGS], hashes[DIF_NTREGS];
	unsigned depth;
	char mem[16384];
	size_t mem_used;
};

static void *
scratch(struct machine *m, size_t n)
{
	void *p = m->mem + m->mem_used;

	m->mem_used += (n + 7) & ~(size_t)7;
	assert_true(m->mem_used <= sizeof(m->mem));
	return p;
}

static uint64_t
builtin(uint32_t id)
{
	switch (id) {
	case DIF_VAR_PID:
		return 42;
	case DIF_VAR_ARG0:
		return (uint64_t)(uintptr_t)&sample;
	case DIF_VAR_ARG1:
		return (uint64_t)-5;
	case DIF_VAR_EXECNAME:
		return (uint64_t)(uintptr_t) "exec";
	default:
		return 7;
	}
}

static struct place *
find_place(struct machine *m, uint32_t id, uint8_t scope, bool is_array)
{
	unsigned nkeys = is_array ? m->depth : 0;
	struct place *p;

	for (p = m->places; p < m->places + m->nplaces; p++) {
		if (p->id == id && p->scope == scope && p->nkeys == nkeys &&
		    memcmp(p->keys, m->hashes, nkeys * 8) == 0)
			return p;
	}
	assert_true(m->nplaces < MAXVARS);
	m->nplaces++;
	*p = (struct place){ .id = id, .scope = scope, .nkeys = nkeys };
	memcpy(p->keys, m->hashes, nkeys * 8);
	return p;
}

static const struct dif_var *
find_var(const struct dif_obj *dp, uint32_t id, uint8_t scope)
{
	for (uint32_t i = 0; i < dp->nvar; i++) {
		if (dp->vartab[i].id == id && dp->vartab[i].scope == scope)
			return &dp->vartab[i];
	}
	return NULL;
}

static void
store(struct machine *m, const struct dif_obj *dp, uint32_t id, uint8_t scope,
    bool is_array, uint64_t v)
{
	const struct dif_type *t = &find_var(dp, id, scope)->type;
	struct place *p = find_place(m, id, scope, is_array);
	size_t n = t->kind == DIF_TYPE_STRING ? STRSIZE : t->size;

	if (!(t->flags & DIF_TF_BYREF) || v == 0) {
		p->value = v;
		return;
	}
	if (p->value == 0)
		p->value = (uint64_t)(uintptr_t)scratch(m, n);
	if (t->kind == DIF_TYPE_STRING)
		snprintf(
		    (char *)(uintptr_t)p->value, n, "%s", (char *)(uintptr_t)v);
	else
		memmove((void *)(uintptr_t)p->value, (void *)(uintptr_t)v, n);
}

static void
push(struct machine *m, uint32_t ins, uint64_t value, uint64_t size)
{
	const void *p = (void *)(uintptr_t)value;

	assert_true(m->depth < DIF_NTREGS);
	m->tuple[m->depth] = value;
	if (dif_instr_op(ins) == DIF_OP_PUSHTV)
		m->hashes[m->depth++] = value;
	else if (dif_instr_r1(ins) == DIF_TYPE_STRING)
		m->hashes[m->depth++] = hash_bytes(p, value ? strlen(p) : 0);
	else
		m->hashes[m->depth++] = hash_bytes(p, size);
}

static uint64_t
subroutine(struct machine *m, uint32_t id)
{
	const char *a = (char *)(uintptr_t)m->tuple[0];
	const char *b = (char *)(uintptr_t)m->tuple[1];
	char *s;

	switch (id) {
	case DIF_SUBR_STRLEN:
		assert_int_equal(m->depth, 1);
		return strlen(a);
	case DIF_SUBR_STRJOIN:
		assert_int_equal(m->depth, 2);
		s = scratch(m, STRSIZE);
		snprintf(s, STRSIZE, "%s%s", a, b);
		break;
	case DIF_SUBR_COPYIN:
		assert_int_equal(m->depth, 2);
		s = scratch(m, m->tuple[1]);
		memcpy(s, a, m->tuple[1]);
		break;
	case DIF_SUBR_COPYINSTR:
		s = scratch(m, STRSIZE);
		snprintf(s, STRSIZE, "%s", a);
		break;
	default:
		fail_msg("subroutine %u", id);
		return 0;
	}
	return (uint64_t)(uintptr_t)s;
}

static uint64_t
load(uint64_t addr, unsigned size, bool is_signed)
{
	const void *p = (void *)(uintptr_t)addr;
	unsigned shift = 64 - 8 * size;
	uint64_t v = 0;

	memcpy(&v, p, size);
	return is_signed ? (uint64_t)((int64_t)(v << shift) >> shift) : v;
}

static bool
taken(uint8_t op, int64_t a, int64_t b)
{
	uint64_t ua = (uint64_t)a, ub = (uint64_t)b;

	switch (op) {
	case DIF_OP_BA:
		return true;
	case DIF_OP_BE:
		return a == b;
	case DIF_OP_BNE:
		return a != b;
	case DIF_OP_BG:
		return a > b;
	case DIF_OP_BGU:
		return ua > ub;
	case DIF_OP_BGE:
		return a >= b;
	case DIF_OP_BGEU:
		return ua >= ub;
	case DIF_OP_BL:
		return a < b;
	case DIF_OP_BLU:
		return ua < ub;
	case DIF_OP_BLE:
		return a <= b;
	default:
		return ua <= ub;
	}
}

static uint64_t
arith(uint8_t op, uint64_t a, uint64_t b)
{
	switch (op) {
	case DIF_OP_OR:
		return a | b;
	case DIF_OP_XOR:
		return a ^ b;
	case DIF_OP_AND:
		return a & b;
	case DIF_OP_SLL:
		return a << (b & 63);
	case DIF_OP_SRL:
		return a >> (b & 63);
	case DIF_OP_SRA:
		return (uint64_t)((int64_t)a >> (b & 63));
	case DIF_OP_SUB:
		return a - b;
	case DIF_OP_ADD:
		return a + b;
	case DIF_OP_MUL:
		return a * b;
	case DIF_OP_SDIV:
		return (uint64_t)((int64_t)a / (int64_t)b);
	case DIF_OP_UDIV:
		return a / b;
	case DIF_OP_SREM:
		return (uint64_t)((int64_t)a % (int64_t)b);
	case DIF_OP_UREM:
		return a % b;
	default:
		fail_msg("opcode %u", op);
		return 0;
	}
}

/* Loads of LDSB..LDX and ULDSB..ULDX: size and signedness by position. */
static uint64_t
run_load(uint8_t op, uint64_t addr)
{
	unsigned i = op >= DIF_OP_ULDSB ? op - DIF_OP_ULDSB : op - DIF_OP_LDSB;
	static const unsigned sizes[] = { 1, 2, 4, 1, 2, 4, 8 };

	return load(addr, sizes[i], i < 3);
}

/* NULL is a string without characters. */
static const char *
text_at(uint64_t address)
{
	return address != 0 ? (const char *)(uintptr_t)address : "";
}

static uint64_t
run(struct machine *m, const struct dif_obj *dp)
{
	uint64_t r[DIF_NREGS] = { 0 };
	int64_t cca = 1, ccb = 0;

	m->depth = 0;
	for (uint32_t pc = 0;; pc++) {
		uint32_t ins = dp->text[pc], idx = dif_instr_idx(ins);
		uint8_t op = dif_instr_op(ins), r1 = dif_instr_r1(ins);
		uint8_t r2 = dif_instr_r2(ins), rd = dif_instr_rd(ins);

		switch (dif_opinfo[op].fmt) {
		case DIF_FMT_RRR:
			if (op == DIF_OP_COPYS)
				memcpy((void *)(uintptr_t)r[rd],
				    (void *)(uintptr_t)r[r1], r[r2]);
			else
				r[rd] = arith(op, r[r1], r[r2]);
			break;
		case DIF_FMT_RR:
			r[rd] = op == DIF_OP_MOV ?
			    r[r1] :
			    op == DIF_OP_NOT ?
			    ~r[r1] :
			    (uint64_t)(uintptr_t)scratch(m, r[r1]);
			break;
		case DIF_FMT_CMP:
			cca = (int64_t)r[r1];
			ccb = (int64_t)r[r2];
			if (op == DIF_OP_SCMP) {
				cca = strcmp(text_at(r[r1]), text_at(r[r2]));
				ccb = 0;
			}
			break;
		case DIF_FMT_TST:
			cca = r[r1] != 0;
			ccb = 0;
			break;
		case DIF_FMT_BRANCH:
			if (taken(op, cca, ccb))
				pc = dif_instr_label(ins) - 1;
			break;
		case DIF_FMT_LOAD:
			r[rd] = run_load(op, r[r1]);
			break;
		case DIF_FMT_STORE:
			memcpy((void *)(uintptr_t)r[rd], &r[r1],
			    1U << (op - DIF_OP_STB));
			break;
		case DIF_FMT_RET:
			return r[rd];
		case DIF_FMT_SETX:
			r[rd] = dp->inttab[idx];
			break;
		case DIF_FMT_SETS:
			r[rd] = (uint64_t)(uintptr_t)(dp->strtab + idx);
			break;
		case DIF_FMT_LDV:
			if (idx < DIF_VAR_USER_MIN)
				r[rd] = builtin(idx);
			else
				r[rd] = find_place(m, idx,
				    op == DIF_OP_LDGS || op == DIF_OP_LDGAA ?
					DIFV_SCOPE_GLOBAL :
					op == DIF_OP_LDLS ? DIFV_SCOPE_LOCAL :
							    DIFV_SCOPE_THREAD,
				    op == DIF_OP_LDGAA || op == DIF_OP_LDTAA)
					    ->value;
			break;
		case DIF_FMT_STV:
			store(m, dp, idx,
			    op == DIF_OP_STGS || op == DIF_OP_STGAA ?
				DIFV_SCOPE_GLOBAL :
				op == DIF_OP_STLS ? DIFV_SCOPE_LOCAL :
						    DIFV_SCOPE_THREAD,
			    op == DIF_OP_STGAA || op == DIF_OP_STTAA, r[rd]);
			break;
		case DIF_FMT_CALL:
			r[rd] = subroutine(m, idx);
			break;
		case DIF_FMT_PUSH:
			push(m, ins, r[rd], r[r2]);
			break;
		case DIF_FMT_NONE:
			m->depth = 0;
			break;
		default:
			fail_msg("opcode %u", op);
		}
	}
}

/* Run a program's clauses in order; returns the value of its last action. */
static uint64_t
run_prog(struct machine *m, const struct dif_prog *prog)
{
	uint64_t value = 0;

	memset(m, 0, sizeof(*m));
	VEC_FOREACH(&prog->clauses, cl) {
		if (cl->pred != NULL && run(m, cl->pred) == 0)
			continue;
		VEC_FOREACH(&cl->actions, act) {
			if (act->difo != NULL)
				value = run(m, act->difo);
		}
	}
	return value;
}

static struct machine machine;

/* Declarations that the D texts below and the C code share. */
#define DECLS                                                                  \
	"struct sample { int8_t i8; uint8_t u8; int16_t i16; uint32_t u32; "   \
	"int lo : 5; unsigned mid : 11; int hi : 16; int64_t i64; "            \
	"char text[8]; struct { int x, y[3]; } in; }; "

static uint64_t
evaluate(const char *prologue, const char *expr)
{
	struct compiled c;
	uint64_t v;
	char *text = mem_printf(DECLS "int64_t r; BEGIN { %s r = (%s); "
				      "trace(r); }",
	    prologue, expr);

	compile(&c, text);
	must_compile(&c, text);
	v = run_prog(&machine, c.prog);
	free(text);
	release(&c);
	return v;
}

static void
check_value(const char *prologue, const char *expr, uint64_t want)
{
	uint64_t got = evaluate(prologue, expr);

	if (got != want)
		fail_msg("%s: %lld, want %lld", expr, (long long)got,
		    (long long)want);
}

/*
 * Check one text in D and in C, with variables and with constants in their
 * place: the constant folder and the generator must both agree with C.
 */
#define VARS "a = 7; b = -3; c = 200; l = 5000000000; u = 4000000000; z = 0; "
#define CHECK(expr) check_value(VARS, #expr, (uint64_t)(int64_t)(expr))
/* Check an expression whose C type differs from D's. */
#define CHECK_IS(expr, want) check_value(VARS, expr, (uint64_t)(want))

static void
test_integers(void **state)
{
	int a = 7, b = -3, c = 200, z = 0;
	long l = 5000000000;
	long u = 4000000000;

	(void)state;
	CHECK(a + b * c);
	CHECK((a - b) * (c - a));
	CHECK(a / b);
	CHECK(a % b);
	CHECK(-a / 2);
	CHECK(-a % 2);
	CHECK(7 / -2 + 7 % -2);
	CHECK(l / 3 % 1000);
	CHECK(u * 2 - l);
	CHECK(a << 3 | 1);
	CHECK(c >> 2);
	CHECK(b >> 1);
	CHECK(-9 >> 1);
	CHECK(((a & 5) ^ 2) | 8);
	CHECK(~a);
	CHECK(~0 & 0xff);
	CHECK(- -b);
	CHECK(+a);
	CHECK(!a);
	CHECK(!z);
	CHECK(!!a);
	CHECK(a == 7);
	CHECK(a != 7);
	CHECK(a < b);
	CHECK(a > b);
	CHECK(a <= 7);
	CHECK(a >= 8);
	CHECK(b < 0);
	CHECK(l > 2147483647);
	CHECK(a && z);
	CHECK(a && b && c);
	CHECK(z || z);
	CHECK(z || a);
	CHECK((a && z) || b);
	CHECK((a < 8) + (b < 8) + (c < 8));
	CHECK(a ? b : c);
	CHECK(z ? b : c);
	CHECK(a > 5 ? b < 0 ? 10 : 20 : 30);
	CHECK(1 ? 2 : 3);
	CHECK((char)c);
	CHECK((unsigned char)b);
	CHECK((short)(a * 10000));
	CHECK((unsigned short)-1);
	CHECK((int)l);
	CHECK((unsigned int)b);
	CHECK((unsigned int)-1);
	CHECK((char)0x1ff);
	CHECK((_Bool)c);
	CHECK((_Bool)0);
	CHECK((_Bool)(a - 7));
	CHECK((long)a << 40);
	CHECK(sizeof(int) + sizeof(long) * 10 + sizeof(char) * 100);
	CHECK(sizeof a + sizeof l);
	CHECK(sizeof(char *) + sizeof(short[5]));
	CHECK('a' + '\n');
	CHECK(010 + 0x10);
	CHECK((a + 1) * (b + 1) * (c + 1) * (a + 2) + (b + 2) * (a + 3));
	CHECK(a + (b + (c + (l + (u + 1)))));
}

/* Cases in which D's rules differ from C's. */
static void
test_d_rules(void **state)
{
	(void)state;
	CHECK_IS("a ^^ z", 1);
	CHECK_IS("a ^^ c", 0);
	CHECK_IS("z ^^ z", 0);
	CHECK_IS("1 ^^ 0", 1);
	/* precedence that gcc would have in parentheses */
	CHECK_IS("a & 5 ^ 2 | 8", 15);
	CHECK_IS("a && z || b", 1);
	CHECK_IS("(a, b, c)", 200);
	/* unsigned comparison as soon as one operand is unsigned */
	CHECK_IS("(unsigned long)b > 5", 1);
	CHECK_IS("(unsigned long)1 < b", 1);
	CHECK_IS("(uint64_t)b >> 60", 15);
	CHECK_IS("(uint64_t)b / 2", (uint64_t)-3 / 2);
	CHECK_IS("(uint64_t)-3 % 10", (uint64_t)-3 % 10);
	/* 64 bits until stored or cast */
	CHECK_IS("2147483647 + 1", 2147483648LL);
	CHECK_IS("(int)(2147483647 + 1)", INT32_MIN);
	CHECK_IS("sizeof(string)", 256);
	CHECK_IS("'abc'", 0x616263);
	CHECK_IS("NULL == 0", 1);
	CHECK_IS("pid", 42);
	CHECK_IS("arg1 + 5", 0);
	CHECK_IS("arg1 < 0", 1);
	CHECK_IS("-9223372036854775807 - 1 < 1", 1);
}

static void
test_strings(void **state)
{
	static const struct {
		const char *expr;
		uint64_t want;
	} cases[] = {
		{ "\"abc\" == \"abc\"", 1 },
		{ "\"abc\" == \"abd\"", 0 },
		{ "\"abc\" != \"abd\"", 1 },
		{ "\"abc\" < \"abd\"", 1 },
		{ "\"b\" > \"abd\"", 1 },
		{ "\"b\" <= \"b\"", 1 },
		{ "\"b\" >= \"c\"", 0 },
		{ "s == \"str\"", 1 },
		{ "s == execname", 0 },
		{ "execname == \"exec\" && s != \"x\"", 1 },
		{ "n == NULL", 1 },
		{ "s == NULL", 0 },
		{ "NULL != s", 1 },
		{ "\"\" == NULL && NULL == \"\"", 1 },
		{ "strlen(strjoin(s, strjoin(execname, \"abc\")))", 10 },
		{ "(pid == 42 ? s : execname) == \"str\"", 1 },
		{ "(pid == 43 ? s : NULL) == NULL", 1 },
		{ "stringof(s) == s", 1 },
		{ "strlen((string)s)", 3 },
		{ "strlen(((struct sample *)arg0)->text)", 5 },
		{ "((struct sample *)arg0)->text == \"hello\"", 1 },
		{ "stringof((char *)\"xyz\") == \"xyz\"", 1 },
		{ "strlen(copyinstr(arg0 + 24)) == 5", 1 },
		{ "((char *)s)[1]", 't' },
		{ "strlen((userland char *)(arg0 + 24))", 5 },
		{ "sizeof (s)", 256 },
	};

	(void)state;
	assert_int_equal(offsetof(struct sample, text), 24);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		check_value("s = \"str\"; n = \"x\"; n = NULL; ", cases[i].expr,
		    cases[i].want);
}

static void
test_memory(void **state)
{
	static const char prologue[] = "p = (struct sample *)arg0; i = 2; "
				       "up = (userland struct sample *)arg0; ";
	static const struct {
		const char *expr;
		int64_t want;
	} cases[] = {
		{ "p->i8", -3 },
		{ "p->u8", 250 },
		{ "p->i16", -300 },
		{ "p->u32", 4000000000LL },
		{ "p->lo", -7 },
		{ "p->mid", 1029 },
		{ "p->hi", -12345 },
		{ "p->i64", -5000000000LL },
		{ "up->i64", -5000000000LL },
		{ "up->lo + up->mid", 1022 },
		{ "up->in.y[i]", 23 },
		{ "stringof(up->text) == \"hello\"", 1 },
		{ "(*p).in.x", 11 },
		{ "p->in.y[1]", 22 },
		{ "p->in.y[i]", 23 },
		{ "*(p->in.y + 1)", 22 },
		{ "*p->in.y", 21 },
		{ "p->text[4]", 'o' },
		{ "*(&p->in.x + 1)", 21 },
		{ "&p->in.y[2] - &p->in.y[0]", 2 },
		{ "(char *)(p + 1) - (char *)p == sizeof (struct sample)", 1 },
		{ "p == (struct sample *)arg0 && p != NULL", 1 },
		{ "p + 1 > p", 1 },
		{ "*(int8_t *)arg0", -3 },
		{ "*(uint64_t *)copyin(arg0 + 16, 8)", -5000000000LL },
		{ "((uint8_t *)arg0)[1]", 250 },
		{ "((struct sample *)copyin(arg0, sizeof (struct sample)))"
		  "->hi",
		    -12345 },
		{ "offsetof(struct sample, i64)", 16 },
		{ "sizeof (struct sample)", sizeof(struct sample) },
		{ "sizeof (p->in)", 16 },
		{ "sizeof p->text", 8 },
		{ "p->in.y[p->in.y[0] - 20]", 22 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		check_value(prologue, cases[i].expr, (uint64_t)cases[i].want);
}

/* Statements, and then an expression that shows their effect. */
static void
test_assignments(void **state)
{
	static const struct {
		const char *stmts, *expr;
		int64_t want;
	} cases[] = {
		{ "x = 5; x += 3; x *= 2;", "x", 16 },
		{ "x = 100; x -= 1; x /= 2; x %= 10;", "x", 9 },
		{ "x = 1; x <<= 6; x >>= 1; x |= 3; x &= 34; x ^= 1;", "x",
		    35 },
		{ "x++; x++; ++x; x--;", "x", 2 },
		{ "x = 5; y = x++ * 10 + x;", "y", 56 },
		{ "x = 5; y = --x * 10 + x;", "y", 44 },
		{ "x = y = 7;", "x + y", 14 },
		{ "x += 2;", "x", 2 },
		{ "this->x = 3; this->x *= 4;", "this->x", 12 },
		{ "self->x = 3; self->x <<= 4;", "self->x", 48 },
		{ "x = (char)0; x = 200;", "x * 1000 + (char)x", 199944 },
		{ "x = (char)100; x += 100;", "x", 200 },
		{ "x = (uint8_t)250; x += 10;", "(uint8_t)x", 4 },
		{ "x = (uint8_t)0; x--;", "x", -1 },
		{ "x = (_Bool)0; x = 77;", "x", 1 },
		{ "x = 0; x = 5000000000;", "x", 5000000000 },
		{ "m[1] = 5; m[2] = 6; m[1] += m[2]++;", "m[1] * 10 + m[2]",
		    117 },
		{ "m[1, \"a\"] = 1; m[1, \"b\"] = 2;",
		    "m[1, \"b\"] * 10 + m[1, \"a\"] + m[2, \"a\"]", 21 },
		{ "m[n[1]++, execname]++; ", "m[0, \"exec\"]", 1 },
		{ "self->m[\"k\"] = 3; self->m[\"k\"]--;", "self->m[\"k\"]",
		    2 },
		{ "m[1] = \"one\"; m[1] = strjoin(m[1], \"+\");",
		    "m[1] == \"one+\" && m[2] == NULL", 1 },
		{ "m[strjoin(\"a\", \"b\"), strlen(\"xyz\"), pid == 42, 4, 5, "
		  "6, 7, 8] = 9;",
		    "m[\"ab\", 3, 1, 4, 5, 6, 7, 8]", 9 },
		{ "m[strlen(\"1\"), strlen(\"12\"), strlen(\"123\"), "
		  "strlen(\"1234\"), strlen(\"12345\"), strlen(\"123456\"), "
		  "strlen(\"1234567\"), strlen(\"\")] = 9;",
		    "m[1, 2, 3, 4, 5, 6, 7, 0]", 9 },
		{ "s = *(struct sample *)arg0; s.i8 = 9; s.in.y[1] += 5;",
		    "s.i8 * 1000 + s.in.y[1] + ((struct sample *)arg0)->i8",
		    9024 },
		{ "s = *(struct sample *)arg0; s.mid = 5; s.lo++; s.hi = -1;",
		    "s.mid * 100 + s.lo * 10 + s.hi", 439 },
		{ "t = (struct sample *)copyin(arg0, 48); t->u32 = 17; "
		  "*(int16_t *)t = 258;",
		    "t->u32 * 1000 + t->u8 * 10 + "
		    "t->i8",
		    17012 },
		{ "p = (int *)arg0; p += 2; p++; q = p--;",
		    "(int64_t)q - (int64_t)p + (int64_t)p - arg0", 12 },
		{ "w = *(struct sample *)arg0; v = w.in;", "v.y[2]", 23 },
		{ "x = arg1;", "x == arg1 && x < 0", 1 },
		{ "m[arg1] = 1; m[-5]++;", "m[arg1]", 2 },
		{ "x = 1, y = 2;", "x + y", 3 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		check_value(
		    cases[i].stmts, cases[i].expr, (uint64_t)cases[i].want);
}

/* A struct variable that was never stored to reads as zeros. */
static void
test_programs(void **state)
{
	static const struct {
		const char *text;
		int64_t want;
	} cases[] = {
		{ "struct s { int a, b; }; struct s g; BEGIN { trace(g.b); }",
		    0 },
		{ "struct s { int a, b; }; struct s g; BEGIN { g.b = 5; "
		  "g.a = 1; trace(g.a * 10 + g.b); }",
		    15 },
		{ "struct s { int a, b; }; this struct s t; BEGIN { "
		  "this->t.b++; this->t.b++; trace(this->t.b); }",
		    2 },
		{ "int v[4]; BEGIN { v[1] = 6; v[3] = 7; "
		  "trace(v[0] + v[1] * v[3]); }",
		    42 },
		{ "enum e { A, B = 10, C }; BEGIN { x = C; trace(x + A); }",
		    11 },
		{ "inline int K = 6 * 7; inline string S = \"abc\"; "
		  "inline int LEN = strlen(S); BEGIN { trace(K + LEN); }",
		    45 },
		{ "typedef struct { int a; } s_t; s_t x; BEGIN { x.a = 3; "
		  "trace(x.a + sizeof (s_t)); }",
		    7 },
		{ "int m[string, int]; BEGIN { m[\"a\", 1] = 4; "
		  "trace(m[\"a\", 1]); }",
		    4 },
		{ "BEGIN { x = 1; } BEGIN /x == 1/ { x = 2; } "
		  "BEGIN /x == 1/ { x = 3; } BEGIN { trace(x); }",
		    2 },
		{ "BEGIN { x = 1; if (x) { x = 5; } else { x = 6; } x *= 10; "
		  "trace(x); }",
		    50 },
		{ "BEGIN { x = 0; if (x) { x = 5; } else { x = 6; } x *= 10; "
		  "trace(x); }",
		    60 },
		{ "BEGIN /pid == 1/ { if (1) x = 5; } BEGIN { x += 0; "
		  "trace(x); }",
		    0 },
		{ "BEGIN { x = 3; if (x > 1) if (x > 2) x = 10; else x = 20; "
		  "else x = 30; trace(x); }",
		    10 },
		{ "BEGIN { x = 2; if (x > 1) if (x > 2) x = 10; else x = 20; "
		  "else x = 30; trace(x); }",
		    20 },
		{ "BEGIN { x = 1; if (x > 1) if (x > 2) x = 10; else x = 20; "
		  "else x = 30; trace(x); }",
		    30 },
		{ "BEGIN { x = 1; if (x++ == 1) { if (x == 2) { x = 7; } x++; }"
		  " if (x == 8) x = 100; trace(x); }",
		    100 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct compiled c;
		int64_t got;

		compile(&c, cases[i].text);
		must_compile(&c, cases[i].text);
		got = (int64_t)run_prog(&machine, c.prog);
		if (got != cases[i].want)
			fail_msg("%s: %lld, want %lld", cases[i].text,
			    (long long)got, (long long)cases[i].want);
		release(&c);
	}
}

/* ---- DIF as text --------------------------------------------------------- */

/*
 * The instructions of a clause's objects, one object per line: mnemonics and
 * operands only.  A predicate comes first, after a '/'.
 */
static void
list_obj(const struct dif_obj *dp, struct strbuf *out)
{
	struct strbuf sb = { 0 };
	const char *sep = "";

	dif_dump(dp, &sb);
	for (char *line = strtok(sb.s, "\n"); line != NULL;
	     line = strtok(NULL, "\n")) {
		char *s = line + 16, *end;

		if (line[0] < '0' || line[0] > '9' || line[2] != ':')
			continue;
		end = strstr(s, "\t");
		if (end != NULL)
			*end = '\0';
		strbuf_adds(out, sep);
		for (; *s != '\0'; s++) {
			if (*s != ' ' || (s[1] != ' ' && s[1] != '\0'))
				strbuf_addc(out, *s);
		}
		sep = "; ";
	}
	strbuf_addc(out, '\n');
	strbuf_fini(&sb);
}

static void
list_prog(const struct dif_prog *prog, struct strbuf *out)
{
	VEC_FOREACH(&prog->clauses, cl) {
		if (cl->default_action)
			strbuf_adds(out, "default\n");
		if (cl->pred != NULL) {
			strbuf_addc(out, '/');
			list_obj(cl->pred, out);
		}
		VEC_FOREACH(&cl->actions, act) {
			if (act->kind != DT_ACT_DIFEXPR || act->in_tuple)
				strbuf_printf(out, "[%x%s%s] ", act->kind,
				    act->in_tuple ? " key" : "",
				    act->has_incr ? " incr" : "");
			if (act->arg != 0)
				strbuf_printf(out, "arg=%llx ",
				    (unsigned long long)act->arg);
			if (act->difo != NULL)
				list_obj(act->difo, out);
			else
				strbuf_addc(out, '\n');
		}
	}
}

static const struct {
	const char *text, *want;
} goldens[] = {
#include "test_codegen_golden.def"
};

static void
test_goldens(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(goldens) / sizeof(goldens[0]); i++) {
		struct strbuf out = { 0 };
		struct compiled c;

		compile(&c, goldens[i].text);
		must_compile(&c, goldens[i].text);
		strbuf_adds(&out, "");
		list_prog(c.prog, &out);
		if (strcmp(out.s, goldens[i].want) != 0)
			fail_msg("%s\n%s", goldens[i].text, out.s);
		strbuf_fini(&out);
		release(&c);
	}
}

/* ---- mistakes ------------------------------------------------------------ */

static const struct {
	const char *text, *tag;
	uint32_t line;
} mistakes[] = {
#include "test_codegen_errors.def"
};

static void
test_mistakes(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(mistakes) / sizeof(mistakes[0]); i++) {
		struct compiled c;
		const char *file;
		uint32_t line;

		compile(&c, mistakes[i].text);
		if (c.prog != NULL)
			fail_msg("accepted: %s", mistakes[i].text);
		assert_string_equal(c.ds.list.v[0].tag, mistakes[i].tag);
		line = diag_line(&c.ds, c.ds.list.v[0].span, &file);
		if (line != (mistakes[i].line ? mistakes[i].line : 1))
			fail_msg("%s: line %u", mistakes[i].text, line);
		if (c.ds.list.n != 1)
			fail_msg(
			    "%s: %zu errors", mistakes[i].text, c.ds.list.n);
		release(&c);
	}
}

/* Several mistakes give one error each; code that depends on a mistake gives
 * none. */
static void
test_recovery(void **state)
{
	struct compiled c;

	(void)state;
	compile(&c,
	    "BEGIN {\n x = nosuch;\n y = x + 1;\n z = y;\n"
	    " trace(z / 0);\n}\nEND /alsonone/ {\n trace(x);\n}\n");
	assert_null(c.prog);
	assert_int_equal(c.ds.list.n, 2);
	assert_string_equal(c.ds.list.v[0].tag, "D_IDENT_UNDEF");
	assert_string_equal(c.ds.list.v[1].tag, "D_IDENT_UNDEF");
	release(&c);
}

static void
test_hints(void **state)
{
	static const struct {
		const char *text, *hint;
	} cases[] = {
		{ "BEGIN { trace(exename); }", "did you mean execname?" },
		{ "BEGIN { exit; }", "it is a function: exit(...)" },
		{ "BEGIN { prinft(1); }", "did you mean printf()?" },
		{ "BEGIN { strlne(\"a\"); }", "did you mean strlen()?" },
		{ "BEGIN { @ = cout(); }", "did you mean count()?" },
		{ "BEGIN { counter1 = 1; trace(conuter1); }",
		    "did you mean counter1?" },
		{ "BEGIN { self->start = 1; trace(self->strat); }",
		    "did you mean self->start?" },
		{ "BEGIN { trace(args[0]); }",
		    "use arg0 to arg9, the arguments as integers" },
		{ "BEGIN { trace(*arg0); }", "cast it first: *(int *)x" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct compiled c;

		compile(&c, cases[i].text);
		assert_null(c.prog);
		assert_string_equal(c.ds.list.v[0].hint, cases[i].hint);
		release(&c);
	}
}

/* The texts of a session share names and their ids. */
static void
test_session(void **state)
{
	struct compiled c;

	(void)state;
	compile(&c, "inline int K = 5; BEGIN { x = 1; @a[pid] = count(); }");
	must_compile(&c, "first");
	compile_more(&c, "END { y = x + K; @b = sum(y); printa(@a); }");
	must_compile(&c, "second");
	assert_int_equal(c.prog->aggs.n, 2);
	assert_string_equal(c.prog->aggs.v[0].name, "a");
	assert_int_equal(c.prog->aggs.v[0].kind, DT_ACT_COUNT);
	assert_int_equal(c.prog->aggs.v[0].nkeys, 1);
	assert_int_equal(c.prog->aggs.v[1].id, 2);
	assert_int_equal(c.prog->vars.n, 2);
	assert_string_equal(c.prog->vars.v[1].name, "y");
	assert_int_equal(c.prog->vars.v[1].var.id, DIF_VAR_USER_MIN + 1);
	release(&c);
}

/* Facts on which the plan relies: kinds, order and numbers of actions. */
static void
test_actions(void **state)
{
	struct compiled c;
	const struct dif_action *a;

	(void)state;
	compile(&c,
	    "#pragma D option quiet\n#pragma D option bufsize=4m\n"
	    "BEGIN { @x[pid, execname, stack()] = quantize(arg0, 2); "
	    "printf(\"%d %s\\n\", pid, execname); printf(\"hi\"); }");
	must_compile(&c, "actions");
	a = c.prog->clauses.v[0].actions.v;
	assert_int_equal(c.prog->clauses.v[0].actions.n, 9);
	assert_true(a[0].in_tuple && a[0].difo->inttab[0] == 1);
	assert_true(a[1].in_tuple && a[1].difo->rtype.size == 4);
	assert_string_equal(a[1].type_name, "pid_t");
	assert_true(a[1].is_signed);
	assert_int_equal(a[2].difo->rtype.kind, DIF_TYPE_STRING);
	assert_true(a[3].kind == DT_ACT_STACK && a[3].difo == NULL);
	assert_int_equal(a[4].difo->rtype.size, 0);
	assert_int_equal(a[5].kind, DT_ACT_QUANTIZE);
	assert_int_equal(a[5].ntuple, 5);
	assert_true(a[5].has_incr);
	assert_int_equal(a[6].kind, DT_ACT_PRINTF);
	assert_string_equal(a[6].fmt, "%d %s\n");
	assert_int_equal(a[6].group, a[7].group);
	assert_true(a[8].group != a[7].group);
	assert_null(a[8].difo);
	assert_int_equal(c.prog->options.n, 2);
	assert_string_equal(c.prog->options.v[1].value, "4m");
	release(&c);
}

static void
test_strsize(void **state)
{
	struct compiled c;

	(void)state;
	compile(&c, "BEGIN { trace(1); }");
	cg_session_set_strsize(c.s, 1024);
	compile_more(&c, "BEGIN { trace(sizeof (string)); }");
	assert_int_equal(run_prog(&machine, c.prog), 1024);
	release(&c);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_integers),
		cmocka_unit_test(test_d_rules),
		cmocka_unit_test(test_strings),
		cmocka_unit_test(test_memory),
		cmocka_unit_test(test_assignments),
		cmocka_unit_test(test_programs),
		cmocka_unit_test(test_goldens),
		cmocka_unit_test(test_mistakes),
		cmocka_unit_test(test_recovery),
		cmocka_unit_test(test_hints),
		cmocka_unit_test(test_session),
		cmocka_unit_test(test_actions),
		cmocka_unit_test(test_strsize),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
