/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef EXEC_BPF_TR_H
#define EXEC_BPF_TR_H

/*
 * Translate a plan to BPF programs: the interface between the files of emit/.
 *
 * One main function serves one group of probes.  Its registers and stack:
 *
 *	r6 r7 r8	DIF registers %r1 %r2 %r3
 *	r9		machine state (map value), valid in clauses that need it
 *	r0 - r5		scratch
 *	fp - 8 ...	enum below; then used arguments, scalar `this` variables
 *			and small aggregation keys (struct bx_frame)
 */
#include "base/err.h"
#include "base/idmap.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/vec.h"
#include "exec/bpf/asm.h"
#include "exec/bpf/kern/shared.h"
#include "exec/exec.h"
#include "exec/runtime/rt.h"
#include "plan/plan.h"

/* BPF helpers (include/uapi/linux/bpf.h). */
enum {
	H_MAP_LOOKUP = BPF_FUNC_map_lookup_elem,
	H_MAP_UPDATE = BPF_FUNC_map_update_elem,
	H_MAP_DELETE = BPF_FUNC_map_delete_elem,
	H_KTIME_GET_NS = BPF_FUNC_ktime_get_ns,
	H_THIS_CPU_PTR = BPF_FUNC_this_cpu_ptr,
	H_SMP_PROCESSOR_ID = BPF_FUNC_get_smp_processor_id,
	H_CURRENT_PID_TGID = BPF_FUNC_get_current_pid_tgid,
	H_CURRENT_UID_GID = BPF_FUNC_get_current_uid_gid,
	H_CURRENT_COMM = BPF_FUNC_get_current_comm,
	H_CURRENT_TASK = BPF_FUNC_get_current_task,
	H_PERF_EVENT_READ = BPF_FUNC_perf_event_read,
	H_GET_STACK = BPF_FUNC_get_stack,
	H_SEND_SIGNAL = BPF_FUNC_send_signal,
	H_READ_USER = BPF_FUNC_probe_read_user,
	H_READ_KERNEL = BPF_FUNC_probe_read_kernel,
	H_READ_KERNEL_STR = BPF_FUNC_probe_read_kernel_str,
	H_RINGBUF_OUTPUT = BPF_FUNC_ringbuf_output,
	H_TASK_STORAGE_GET = BPF_FUNC_task_storage_get,
	H_CURRENT_TASK_BTF = BPF_FUNC_get_current_task_btf,
	H_TASK_PT_REGS = BPF_FUNC_task_pt_regs,
	H_ANCESTOR_CGROUP_ID = BPF_FUNC_get_current_ancestor_cgroup_id,
	H_TAIL_CALL = BPF_FUNC_tail_call,
	H_GET_ATTACH_COOKIE = BPF_FUNC_get_attach_cookie,
	H_GET_FUNC_ARG = BPF_FUNC_get_func_arg,
	H_GET_FUNC_RET = BPF_FUNC_get_func_ret,
	H_GET_FUNC_IP = BPF_FUNC_get_func_ip,
};

enum {
	FP_CTX = -8,	/* context pointer */
	FP_TS = -16,	/* time of this firing */
	FP_SLOT = -24,	/* number of the claimed machine state */
	FP_ENT = -32,	/* dispatch entry of the probe */
	FP_TLS = -40,	/* thread-local storage, or 0 */
	FP_MS = -48,	/* machine state, or 0 */
	FP_FAULT = -56, /* fault << 32 | DIF offset */
	FP_FVAL = -64,	/* illegal value */
	FP_EPID = -72,
	FP_CCA = -80, /* operands of the last compare */
	FP_CCB = -88,
	FP_REG4 = -96,	 /* DIF %r4 ... %r7, downwards */
	FP_TUPLE = -128, /* tuple values, downwards */
	FP_VAL = -192,	 /* value of an aggregating action */
	FP_INCR = -200,
	FP_TMP = -216,	 /* 16 bytes */
	FP_ERRNO = -224, /* system call returns */
	FP_TASK = -232,	 /* current task (BTF pointer), if frame.has_task */
	FP_FIXED = 232,
};

/* Offsets in rt_mstate.mem that do not depend on the script. */
enum {
	MEM_PTR = 0,  /* pointers pass through here to become numbers */
	MEM_COMM = 8, /* execname: 16 bytes */
	MEM_REC = 24, /* record under construction */
};
#define STACK_KEY_MAX 48   /* larger keys are built in the machine state */
#define STACK_LOCALS_MAX 6 /* more scalar `this` variables: likewise */
#define ELEM_MEM 24	   /* bytes at mem_elem */
#define PROV_MEM 16	   /* bytes at mem_prov */
#define CALLER_FRAMES 127  /* stackdepth counts this far */

/* The first word of thread-local storage is the thread's serial number. */
#define TLS_BEGIN 8

/* The place of a user variable. */
struct bx_var {
	uint32_t id;
	uint8_t scope, kind; /* DIFV_* */
	bool is_byref, is_string, is_shared;
	uint32_t size; /* of the value, bytes */
	/* Offset: of a global in rtm_globals; of a thread-local in rtm_tls; of
	 * a clause-local see struct bx_layout. */
	uint32_t off;
	uint32_t shared_off; /* if is_shared: struct exec_shared_var.off */
	/* arrays */
	uint32_t key_size; /* 0 until its first use is translated */
	char *map;	   /* symbol */
};

/* A kernel function's code; len 0: not known. */
struct bx_code {
	uint64_t start, len;
};
#define BX_NLISTENERS 4

/* bpf_rdonly_cast() and the type that it casts to, as BTF ids. */
struct bx_cast {
	bool is_known, works;
	uint32_t func, regs_type;
};

/* A per-CPU variable of the kernel that programs may read. */
struct bx_kvar {
	bool is_known, works;
	uint32_t id;  /* BTF */
	uint64_t off; /* of the member, if it is a struct */
};

/* State that all programs of a plan share.  The arena owns all of it. */
struct bx_layout {
	struct arena arena;
	struct plan *pl;
	const struct dt_exec_opts *opts;
	VEC(struct bx_var) vars;
	char *conflict; /* two types of one variable */
	uint32_t globals_size, tls_size;
	uint32_t nlocals_stack; /* scalar locals, index in bx_var.off */
	bool locals_in_mem;	/* bx_var.off is an offset in mem */
	uint32_t mem_key, mem_tuple, mem_val, mem_stack; /* areas of mem */
	uint32_t mem_elem; /* area of mem, if stores_elems */
	uint32_t mem_prov; /* area of mem for "pid123", if probeprov is used */
	uint32_t rec_max;
	struct rt_conf conf;
	VEC(char) strs;	       /* contents of rtm_strs */
	struct strtab str_ids; /* string -> index in str_offs, + 1 */
	VEC(uint32_t) str_offs;
	struct {
		uint64_t ino;	/* 0: the first one */
		uint32_t level; /* depth below the first one */
	} pidns;		/* the PID namespace that dtrace is in */
	bool uses_caller;
	bool uses_ustack;
	uint32_t named_frames; /* most frames of a stack that helpers may name;
				* 0: none */
	uint32_t elem_use;     /* BX_ELEM_*, of all objects */
	bool stores_elems;     /* objects may store through addresses of array
			    * elements (elem_store.c) */
	struct {
		uint64_t elems, elem_size, key;
	} htab; /* offsets in the kernel's struct bpf_htab and its elements */
	struct dif_uses uses; /* union over all objects of the plan */
	bool has_own_tls;     /* in rtm_tls */
	bool uses_tls, uses_comm, uses_probe, uses_tsc, uses_strtok;
	bool uses_parts;       /* a group has parts (part.c) */
	uint32_t vclocks;      /* clocks of threads in use: 1 << bx_clock */
	int comm_off;	       /* of task_struct.comm; -1: unknown */
	int pid_off, tgid_off; /* of task_struct.pid and tgid, if
					 * `others` is not empty */
	struct idmap others;  /* probe id -> does it fire in threads that do not
			      * run?  thread.c */
	struct btf_blob *btf; /* of the kernel, while loading */
	struct err btf_error; /* why it cannot be read */
	struct bx_cast cast;  /* abi.c */
	struct bx_kvar preempt_count;	       /* ipl.c */
	uint32_t ctl_gens, ctl_zero, ctl_size; /* offsets in struct bx_ctl */
	uint32_t zero_size;
	uint32_t nperf; /* profile groups */
	uint32_t ncpus;
	bool has_listeners; /* `listeners` is valid (frames.c) */
	struct bx_code listeners[BX_NLISTENERS];
};

CHECKED int bx_layout_init(struct bx_layout *lo, struct plan *pl,
    const struct dt_exec_opts *opts, struct err *err);
void bx_layout_fini(struct bx_layout *lo);
struct bx_var *bx_var_find(
    struct bx_layout *lo, uint32_t id, uint8_t scope, uint8_t kind);
/* Size of the global variables' storage; a map cannot be empty. */
static inline uint32_t
bx_globals_size(const struct bx_layout *lo)
{
	return lo->globals_size > 8 ? lo->globals_size : 8;
}

/* Bytes of a machine state, without the frame that parts share behind it. */
uint32_t bx_state_size(const struct bx_layout *lo);

/* Offset of a string in rtm_strs. */
uint32_t bx_str_off(struct bx_layout *lo, const char *s);

/* Does the subroutine need a machine state? */
bool bx_subr_needs_slot(uint32_t subr);
/* Does an object need a machine state?  Scratch, strings, by-reference
 * variables and tuples do; arithmetic on integers does not. */
bool bx_needs_slot(const struct bx_layout *lo, const struct dif_uses *u);

/*
 * elem_store.c.  bx_difo_elem_use(): what an object does with element
 * addresses.  bx_elems_find(): decide whether the plan needs element stores,
 * and find the kernel's offsets for them; 0, or -errno with *err.
 */
enum {
	BX_ELEM_STORE = 1,     /* stores through an element address */
	BX_ELEM_STORE_ANY = 2, /* stores through an address of any origin */
	BX_ELEM_OUT = 4	       /* passes an element address on: to a variable,
				* ... */
};
uint32_t bx_difo_elem_use(const struct dif_obj *dp);
CHECKED int bx_elems_find(struct bx_layout *lo, struct err *err);
/* Can objects store through addresses of this array's elements? */
static inline bool
bx_is_open(const struct bx_layout *lo, const struct bx_var *v)
{
	return lo->stores_elems && v->kind == DIFV_KIND_ARRAY && v->is_byref;
}
/* Emit the runtime's rt_elem() for the arrays whose keys are known; 0 or
 * -E2BIG. */
int bx_elem_func(struct bx_asm *a, const struct bx_layout *lo);
/* maps.c: the number of elements that an array has room for.  Its key size must
 * be known. */
uint32_t bx_array_max(const struct bx_layout *lo, const struct bx_var *v);

/* The kind of program that a group becomes.  It decides where the program finds
 * its arguments and how the kernel attaches it (attach.h). */
enum bx_context {
	BX_CTX_RUN,	  /* BPF_PROG_RUN by dtrace */
	BX_CTX_ERROR,	  /* inlined into clauses that can fault */
	BX_CTX_SYS_ENTER, /* raw tracepoint sys_enter */
	BX_CTX_SYS_EXIT,  /* raw tracepoint sys_exit */
	BX_CTX_PERF,	  /* perf event */
	BX_CTX_RAWTP,	  /* raw tracepoint of any other name */
	BX_CTX_TYPED_TP,  /* raw tracepoint with typed arguments: a program per
			   * tracepoint */
	BX_CTX_UPROBE,	  /* uprobe at a function's entry, or within it */
	BX_CTX_URETURN,	  /* uprobe where a function returns */
	BX_CTX_USDT,	  /* uprobe at a site of a program's own probe */
	BX_CTX_KPROBE,	  /* kprobe at a function's entry */
	BX_CTX_KRETPROBE,
	BX_CTX_KPROBE_MULTI, /* kprobes, many with one link */
	BX_CTX_KRETPROBE_MULTI,
	BX_CTX_FENTRY, /* BPF trampoline: a program per function */
	BX_CTX_FEXIT,
};

/* part.c: one part of a group that is too large for one program. */
struct bx_part {
	struct bx_asm a;
	uint32_t first, last; /* clauses */
};
/* A jump over the rest of a cut clause: set_after() patches the number of the
 * part behind the clause into instruction `insn` of part `part`. */
struct bx_jump_over {
	uint32_t part, insn;
};
/* A function that parts call: it updates an aggregation. */
struct bx_fn {
	const struct plan_agg *pa;
	const char *name;
	struct bx_asm a;
};
#define BX_FRAME_WORDS 32 /* words of the frame that parts share */
struct bx_parts {
	bool is_used;
	bool has_state;	      /* the firing has claimed its machine state */
	bool is_open;	      /* bx_tr.a holds a part */
	bool is_cut;	      /* this clause began in another part */
	const char *map;      /* symbol of the map with the programs */
	uint32_t min;	      /* instructions after which a part ends */
	uint32_t longest;     /* most parts that one firing runs */
	uint32_t first, last; /* clauses of the open part */
	bx_label done;	      /* in the open part: skips all further clauses */
	struct bx_asm main;   /* main's code, while parts are translated */
	int words[BX_FRAME_WORDS]; /* offsets in the frame that parts share */
	uint32_t nwords;
	VEC(struct bx_jump_over) overs;
	VEC(struct bx_fn) fns;
	VEC(struct bx_part) list; /* the last is the epilogue */
};
/* Maps that translated code may use.  The kernel allows 64 per program
 * (MAX_USED_MAPS of its verifier); the runtime's functions use the others. */
#define BX_MAPS_MAX 40
#define BX_PARTS_END 1023 /* second number of the epilogue */

/* Number of parts, the epilogue excluded. */
static inline uint32_t
bx_parts_count(const struct bx_parts *p)
{
	return p->list.n == 0 ? 0 : (uint32_t)p->list.n - 1;
}

/*
 * The group of the program.  session/groups.c and split.c decide it before the
 * translation, to which it is const.  Only bx_translate() changes it, before it
 * translates a group in parts: it puts the clauses in another order, and such a
 * group cannot run in a trampoline.
 */
struct bx_facts {
	enum bx_context ctx;
	const struct dt_step *steps; /* not NULL: the probes are origins with
				      * these steps */
	const struct dt_step *only;  /* the only step to translate; NULL: all */
	bool is_clock;		     /* fires by time, profile or tick */
	uint32_t perf_index;	     /* profile: slot in bx_pcpu.fired */
	bool always_fires;	     /* BEGIN, END: fires in every state */
	/* Clauses of this group, in the order of the program. */
	VEC(const struct plan_clause *) clauses;
	VEC(const struct plan_clause *) error_clauses;
	VEC(const struct dt_probe *) probes;
	struct idmap places; /* probe id -> index in probes */
	bool has_table;	     /* false: probes.v[0] is the only probe */
	char *table;	     /* symbol of the dispatch map */
	bool is_patched;     /* a program per probe: no cookies */
};

/* One program being translated. */
struct bx_tr {
	struct bx_asm a;
	struct bx_layout *lo;
	const char *name;
	const struct bx_facts *facts; /* the group's */

	/* Entries of the dispatch map, by which a firing finds its probe. */
	struct {
		uint32_t mask_words;
		uint32_t place_insn; /* the instruction to patch in each
				      * program */
		VEC(struct bx_code) listeners; /* per probe, see frames.c */
	} entry;

	/* The stack frame.  Offsets count from the frame pointer; 0: unused. */
	struct {
		bool has_slot;		/* some clause may claim a state */
		bool has_ctx, has_time; /* FP_CTX, FP_TS are needed */
		bool has_task;		/* FP_TASK holds on every path */
		int args[10];
		int origin[10]; /* arguments of the origin, if `steps` is set */
		int threads[10]; /* the origin's argument n, a typed thread */
		int other;  /* the firing's thread; 0: it is the current one */
		int self;   /* self.c; 0: processes reach no self-> */
		int site;   /* the word of an entry probe's site (site.h) */
		int clock;  /* the clocks' start */
		int locals; /* stack local 0 */
		int key;    /* the stack key area */
		int place;  /* the probe's place in the table */
	} frame;

	struct bx_parts parts;

	/* The clause being translated. */
	struct {
		const struct plan_clause *pc;
		uint32_t no; /* index in facts->clauses */
		const struct dt_probe *const_probe; /* names are constants */
		bool in_error;			    /* a clause of ERROR */
		uint32_t action_no;		    /* 1-based; 0: predicate */
		/* Code that its faults jump to. */
		VEC(struct bx_fault_exit {
			bx_label label;
			uint32_t fault, dif_off, action;
			int value_kind; /* EXIT_* */
		})
		exits;
	} clause;

	/* The reason why the translation failed, and its place. */
	struct {
		char *why;
		struct diag_span span;
	} refused;
};

/*
 * Does the first word of the value count updates?  Otherwise a word behind the
 * value does.  Consumers need the count because an aggregation without keys
 * always has a value.
 */
static inline bool
bx_agg_counts(uint16_t kind)
{
	return kind == DT_ACT_COUNT || kind == DT_ACT_AVG ||
	    kind == DT_ACT_STDDEV;
}

/* Size of a cell.  An aggregation without keys is one map value with a cell per
 * CPU and generation (two take turns), each on its own cache lines. */
static inline uint32_t
bx_cell_size(const struct plan_agg *pa)
{
	return (pa->val_size + 8 + 63) & ~63U;
}

/* The source of a fault's illegal value. */
enum { EXIT_ZERO, EXIT_FP_TMP, EXIT_MS };

/* difo.c: run an object; r0 <- its value. */
void bx_difo(struct bx_tr *t, const struct dif_obj *dp);

/* ---- sequence.c ---------------------------------------------------------- */

void bx_note(struct bx_tr *t, struct diag_span span, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
void bx_refuse(struct bx_tr *t, struct diag_span span, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/* Leave the clause with a fault when `op ra, imm` holds. */
void bx_fault_if(struct bx_tr *t, uint8_t op, int ra, int32_t imm,
    enum dif_fault fault, uint32_t dif_off, int value_kind);
/*
 * Emit the exits that faults of a clause take; each ends with a jump to
 * `fault`.
 */
void bx_emit_fault_exits(struct bx_tr *t, bx_label fault);
/* rd <- the pointer in `ptr`, as a number.  Needs r9. */
void bx_ptr_to_number(struct bx_tr *t, int rd, int ptr);
/* rd <- address, as a number, of map value `map` + off.  Needs r9. */
void bx_addr(struct bx_tr *t, int rd, const char *map, uint32_t off);
/* Copy `size` bytes at kernel address r3 to the stack at `off`; r0: 0, or the
 * bytes are unreadable and the copy is zeroes. */
void bx_read_kernel(struct bx_asm *a, int off, uint32_t size);
void bx_mem_addr(struct bx_tr *t, int rd, uint32_t mem_off);
/* rd <- map value pointer of the machine state's mem + off. */
void bx_mem_ptr(struct bx_tr *t, int rd, uint32_t mem_off);
/* rd <- current task, typed: its members load without a helper. */
void bx_task(struct bx_tr *t, int rd);
/* Copy the current thread's name to base + off: 16 bytes, NUL-padded. */
void bx_comm(struct bx_tr *t, int base, int off);
void bx_drop(struct bx_tr *t, enum dt_drop kind);
/* r0 <- this CPU's struct bx_pcpu; jump to `none` if there is none. */
void bx_this_pcpu(struct bx_tr *t, bx_label none);
/* rd <- time of this firing */
void bx_time(struct bx_tr *t, int rd);

/* ---- probe_field.c ------------------------------------------------------- */

/* A probe's names: probeprov, probemod, probefunc, probename, probe. */
#define BX_NNAMES 5
void bx_probe_names(
    struct bx_tr *t, const struct dt_probe *p, const char *names[BX_NNAMES]);
/* Does the clause's probe fire in all processes, so that probeprov is the
 * process's? */
bool bx_fires_anywhere(const struct bx_tr *t);
/* Index of a built-in variable among those names. */
unsigned bx_name_index(uint32_t builtin);
/* rd <- a field of the probe: its id, EPID of the current clause, ... */
enum bx_field {
	BX_F_ID,
	BX_F_STRID,
	BX_F_NAMEOFF = BX_F_STRID + BX_NNAMES,
	BX_F_LISTEN = BX_F_NAMEOFF + BX_NNAMES,
	BX_F_EPID = BX_F_LISTEN + 2
};
void bx_probe_field(struct bx_tr *t, int rd, unsigned field);

/* ---- other files --------------------------------------------------------- */

/* thread.c: r0 <- the number of the current process, of the step's thread's
 * process, and of its thread, in dtrace's PID namespace; r1 to r5 are lost. */
void bx_current_pid(struct bx_tr *t);
/* emit/self.c: self-> variables that processes reach, too. */
void bx_self_find(struct bx_tr *t);
void bx_self_load(struct bx_tr *t, const struct bx_var *v, bx_label none);
void bx_self_place(struct bx_tr *t, int value, bx_label none);

/* emit/family.c: go to `done` unless the process is of the family of `root`; 0:
 * of any. */
void bx_match_family(struct bx_tr *t, pid_t root, bx_label done);
void bx_pid(struct bx_tr *t);
void bx_tid(struct bx_tr *t);

/* ipl.c: r0 <- the interrupt level */
void bx_ipl(struct bx_tr *t);

/* abi.c: does bpf_rdonly_cast() work on this kernel?  Tries it once. */
bool bx_cast_find(struct bx_layout *lo);
/* r0 <- 0, or not 0 in a 32-bit system call.  bx_is_compat_entry() is for
 * entries, with the context in r6; it uses r8 and needs no task. */
void bx_is_compat_entry(struct bx_tr *t);
void bx_is_compat(struct bx_tr *t);

/*
 * ustack.c: store the pcs of the thread's user stack at `mem_off` of the
 * machine state, followed by zeroes.  `dif_off` is the offset that a fault
 * reports; ~0 marks an action, whose process id stands in the word before the
 * pcs.  If `nstrs` is not 0, that many bytes behind the pcs receive the names
 * that helpers give to the frames.
 */
void bx_ustack(struct bx_tr *t, uint32_t mem_off, uint32_t nframes,
    uint32_t nstrs, uint32_t dif_off);
/* rd <- argument n of dtrace:::ERROR, from the recorded fault. */
void bx_error_arg(struct bx_tr *t, int rd, unsigned n);

/* clause.c: one clause, from its predicate to its record. */
void bx_clause(
    struct bx_tr *t, const struct plan_clause *pc, uint32_t no, bx_label done);

/* FP_TLS <- the thread's storage, if it has any. */
void bx_find_tls(struct bx_tr *t);
/* r9 <- this firing's machine state, claimed at the first call; scratch is
 * freed. */
void bx_need_slot(struct bx_tr *t, bx_label out);
/* r9, FP_MS <- the machine state with the number in rs. */
void bx_find_state(struct bx_tr *t, int rs, bx_label none);
/* Does an object of the clause do more than return a constant? */
bool bx_clause_may_fault(const struct plan_clause *pc);
bool bx_clause_needs_slot(const struct bx_tr *t, const struct plan_clause *pc);
/*
 * clock.c.  bx_note_clocks(): note the counters when a firing starts.
 * bx_forget_probe_time(): when it ends, exclude the time since from the
 * thread's; uses r7, r8.
 */
void bx_note_clocks(struct bx_tr *t);
void bx_forget_probe_time(struct bx_tr *t);
/* r0 <- the time-stamp counter at the time of this firing */
void bx_machtime(struct bx_tr *t);
/* Take the time of this firing if it was not taken yet. */
void bx_need_time(struct bx_tr *t);

/* ctx.c: properties and code of the programs of one context. */
struct bx_ctx {
	enum bpf_prog_type type;
	enum bpf_attach_type attach; /* expected attach type, 0: any */
	/*
	 * Input: the context in r6.  Find the probe that fired (FP_ENT, when
	 * t->facts->has_table), or go to `done` if there is none; save
	 * arguments.
	 */
	void (*prologue)(struct bx_tr *t, bx_label done);
	/* r4 <- number of frames on top of a stack that are the tracer's */
	void (*own_frames)(struct bx_tr *t);
	bool in_thread;	     /* never runs in an interrupt */
	bool is_uprobe;	     /* attach_uprobe.c attaches it */
	bool is_preemptible; /* if the kernel is */
	bool per_target;     /* a program per function */
	bool by_number;	     /* the place in the table is
					 * dt_probe.index, not the cookie */
};
const struct bx_ctx *bx_ctx(enum bx_context ctx);
/* FP_TASK <- the current task, looked up once for all uses. */
void bx_save_task(struct bx_tr *t);
/* r0 <- the table's entry at the place that FP_TMP holds. */
void bx_lookup_entry(struct bx_tr *t, bx_label done);
/* The expected attach type to load programs with. */
enum bpf_attach_type bx_ctx_attach(const struct bx_ctx *c);
/* Does the kernel give cookies to programs of this kind? */
bool bx_ctx_has_cookies(const struct bx_ctx *c);
/* frames.c: for bx_ctx.own_frames; uses r0 - r5, FP_TMP, FP_ERRNO */
void bx_frames_program(struct bx_tr *t);
void bx_frames_listeners(struct bx_tr *t);
void bx_frames_tracepoint(struct bx_tr *t);
/* Field BX_F_LISTEN + i of a probe: i = 0, the lower half of the address of its
 * tracepoint's listener; i = 1, the listener's length.  0: not known. */
uint32_t bx_listener(
    const struct bx_tr *t, const struct dt_probe *p, unsigned i);
void bx_frames_none(struct bx_tr *t);
void bx_frames_trampoline(struct bx_tr *t);
/*
 * Correct the first frame where the kernel cannot tell it, after
 * bpf_get_stack() wrote to `reg` + `off` and left its result in r0.  Uses r1.
 */
void bx_frames_fix(struct bx_tr *t, int reg, int off);

/* usdt.c: save the arguments of site number r7; uses r0 - r5, r8. */
void bx_usdt_args(struct bx_tr *t, bx_label done);

/*
 * adapt.c: run a step's predicate and save the arguments of its probe; the
 * origin's arguments must be saved.  Go to `none` if the probe does not fire,
 * to `done` if the firing is lost.
 */
void bx_adapt(
    struct bx_tr *t, const struct dt_step *step, bx_label none, bx_label done);
/* Iterate over the steps that the program runs. */
const struct dt_step *bx_step_first(const struct bx_tr *t);
const struct dt_step *bx_step_next(
    const struct bx_tr *t, const struct dt_step *step);
/* Union of what the objects of those steps use. */
struct dif_uses bx_steps_uses(const struct bx_tr *t);
/* Does the clause list the probe? */
bool bx_clause_is_for(const struct plan_clause *pc, const struct dt_probe *p);
/* Does the step keep data for another step that fires the probe? */
bool bx_step_keeps_for(const struct dt_step *step, const struct dt_probe *p);
/* Does the step fire, or keep data for, one of the clause's probes? */
bool bx_step_is_for(const struct dt_step *step, const struct plan_clause *pc);
/* session/groups.c: is the clause one of dtrace:::ERROR? */
bool bx_clause_is_error(const struct plan_clause *pc);
/* The probe ERROR of the clause, or NULL. */
const struct dt_probe *bx_clause_error(const struct plan_clause *pc);

/* thread.c: firings in threads that do not run.  bx_threads_choose() decides
 * which probes fire so, before probes are grouped; 0, or -ENOTSUP with *err. */
CHECKED int bx_threads_choose(
    struct bx_layout *lo, struct diags *diags, struct err *err);
/* Does the step fire the probe in the way that was chosen for it? */
bool bx_step_serves(const struct bx_layout *lo, const struct dt_step *step,
    const struct dt_probe *p);
/* Does any step of the program fire in threads that do not run? */
bool bx_tr_has_threads(const struct bx_tr *t);
/* bx_threads_place(): reserve room in the frame from `off` on for the threads
 * of all steps.  bx_threads_save(): copy them there from the context in r6. */
int bx_threads_place(struct bx_tr *t, int off);
void bx_threads_save(struct bx_tr *t);
/* rd <- the address of the firing's thread, as a number; uses FP_TMP. */
void bx_task_number(struct bx_tr *t, int rd);
/* r0 <- the number of the process of the task in rs; uses FP_TMP, r1 and r3. */
void bx_task_process(struct bx_tr *t, int rs);

/* group.c: union of what the clauses of the group use. */
struct dif_uses bx_group_uses(const struct bx_tr *t);
/* Make the kernel keep the program's stack with the thread.  Emit it first in
 * each program that may sleep. */
void bx_keep_stack(struct bx_tr *t);
/* Translate a main function; `facts` are t->facts.  0, or -EINVAL with
 * t->refused.why set. */
int bx_translate(struct bx_tr *t, struct bx_facts *facts);
int bx_tr_finish(struct bx_tr *t);
/* clock.c: the sched_switch program that gives threads their time. */
int bx_translate_vtime(struct bx_tr *t);
/* An entry of the dispatch table: its size, writing the names of a probe, and
 * enabling a clause by its number in the group. */
uint32_t bx_ent_size(const struct bx_tr *t);
void bx_ent_names(struct bx_tr *t, const struct dt_probe *p, void *entry);
void bx_ent_enable(
    const struct bx_tr *t, uint32_t clause_no, uint32_t epid, void *entry);
void bx_tr_fini(struct bx_tr *t);

/* part.c: prepare to translate the group in parts, of another size at each
 * call.  False: t->refused.why says why no other size is possible. */
bool bx_parts_try(struct bx_tr *t);
/* Resolve all jumps.  False: there are too many parts, translate again. */
bool bx_parts_finish(struct bx_tr *t);
void bx_parts_fini(struct bx_parts *p);
/* Emit the begin and the end of a firing, around all clauses; `done`: the
 * firing is lost. */
void bx_parts_begin(struct bx_tr *t, bx_label done);
void bx_parts_end(struct bx_tr *t, void (*epilogue)(struct bx_tr *));
/* Begin clause t->clause.no.  Returns the target of exit(). */
bx_label bx_part_clause(struct bx_tr *t);
/*
 * bx_part_is_full(): must the clause go on in another part?  bx_part_cut(): cut
 * it there; `out` is no longer a label of t->a.  Returns the target of exit()
 * in the new part.
 */
bool bx_part_is_full(const struct bx_tr *t);
bx_label bx_part_cut(struct bx_tr *t, bx_label out);
void bx_part_clause_end(struct bx_tr *t);
/* Set the next parts in a table entry, from the clauses enabled in it. */
void bx_parts_enter(const struct bx_tr *t, void *entry);

/* order.c: put clauses that share probes next to each other. */
void bx_clauses_order(struct bx_facts *facts);

#endif
