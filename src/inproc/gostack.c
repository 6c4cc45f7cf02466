/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Points in programs of Go, whose stacks may have no room.
 *
 * A function of Go may be entered with no stack left: its caller checked for
 * exactly the bytes that the callers' frames need (cmd/link, stackcheck.go),
 * and memory below belongs to another goroutine.  So a point uses none of that
 * stack: one instruction changes to a stack of the thread's own.
 *
 *	%fs:0x10	the thread's next free stack; while a body runs, one
 *			further below, for a signal handler's points
 *	%fs:0x18	0: it has none yet; 1: it has one; 2: being changed, or
 *			all are in use
 *	%fs:0x1c	the thread's id, while it looks for a stack
 *	%fs:0x20	how many more stacks it has
 *
 * %fs points to the second of six words that the runtime reserves for
 * thread-local data; the runtime uses only the first (runtime2.go, tlsSlots;
 * settls() in sys_linux_amd64.s).  So the others are free, and zero in a new
 * thread.  This holds only without a C library, which would own %fs.
 *
 * Signal handlers have a stack of their own in every program of Go.  A
 * handler's point that meets a change (2) is counted and does nothing else.
 *
 * Each thread calls ip_go_taker()'s code once; it needs 32 bytes of the
 * program's stack.  A thread meets its first point on its system stack.  The
 * code takes the first stack that has no owner, or whose owner has ended.
 *
 * All encodings: Intel SDM, volume 2.
 */
#include "inproc/tramp.h"

#include <assert.h>
#include <errno.h>
#include <string.h>

#include "base/str.h"
#include "x86/form.h"

#define FRAME ((int32_t)sizeof(struct inproc_frame))
#define SLOT_STACK INPROC_GO_WORDS
#define SLOT_STATE (INPROC_GO_WORDS + 8)
#define SLOT_TID (INPROC_GO_WORDS + 12)
#define SLOT_LEFT (INPROC_GO_WORDS + 16)

/* arch/x86/entry/syscalls/syscall_64.tbl */
#define NR_GETPGID 121
#define NR_GETTID 186

enum { JB = 0x72, JE = 0x74, JNE = 0x75 }; /* displacement: one byte */

#define LEVELS (INPROC_STACK_SIZE / INPROC_STACK_LEVEL)
/*
 * Bytes of a level above its body: the frame, and the program's %rsp with
 * padding for the alignment.
 */
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

/* A jump with a displacement of one byte; land() sets its target. */
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

/*
 * %rax <- the clock's value + 1; %rcx <- the address where that was noted when
 * no stack was left.
 */
static void
load_full(const struct inproc_stacks *st, struct strbuf *code)
{
	put_address(code, st->clock);
	PUT(code, 0x48, 0x8b, 0x01); /* mov (%rcx),%rax */
	PUT(code, 0x48, 0xff, 0xc0); /* inc %rax */
	put_address(code, st->full);
}

/* Save two registers in the thread's words, and say so in their state. */
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
 * %rsi <- the number of the first stack whose owner does not exist (any more),
 * and which is now ours.  Returns the place of the jump taken then.
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

/* Make stack %rsi the thread's own. */
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

/* When no stack was left, no thread looks again before the clock changes. */
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

#define ENTER_LEN 16 /* length of call_taker() */
#define TEST_LEN 15  /* length of a comparison and a long jump */

/*
 * Go on only with a stack.  Returns the place of the displacement of the jump
 * that is taken otherwise.
 */
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

/*
 * The registers are saved and %rax is free: make room for signal handlers that
 * interrupt the body.
 */
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

/* ---- instructions that must stay ---------------------------------------- */

/* The stack's registers, and that of the goroutine's structure. */
#define SAFE_BASES (1 << X86_SP | 1 << X86_BP | 1 << GOROUTINE)
#define GOROUTINE 14 /* %r14 */
#define LEA 0x8d

/*
 * Why an instruction must stay, or NULL.  Where a fault becomes a panic of the
 * program, it has to happen at its own address, which the runtime looks up.
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
		return "a moved instruction may fault, which Go makes a panic";
	return NULL;
}
