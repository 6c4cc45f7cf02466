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
 * A window has one jump and any number of points.  It is entered at its first
 * instruction only: no place inside a window may be a target of a jump, a
 * table, an exception or a return, since half of a jump would be executed
 * there.  Displaced instructions do what they did at their place (reloc.h): a
 * call pushes the original return address.
 *
 * The calls, for one module in one process:
 *
 *	m = inproc_module_open(fd, es, &msg)	once per file (by build id)
 *	inproc_space_init(), _busy() per mapping of the process
 *	inproc_plan(m, bias, points, n, &space, &plan)
 *	map space.areas, readable and executable; write plan.texts there
 *	stop all threads; apply plan.writes; let them go
 *
 * Only modules may be shared by threads; the other objects may not.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"
#include "base/vec.h"

struct elf_syms;

/* ---- modules ------------------------------------------------------------ */

/* Facts of a file's code, which do not depend on the process. */
struct inproc_module;

/*
 * Read a file's code, relocations and exception tables, which may be hostile.
 * `fd` and `es` are borrowed for the call.  Returns NULL with *err
 * if no probe can be placed in it safely, or work was stopped (base/bounds.h).
 * Call x86_init() first.
 */
CHECKED struct inproc_module *inproc_module_open(
    int fd, const struct elf_syms *es, struct err *err);
void inproc_module_close(struct inproc_module *m);
/* Is it a program of Go? Its points need inproc_space.stacks. */
bool inproc_is_go(const struct inproc_module *m);
bool inproc_file_is_go(const struct elf_syms *es);
/*
 * The place where a function of Go goes on after its check for stack space,
 * behind which it never begins again; of any other function, its beginning.
 */
uint64_t inproc_behind_check(const struct inproc_module *m, uint64_t vaddr);

/*
 * The function that holds an address, as far as it is known without symbols;
 * false: the address is not in the module's code.
 */
bool inproc_function_at(const struct inproc_module *m, uint64_t vaddr,
    uint64_t *func, uint64_t *size);

/* ---- room for trampolines ----------------------------------------------- */

/* Addresses [lo, hi) of the process. */
struct inproc_span {
	uint64_t lo, hi;
};

/*
 * Stacks for bodies in threads that have no stack to spare, as in Go
 * (gostack.c).  There are `n`, from `base` on, a multiple of 16; `owners` has
 * the id of the thread that owns each (32 bits; 0: none).  A point that finds
 * no stack adds to `nowhere` and sets `full` to `clock` + 1.  A point that is
 * met while its thread changes stacks, or has used all of its own, adds to
 * `busy`.  Points of silent bodies add to `unheard` instead.  A word at `quiet`
 * that is not 0 forbids system calls.
 */
#define INPROC_GO_WORDS 0x10 /* three words, from %fs base on */
#define INPROC_STACK_SIZE (64 * 1024)
#define INPROC_STACK_LEVEL (16 * 1024) /* for one body, with its callees */
struct inproc_stacks {
	uint64_t owners, base, clock, full, nowhere, busy, unheard, quiet;
	uint32_t n; /* 0: no stacks */
};

/*
 * Places for trampolines: pages near the module that nothing is mapped to.  The
 * caller maps `areas` (whole pages, unordered, not overlapping).  Jumps that
 * share bytes with the instructions behind them need particular pages, so many
 * areas are one page long.
 */
struct inproc_space {
	struct inproc_stacks stacks;
	VEC(struct inproc_span) busy;  /* mapped already; sorted on first use */
	VEC(struct inproc_span) areas; /* pages of ours */
	VEC(struct inproc_span) used;  /* used parts of areas */
	/* Bytes that plans displaced or wrote to; later plans leave them
	 * alone. */
	VEC(struct inproc_span) windows;
	bool is_sorted;
	size_t max_areas; /* limit: each costs a mapping */
	uint64_t next;	  /* the rest of the area that is filled now */
	uint64_t limit;
};

void inproc_space_init(struct inproc_space *s);
void inproc_space_fini(struct inproc_space *s);
/* `to` is overwritten. */
void inproc_space_copy(
    struct inproc_space *to, const struct inproc_space *from);
/*
 * Take room from new areas only from now on: a child of fork() shares its
 * parent's areas, which the parent goes on filling.
 */
void inproc_space_close(struct inproc_space *s);
/* Forget what plans did to [lo, hi), which was unmapped. */
void inproc_space_forget(struct inproc_space *s, uint64_t lo, uint64_t hi);
/* Something is mapped at [lo, hi), or nothing ever should be. */
void inproc_space_busy(struct inproc_space *s, uint64_t lo, uint64_t hi);
/*
 * Extend each mapping by `pad` bytes at both ends, since it may grow.  Call it
 * after the last inproc_space_busy().
 */
void inproc_space_pad(struct inproc_space *s, uint64_t pad);
/* Take `len` bytes that begin in [lo, hi); 0: there is no room. */
uint64_t inproc_space_take(
    struct inproc_space *s, uint64_t lo, uint64_t hi, size_t len);

/* ---- points and bodies -------------------------------------------------- */

/*
 * %rsp points to this while a body runs.  It holds the registers that the body
 * `wants` or `changes`, by number.  When the body begins, all registers still
 * have the program's values, except %rsp, and %rax if one of these sets has it.
 * The flags do not.  The stack below %rsp is free.
 */
struct inproc_frame {
	uint64_t regs[16];
	uint64_t flags;	 /* the trampoline's own */
	uint64_t ip;	 /* the point's instruction, if wanted */
	uint64_t rflags; /* all flags, if wanted */
	uint64_t pad;	 /* for %rsp's alignment */
};
/* bits of inproc_body.wants besides registers */
#define INPROC_IP 16
#define INPROC_RFLAGS 17
#define INPROC_ALL ((1U << (INPROC_RFLAGS + 1)) - 1)

/*
 * The code that runs at a point.  `emit` appends code to be placed at `at`.
 * The code falls through at its end, leaves the stack pointer as it was, and
 * has the same length at every address.  The direction flag is clear.
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
	bool is_silent; /* no firing is lost if the body cannot run */
	uint32_t id;	/* for inproc_emit_call */
	uint64_t addr;	/* for inproc_emit_call */
	uint64_t room;	/* code that checks the stack's size; 0: enough room */
};

/*
 * A point writes to the program's stack.  Where its frame reaches another page
 * than the stack pointer's, the trampoline calls `room`.  `room` sets the zero
 * flag to say whether there are INPROC_ROOM bytes below its return address; it
 * changes flags only, and uses INPROC_ASKING bytes in all.  Without room the
 * point does nothing.
 */
#define INPROC_ASKING 40
#define INPROC_ROOM 256

/*
 * An `emit`: %eax = id, then call addr, at any distance.  `changes` must have
 * %rax.
 */
inproc_emit_f inproc_emit_call;
/* An `emit`: %eax = 1, and nothing else; with keeps_flags, and no `changes`. */
inproc_emit_f inproc_emit_yes;

struct inproc_point {
	uint64_t vaddr;	     /* address of an instruction, in the file */
	uint64_t func, size; /* its function: vaddr, bytes */
	struct inproc_body body;
	/* Displace other instructions rather than this one if possible: threads
	 * sleep in it, and unwinders look up its address. */
	bool stays;
};

/* ---- system calls ------------------------------------------------------- */

/* A SYSCALL instruction of a module. */
struct inproc_syscall {
	uint64_t vaddr;
	/* The number of the only call that it makes; the instruction behind it
	 * is then no target. -1: %rax may have any number. */
	int32_t nr;
	bool has_next; /* an instruction follows it */
	/* It makes the calls at which the C library cancels threads.  None of
	 * these makes a process, executes a program or installs a filter. */
	bool is_cancellable;
};
struct inproc_syscalls {
	VEC(struct inproc_syscall) v;
};
/*
 * All SYSCALL instructions, by address, except those of rt_sigreturn(2):
 * unwinders recognise signal frames by the bytes of their code.
 */
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
 * Bytes of the process's code to replace, by ascending address.  If `old` is
 * not there, someone else has changed the code: then leave the whole module
 * alone.  Undo all writes of a plan, or none.  If less than five bytes of a
 * jump are written, the jump also uses the bytes behind, perhaps those of
 * another window.
 */
struct inproc_write {
	uint64_t at;
	uint32_t window; /* its number in the plan */
	uint8_t len;
	uint8_t old[INPROC_WRITE_MAX], new[INPROC_WRITE_MAX];
};

/*
 * An instruction of a window.  While writes are applied, no thread may be at
 * `from` or have it as a return address, unless it is the window's first
 * (`is_first`): there the jump begins.  A thread that is at `from` may be moved
 * to `to`, and back when writes are undone.
 *
 * A thread whose system call the kernel will restart is behind that call, and
 * the kernel sets it back by the call's length.  So where a call was displaced,
 * the thread is moved to `again`, behind the call's copy.  `to` is 0 if the
 * window ends there.
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
	VEC(struct inproc_span) windows; /* windows of the space */
	bool is_go;			 /* uses words of threads (gostack.c) */
	uint32_t nwindows;
	uint32_t first_window; /* number of its first in the process */
	uint32_t group;	       /* its group in the ledger */
	uint64_t epoch;	       /* while this is current; 0: never applied */
	struct strbuf code;
	/*
	 * Addresses of 16-bit words by which the process knows how many
	 * sessions trace it: each is incremented while the plan is applied.
	 * Filled in by the caller.
	 */
	VEC(uint64_t) counters;
	/* one for each point; INPROC_REFUSED has a static reason */
	VEC(struct inproc_fate {
		enum inproc_tactic tactic;
		uint32_t window; /* the window that serves it */
		const char *why;
	})
	fates;
};
void inproc_plan_fini(struct inproc_plan *plan);
/* `to` must be all zero. */
void inproc_plan_copy(struct inproc_plan *to, const struct inproc_plan *from);

/*
 * Serve the points of a module that is loaded `bias` above its addresses.
 * Points may be in any order; the bodies of several points on one instruction
 * run in that order.  If work was stopped, the plan lacks fates and must not be
 * applied.
 */
void inproc_plan(struct inproc_module *m, uint64_t bias,
    const struct inproc_point *points, size_t n, struct inproc_space *space,
    struct inproc_plan *plan);
/*
 * Note in the space that the plan's module is mapped again at the same place,
 * after inproc_space_forget(): the plan will be applied again.
 */
void inproc_plan_again(
    const struct inproc_plan *plan, struct inproc_space *space);

#endif
