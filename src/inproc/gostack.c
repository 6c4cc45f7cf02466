/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Points in programs of Go, whose stacks have no room.
 *
 * A function of Go may be entered with no stack left at all: what its caller
 * has checked for is what the callers' frames need, to the byte (cmd/link,
 * stackcheck.go), and below it is another goroutine's.  So a point uses none:
 * it changes to a stack of the thread's own with one instruction.
 *
 *	%fs:0x10	the thread's next free stack; while a body runs, one
 *			further below, for a signal handler's points
 *	%fs:0x18	0: it has none yet; 1: there it is; 2: being changed, or
 *			all are in use
 *	%fs:0x20	how many more there are
 *
 * %fs leads to the second of six words that the runtime has for thread-local
 * data, of which it uses the first (runtime2.go, tlsSlots; settls() in
 * sys_linux_amd64.s): so these are free, and zero in a new thread.  That is so
 * in programs that no C library is linked to; with one, %fs is the library's.
 *
 * Handlers of signals have a stack of their own in every program of Go.  What
 * they find in the middle of a change (2) they count and leave alone.
 *
 * Once for each thread, stack_taker() is called, which needs 32 bytes of the
 * program's stack.  A thread's first point is met on its system stack.
 *
 * All encodings: Intel SDM, volume 2.
 */
#include "inproc/tramp.h"

#include <string.h>

#include "x86/form.h"

#define FRAME ((int32_t)sizeof(struct inproc_frame))
#define SLOT_STACK INPROC_GO_WORDS
#define SLOT_STATE (INPROC_GO_WORDS + 8)
#define SLOT_LEFT (INPROC_GO_WORDS + 16)

#define LEVELS (INPROC_STACK_SIZE / INPROC_STACK_LEVEL)
/* What a level has above its body: the frame, and the program's %rsp with what
 * keeps the alignment. */
#define ABOVE (FRAME + 16)
_Static_assert(INPROC_STACK_LEVEL % 16 == 0 && LEVELS < 128, "fits");

#define PUT(code, ...)                                                         \
	strbuf_add((code), (const uint8_t[]){ __VA_ARGS__ },                   \
	    sizeof((const uint8_t[]){ __VA_ARGS__ }))

static void
put32(struct strbuf *code, int32_t v)
{
	strbuf_add(code, &v, sizeof(v));
}

static void
put64(struct strbuf *code, uint64_t v)
{
	strbuf_add(code, &v, sizeof(v));
}

/* cmpb $imm, or movb: %fs:slot */
static void
compare_slot(struct strbuf *code, uint8_t slot, uint8_t imm)
{
	PUT(code, 0x64, 0x80, 0x3c, 0x25, slot, 0, 0, 0, imm);
}

static void
set_slot(struct strbuf *code, uint8_t slot, uint8_t imm)
{
	PUT(code, 0x64, 0xc6, 0x04, 0x25, slot, 0, 0, 0, imm);
}

/* xchg %rsp,%fs:stack */
static void
exchange_stack(struct strbuf *code)
{
	PUT(code, 0x64, 0x48, 0x87, 0x24, 0x25, SLOT_STACK, 0, 0, 0);
}

/* lea by(%rsp),%rsp */
static void
move_stack(struct strbuf *code, int32_t by)
{
	PUT(code, 0x48, 0x8d, 0xa4, 0x24);
	put32(code, by);
}

static void
put_address(struct strbuf *code, uint64_t addr) /* movabs addr,%rcx */
{
	PUT(code, 0x48, 0xb9);
	put64(code, addr);
}

/* ---- a thread's first point --------------------------------------------- */

void
ip_go_taker(const struct inproc_stacks *st, struct strbuf *code)
{
	PUT(code, 0x50, 0x51); /* push %rax; push %rcx */
	compare_slot(code, SLOT_STATE, 0);
	PUT(code, 0x75, 77);	     /* jne lost */
	PUT(code, 0xb8, 1, 0, 0, 0); /* mov $1,%eax */
	put_address(code, st->next);
	PUT(code, 0xf0, 0x48, 0x0f, 0xc1, 0x01); /* lock xadd %rax,(%rcx) */
	PUT(code, 0x48, 0x3d);			 /* cmp $n,%rax */
	put32(code, (int32_t)st->n);
	PUT(code, 0x73, 49);	     /* jae lost */
	PUT(code, 0x48, 0x69, 0xc0); /* imul $size,%rax,%rax */
	put32(code, INPROC_STACK_SIZE);
	put_address(code, st->base + INPROC_STACK_SIZE);
	PUT(code, 0x48, 0x01, 0xc8); /* add %rcx,%rax */
	PUT(code, 0x64, 0x48, 0x89, 0x04, 0x25, SLOT_STACK, 0, 0, 0);
	set_slot(code, SLOT_LEFT, LEVELS);
	set_slot(code, SLOT_STATE, 1);
	PUT(code, 0xeb, 14); /* jmp over */
	put_address(code, st->lost);
	PUT(code, 0xf0, 0x48, 0xff, 0x01); /* lock incq (%rcx) */
	PUT(code, 0x59, 0x58, 0xc3);	   /* pop %rcx; pop %rax; ret */
}

/* ---- around a body ------------------------------------------------------ */

/* call *2(%rip), over the address */
static void
call_taker(struct strbuf *code, uint64_t taker)
{
	PUT(code, 0xff, 0x15, 2, 0, 0, 0, 0xeb, 8);
	put64(code, taker);
}

#define ENTER_LEN 16 /* of call_taker() */
#define TEST_LEN 15  /* of a comparison and a long jump */

/* Go on only with a stack; the place of the jump's displacement if not. */
size_t
ip_go_enter(uint64_t taker, struct strbuf *code)
{
	size_t skip;

	compare_slot(code, SLOT_STATE, 1);
	PUT(code, 0x74, ENTER_LEN + TEST_LEN); /* je go */
	call_taker(code, taker);
	compare_slot(code, SLOT_STATE, 1);
	PUT(code, 0x0f, 0x85); /* jne skip */
	skip = code->len;
	put32(code, 0);
	set_slot(code, SLOT_STATE, 2); /* go: */
	exchange_stack(code);
	/* pushq %fs:stack: the program's */
	PUT(code, 0x64, 0xff, 0x34, 0x25, SLOT_STACK, 0, 0, 0);
	move_stack(code, 8 - ABOVE);
	return skip;
}

/* Registers are saved; %rax is free.  Make room for those that interrupt. */
void
ip_go_open(struct strbuf *code)
{
	PUT(code, 0x48, 0x8d, 0x84, 0x24); /* lea -level(%rsp),%rax */
	put32(code, ABOVE - INPROC_STACK_LEVEL);
	PUT(code, 0x64, 0x48, 0x89, 0x04, 0x25, SLOT_STACK, 0, 0, 0);
	PUT(code, 0x64, 0xfe, 0x0c, 0x25, SLOT_LEFT, 0, 0, 0); /* decb */
	PUT(code, 0x74, 9);				       /* je over */
	set_slot(code, SLOT_STATE, 1);
}

void
ip_go_close(struct strbuf *code)
{
	set_slot(code, SLOT_STATE, 2);
	PUT(code, 0x64, 0xfe, 0x04, 0x25, SLOT_LEFT, 0, 0, 0); /* incb */
}

/* %rsp of the program to its place: mov above-8(%rsp),%rax; mov to the frame */
void
ip_go_save_stack(struct strbuf *code)
{
	PUT(code, 0x48, 0x8b, 0x84, 0x24);
	put32(code, ABOVE - 8);
	PUT(code, 0x48, 0x89, 0x44, 0x24, 8 * X86_SP);
}

void
ip_go_leave(size_t skip, struct strbuf *code)
{
	int32_t over;

	move_stack(code, ABOVE - 8);
	/* popq %fs:stack */
	PUT(code, 0x64, 0x8f, 0x04, 0x25, SLOT_STACK, 0, 0, 0);
	exchange_stack(code);
	set_slot(code, SLOT_STATE, 1);
	over = (int32_t)(code->len - (skip + 4));
	memcpy(code->s + skip, &over, sizeof(over));
}

/* ---- what is left alone ------------------------------------------------- */

/* The stack's, and that of the goroutine's own structure. */
#define SAFE_BASES (1 << X86_SP | 1 << X86_BP | 1 << GOROUTINE)
#define GOROUTINE 14 /* %r14 */
#define LEA 0x8d

/*
 * Where a fault becomes a panic of the program, it has to happen at its own
 * address, which the runtime looks up.
 */
const char *
ip_go_refusal(const struct ip_text *t, size_t off)
{
	const struct x86_code code = { t->bytes, t->len, false };
	struct x86_form f;

	if (!x86_form(&code, off, &f))
		return "it cannot be decoded";
	if (f.insn.kind == X86_NOP || (f.is_default_map && f.opcode == LEA))
		return NULL;
	if (f.base >= 0 && (1 << f.base & SAFE_BASES) == 0)
		return "what is moved may fault, which Go turns into a panic";
	return NULL;
}
