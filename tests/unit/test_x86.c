/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The places for probes in a function's code: bytes on the left, their assembly
 * in the margin, the expected place in the row.
 */
#include "x86/entry.h"
#include "base/err.h"
#include "x86/form.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "base/vec.h"
#include "unit.h"

#define BYTES(...)                                                             \
	(const uint8_t[]){ __VA_ARGS__ },                                      \
	    sizeof((const uint8_t[]){ __VA_ARGS__ })

/* clang-format off */
static const struct entry_row {
	const char *name;
	const uint8_t *bytes;
	size_t len;
	bool is_32;
	size_t limit;			/* 0: none */
	struct x86_site site;
} entries[] = {
	{ "endbr64 is passed", BYTES(
		0xf3, 0x0f, 0x1e, 0xfa,			/* endbr64 */
		0x55,					/* push %rbp */
		0xc3), false, 0, { 4, 0, true, true } },
	{ "the second push leaves the first to debuggers", BYTES(
		0x41, 0x57,				/* push %r15 */
		0x41, 0x56,				/* push %r14 */
		0x55,					/* push %rbp */
		0xc3), false, 0, { 2, 8, true, true } },
	{ "one push", BYTES(
		0x53,					/* push %rbx */
		0x48, 0x89, 0xfb,			/* mov %rdi,%rbx */
		0x5b, 0xc3), false, 0, { 0, 0, true, true } },
	{ "a nop of five bytes, as for patching", BYTES(
		0x0f, 0x1f, 0x44, 0x00, 0x00,		/* nopl 0(%rax,%rax) */
		0x48, 0x8d, 0x47, 0x01,			/* lea 1(%rdi),%rax */
		0xc3), false, 0, { 0, 0, false, true } },
	{ "nor does a nop of five bytes use what it names", BYTES(
		0x0f, 0x1f, 0x44, 0x00, 0x00,		/* nopl 0(%rax,%rax) */
		0x55, 0xc3), false, 0, { 5, 0, true, true } },
	{ "a call comes back to itself", BYTES(
		0x48, 0x83, 0xec, 0x18,			/* sub $0x18,%rsp */
		0xe8, 0xfb, 0xff, 0xff, 0xff,		/* call 4 */
		0xc3), false, 0, { 0, 0, false, true } },
	{ "a call of another function", BYTES(
		0x48, 0x83, 0xec, 0x18,			/* sub $0x18,%rsp */
		0xe8, 0, 1, 0, 0,			/* call .+256 */
		0xc3), false, 0, { 4, 24, true, true } },
	{ "a compare does not matter, arguments are intact", BYTES(
		0x48, 0x85, 0xff,			/* test %rdi,%rdi */
		0x74, 0x01,				/* je 6 */
		0xc3,
		0xc3), false, 0, { 3, 0, true, true } },
	{ "an argument is overwritten before the jump", BYTES(
		0x89, 0xf7,				/* mov %esi,%edi */
		0xe9, 0, 1, 0, 0),			/* jmp .+256 */
		false, 0, { 0, 0, false, true } },
	{ "a part of an argument is overwritten", BYTES(
		0x40, 0x88, 0xc7,			/* mov %al,%dil */
		0x55, 0xc3), false, 0, { 0, 0, false, true } },
	{ "a register of the caller is overwritten", BYTES(
		0x48, 0x89, 0xe5,			/* mov %rsp,%rbp */
		0x53, 0xc3), false, 0, { 0, 0, false, true } },
	{ "rax brings nothing into a function", BYTES(
		0x31, 0xc0,				/* xor %eax,%eax */
		0x53, 0xc3), false, 0, { 2, 0, true, true } },
	{ "a load through an argument can fault", BYTES(
		0x8b, 0x07,				/* mov (%rdi),%eax */
		0x55, 0xc3), false, 0, { 0, 0, false, true } },
	{ "a load of the program's own data cannot", BYTES(
		0x48, 0x8b, 0x05, 0, 1, 0, 0,		/* mov 256(%rip),%rax */
		0x55, 0xc3), false, 0, { 7, 0, true, true } },
	{ "nor one of the thread's", BYTES(
		0x64, 0x48, 0x8b, 0x04, 0x25, 0x28, 0, 0, 0, /* mov %fs:0x28,%rax */
		0x55, 0xc3), false, 0, { 9, 0, true, true } },
	{ "a store is seen by others", BYTES(
		0xc7, 0x05, 0, 1, 0, 0, 1, 0, 0, 0,	/* movl $1,256(%rip) */
		0x55, 0xc3), false, 0, { 0, 0, false, true } },
	{ "a loop comes back to the second push", BYTES(
		0x41, 0x57,				/* push %r15 */
		0x55,					/* push %rbp */
		0xeb, 0xfd), false, 0, { 0, 0, true, true } }, /* jmp 2 */
	{ "a loop comes back between endbr64 and the push", BYTES(
		0xf3, 0x0f, 0x1e, 0xfa,			/* endbr64 */
		0x90,					/* nop */
		0x55,					/* push %rbp */
		0x75, 0xfc,				/* jne 4 */
		0xc3), false, 0, { 0, 0, false, true } },
	{ "a loop comes back behind the place", BYTES(
		0xf3, 0x0f, 0x1e, 0xfa,			/* endbr64 */
		0x55,					/* push %rbp */
		0xff, 0xcf,				/* dec %edi */
		0x75, 0xfc,				/* jne 5 */
		0xc3), false, 0, { 4, 0, true, true } },
	{ "recursion enters at the entry", BYTES(
		0xf3, 0x0f, 0x1e, 0xfa,			/* endbr64 */
		0x55,					/* push %rbp */
		0xeb, 0xf9), false, 0, { 4, 0, true, true } }, /* jmp 0 */
	{ "a jump table may lead to the nop, but not to the push", BYTES(
		0xf3, 0x0f, 0x1e, 0xfa,			/* endbr64 */
		0x90,					/* nop */
		0x55,					/* push %rbp */
		0xff, 0x24, 0xc5, 0, 0, 0, 0),	/* jmp *0(,%rax,8) */
		false, 0, { 5, 0, true, true } },
	{ "another name begins at the push", BYTES(
		0xf3, 0x0f, 0x1e, 0xfa,			/* endbr64 */
		0x55, 0xc3), false, 4, { 0, 0, false, true } },
	{ "what cannot be decoded may hold any jump", BYTES(
		0xf3, 0x0f, 0x1e, 0xfa,			/* endbr64 */
		0x55, 0x06), false, 0, { 0, 0, false, true } }, /* no instruction */
	{ "push of 16 bits is stepped through", BYTES(
		0x66, 0x50, 0xc3),			/* push %ax */
		false, 0, { 0, 0, false, true } },
	{ "xchg is no nop", BYTES(
		0x41, 0x90, 0xc3),			/* xchg %eax,%r8d */
		false, 0, { 0, 0, false, true } },
	{ "nor is pause", BYTES(
		0xf3, 0x90, 0xc3),			/* pause */
		false, 0, { 0, 0, false, true } },
	{ "32-bit code pushes four bytes", BYTES(
		0x57,					/* push %edi */
		0x56,					/* push %esi */
		0xc3), true, 0, { 1, 4, true, true } },
	{ "in which 40 is an instruction", BYTES(
		0x40,					/* inc %eax */
		0x56,					/* push %esi */
		0xc3), true, 0, { 1, 0, true, true } },
	{ "LOCK is refused by the kernel", BYTES(
		0xf0, 0xff, 0x0f,			/* lock decl (%rdi) */
		0x55), false, 0, { 0, 0, false, false } },
	{ "no code", BYTES(0x55), false, 0, { 0, 0, true, true } },
	{ "half an instruction", BYTES(0x48), false, 0, { 0, 0, false, false } },
};
/* clang-format on */

static void
test_entry(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(entries) / sizeof(entries[0]); i++) {
		const struct entry_row *r = &entries[i];
		struct x86_code code = { r->bytes, r->len, r->is_32 };
		struct x86_site s =
		    x86_entry_site(&code, r->limit != 0 ? r->limit : r->len, 0);

		if (s.off != r->site.off || s.pushed != r->site.pushed ||
		    s.is_emulated != r->site.is_emulated ||
		    s.is_possible != r->site.is_possible)
			fail_msg("%s: off %u, pushed %u, emulated %d", r->name,
			    s.off, s.pushed, s.is_emulated);
	}
}

/* A debugger's breakpoints are not touched, though the place costs more
 * then. */
static void
test_taken(void **state)
{
	static const uint8_t bytes[] = { 0x55, /* push %rbp */
		0x53,			       /* push %rbx */
		0x85, 0xff,		       /* test %edi,%edi */
		0x89, 0xfb,		       /* mov %edi,%ebx */
		0xc3 };
	static const struct {
		uint64_t taken;
		struct x86_site site;
	} rows[] = {
		{ 0, { 1, 8, true, true } },
		{ 1 << 1, { 0, 0, true, true } },
		{ 1 << 0 | 1 << 1, { 2, 16, false, true } },
		{ 1 << 0 | 1 << 1 | 1 << 2, { 4, 16, false, true } },
		{ 0x17, { 0, 0, false, false } },
	};
	struct x86_code code = { bytes, sizeof(bytes), false };

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct x86_site s =
		    x86_entry_site(&code, sizeof(bytes), rows[i].taken);

		assert_int_equal(s.off, rows[i].site.off);
		assert_int_equal(s.pushed, rows[i].site.pushed);
		assert_int_equal(s.is_emulated, rows[i].site.is_emulated);
		assert_int_equal(s.is_possible, rows[i].site.is_possible);
	}
}

/* Offsets 1000 and up are functions, 500 and up parts of this one. */
static enum x86_outside
outside(void *arg, int64_t off)
{
	(void)arg;
	if (off >= 1000)
		return X86_OUT_FUNCTION;
	return off >= 500 ? X86_OUT_PART : X86_OUT_UNKNOWN;
}

/* clang-format off */
static const struct exit_row {
	const char *name;
	const uint8_t *bytes;
	size_t len;
	const char *exits;		/* "offset" or "offset if condition" */
} exits[] = {
	{ "every return", BYTES(
		0x74, 0x01,				/* je 3 */
		0xc3,					/* ret */
		0xf3, 0xc3,				/* rep ret */
		0xc2, 0x08, 0x00), "2 3 5" },		/* ret $8 */
	{ "c3 within another instruction is none", BYTES(
		0xb8, 0xc3, 0xc3, 0xc3, 0xc3,		/* mov $0xc3c3c3c3,%eax */
		0xc3), "5" },
	{ "a tail call", BYTES(
		0x5b,					/* pop %rbx */
		0xe9, 0xfa, 0x03, 0, 0), "1" },		/* jmp 1024 */
	{ "a jump to who knows where is one", BYTES(
		0xe9, 0x80, 0, 0, 0), "0" },
	{ "a jump back before the function is one", BYTES(
		0xeb, 0x80), "0" },
	{ "a jump to a part of the function is none", BYTES(
		0xe9, 0xfb, 0x01, 0, 0), "" },		/* jmp 512 */
	{ "a jump within", BYTES(0xeb, 0x00, 0xc3), "2" },
	{ "a conditional tail call", BYTES(
		0x0f, 0x85, 0xfa, 0x03, 0, 0,		/* jne 1024 */
		0xc3), "0 if 5, 6" },
	{ "a conditional jump to who knows where is none", BYTES(
		0x0f, 0x84, 0x80, 0, 0, 0,
		0xc3), "6" },
	{ "a call is none", BYTES(
		0xe8, 0xfb, 0x03, 0, 0, 0xc3), "5" },
	{ "a virtual function is tail-called", BYTES(
		0x48, 0x8b, 0x07,			/* mov (%rdi),%rax */
		0xff, 0x60, 0x18), "3" },		/* jmp *0x18(%rax) */
	{ "so is one through a table of addresses of the linker", BYTES(
		0xff, 0x25, 0, 1, 0, 0), "0" },		/* jmp *256(%rip) */
	{ "a switch by its table", BYTES(
		0xff, 0x24, 0xc5, 0, 0, 0, 0,		/* jmp *0(,%rax,8) */
		0xc3), "7" },
	{ "a switch by relative addresses", BYTES(
		0x48, 0x63, 0x04, 0x82,			/* movslq (%rdx,%rax,4),%rax */
		0x48, 0x01, 0xd0,			/* add %rdx,%rax */
		0x3e, 0xff, 0xe0,			/* notrack jmp *%rax */
		0xc3), "10" },
	{ "a tail call through a register", BYTES(
		0x48, 0x8b, 0x47, 0x08,			/* mov 8(%rdi),%rax */
		0xff, 0xe0), "4" },			/* jmp *%rax */
	{ "a tail call of an element of a table", BYTES(
		0x48, 0x8b, 0x04, 0xc2,			/* mov (%rdx,%rax,8),%rax */
		0x5b,					/* pop %rbx */
		0xff, 0xe0), "5" },			/* jmp *%rax */
	{ "no return", BYTES(0x0f, 0x0b), "" },		/* ud2 */
};
/* clang-format on */

static char *
exits_text(const struct x86_exits *ex)
{
	struct strbuf sb = { 0 };

	VEC_FOREACH(&ex->v, e) {
		strbuf_printf(&sb, "%s%u",
		    e == ex->v.v		 ? "" :
			e[-1].cond != X86_ALWAYS ? ", " :
						   " ",
		    e->off);
		if (e->cond != X86_ALWAYS)
			strbuf_printf(&sb, " if %u", e->cond);
	}
	return strbuf_steal(&sb);
}

static void
test_exits(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(exits) / sizeof(exits[0]); i++) {
		const struct exit_row *r = &exits[i];
		struct x86_code code = { r->bytes, r->len, false };
		struct x86_exits ex = { 0 };
		char *text;

		x86_find_exits(&code, outside, NULL, &ex);
		text = exits_text(&ex);
		if (strcmp(text, r->exits) != 0)
			fail_msg("%s: '%s'", r->name, text);
		free(text);
		VEC_FREE(&ex.v);
	}
}

static void
test_boundaries(void **state)
{
	static const uint8_t bytes[] = { 0xf3, 0x0f, 0x1e, 0xfa, /* endbr64 */
		0x55,						 /* push %rbp */
		0x48, 0x89 }; /* not a whole instruction */
	struct x86_code code = { bytes, sizeof(bytes), false };

	(void)state;
	for (size_t off = 0; off < 10; off++)
		assert_int_equal(
		    x86_is_boundary(&code, off), off == 0 || off == 4);
}

static const struct effect_row {
	const char *insn, *bytes;
	unsigned len, reads, writes;
} effects[] = {
	{ "test %eax,%eax", "\x85\xc0", 2, 1U << X86_AX, 0 },
	{ "movzbl %al,%edx", "\x0f\xb6\xd0", 3, 1U << X86_AX, 1U << X86_DX },
	{ "mov 12(%rsp),%eax", "\x8b\x44\x24\x0c", 4, 1U << X86_SP,
	    1U << X86_AX },
	{ "cmpl $0,12(%rsp)", "\x83\x7c\x24\x0c\x00", 5, 1U << X86_SP, 0 },
	{ "xor %eax,%eax", "\x31\xc0", 2, 0, 1U << X86_AX },
	{ "xor %edx,%eax", "\x31\xd0", 2, 1U << X86_AX | 1U << X86_DX,
	    1U << X86_AX },
	{ "lea (%rbx,%rsi,4),%rdi", "\x48\x8d\x3c\xb3", 4,
	    1U << X86_BX | 1U << X86_SI, 1U << X86_DI },
	{ "cltq", "\x48\x98", 2, 1U << X86_AX, 1U << X86_AX },
};

static void
test_effects(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(effects) / sizeof(effects[0]); i++) {
		const struct effect_row *r = &effects[i];
		struct x86_code code = { (const uint8_t *)r->bytes, r->len,
			false };
		struct x86_effect e;

		assert_true(x86_effect(&code, 0, &e));
		if (e.reads != r->reads || e.writes != r->writes)
			fail_msg("%s reads %x and writes %x", r->insn, e.reads,
			    e.writes);
	}
}

static int
setup(void **state)
{
	struct err err = { 0 };

	(void)state;
	return x86_init(&err);
}

/* ---- two decoders ------------------------------------------------------- */

static bool
same_insn(const struct x86_insn *a, const struct x86_insn *b)
{
	return a->len == b->len && a->kind == b->kind &&
	    a->is_emulated == b->is_emulated && a->cond == b->cond &&
	    a->is_indexed == b->is_indexed &&
	    a->frees_stack == b->frees_stack &&
	    a->is_refused == b->is_refused && a->is_std == b->is_std &&
	    a->is_lea == b->is_lea && a->has_address == b->has_address &&
	    a->imm == b->imm && a->target == b->target && a->lea == b->lea;
}

/* x86_form() uses the library; x86_decode() does so only for rare
 * instructions. */
static void
check_decoders(const uint8_t *bytes)
{
	struct x86_code code = { bytes, 24, false };
	struct x86_insn insn;
	struct x86_form form;
	bool is_insn = x86_decode(&code, 0, &insn);

	if (is_insn == x86_form(&code, 0, &form) &&
	    (!is_insn || same_insn(&insn, &form.insn)))
		return;
	fail_msg("%02x %02x %02x %02x: length %u, constant %llx; the library "
		 "says %u, %llx",
	    bytes[0], bytes[1], bytes[2], bytes[3], insn.len,
	    (unsigned long long)insn.imm, form.insn.len,
	    (unsigned long long)form.insn.imm);
}

/* All opcodes of one and two bytes with all ModRM and some SIB bytes, all REX
 * prefixes, and constants of both signs. */
static void
test_decoders(void **state)
{
	static const uint8_t sibs[] = { 0x00, 0x24, 0x25, 0x65, 0xf8 };

	(void)state;
	for (unsigned i = 0; i < 256 * 256 * 2 * 17; i++) {
		unsigned rex = i % 17, two = i / 17 % 2, op = i / 34 % 256;
		uint8_t bytes[24], *p = bytes;

		memset(bytes, i % 3 == 0 ? 0x92 : 0x12, sizeof(bytes));
		if (rex < 16)
			*p++ = (uint8_t)(0x40 + rex);
		if (two)
			*p++ = 0x0f;
		*p++ = (uint8_t)op;
		*p++ = (uint8_t)(i / 34 / 256);
		*p = sibs[i % 5];
		check_decoders(bytes);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_entry),
		cmocka_unit_test(test_taken),
		cmocka_unit_test(test_exits),
		cmocka_unit_test(test_boundaries),
		cmocka_unit_test(test_effects),
		cmocka_unit_test(test_decoders),
	};

	return cmocka_run_group_tests(tests, setup, NULL);
}
