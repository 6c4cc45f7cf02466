/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0 */
#ifndef EXEC_PROCESS_INSIDE_FIRE_H
#define EXEC_PROCESS_INSIDE_FIRE_H

/*
 * Functions of the freestanding code that compiled clauses call by name
 * (jit_blob_func()).  A function that returns 1 has faulted, and has set the
 * machine state's fault; 0: no fault.
 */
#include "exec/process/inside/area.h"

/* Registers of a frame, by the machine's numbers. */
enum { RAX = 0, RDX = 2, RSP = 4, RSI = 6, RDI = 7, R8 = 8, R9 = 9, R10 = 10 };

RT_INLINE struct pr_seed *
seed_of(const struct pr_own *own, const struct pr_conf *c)
{
	return (struct pr_seed *)((u64)own - c->own + c->seed);
}

/* The calling thread's part; NULL: it has no room, and its firing counts as
 * lost. */
struct pr_thread *pr_thread_self(struct pr_own *own, const struct pr_conf *c);
/* The same where no probe fires: nothing is counted. */
struct pr_thread *pr_thread_of_call(
    struct pr_own *own, const struct pr_conf *c);
/* A child of vfork(), whose pid is `child`, runs as the thread; 0: none. */
void pr_thread_becomes(struct pr_thread *t, u64 child);
int pr_knows_tid(const struct pr_own *own, const struct pr_conf *c);

/* A probe fires in the calling thread.  Returns its level; NULL: no firing. */
struct rt_vm *pr_enter(struct pr_own *own, const struct pr_conf *c,
    const u64 *frame, const struct pr_probe *probe);
u64 pr_leave(struct rt_vm *vm);
u64 pr_drop(struct rt_vm *vm, u64 kind);

/* Built-in variables: exec/process/inside/pr_vars.def. */
#define PR_VAR(NAME, func) u64 func(struct rt_vm *vm);
#define PR_CALL(NAME, func) u64 func(struct rt_vm *vm, u64 index);
#include "exec/process/inside/pr_vars.def"
u64 pr_provider(struct rt_vm *vm); /* probeprov of a family's probe */
u64 pr_stack_arg(struct rt_vm *vm, u64 n);
/* Up to 8 bytes of the program's memory; 0 where it is not readable. */
u64 pr_user_word(struct rt_vm *vm, u64 addr, u64 size);

/* walk.c */
u64 pr_ustack(struct rt_vm *vm, u64 off, u64 nframes);

void pr_wake(struct pr_head *h); /* wake dtrace */
/* fork.c: send dtrace a request, and do not wait. */
void pr_tell(struct pr_own *own, const struct pr_conf *c, u32 asks);
u64 pr_record(struct rt_vm *vm, u64 size, u64 epid);
u64 pr_wake_for_half(struct rt_vm *vm); /* a new half of the buffer has begun */
u64 pr_error(struct rt_vm *vm);
u64 pr_store_bytes(struct rt_vm *vm, u64 off, u64 addr, u64 size);

u64 *pr_agg_keyed(struct rt_vm *vm, const struct pr_agg *ag);
u64 *pr_agg_scalar(struct rt_vm *vm, const struct pr_agg *ag);
u64 pr_agg_update(u64 *v, u64 kind, u64 value);

/* A firing that only counts, without keys. */
u64 pr_count(
    struct pr_own *own, const struct pr_conf *c, const struct pr_agg *ag);

/* Wait until dtrace has seen the code that the thread has loaded.  `distance`
 * is from the point to the dynamic linker's struct r_debug (<link.h>), or 0. */
u64 pr_load_barrier(struct pr_own *own, const struct pr_conf *c,
    const u64 *frame, u64 distance);

/* At a site that can make any system call: note its number before the call, and
 * return that number behind it.  PR_NO_CALL: no call was noted. */
#define PR_NO_CALL (~0ULL)
u64 pr_sys_note(
    struct pr_own *own, const struct pr_conf *c, const u64 *frame, u64 site);
u64 pr_sys_number(
    struct pr_own *own, const struct pr_conf *c, const u64 *frame, u64 site);
/* fork.c: behind calls that return twice; before calls that execute programs;
 * behind calls that map files; before and behind calls with any number. */
u64 pr_sys_cloned(
    struct pr_own *own, const struct pr_conf *c, const u64 *frame);
u64 pr_sys_executes(
    struct pr_own *own, const struct pr_conf *c, const u64 *frame);
u64 pr_sys_executes_at(
    struct pr_own *own, const struct pr_conf *c, const u64 *frame);
u64 pr_sys_mapped(
    struct pr_own *own, const struct pr_conf *c, const u64 *frame);
u64 pr_sys_before(
    struct pr_own *own, const struct pr_conf *c, const u64 *frame, u64 site);
u64 pr_sys_behind(
    struct pr_own *own, const struct pr_conf *c, const u64 *frame, u64 site);
/* filter.c: before and behind calls that may install a seccomp filter. */
u64 pr_sys_filters(
    struct pr_own *own, const struct pr_conf *c, const u64 *frame);
u64 pr_sys_filtered(
    struct pr_own *own, const struct pr_conf *c, const u64 *frame);

/* finish.c: finish the system call in which the thread was sampled; `frame` is
 * the thread's. */
u64 pr_finish(u64 *frame);

u64 pr_exit(struct rt_vm *vm);
u64 pr_signal(struct rt_vm *vm, u64 number);
u64 pr_send_signals(struct rt_vm *vm);
u64 pr_chill(struct rt_vm *vm, u64 ns);

#endif
