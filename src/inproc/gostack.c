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
 *	%fs:0x1c	its id, while it looks for a stack
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
 * Once for each thread, ip_go_taker()'s code is called, which needs 32 bytes of
 * the program's stack.  A thread's first point is met on its system stack.  What
 * it takes is the first stack that nobody has, or whose owner has ended.
 *
 * All encodings: Intel SDM, volume 2.
 */
#include "inproc/tramp.h"

#include <assert.h>
#include <errno.h>
#include <string.h>

#include "x86/form.h"

#define FRAME ((int32_t)sizeof(struct inproc_frame))
#define SLOT_STACK INPROC_GO_WORDS
#define SLOT_STATE (INPROC_GO_WORDS + 8)
#define SLOT_TID (INPROC_GO_WORDS + 12)
#define SLOT_LEFT (INPROC_GO_WORDS + 16)

/* arch/x86/entry/syscalls/syscall_64.tbl */
#define NR_GETPGID 121
#define NR_GETTID 186

enum { JB = 0x72, JE = 0x74, JNE = 0x75 }; /* of a byte */

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

/* A jump of two bytes, to what land() is called for. */
static size_t
jump(struct strbuf *code, uint8_t opcode)
{
	PUT(code, opcode, 0);
	return code->len;
}

static void
land(struct strbuf *code, size_t from)
{
	assert(code->len - from < 128);
	code->s[from - 1] = (char)(code->len - from);
}

static void
jump_back(struct strbuf *code, uint8_t opcode, size_t to)
{
	assert(code->len + 2 - to <= 128);
	PUT(code, opcode, (uint8_t)(to - (code->len + 2)));
}

/* %rax <- the number of the clock, + 1; %rcx <- where it is noted that there
 * was no stack left then. */
static void
load_full(const struct inproc_stacks *st, struct strbuf *code)
{
	put_address(code, st->clock);
	PUT(code, 0x48, 0x8b, 0x01); /* mov (%rcx),%rax */
	PUT(code, 0x48, 0xff, 0xc0); /* inc %rax */
	put_address(code, st->full);
}

/* Two registers are put aside in the thread's words; their state says so. */
static void
put_aside(struct strbuf *code)
{
	set_slot(code, SLOT_STATE, 2);
	/* mov %r11,%fs:stack; mov %rdi,%fs:left */
	PUT(code, 0x64, 0x4c, 0x89, 0x1c, 0x25, SLOT_STACK, 0, 0, 0);
	PUT(code, 0x64, 0x48, 0x89, 0x3c, 0x25, SLOT_LEFT, 0, 0, 0);
}

static void
put_back(struct strbuf *code)
{
	PUT(code, 0x64, 0x4c, 0x8b, 0x1c, 0x25, SLOT_STACK, 0, 0, 0);
	PUT(code, 0x64, 0x48, 0x8b, 0x3c, 0x25, SLOT_LEFT, 0, 0, 0);
}

static void
note_tid(struct strbuf *code)
{
	PUT(code, 0xb8, NR_GETTID, 0, 0, 0, 0x0f, 0x05); /* mov; syscall */
	/* mov %eax,%fs:tid */
	PUT(code, 0x64, 0x89, 0x04, 0x25, SLOT_TID, 0, 0, 0);
}

/*
 * %rsi <- the number of the first stack whose owner there is not, any more, and
 * which is ours now; the place of the jump that is taken then.
 */
static size_t
find_stack(const struct inproc_stacks *st, struct strbuf *code)
{
	size_t next, free, alive, found;

	PUT(code, 0x31, 0xf6); /* xor %esi,%esi */
	next = code->len;
	PUT(code, 0x49, 0xbb); /* movabs owners,%r11 */
	put64(code, st->owners);
	PUT(code, 0x41, 0x8b, 0x3c, 0xb3); /* mov (%r11,%rsi,4),%edi */
	PUT(code, 0x85, 0xff);		   /* test %edi,%edi */
	free = jump(code, JE);
	PUT(code, 0xb8, NR_GETPGID, 0, 0, 0, 0x0f, 0x05);
	PUT(code, 0x48, 0x83, 0xf8, (uint8_t)-ESRCH); /* cmp $,%rax */
	alive = jump(code, JNE);
	PUT(code, 0x49, 0xbb);
	put64(code, st->owners);
	land(code, free);
	PUT(code, 0x89, 0xf8); /* mov %edi,%eax */
	/* mov %fs:tid,%ecx */
	PUT(code, 0x64, 0x8b, 0x0c, 0x25, SLOT_TID, 0, 0, 0);
	/* lock cmpxchg %ecx,(%r11,%rsi,4) */
	PUT(code, 0xf0, 0x41, 0x0f, 0xb1, 0x0c, 0xb3);
	found = jump(code, JE);
	land(code, alive);
	PUT(code, 0xff, 0xc6, 0x81, 0xfe); /* inc %esi; cmp $n,%esi */
	put32(code, (int32_t)st->n);
	jump_back(code, JB, next);
	return found;
}

/* Stack %rsi is the thread's. */
static void
begin_stack(const struct inproc_stacks *st, struct strbuf *code)
{
	PUT(code, 0x48, 0x69, 0xc6); /* imul $size,%rsi,%rax */
	put32(code, INPROC_STACK_SIZE);
	put_address(code, st->base + INPROC_STACK_SIZE);
	PUT(code, 0x48, 0x01, 0xc8); /* add %rcx,%rax */
	put_back(code);
	PUT(code, 0x64, 0x48, 0x89, 0x04, 0x25, SLOT_STACK, 0, 0, 0);
	set_slot(code, SLOT_LEFT, LEVELS);
	set_slot(code, SLOT_STATE, 1);
}

static void
count_at(struct strbuf *code, uint64_t addr)
{
	put_address(code, addr);
	PUT(code, 0xf0, 0x48, 0xff, 0x01); /* lock incq (%rcx) */
}

static void
end_taker(struct strbuf *code)
{
	PUT(code, 0x5e, 0x59, 0x58, 0xc3); /* pop %rsi, %rcx, %rax; ret */
}

/* Once there was no stack left, nobody looks before the clock is renewed. */
void
ip_go_taker(const struct inproc_stacks *st, struct strbuf *code)
{
	size_t busy, quiet, look, found;

	PUT(code, 0x50, 0x51, 0x56); /* push %rax, %rcx, %rsi */
	compare_slot(code, SLOT_STATE, 0);
	busy = jump(code, JNE);
	put_address(code, st->quiet);
	PUT(code, 0x48, 0x83, 0x39, 0); /* cmpq $0,(%rcx) */
	quiet = jump(code, JNE);
	load_full(st, code);
	PUT(code, 0x48, 0x3b, 0x01); /* cmp (%rcx),%rax */
	look = jump(code, JNE);
	land(code, quiet);
	count_at(code, st->nowhere);
	end_taker(code);
	land(code, busy);
	count_at(code, st->busy);
	end_taker(code);
	land(code, look);
	put_aside(code);
	note_tid(code);
	found = find_stack(st, code);
	put_back(code);
	set_slot(code, SLOT_STATE, 0);
	load_full(st, code);
	PUT(code, 0x48, 0x89, 0x01); /* mov %rax,(%rcx) */
	count_at(code, st->nowhere);
	end_taker(code);
	land(code, found);
	begin_stack(st, code);
	end_taker(code);
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
