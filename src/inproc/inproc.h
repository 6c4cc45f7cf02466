/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef INPROC_INPROC_H
#define INPROC_INPROC_H

/*
 * Probes in a process without traps: which bytes of its code become jumps, and
 * what they jump to.  Pure: nothing here enters a process.
 *
 * A probe is on one instruction, a *point*.  Some instructions around it, its
 * *window*, are carried out elsewhere, in a trampoline:
 *
 *	window		      text (in a trampoline)
 *	p:  jmp text	--->	  [ save  body  restore ]   a point at p
 *	    (displaced)		  instruction at p
 *	s:  (displaced)		  [ save  body  restore ]   a point at s
 *				  instruction at s, ...
 *	e:  next	<---	  jmp e
 *
 * A window has one jump and any number of points.  Nothing but its own first
 * instruction may lead to it: whatever might be the target of a jump, in a
 * table, of an exception or of a return is no place inside of a window, since
 * half of a jump would be executed there.  Displaced instructions do as they
 * would at their place (reloc.h): a call pushes the original return address.
 *
 * How it goes, for one module in one process:
 *
 *	m = inproc_module_open(fd, es, &msg)	once per file (by build id)
 *	inproc_space_init(), _busy() per mapping of the process
 *	inproc_plan(m, bias, points, n, &space, &plan)
 *	map space.areas, readable and executable; write plan.texts there
 *	stop all threads; apply plan.writes; let them go
 *
 * Not for several threads at once, except that a module may be shared.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/mem.h"

struct elf_syms;

/* ---- modules ------------------------------------------------------------ */

/* What is known of a file's code; does not depend on the process. */
struct inproc_module;

/*
 * Look at a file's code, relocations and exception tables.  They are hostile.
 * `fd` and `es` are borrowed for the call.  NULL with *msg (malloced) when no
 * probe could be placed in it safely, or work was stopped (base/bounds.h).
 * x86_init() comes first.
 */
struct inproc_module *inproc_module_open(
    int fd, const struct elf_syms *es, char **msg);
void inproc_module_close(struct inproc_module *m);
/* Is it a program of Go?  No place for points without inproc_space.stacks. */
bool inproc_is_go(const struct inproc_module *m);
bool inproc_file_is_go(const struct elf_syms *es);
/*
 * Where a function goes on once it knows that it has stack: functions of Go
 * look, and begin again when they got more.  Of others it is their beginning.
 */
uint64_t inproc_behind_check(const struct inproc_module *m, uint64_t vaddr);

/* The function that an address of code is in, by what is known without symbols;
 * false: it is not in the module's code. */
bool inproc_function_at(const struct inproc_module *m, uint64_t vaddr,
    uint64_t *func, uint64_t *size);

/* ---- room for trampolines ----------------------------------------------- */

/* Addresses [lo, hi) of the process. */
struct inproc_span {
	uint64_t lo, hi;
};

/*
 * Stacks for the bodies of threads that have none to spare, as those of Go
 * (gostack.c): `n` from `base` on, which is a multiple of 16, and of each the
 * thread that has it (32 bits; 0: none).  A point that finds none adds to
 * `nowhere`, and notes in `full` what `clock` was, + 1; one that comes while its
 * thread changes stacks, or has used all of its own, adds to `busy`.  A word at
 * `quiet` that is not 0 forbids system calls.
 */
#define INPROC_GO_WORDS 0x10 /* from %fs base on, three */
#define INPROC_STACK_SIZE (64 * 1024)
#define INPROC_STACK_LEVEL (16 * 1024) /* for one body, and what it calls */
struct inproc_stacks {
	uint64_t owners, base, clock, full, nowhere, busy, quiet;
	uint32_t n; /* 0: there are no stacks */
};

/*
 * Where trampolines are: in pages that nothing is mapped to, near the module.
 * `areas` is for the caller to map (whole pages, in no order; overlapping
 * none).  Jumps that have to share bytes with what follows them want particular
 * pages, so many areas are one page long.
 */
struct inproc_space {
	struct inproc_stacks stacks;
	VEC(struct inproc_span) busy;  /* of the process; sorted on first use */
	VEC(struct inproc_span) areas; /* ours */
	VEC(struct inproc_span) used;  /* parts of areas */
	/* Bytes that plans have displaced or written to: no later plan does. */
	VEC(struct inproc_span) windows;
	bool is_sorted;
	size_t max_areas; /* no more than these: each costs a mapping */
	uint64_t next;	  /* the rest of the area that is being filled */
	uint64_t limit;
};

void inproc_space_init(struct inproc_space *s);
void inproc_space_fini(struct inproc_space *s);
/* `to` is overwritten. */
void inproc_space_copy(struct inproc_space *to, const struct inproc_space *from);
/* Nothing more is taken from the areas that are there, only from new ones: a
 * child of fork() has its parent's memory there, which the parent goes on
 * filling. */
void inproc_space_close(struct inproc_space *s);
/* Forget what plans did to [lo, hi): it is not there any more. */
void inproc_space_forget(struct inproc_space *s, uint64_t lo, uint64_t hi);
/* Something is mapped there, or should never be. */
void inproc_space_busy(struct inproc_space *s, uint64_t lo, uint64_t hi);
/* Each mapping is taken for `pad` bytes larger at both ends, since it may grow.
 * After the last inproc_space_busy(). */
void inproc_space_pad(struct inproc_space *s, uint64_t pad);
/* `len` bytes that begin in [lo, hi); 0: there are none. */
uint64_t inproc_space_take(
    struct inproc_space *s, uint64_t lo, uint64_t hi, size_t len);

/* ---- points and bodies -------------------------------------------------- */

/*
 * While a body runs, %rsp is at this.  Those registers are in it that the body
 * `wants` or `changes`, by their number; when the body begins, all are still in
 * their registers too, but %rsp and perhaps %rax, if it is in one of these
 * sets. So are the flags.  Below %rsp, the stack is free.
 */
struct inproc_frame {
	uint64_t regs[16];
	uint64_t flags;	 /* the trampoline's */
	uint64_t ip;	 /* of the point's instruction, if the body wants it */
	uint64_t rflags; /* all of them, likewise */
	uint64_t pad;	 /* keeps %rsp's alignment */
};
/* Their bits in inproc_body.wants */
#define INPROC_IP 16
#define INPROC_RFLAGS 17
#define INPROC_ALL ((1U << (INPROC_RFLAGS + 1)) - 1)

/*
 * What happens at a point.  `emit` appends code that goes to `at`, falls
 * through at its end, keeps the stack balanced, and has the same length
 * wherever it is. The direction flag is clear.
 */
struct inproc_body;
typedef void inproc_emit_f(
    const struct inproc_body *b, uint64_t at, struct strbuf *code);
struct inproc_body {
	inproc_emit_f *emit;
	const void *arg;
	uint32_t wants;	  /* general registers, a bit each; INPROC_* */
	uint16_t changes; /* general registers */
	bool keeps_flags;
	uint32_t id;   /* for inproc_emit_call */
	uint64_t addr; /* for inproc_emit_call */
	uint64_t room; /* code that knows how much stack there is; 0: enough */
};

/*
 * A point writes to the program's stack.  Where that leads to another page than
 * the stack pointer's, `room` is called: the zero flag says whether there are
 * INPROC_ROOM bytes below its return address, and nothing but flags is changed.
 * It uses INPROC_ASKING bytes in all.  Without room nothing happens at the
 * point.
 */
#define INPROC_ASKING 40
#define INPROC_ROOM 256

/* `emit`: %eax = id, then call addr, wherever it is.  %rax must be in
 * `changes`. */
inproc_emit_f inproc_emit_call;
/* `emit`: %eax = 1, and nothing else; keeps_flags, and no `changes`. */
inproc_emit_f inproc_emit_yes;

struct inproc_point {
	uint64_t vaddr;	     /* of an instruction, in the file */
	uint64_t func, size; /* the function that it belongs to: vaddr, bytes */
	struct inproc_body body;
	/* The instruction is not moved if there is another way: threads sleep
	 * there, and unwinders want to know where that is. */
	bool stays;
};

/* ---- system calls ------------------------------------------------------- */

/* A SYSCALL instruction of a module. */
struct inproc_syscall {
	uint64_t vaddr;
	/* The only call that it makes; nothing else leads to what is behind it.
	 * -1: whatever number %rax has. */
	int32_t nr;
	bool has_next; /* an instruction that is behind it */
};
struct inproc_syscalls {
	VEC(struct inproc_syscall) v;
};
/* All of them, by address; those of rt_sigreturn(2) are left out, since
 * unwinders know signal frames by the bytes of their code. */
void inproc_find_syscalls(
    const struct inproc_module *m, struct inproc_syscalls *out);
#define INPROC_SYSCALL_LEN 2

/* ---- plans -------------------------------------------------------------- */

enum inproc_tactic {
#define TACTIC(NAME, text) INPROC_##NAME,
#include "inproc/tactics.def"
#undef TACTIC
	INPROC_NTACTICS
};
const char *inproc_tactic_text(enum inproc_tactic t);

#define INPROC_WRITE_MAX 16

/*
 * Bytes of the process's code to be replaced, by ascending address.  If `old`
 * is not what is there, someone else has changed the code: leave it alone, all
 * of the module.  Undo all writes of a plan, or none.  A jump of which less than
 * five bytes are written goes by those that follow, another window's perhaps.
 */
struct inproc_write {
	uint64_t at;
	uint32_t window; /* by number, of the plan */
	uint8_t len;
	uint8_t old[INPROC_WRITE_MAX], new[INPROC_WRITE_MAX];
};

/*
 * An instruction of a window.  While writes are applied, no thread may be at
 * `from` or have it as a return address, unless it is the window's first
 * (`is_first`): there the jump begins.  A thread that is at `from` may be moved
 * to `to`, and the other way when writes are undone.
 *
 * A thread whose system call the kernel will restart is behind that call, and is
 * set back by its length: so where a call has been displaced, it goes to behind
 * the call's copy, `again`.  If that is all (the window ends there), `to` is 0.
 */
struct inproc_move {
	uint64_t from, to, again;
	uint32_t window;
	bool is_first;
};

/* Code of trampolines: `len` bytes at `off` in plan.code go to `at`. */
struct inproc_text {
	uint64_t at;
	uint32_t off, len;
};

struct inproc_plan {
	uint64_t bias;
	VEC(struct inproc_write) writes;
	VEC(struct inproc_move) moves;
	VEC(struct inproc_text) texts;
	VEC(struct inproc_span) windows; /* as the space notes them */
	bool is_go; /* it uses words of threads (gostack.c) */
	uint32_t nwindows;
	uint32_t first_window; /* where they begin in the process: enter.h */
	uint32_t group;	       /* ... and its own number, ... */
	uint64_t epoch;	       /* ... as long as this is; 0: never applied */
	struct strbuf code;
	/* Words of 16 bits in the process, which tell it how many trace it:
	 * each is one more while the plan is applied.  For the caller to fill.
	 */
	VEC(uint64_t) counters;
	/* for each point; INPROC_REFUSED with the reason, which is static */
	VEC(struct inproc_fate {
		enum inproc_tactic tactic;
		uint32_t window; /* that serves it */
		const char *why;
	})
	fates;
};
void inproc_plan_fini(struct inproc_plan *plan);
/* To one that is all zero. */
void inproc_plan_copy(struct inproc_plan *to, const struct inproc_plan *from);

/*
 * Serve the points of a module that is loaded `bias` above its addresses.  They
 * may be in any order, and several on one instruction, whose bodies run in that
 * order.  A plan of which work was stopped lacks fates, and is not applied.
 */
void inproc_plan(struct inproc_module *m, uint64_t bias,
    const struct inproc_point *points, size_t n, struct inproc_space *space,
    struct inproc_plan *plan);
/*
 * The module is mapped anew where the plan was made for.  What was done there
 * was forgotten by inproc_space_forget(), and will be done again.
 */
void inproc_plan_again(
    const struct inproc_plan *plan, struct inproc_space *space);

#endif
