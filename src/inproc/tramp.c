/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Trampolines.
 *
 * A trampoline saves and restores the integer registers and flags that a body
 * changes.  Flags are saved only where the program still needs them: most
 * instructions overwrite them, and no function takes any from its caller.  LAHF
 * and SETO save them in a tenth of PUSHFQ's time, except the direction flag.
 * That is clear (psABI, 3.2.1) except in the few functions that set it; these
 * get PUSHFQ.
 *
 * The page of the stack pointer is mapped; the one below may not be, in a
 * thread that has used up its stack.  So where the frame reaches the next page,
 * the trampoline calls inproc_body.room.  By then only the flags and that
 * call's return address have been written.  The test needs no register; the
 * program's flags are saved or dead by then.
 *
 *	mov %rax,-8(%rsp); lahf; seto %al	where flags are kept
 *	test $0xf00,%esp
 *	je ask
 *   ok:	frame, registers, body, registers
 * over:	displaced instructions, jump back
 *
 *  ask:	lea -8(%rsp),%rsp; call room; lea 8(%rsp),%rsp
 *	je ok
 *	flags
 *	jmp over
 *
 * tools/dtrace-gdb.py and dtrace-perf.py recognise this code by its bytes.  All
 * encodings: Intel SDM, volume 2.
 */
#include "inproc/tramp.h"

#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "base/vec.h"
#include "inproc/reloc.h"
#include "x86/form.h"

#define RED_ZONE 128
#define FRAME ((int32_t)sizeof(struct inproc_frame))
#define FLAGS ((int32_t)offsetof(struct inproc_frame, flags))
#define IP ((int32_t)offsetof(struct inproc_frame, ip))
#define PAD ((int32_t)offsetof(struct inproc_frame, pad))
#define RFLAGS ((int32_t)offsetof(struct inproc_frame, rflags))
_Static_assert(sizeof(struct inproc_frame) % 16 == 0, "keeps %rsp's alignment");

#define PUT(code, ...)                                                         \
	strbuf_add((code), (const uint8_t[]){ __VA_ARGS__ },                   \
	    sizeof((const uint8_t[]){ __VA_ARGS__ }))

/* ---- flags -------------------------------------------------------------- */

#define LOOK_AHEAD 16 /* instructions, forwards or backwards */

enum flag_use { GO_ON, LIVE, DEAD };

/*
 * The verdict of one instruction; `pending` are the flags that are not
 * overwritten yet.
 */
static enum flag_use
judge(const struct x86_form *f, bool is_go, uint32_t *pending)
{
	if (f->flags_read & *pending || f->is_syscall)
		return LIVE;
	*pending &= ~f->flags_killed;
	if (*pending == 0)
		return DEAD;
	switch (f->insn.kind) {
	case X86_PLAIN:
	case X86_NOP:
	case X86_PUSH:
	case X86_JMP:
		return GO_ON;
	case X86_CALL:
	case X86_CALL_FAR:
	case X86_TRAP:
		return DEAD;
	case X86_JCC: /* one of two ways */
	case X86_JMP_REG:
	case X86_JMP_MEM:
	case X86_JMP_TABLE:
		return LIVE;
	case X86_RET:
		return is_go ? DEAD : LIVE;
	}
	return LIVE;
}

/*
 * May the flags be read by what follows offset `off` of the text, before they
 * are written?
 */
static bool
flags_live(const struct ip_text *t, size_t off, bool is_entry)
{
	const struct x86_code code = { t->bytes, t->len, false };
	uint32_t pending = X86_STATUS;
	struct x86_form f;

	if (is_entry)
		return false;
	for (unsigned i = 0; i < LOOK_AHEAD && x86_form(&code, off, &f); i++) {
		enum flag_use v = judge(&f, t->is_go, &pending);

		if (v == DEAD && f.insn.kind == X86_CALL && pending != 0 &&
		    ip_keeps_flags(t, f.insn.target))
			v = GO_ON;
		if (v != GO_ON)
			return v == LIVE;
		off = f.insn.kind == X86_JMP ? f.insn.target : off + f.insn.len;
	}
	return true;
}

/*
 * Does a function begin at `off`, so that the flags and the memory below the
 * stack pointer have no meaning there?  A label is no such place if the
 * instruction before it goes on to it.
 */
static bool
begins_function(const struct ip_text *t, size_t off)
{
	const struct x86_code code = { t->bytes, t->len, false };
	struct x86_insn insn;

	for (unsigned i = 0; i < LOOK_AHEAD; i++) {
		size_t at = ip_previous(t, off);

		if (at == off || t->marks[at] & MARK_LEAVES)
			return true;
		if ((t->marks[at] & MARK_PAD) == 0)
			return x86_decode(&code, at, &insn) &&
			    (insn.kind == X86_CALL ||
				insn.kind == X86_CALL_FAR);
		off = at;
	}
	return false;
}

/* ---- around a body ------------------------------------------------------ */

/* How the flags are saved. */
enum keep { KEEP_NONE, KEEP_STATUS, KEEP_ALL };

static void
move_stack(struct strbuf *code, int32_t by) /* lea by(%rsp),%rsp */
{
	PUT(code, 0x48, 0x8d, 0xa4, 0x24);
	strbuf_add(code, &by, sizeof(by));
}

/* mov %REG,8*REG(%rsp), or back: opcodes 89 and 8b */
static void
move_register(struct strbuf *code, uint8_t opcode, unsigned reg)
{
	PUT(code, reg >= X86_R8 ? 0x4c : 0x48, opcode,
	    (uint8_t)(0x44 | (reg & 7) << 3), 0x24, (uint8_t)(8 * reg));
}

static void
move_registers(struct strbuf *code, uint8_t opcode, uint16_t set)
{
	for (unsigned reg = 0; reg < 16; reg++) {
		if (reg != X86_SP && set >> reg & 1)
			move_register(code, opcode, reg);
	}
}

/* op off(%rsp), or op %rax */
static void
put_stack_operand(struct strbuf *code, const uint8_t *op, size_t n, int32_t off)
{
	strbuf_add(code, op, n);
	strbuf_add(code, &off, sizeof(off));
}
#define PUT_AT(code, off, ...)                                                 \
	put_stack_operand((code), (const uint8_t[]){ __VA_ARGS__ },            \
	    sizeof((const uint8_t[]){ __VA_ARGS__ }), (off))

/*
 * Save the flags until there is a frame: in its last word, below the red zone
 * if there is one.  After this they are free; they are in %rax, or on the
 * stack.
 */
static void
put_flags_aside(struct strbuf *code, enum keep keep, int32_t zone)
{
	if (keep == KEEP_STATUS) {
		/* mov %rax,-8-zone(%rsp) */
		PUT_AT(code, -8 - zone, 0x48, 0x89, 0x84, 0x24);
		PUT(code, 0x9f);	     /* lahf */
		PUT(code, 0x0f, 0x90, 0xc0); /* seto %al */
	} else if (keep == KEEP_ALL) {
		if (zone != 0)
			move_stack(code, -zone);
		PUT(code, 0x9c, 0xfc); /* pushfq; cld */
	}
}

/* The distance that this moved the stack pointer. */
static int32_t
moved_aside(enum keep keep, int32_t zone)
{
	return keep == KEEP_ALL ? zone + 8 : 0;
}

/*
 * PUSHFQ may have saved a debugger's trap flag: clear it, since the debugger
 * may have detached since.
 */
static void
pop_flags(struct strbuf *code)
{
	PUT(code, 0x81, 0x24, 0x24, 0xff, 0xfe, 0xff, 0xff);
	PUT(code, 0x9d); /* andl $~0x100,(%rsp); popfq */
}

static void
take_flags_back(struct strbuf *code, enum keep keep, int32_t zone)
{
	if (keep == KEEP_STATUS) {
		PUT(code, 0x04, 0x7f, 0x9e); /* add $127,%al; sahf */
		/* mov -8-zone(%rsp),%rax */
		PUT_AT(code, -8 - zone, 0x48, 0x8b, 0x84, 0x24);
	} else if (keep == KEEP_ALL) {
		pop_flags(code);
		if (zone != 0)
			move_stack(code, zone);
	}
}

/* The frame exists now: move the flags there, and restore %rax. */
static void
save_flags(struct strbuf *code, enum keep keep)
{
	if (keep == KEEP_STATUS) {
		/* mov %ax,flags(%rsp); mov pad(%rsp),%rax */
		PUT_AT(code, FLAGS, 0x66, 0x89, 0x84, 0x24);
		PUT_AT(code, PAD, 0x48, 0x8b, 0x84, 0x24);
	} else if (keep == KEEP_ALL) {
		/* pushq pad(%rsp); popq flags(%rsp) */
		PUT_AT(code, PAD, 0xff, 0xb4, 0x24);
		PUT_AT(code, FLAGS, 0x8f, 0x84, 0x24);
	}
}

static void
restore_flags(struct strbuf *code, enum keep keep)
{
	if (keep == KEEP_STATUS) {
		PUT_AT(
		    code, FLAGS, 0x0f, 0xb7, 0x84, 0x24); /* movzwl to %eax */
		PUT(code, 0x04, 0x7f); /* add $127,%al: overflows from 1 */
		PUT(code, 0x9e);       /* sahf */
	} else if (keep == KEEP_ALL) {
		PUT_AT(code, FLAGS, 0xff, 0xb4, 0x24); /* pushq flags(%rsp) */
		pop_flags(code);
	}
}

/* The stack pointer as it was: lea size(%rsp),%rax; to its place */
static void
save_stack_pointer(struct strbuf *code, int32_t size)
{
	PUT(code, 0x48, 0x8d, 0x84, 0x24);
	strbuf_add(code, &size, sizeof(size));
	PUT(code, 0x48, 0x89, 0x44, 0x24, 8 * X86_SP);
}

/* movabs $ip,%rax; to its place */
static void
save_ip(struct strbuf *code, uint64_t ip)
{
	int32_t off = IP;

	PUT(code, 0x48, 0xb8);
	strbuf_add(code, &ip, sizeof(ip));
	PUT(code, 0x48, 0x89, 0x84, 0x24);
	strbuf_add(code, &off, sizeof(off));
}

/* pushq flags(%rsp); popq to their place */
static void
save_rflags(struct strbuf *code)
{
	PUT_AT(code, FLAGS, 0xff, 0xb4, 0x24);
	PUT_AT(code, RFLAGS, 0x8f, 0x84, 0x24);
}

static enum keep
how_to_keep(const struct ip_window *w, const struct inproc_point *p, size_t off,
    bool is_entry)
{
	if (p->body.keeps_flags)
		return KEEP_NONE;
	if (w->text->marks[off] & MARK_STD ||
	    p->body.wants >> INPROC_RFLAGS & 1)
		return KEEP_ALL;
	return flags_live(w->text, off, is_entry) ? KEEP_STATUS : KEEP_NONE;
}

/* emit_point() without any use of the program's stack. */
static void
emit_go_point(const struct ip_window *w, const struct inproc_point *p,
    uint64_t at, struct strbuf *code)
{
	uint16_t saved =
	    (uint16_t)(p->body.changes | p->body.wants | 1 << X86_AX);
	uint64_t taker = p->body.is_silent ? w->silent_taker : w->taker;
	size_t start = code->len, skip = ip_go_enter(taker, code);

	move_registers(code, 0x89, saved);
	if (p->body.wants >> X86_SP & 1)
		ip_go_save_stack(code);
	if (p->body.wants >> INPROC_IP & 1)
		save_ip(code, p->vaddr + w->bias);
	ip_go_open(code);
	p->body.emit(&p->body, at + (code->len - start), code);
	ip_go_close(code);
	move_registers(code, 0x8b, saved & (p->body.changes | 1 << X86_AX));
	ip_go_leave(skip, code);
}

/* ---- stack -------------------------------------------------------------- */

/* call *2(%rip), over the address */
static void
call_far(struct strbuf *code, uint64_t addr)
{
	PUT(code, 0xff, 0x15, 2, 0, 0, 0, 0xeb, 8);
	strbuf_add(code, &addr, sizeof(addr));
}

/*
 * Set the target of a 32-bit jump to here; `from` is the end of its
 * displacement.
 */
static void
lead_here(struct strbuf *code, size_t from)
{
	int32_t disp = (int32_t)(code->len - from);

	memcpy(code->s + from - 4, &disp, sizeof(disp));
}

_Static_assert(FRAME + 8 + INPROC_ASKING + 32 <= INPROC_ROOM,
    "room for a body that asks for more");
_Static_assert(INPROC_ROOM + RED_ZONE <= 512, "what is tested for below");

/*
 * The call of `room`, placed behind the window's code: positions in the code.
 */
struct tramp_asking {
	size_t from, ok, over; /* end of the jump to it; its two targets */
	uint64_t room;
	enum keep keep;
	int32_t zone;
};
struct askings {
	VEC(struct tramp_asking) v;
};

/* Is there room below the zone on this page? The flags are free to change. */
static struct tramp_asking
ask_for_room(struct strbuf *code, uint64_t room, enum keep keep, int32_t zone)
{
	int32_t rest = moved_aside(keep, zone) != 0 ? 0 : zone;

	/* test $-256 or -512 within a page,%esp; je */
	PUT(code, 0xf7, 0xc4, 0, rest != 0 ? 0x0e : 0x0f, 0, 0);
	PUT(code, 0x0f, 0x84, 0, 0, 0, 0);
	return (struct tramp_asking){ .from = code->len,
		.ok = code->len,
		.room = room,
		.keep = keep,
		.zone = zone };
}

/* A jump of 32 bits to a position in the code. */
static void
lead_back(struct strbuf *code, size_t to)
{
	int32_t disp = (int32_t)(to - (code->len + sizeof(disp)));

	strbuf_add(code, &disp, sizeof(disp));
}

static void
emit_asking(struct strbuf *code, const struct tramp_asking *ask)
{
	int32_t rest = moved_aside(ask->keep, ask->zone) != 0 ? 0 : ask->zone;
	int32_t down = rest + (ask->keep == KEEP_STATUS ? 8 : 0);

	lead_here(code, ask->from);
	if (down != 0)
		move_stack(code, -down);
	call_far(code, ask->room);
	if (down != 0)
		move_stack(code, down);
	PUT(code, 0x0f, 0x84); /* je ok */
	lead_back(code, ask->ok);
	take_flags_back(code, ask->keep, ask->zone);
	PUT(code, 0xe9); /* jmp over */
	lead_back(code, ask->over);
}

/* ---- points ------------------------------------------------------------- */

struct frame {
	int32_t zone; /* bytes kept below the stack pointer */
	enum keep keep;
	uint16_t saved;
};

/* There is no red zone where a function begins or ends. */
static bool
has_red_zone(
    const struct ip_window *w, const struct inproc_point *p, size_t off)
{
	const struct x86_code code = { w->text->bytes, w->text->len, false };
	struct x86_insn insn;

	if (p->vaddr == p->func && begins_function(w->text, off))
		return false;
	return !x86_decode(&code, off, &insn) || insn.kind != X86_RET;
}

static void
save_all(const struct ip_window *w, const struct inproc_point *p,
    const struct frame *f, struct strbuf *code)
{
	move_stack(code, moved_aside(f->keep, f->zone) - FRAME - f->zone);
	save_flags(code, f->keep);
	move_registers(code, 0x89, f->saved);
	if (p->body.wants >> X86_SP & 1)
		save_stack_pointer(code, FRAME + f->zone);
	if (p->body.wants >> INPROC_IP & 1)
		save_ip(code, p->vaddr + w->bias);
	if (p->body.wants >> INPROC_RFLAGS & 1)
		save_rflags(code);
}

static void
emit_point(const struct ip_window *w, const struct inproc_point *p, size_t off,
    uint64_t at, struct strbuf *code, struct askings *asks)
{
	bool is_entry = p->vaddr == p->func && begins_function(w->text, off);
	struct frame f = { .zone = has_red_zone(w, p, off) ? RED_ZONE : 0,
		.keep = how_to_keep(w, p, off, is_entry),
		.saved = (uint16_t)(p->body.changes | p->body.wants) };
	size_t start = code->len;

	if (f.keep == KEEP_STATUS || p->body.wants >> X86_SP & 1 ||
	    p->body.wants >> INPROC_IP & 1)
		f.saved |= 1 << X86_AX;
	put_flags_aside(code, f.keep, f.zone);
	if (p->body.room != 0)
		VEC_PUSH(
		    &asks->v, ask_for_room(code, p->body.room, f.keep, f.zone));
	save_all(w, p, &f, code);
	p->body.emit(&p->body, at + (code->len - start), code);
	restore_flags(code, f.keep);
	move_registers(code, 0x8b, f.saved & (p->body.changes | 1 << X86_AX));
	move_stack(code, FRAME + f.zone);
	if (p->body.room != 0)
		asks->v.v[asks->v.n - 1].over = code->len;
}

void
inproc_emit_call(const struct inproc_body *b, uint64_t at, struct strbuf *code)
{
	int32_t disp = (int32_t)(b->addr - (at + 10));

	PUT(code, 0xb8); /* mov $id,%eax */
	strbuf_add(code, &b->id, sizeof(b->id));
	if (reloc_is_near(at + 10, b->addr)) {
		PUT(code, 0xe8);
		strbuf_add(code, &disp, sizeof(disp));
		return;
	}
	PUT(code, 0xff, 0x15, 2, 0, 0, 0); /* call *2(%rip) */
	PUT(code, 0x48, 0xb8);		   /* movabs $addr,%rax: harmless */
	strbuf_add(code, &b->addr, sizeof(b->addr));
}

void
inproc_emit_yes(const struct inproc_body *b, uint64_t at, struct strbuf *code)
{
	(void)b;
	(void)at;
	PUT(code, 0xb8, 1, 0, 0, 0); /* mov $1,%eax */
}

/* ---- windows ------------------------------------------------------------ */

/* The bodies of the points on the instruction at `off`. */
static void
emit_points(const struct ip_window *w, size_t off, uint64_t at,
    struct strbuf *code, struct askings *asks)
{
	size_t start = code->len;

	for (size_t i = 0; i < w->npoints; i++) {
		if (w->points[i]->vaddr != w->text->vaddr + off)
			continue;
		if (w->taker != 0 && w->points[i]->body.changes != 0)
			emit_go_point(
			    w, w->points[i], at + (code->len - start), code);
		else
			emit_point(w, w->points[i], off,
			    at + (code->len - start), code, asks);
	}
}

static const char *
go_refusal(const struct ip_window *w, size_t off)
{
	for (size_t i = 0; i < w->npoints; i++) {
		if (w->points[i]->vaddr == w->text->vaddr + off &&
		    (w->text->marks[off] & MARK_STD ||
			flags_live(w->text, off, false)))
			return "flags are needed there, and stacks of Go have "
			       "no room for them";
	}
	return ip_go_refusal(w->text, off);
}

/*
 * Is it SYSCALL or INT 80h?  The kernel may set the instruction pointer back by
 * two, their length.
 */
static bool
is_call(const struct x86_code *text, size_t off, const struct x86_insn *insn)
{
	const uint8_t *p = text->bytes + off;

	return insn->len == 2 &&
	    ((p[0] == 0x0f && p[1] == 0x05) || (p[0] == 0xcd && p[1] == 0x80));
}

/*
 * Note that the instruction at `off` is executed at `to`; a restarted call
 * continues at `again`.
 */
static void
add_move(const struct ip_window *w, struct inproc_plan *plan, size_t off,
    uint64_t to, uint64_t again)
{
	if (plan != NULL)
		VEC_PUSH(&plan->moves,
		    (struct inproc_move){
			.from = w->text->vaddr + w->bias + off,
			.to = to,
			.again = again,
			.window = plan->nwindows,
			.is_first = off == w->start });
}

/* Emit the window's points and instructions, and the jump back. */
static const char *
emit_through(const struct ip_window *w, uint64_t at, struct strbuf *code,
    struct inproc_plan *plan, struct askings *asks)
{
	const struct x86_code text = { w->text->bytes, w->text->len, false };
	uint64_t from = w->text->vaddr + w->bias;
	size_t start = code->len, off = w->start, last = off;
	uint64_t again = 0;
	const char *why;
	struct x86_insn insn = { 0 };

	while (off < w->end) {
		if (!x86_decode(&text, off, &insn))
			return "it cannot be decoded";
		why = w->taker != 0 ? go_refusal(w, off) : NULL;
		if (why != NULL)
			return why;
		add_move(w, plan, off, at + (code->len - start), again);
		emit_points(w, off, at + (code->len - start), code, asks);
		again = is_call(&text, off, &insn) ?
		    at + (code->len - start) + insn.len :
		    0;
		why = reloc_insn(
		    &text, off, from, at + (code->len - start), code);
		if (why != NULL)
			return why;
		last = off;
		off += insn.len;
	}
	if (again != 0)
		add_move(w, plan, off, 0, again);
	/* points of an instruction that stays in place */
	emit_points(w, w->end, at + (code->len - start), code, asks);
	if ((w->text->marks[last] & MARK_LEAVES) == 0)
		reloc_jmp(code, at + (code->len - start), from + w->end);
	return NULL;
}

const char *
ip_emit_window(const struct ip_window *w, uint64_t at, struct strbuf *code,
    struct inproc_plan *plan)
{
	struct askings asks = { 0 };
	const char *why = emit_through(w, at, code, plan, &asks);

	if (why == NULL) {
		VEC_FOREACH(&asks.v, ask)
			emit_asking(code, ask);
	}
	VEC_FREE(&asks.v);
	return why;
}
