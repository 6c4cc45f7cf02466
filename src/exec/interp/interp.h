/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef EXEC_INTERP_INTERP_H
#define EXEC_INTERP_INTERP_H

/*
 * The reference interpreter: what a verified DIF object means.
 *
 * A machine holds what outlives a firing (globals, thread-local variables,
 * associative arrays) and the state of the firing that runs.  The other
 * substrates are held against it, so it computes nothing by their means except
 * the runtime (exec/runtime), which all of them share.
 *
 *	m = in_machine_create(&opts, objs, n, &msg);
 *	in_fire(m, &firing);
 *	in_run(m, 0, &res);		objs[0], then any others
 *	in_machine_destroy(m);
 */
#include "dif/dif.h"
#include "exec/runtime/rt_vm.h"

struct in_opts {
	uint32_t strsize;     /* 8 ... 65536 */
	uint32_t scratchsize; /* bytes of scratch memory */
	uint64_t dynvarsize;  /* bytes of all associative arrays */
	uint32_t nspec;	      /* speculations at a time */
	/*
	 * Foreign memory that programs may read; borrowed.  Loads, strings
	 * and copies see `kernel`; ULD*, copyin() and its kin see `user`.
	 */
	struct rt_ranges kernel, user;
	/* Programs see only their own memory: other loads are KPRIV. */
	bool hides_kernel;
};

/*
 * What a probe tells its programs.  A string (execname, probefunc) is the
 * address of NUL-terminated text inside of in_opts.kernel.
 */
struct in_firing {
	uint64_t vars[RT_NVARS];
	uint64_t args[RT_NARGS]; /* args[]; beyond them is 0 */
	uint64_t thread;	 /* whose self-> variables */
};

/* How an object ended.  `value` is its result, or the fault's. */
struct in_result {
	bool is_fault;
	enum dif_fault fault;
	uint32_t offset; /* fault: bytes in the DIF text */
	uint64_t value;
};

struct in_machine;

/*
 * A machine for these objects, which dif_verify() has passed; they are copied.
 * Returns NULL with *msg (malloced) when an object needs what the interpreter
 * does not have, by name, or when the options ask for too much memory.
 */
struct in_machine *in_machine_create(const struct in_opts *opts,
    const struct dif_obj *const *objs, uint32_t nobjs, char **msg);
void in_machine_destroy(struct in_machine *m);

/*
 * A probe fires: clause-local variables are 0, strtok() has no text, and its
 * first clause begins.
 */
void in_fire(struct in_machine *m, const struct in_firing *firing);

/* Another clause of the firing begins: all scratch memory is free, and `epid`
 * is its own. */
void in_clause(struct in_machine *m, uint32_t epid);

/* Run objs[i] in the firing that was begun. */
void in_run(struct in_machine *m, uint32_t i, struct in_result *res);

/*
 * What a by-reference result points to, as a record keeps it: `size` bytes, or
 * a string of up to `size` bytes, NUL-padded (address 0 is the empty string).
 * 0, or -EFAULT with `dst` zeroed.
 */
int in_read(
    const struct in_machine *m, void *dst, uint64_t addr, uint64_t size);
int in_read_str(
    const struct in_machine *m, void *dst, uint64_t addr, uint64_t size);

/* The same with what a machine state may read. */
int in_read_text(
    struct rt_mstate *ms, void *dst, uint64_t addr, uint64_t size);

/* Associative array elements that found no room. */
uint64_t in_drops(const struct in_machine *m);

/* Does the address lie in the machine's own memory, or within `slack` of it? */
bool in_is_own(const struct in_machine *m, uint64_t addr, uint64_t slack);

/* What an address is to the arrays. */
enum in_elem {
	IN_ELEM_NONE,
	IN_ELEM_SPACE, /* in their memory, but in no element's value */
	IN_ELEM_VALUE
};
enum in_elem in_elem_at(const struct in_machine *m, uint64_t addr);

/*
 * Watch every instruction before it runs: its number, the registers and the
 * tuple stack's depth.  For tests; NULL ends it.
 */
typedef void in_watch_f(void *arg, uint32_t obj, uint32_t pc,
    const uint64_t regs[DIF_NREGS], uint32_t depth);
void in_watch(struct in_machine *m, in_watch_f *f, void *arg);

#endif
