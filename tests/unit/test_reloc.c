/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Displaced instructions have the same effect as at their own place.  Each one
 * of a generated set (every opcode, in every addressing form, with the usual
 * prefixes) runs three times in this process, from the same state: at its
 * place, displaced near it, and displaced out of reach of its %rip-relative
 * operands.  Registers, flags, memory, signals and the place where execution
 * goes on must be the same.
 *
 *	CODE	the instruction, exits behind it and at its branch targets
 *	DATA	memory that registers and %rip-relative operands point to, and
 *		the stack
 *	STATE	state of the processor, before and after
 *
 * STATE is at an absolute address below 2 GB, so that code can save all
 * registers without changing any.
 */
#include "inproc/reloc.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/ucontext.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/err.h"
#include "base/str.h"
#include "unit.h"
#include "x86/form.h"

#define DATA 0x10000000
#define DATA_SIZE 0x2000
#define STACK (DATA + 0x1800)
#define STATE 0x10020000
#define CODE 0x10030000
#define CODE_SIZE 0x2000
#define AT (CODE + 0x1000)
#define NEAR 0x10050000
#define FAR 0x200000000000
#define RIP_TARGET (DATA + 0x840)

/* The assembly below uses these offsets. */
struct state {
	uint64_t regs[16];     /* 0, by number */
	uint64_t flags;	       /* 128 */
	uint64_t entry;	       /* 136 */
	uint64_t out[16];      /* 144 */
	uint64_t out_flags;    /* 272 */
	uint64_t host_sp;      /* 280 */
	uint64_t exit_pointer; /* 288 */
	uint64_t exit;	       /* 296: exit taken, or 128 + signal */
	uint64_t has_xsave;    /* 304 */
	uint64_t pad;
	uint8_t fx[512] __attribute__((aligned(64)));
	uint64_t xstate[8]; /* XSAVE's header: state outside of fx is initial */
	uint8_t out_fx[512] __attribute__((aligned(64)));
};
_Static_assert(offsetof(struct state, fx) == 320, "as below");
#define S ((struct state *)STATE)

enum { EXIT_NEXT = 1, EXIT_TARGET };

void reloc_test_run(void);
void reloc_test_exit(void);
void reloc_test_after_signal(void);
/* clang-format off */
__asm__(
	".set S, 0x10020000\n"
	".text\n"
	"reloc_test_run:\n"
	"	push %rbx; push %rbp; push %r12; push %r13; push %r14; push %r15\n"
	"	mov %rsp,S+280\n"
	"	cmpl $0,S+304; je 1f\n"
	"	mov $0xe7,%eax; xor %edx,%edx; xrstor64 S+320; jmp 2f\n"
	"1:	fxrstor64 S+320\n"
	"2:\n"
	"	mov S,%rax; mov S+8,%rcx; mov S+16,%rdx; mov S+24,%rbx\n"
	"	mov S+40,%rbp; mov S+48,%rsi; mov S+56,%rdi; mov S+64,%r8\n"
	"	mov S+72,%r9; mov S+80,%r10; mov S+88,%r11; mov S+96,%r12\n"
	"	mov S+104,%r13; mov S+112,%r14; mov S+120,%r15\n"
	"	pushq S+128; popfq\n"
	"	mov S+32,%rsp\n"
	"	jmp *S+136\n"
	"reloc_test_exit:\n"
	"	mov %rax,S+144; mov %rcx,S+152; mov %rdx,S+160\n"
	"	mov %rbx,S+168; mov %rsp,S+176; mov %rbp,S+184\n"
	"	mov %rsi,S+192; mov %rdi,S+200; mov %r8,S+208\n"
	"	mov %r9,S+216; mov %r10,S+224; mov %r11,S+232\n"
	"	mov %r12,S+240; mov %r13,S+248; mov %r14,S+256\n"
	"	mov %r15,S+264\n"
	"	mov S+280,%rsp\n"
	"	pushfq; popq S+272\n"
	"	fxsave64 S+896\n"
	"reloc_test_after_signal:\n"
	"	mov S+280,%rsp\n"
	"	cld; fninit\n"
	"	pop %r15; pop %r14; pop %r13; pop %r12; pop %rbp; pop %rbx\n"
	"	ret\n");
/* clang-format on */
_Static_assert(offsetof(struct state, out_fx) == 896, "as above");

static const int greg_of[16] = { REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP,
	REG_RBP, REG_RSI, REG_RDI, REG_R8, REG_R9, REG_R10, REG_R11, REG_R12,
	REG_R13, REG_R14, REG_R15 };

static void
on_signal(int sig, siginfo_t *info, void *context)
{
	ucontext_t *uc = context;
	greg_t *g = uc->uc_mcontext.gregs;

	(void)info;
	for (int i = 0; i < 16; i++)
		S->out[i] = (uint64_t)g[greg_of[i]];
	S->out_flags = (uint64_t)g[REG_EFL];
	memcpy(S->out_fx, uc->uc_mcontext.fpregs, sizeof(S->out_fx));
	S->exit = 128 + (uint64_t)sig;
	g[REG_RIP] = (greg_t)(uintptr_t)reloc_test_after_signal;
	g[REG_EFL] = 0x202;
}

static void
map_at(uint64_t at, size_t size, int prot)
{
	void *p = mmap((void *)at, size, prot,
	    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);

	if (p != (void *)at)
		_exit(3);
}

static uint8_t pattern[DATA_SIZE];

static void
set_up(void)
{
	static const int signals[] = { SIGSEGV, SIGBUS, SIGILL, SIGFPE,
		SIGTRAP };
	static uint8_t alternate[65536];
	stack_t ss = { .ss_sp = alternate, .ss_size = sizeof(alternate) };
	struct sigaction sa = { .sa_sigaction = on_signal,
		.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER };

	map_at(DATA, DATA_SIZE, PROT_READ | PROT_WRITE);
	map_at(STATE, 4096, PROT_READ | PROT_WRITE);
	map_at(CODE, CODE_SIZE, PROT_READ | PROT_WRITE | PROT_EXEC);
	map_at(NEAR, 4096, PROT_READ | PROT_WRITE | PROT_EXEC);
	map_at(FAR, 4096, PROT_READ | PROT_WRITE | PROT_EXEC);
	sigaltstack(&ss, NULL);
	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		sigaction(signals[i], &sa, NULL);
	for (size_t i = 0; i < DATA_SIZE; i++)
		pattern[i] = (uint8_t)(i * 37 + (i >> 8) * 11);
	S->exit_pointer = (uint64_t)(uintptr_t)reloc_test_exit;
	S->has_xsave = __builtin_cpu_supports("avx") != 0;
	S->xstate[0] = 3; /* x87, SSE */
	__asm__ volatile("fxsave64 %0" : "=m"(S->fx));
	for (size_t i = 160; i < 416; i++) /* %xmm0 to %xmm15 */
		S->fx[i] = (uint8_t)(i * 29);
}

/* Registers point to data; some are small, to be indices and counts. */
static void
set_registers(void)
{
	static const uint8_t small[16] = {
		[X86_CX] = 3, [X86_DX] = 5, [X86_R9] = 7, [14] = 2
	};

	for (unsigned i = 0; i < 16; i++)
		S->regs[i] = small[i] != 0 ? small[i] : DATA + 0x400 + 64 * i;
	S->regs[X86_SP] = STACK;
}

static void
set_state(uint64_t entry, unsigned flags)
{
	S->flags = flags;
	S->entry = entry;
	S->exit = 0;
	memcpy((void *)DATA, pattern, DATA_SIZE);
}

/* movb $which,S->exit; jmp *S->exit_pointer */
static void
put_exit(uint64_t at, uint8_t which)
{
	uint8_t code[] = { 0xc6, 0x04, 0x25, 0x28, 0x01, 0x02, 0x10, which,
		0xff, 0x24, 0x25, 0x20, 0x01, 0x02, 0x10 };

	_Static_assert(offsetof(struct state, exit) == 0x128, "as above");
	_Static_assert(
	    offsetof(struct state, exit_pointer) == 0x120, "as above");
	memcpy((void *)at, code, sizeof(code));
}

struct result {
	struct state s;
	uint8_t data[DATA_SIZE];
};

static void
run(uint64_t entry, unsigned flags, struct result *r)
{
	set_state(entry, flags);
	reloc_test_run();
	r->s = *S;
	memcpy(r->data, (void *)DATA, DATA_SIZE);
}

/* ---- the set ------------------------------------------------------------ */

struct tally {
	unsigned run, faults, refused, far_refused, wrong;
};

static bool
is_prefix(uint8_t b)
{
	return b == 0x66 || b == 0x67 || b == 0xf2 || b == 0xf3 || b == 0xf0 ||
	    (b & 0xf0) == 0x40 || b == 0x2e || b == 0x36 || b == 0x3e ||
	    b == 0x26 || b == 0x64 || b == 0x65;
}

/* Instructions of the map 0F that read the time or the processor's properties,
 * change state that this process needs, or enter the kernel. */
static bool
is_unfit_0f(uint8_t op, uint8_t modrm)
{
	switch (op) {
	case 0x00: /* descriptor tables, the hypervisor */
	case 0x01:
	case 0x05:
	case 0x07:
	case 0x31:
	case 0x33:
	case 0x34:
	case 0x35:
	case 0x37:
	case 0x78:
	case 0x79:
	case 0xa1: /* POP %fs */
	case 0xa2: /* CPUID */
	case 0xa9:
	case 0xaa:
	case 0xb2:
	case 0xb4:
	case 0xb5:
		return true;
	case 0xae: /* extended state, base of %fs */
		return modrm >> 6 == 3 ? modrm < 0xe8 : (modrm >> 3 & 7) > 3;
	case 0xc7: /* random numbers, processor id, XRSTORS */
		return modrm >> 6 == 3 || (modrm >> 3 & 7) > 2;
	default:
		return false;
	}
}

static bool
is_unfit_default(uint8_t op, uint8_t modrm)
{
	switch (op) {
	case 0x8e: /* segments, and all flags */
	case 0x9d:
	case 0xca:
	case 0xcb:
	case 0xcc:
	case 0xcd:
	case 0xcf:
	case 0xf1:
		return true;
	case 0xff:
		return (modrm >> 3 & 7) == 3 || (modrm >> 3 & 7) == 5;
	default:
		return false;
	}
}

static bool
is_unfit(const uint8_t *bytes)
{
	while (is_prefix(*bytes))
		bytes++;
	if (*bytes == 0x0f)
		return is_unfit_0f(bytes[1], bytes[2]);
	if (*bytes == 0xc5)
		return bytes[2] == 0xae;
	if (*bytes == 0xc4) /* tiles of AMX */
		return bytes[3] == 0x49 || bytes[3] == 0x4b || bytes[3] == 0xae;
	return is_unfit_default(*bytes, bytes[1]);
}

static bool
is_direct_branch(const struct x86_form *f)
{
	return f->insn.kind == X86_JMP || f->insn.kind == X86_JCC ||
	    f->insn.kind == X86_CALL;
}

/* Give branches and operands sensible targets: behind the next exit; in
 * DATA. */
static void
set_constants(uint8_t *bytes, const struct x86_form *f)
{
	int32_t disp = f->is_rip ? RIP_TARGET - (AT + f->insn.len) : 0x28;
	int32_t jump = 0x60;

	if (f->disp_len == 4)
		memcpy(bytes + f->disp_at, &disp, 4);
	if (f->disp_len == 1)
		bytes[f->disp_at] = 0x18;
	if (!is_direct_branch(f))
		return;
	if (f->insn.len >= 5)
		memcpy(bytes + f->insn.len - 4, &jump, 4);
	else
		bytes[f->insn.len - 1] = (uint8_t)jump;
}

static bool
is_indirect_branch(const struct x86_form *f)
{
	return f->insn.kind == X86_CALL_FAR || f->insn.kind == X86_JMP_REG ||
	    f->insn.kind == X86_JMP_MEM || f->insn.kind == X86_JMP_TABLE;
}

static bool
same_memory(const struct result *a, const struct result *b, bool is_far)
{
	/* the word that is pushed below the red zone */
	size_t gap = STACK - DATA - 128 - 8;

	if (!is_far)
		return memcmp(a->data, b->data, DATA_SIZE) == 0;
	return memcmp(a->data, b->data, gap) == 0 &&
	    memcmp(a->data + gap + 8, b->data + gap + 8, DATA_SIZE - gap - 8) ==
	    0;
}

static bool
same(const struct result *a, const struct result *b, bool is_far)
{
	if (a->s.exit != b->s.exit)
		return false;
	if (is_far && a->s.exit >= 128)
		return true; /* fault amid several instructions */
	return memcmp(a->s.out, b->s.out, sizeof(a->s.out)) == 0 &&
	    ((a->s.out_flags ^ b->s.out_flags) & (X86_STATUS | X86_DF)) == 0 &&
	    memcmp(a->s.out_fx + 24, b->s.out_fx + 24, 392) == 0 &&
	    same_memory(a, b, is_far);
}

static void
tell(const char *what, const uint8_t *bytes, unsigned len,
    const struct result *a, const struct result *b)
{
	fprintf(stderr, "# %s:", what);
	for (unsigned i = 0; i < len; i++)
		fprintf(stderr, " %02x", bytes[i]);
	fprintf(stderr, " left by %llu, displaced by %llu;",
	    (unsigned long long)a->s.exit, (unsigned long long)b->s.exit);
	for (int i = 0; i < 16; i++) {
		if (a->s.out[i] != b->s.out[i])
			fprintf(stderr, " r%d %llx %llx", i,
			    (unsigned long long)a->s.out[i],
			    (unsigned long long)b->s.out[i]);
	}
	for (size_t i = 0; i < 416; i++) {
		if (a->s.out_fx[i] != b->s.out_fx[i])
			fprintf(stderr, " fx+%zu %02x %02x", i, a->s.out_fx[i],
			    b->s.out_fx[i]);
	}
	fprintf(stderr, " flags %llx %llx\n",
	    (unsigned long long)a->s.out_flags,
	    (unsigned long long)b->s.out_flags);
}

/* Instructions that are refused, and the reasons. */
static const char *
expected_refusal(const struct x86_code *code, bool is_far)
{
	struct x86_form f;

	x86_form(code, 0, &f);
	if (f.insn.kind == X86_TRAP)
		return "it is a trap";
	if (f.has_16 && (is_direct_branch(&f) || is_indirect_branch(&f)))
		return "it is a branch with a prefix for 16 bits";
	if (f.is_relative && !f.is_rip && f.insn.kind == X86_PLAIN)
		return f.opcode == 0xc7 ? "it begins a transaction" :
					  "it is a branch of other processors";
	if (f.insn.kind == X86_NOP || !f.is_rip)
		return NULL;
	if (f.has_address_size)
		return f.insn.kind == X86_CALL_FAR ?
		    "its operand has an address of 32 bits" :
		    "its operand is relative to %eip";
	if (!is_far)
		return NULL;
	if (is_indirect_branch(&f))
		return "its operand is too far away";
	return f.uses >> X86_SP & 1 ?
	    "its operand is too far away, and it uses the stack" :
	    NULL;
}

static bool
displace(const struct x86_code *code, uint64_t to, struct tally *t)
{
	struct strbuf out = { 0 };
	const char *why = reloc_insn(code, 0, AT, to, &out);
	const char *expected = expected_refusal(code, to == FAR);

	if (why == NULL ? expected != NULL :
			  expected == NULL || strcmp(why, expected) != 0) {
		t->wrong++;
		fprintf(stderr, "# %02x %02x %02x %02x: %s, not %s\n",
		    code->bytes[0], code->bytes[1], code->bytes[2],
		    code->bytes[3], why != NULL ? why : "moved",
		    expected != NULL ? expected : "moved");
	}
	if (why == NULL) {
		reloc_jmp(&out, to + out.len, AT + code->len);
		memcpy((void *)to, out.s, out.len);
	}
	strbuf_fini(&out);
	return why == NULL;
}

static void
compare(const struct x86_code *code, unsigned flags, struct tally *t)
{
	static struct result plain, moved;

	run(AT, flags, &plain);
	t->run++;
	t->faults += plain.s.exit >= 128;
	if (!displace(code, NEAR, t)) {
		t->refused++;
		return;
	}
	run(NEAR, flags, &moved);
	if (!same(&plain, &moved, false)) {
		t->wrong++;
		tell("near", code->bytes, (unsigned)code->len, &plain, &moved);
	}
	if (!displace(code, FAR, t)) {
		t->far_refused++;
		return;
	}
	run(FAR, flags, &moved);
	if (!same(&plain, &moved, true)) {
		t->wrong++;
		tell("far", code->bytes, (unsigned)code->len, &plain, &moved);
	}
}

/* Try the instruction at the start of these bytes, if there is one. */
static void
try(const uint8_t *given, struct tally *t)
{
	struct x86_code code = { (uint8_t *)AT, 15, false };
	uint8_t bytes[16];
	struct x86_form f;

	memcpy(bytes, given, 15);
	if (!x86_form(&(struct x86_code){ bytes, 15, false }, 0, &f) ||
	    is_unfit(bytes))
		return;
	if (is_indirect_branch(&f) || f.insn.kind == X86_RET)
		return; /* try_branches() tries these */
	memset((void *)(AT - 64), 0xcc, 256);
	set_constants(bytes, &f);
	memcpy((void *)AT, bytes, f.insn.len);
	code.len = f.insn.len;
	put_exit(AT + f.insn.len, EXIT_NEXT);
	if (is_direct_branch(&f))
		put_exit(AT + f.insn.len + 0x60, EXIT_TARGET);
	compare(&code, 0x202, t);
	compare(&code, 0x202 | X86_STATUS, t);
}

/* ModRM and SIB of every addressing form. */
static const uint8_t forms[][2] = {
	{ 0x00, 0 },
	{ 0x05, 0 },
	{ 0x0d, 0 },
	{ 0x15, 0 },
	{ 0x1d, 0 },
	{ 0x25, 0 },
	{ 0x2d, 0 },
	{ 0x35, 0 },
	{ 0x3d, 0 },
	{ 0x06, 0 },
	{ 0x4f, 0 },
	{ 0x53, 0 },
	{ 0x96, 0 },
	{ 0x04, 0x24 },
	{ 0x0c, 0x08 },
	{ 0x14, 0x4e },
	{ 0x44, 0x24 },
	{ 0x4c, 0x90 },
	{ 0x84, 0x24 },
	{ 0xac, 0xd6 },
	{ 0x1c, 0x25 },
	{ 0xc0, 0 },
	{ 0xc8, 0 },
	{ 0xd1, 0 },
	{ 0xda, 0 },
	{ 0xe3, 0 },
	{ 0xec, 0 },
	{ 0xf5, 0 },
	{ 0xfe, 0 },
};
#define NFORMS (sizeof(forms) / sizeof(forms[0]))

static void
try_forms(const uint8_t *start, size_t n, struct tally *t)
{
	for (size_t i = 0; i < NFORMS; i++) {
		uint8_t bytes[16] = { 0 };

		memcpy(bytes, start, n);
		memcpy(bytes + n, forms[i], 2);
		/* a SIB byte only if ModRM says so; then displacement,
		 * constant */
		if (forms[i][1] == 0)
			memset(bytes + n + 1, 0x11, 15 - n - 1);
		else
			memset(bytes + n + 2, 0x11, 15 - n - 2);
		try(bytes, t);
	}
}

static void
try_maps(const uint8_t *prefix, size_t n, struct tally *t)
{
	static const uint8_t maps[][2] = { { 0 }, { 0x0f }, { 0x0f, 0x38 },
		{ 0x0f, 0x3a } };
	uint8_t bytes[8];

	memcpy(bytes, prefix, n);
	for (unsigned m = 0; m < 4; m++) {
		size_t at = n + (m == 0 ? 0 : m == 1 ? 1 : 2);

		memcpy(bytes + n, maps[m], 2);
		for (unsigned op = 0; op < 256; op++) {
			bytes[at] = (uint8_t)op;
			if (m != 0 || (!is_prefix(bytes[at]) && op != 0x0f))
				try_forms(bytes, at + 1, t);
		}
	}
}

static void
try_legacy(struct tally *t)
{
	static const uint8_t prefixes[][3] = { { 0 }, { 0x48 }, { 0x66 },
		{ 0x41 }, { 0x4d }, { 0xf3 }, { 0xf2, 0x48 }, { 0x66, 0x4d },
		{ 0x67 }, { 0xf0 } };

	for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++)
		try_maps(prefixes[i], strlen((const char *)prefixes[i]), t);
}

/* VEX of two and three bytes, and EVEX: with and without a base from the upper
 * registers, in each map. */
static void
try_vector(struct tally *t)
{
	static const struct {
		uint8_t bytes[4], n;
	} starts[] = {
		{ { 0xc5, 0xf9 }, 2 },
		{ { 0xc5, 0xf4 }, 2 },
		{ { 0xc4, 0xe1, 0xf9 }, 3 },
		{ { 0xc4, 0xc1, 0x75 }, 3 },
		{ { 0xc4, 0xe2, 0x79 }, 3 },
		{ { 0xc4, 0xc2, 0xf8 }, 3 },
		{ { 0xc4, 0xe3, 0x79 }, 3 },
		{ { 0xc4, 0xc3, 0xfb }, 3 },
		{ { 0x62, 0xf1, 0x7d, 0x08 }, 4 },
		{ { 0x62, 0xd1, 0xfd, 0x28 }, 4 },
		{ { 0x62, 0xd2, 0x7d, 0x48 }, 4 },
	};
	uint8_t bytes[8];

	for (size_t i = 0; i < sizeof(starts) / sizeof(starts[0]); i++) {
		memcpy(bytes, starts[i].bytes, 4);
		for (unsigned op = 0; op < 256; op++) {
			bytes[starts[i].n] = (uint8_t)op;
			try_forms(bytes, starts[i].n + 1u, t);
		}
	}
}

/* Try calls and jumps through registers and memory, and returns.  All words in
 * memory are the address of an exit; so are all registers, if `by_register`. */
static void
try_branch(const uint8_t *given, bool by_register, struct tally *t)
{
	struct x86_code code = { (uint8_t *)AT, 15, false };
	uint64_t target = AT + 0x80;
	uint8_t bytes[16];
	struct x86_form f;

	memcpy(bytes, given, 15);
	assert_true(x86_form(&(struct x86_code){ bytes, 15, false }, 0, &f));
	set_constants(bytes, &f);
	for (size_t i = 0; i < DATA_SIZE; i += 8)
		memcpy(pattern + i, &target, 8);
	set_registers();
	for (unsigned i = 0; i < 16; i++) {
		if (i != X86_SP && (by_register || S->regs[i] < DATA))
			S->regs[i] = by_register ? target : 8;
	}
	memcpy((void *)AT, bytes, f.insn.len);
	code.len = f.insn.len;
	put_exit(AT + f.insn.len, EXIT_NEXT);
	put_exit(target, EXIT_TARGET);
	compare(&code, 0x202, t);
}

static void
try_branches(struct tally *t)
{
	static const uint8_t prefixes[][3] = { { 0 }, { 0x48 }, { 0x41 },
		{ 0x49 }, { 0x3e }, { 0xf2 }, { 0x3e, 0x41 } };
	static const uint8_t rets[][4] = { { 0xc3 }, { 0xf3, 0xc3 },
		{ 0xc2, 0x10, 0 } };

	for (size_t i = 0; i < sizeof(rets) / sizeof(rets[0]); i++) {
		uint8_t bytes[16] = { 0 };

		memcpy(bytes, rets[i], 4);
		try_branch(bytes, false, t);
	}
	for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++) {
		for (size_t j = 0; j < 2 * NFORMS; j++) {
			const uint8_t *form = forms[j / 2];
			uint8_t bytes[16] = { 0 };
			size_t n = strlen((const char *)prefixes[i]);

			memcpy(bytes, prefixes[i], n);
			bytes[n] = 0xff;
			bytes[n + 1] =
			    (form[0] & 0xc7) | (j % 2 == 0 ? 2 : 4) << 3;
			bytes[n + 2] = form[1];
			if ((form[0] & 0xc7) != 0xc4)
				try_branch(bytes, form[0] >= 0xc0, t);
		}
	}
}

/* The kernel changes %rcx and %r11 in a system call. */
static void
try_syscall(struct tally *t)
{
	static const uint8_t bytes[] = { 0x0f, 0x05 };
	struct x86_code code = { (uint8_t *)AT, sizeof(bytes), false };

	memcpy((void *)AT, bytes, sizeof(bytes));
	put_exit(AT + sizeof(bytes), EXIT_NEXT);
	S->regs[X86_AX] = SYS_getppid;
	compare(&code, 0x202 | X86_STATUS, t);
	if (S->out[X86_AX] != (uint64_t)getppid() ||
	    S->out[X86_CX] != AT + sizeof(bytes))
		t->wrong++;
}

/* Run in a child, so that an instruction cannot damage the test. */
static void
in_child(void (*f)(struct tally *t), struct tally *t)
{
	int fds[2], status;
	pid_t pid;

	assert_int_equal(pipe(fds), 0);
	fflush(NULL);
	pid = fork();
	if (pid == 0) {
		struct tally mine = { 0 };

		alarm(60);
		set_up();
		set_registers();
		f(&mine);
		_exit(write(fds[1], &mine, sizeof(mine)) != sizeof(mine));
	}
	close(fds[1]);
	assert_int_equal(read(fds[0], t, sizeof(*t)), sizeof(*t));
	close(fds[0]);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	fprintf(stderr,
	    "# %u runs, %u of them with a signal; refused near %u, far %u\n",
	    t->run, t->faults, t->refused, t->far_refused);
}

static void
legacy_instructions(void **state)
{
	struct tally t;

	(void)state;
	in_child(try_legacy, &t);
	assert_int_equal(t.wrong, 0);
	assert_true(t.run > 50000 && t.faults < t.run / 2);
	assert_true(t.refused < t.run / 20 && t.far_refused < t.run / 100);
}

static void
vector_instructions(void **state)
{
	struct tally t;

	(void)state;
	in_child(try_vector, &t);
	assert_int_equal(t.wrong, 0);
	assert_true(t.refused < t.run / 200 && t.far_refused < t.run / 200);
	assert_true(t.run > 10000);
}

static void
branches(void **state)
{
	struct tally t;

	(void)state;
	in_child(try_branches, &t);
	assert_int_equal(t.wrong, 0);
	assert_int_equal(t.refused, 0);
	assert_true(t.run > 300 && t.faults < t.run / 5);
}

static void
system_call(void **state)
{
	struct tally t;

	(void)state;
	in_child(try_syscall, &t);
	assert_int_equal(t.wrong, 0);
	assert_int_equal(t.refused + t.far_refused, 0);
	assert_int_equal(t.run, 1);
}

static int
start(void **state)
{
	struct err err = { 0 };

	(void)state;
	return x86_init(&err);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(legacy_instructions),
		cmocka_unit_test(vector_instructions),
		cmocka_unit_test(branches),
		cmocka_unit_test(system_call),
	};

	return cmocka_run_group_tests_name("reloc", tests, start, NULL);
}
