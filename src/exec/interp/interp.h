/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef EXEC_INTERP_INTERP_H
#define EXEC_INTERP_INTERP_H

/*
 * The reference interpreter: it defines the meaning of a verified DIF object.
 *
 * A machine holds the data that outlive a firing (globals, thread-local
 * variables, associative arrays) and the state of the current firing.  The
 * other substrates are compared with it, so it shares no code with them but the
 * runtime (exec/runtime).
 *
 *	m = in_machine_create(&opts, objs, n, &msg);
 *	in_fire(m, &firing);
 *	in_run(m, 0, &res);		objs[0], then any others
 *	in_machine_destroy(m);
 */
#include "base/err.h"
#include "dif/dif.h"
#include "exec/runtime/rt_vm.h"

struct in_opts {
	uint32_t strsize;     /* 8 ... 65536 */
	uint32_t scratchsize; /* bytes of scratch memory */
	uint64_t dynvarsize;  /* bytes of all associative arrays */
	uint32_t nspec;	      /* concurrent speculations */
	/*
	 * Foreign memory that programs may read; borrowed.  Loads, strings and
	 * copies use `kernel`; ULD*, copyin() and the like use `user`.
	 */
	struct rt_ranges kernel, user;
	/*
	 * Programs can read only their own memory: other loads fail with KPRIV.
	 */
	bool hides_kernel;
};

/*
 * The values that a probe gives to its programs.  A string (execname,
 * probefunc) is the address of NUL-terminated text in in_opts.kernel.
 */
struct in_firing {
	uint64_t vars[RT_NVARS];
	uint64_t args[RT_NARGS]; /* args[]; beyond them is 0 */
	uint64_t thread;	 /* owner of the self-> variables */
};

/* The end of an object.  `value` is its result, or the fault's value. */
struct in_result {
	bool is_fault;
	enum dif_fault fault;
	uint32_t offset; /* fault: bytes in the DIF text */
	uint64_t value;
};

struct in_machine;

/*
 * Create a machine for these objects, which dif_verify() has passed; they are
 * copied.  Returns NULL with *err if an object needs a feature that
 * the interpreter lacks (*err names it), or if the options ask for too much
 * memory.
 */
CHECKED struct in_machine *in_machine_create(const struct in_opts *opts,
    const struct dif_obj *const *objs, uint32_t nobjs, struct err *err);
void in_machine_destroy(struct in_machine *m);

/*
 * Begin a firing: clause-local variables are 0, strtok() has no text, and the
 * first clause begins.
 */
void in_fire(struct in_machine *m, const struct in_firing *firing);

/*
 * Begin another clause of the firing: all scratch memory is free, and `epid` is
 * the clause's.
 */
void in_clause(struct in_machine *m, uint32_t epid);

/* Run objs[i] in the current firing. */
void in_run(struct in_machine *m, uint32_t i, struct in_result *res);

/*
 * The tag of a speculation that is active, or 0: speculate(id); with `ends`,
 * commit(id) or discard(id), after which it is free.
 */
uint64_t in_speculate(
    struct in_machine *m, uint64_t id, bool ends, struct in_result *res);

/*
 * Read the data of a by-reference result as a record keeps them: `size` bytes,
 * or a string of up to `size` bytes, NUL-padded (address 0 is the empty
 * string).  Returns 0, or -EFAULT with `dst` zeroed.
 */
int in_read(
    const struct in_machine *m, void *dst, uint64_t addr, uint64_t size);
int in_read_str(
    const struct in_machine *m, void *dst, uint64_t addr, uint64_t size);

/* As in_read(), for memory that the machine state may read. */
int in_read_text(struct rt_mstate *ms, void *dst, uint64_t addr, uint64_t size);

/* The number of associative array elements for which there was no room. */
uint64_t in_drops(const struct in_machine *m);

/* Does the address lie in the machine's own memory, or within `slack` of it? */
bool in_is_own(const struct in_machine *m, uint64_t addr, uint64_t slack);

/* The relation of an address to the arrays. */
enum in_elem {
	IN_ELEM_NONE,
	IN_ELEM_SPACE, /* in the arrays' memory, but in no value */
	IN_ELEM_VALUE
};
enum in_elem in_elem_at(const struct in_machine *m, uint64_t addr);

/*
 * Call f for each instruction before it runs, with its number, the registers
 * and the tuple stack's depth.  For tests; NULL ends it.
 */
typedef void in_watch_f(void *arg, uint32_t obj, uint32_t pc,
    const uint64_t regs[DIF_NREGS], uint32_t depth);
void in_watch(struct in_machine *m, in_watch_f *f, void *arg);

#endif
