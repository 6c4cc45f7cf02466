/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0 */
#ifndef EXEC_RUNTIME_RT_H
#define EXEC_RUNTIME_RT_H

/*
 * The runtime: operations that DIF cannot express, written once for all
 * substrates.
 *
 * It is compiled three times: into the library (host, for tests and the
 * interpreter); with `clang -target bpf` into an object that is linked to
 * translated code when a program is loaded; and freestanding, for traced
 * processes (rt_os.h).
 *
 * Rules that make the same C acceptable to the BPF verifier:
 * public functions take and return scalars, use every argument, and find the
 * machine state by number with rt_ms(); memory of the state is reached only as
 * ms->mem[off & mask]; foreign memory is read in bulk, once; every loop whose
 * length depends on data goes through RT_LOOP, never nested; no signed
 * division; at most five arguments; little stack (the caller needs it).
 *
 * Addresses are plain numbers.  A D string or pointer is the real address of
 * memory (kernel memory, map values, our own scratch), and is only ever read
 * through rt_read*(), which cannot fault the system.  Memory of the machine
 * state has the address ms->base + offset, so that stores can be limited to it.
 */
#ifdef __bpf__
/*
 * No header is included: the kernel's need the host's asm/, libc's its stubs.
 */
typedef __UINT8_TYPE__ u8;
typedef __UINT16_TYPE__ u16;
typedef __UINT32_TYPE__ u32;
typedef __UINT64_TYPE__ u64;
typedef __INT32_TYPE__ s32;
typedef __INT64_TYPE__ s64;
#define RT_PUBLIC __attribute__((noinline, section("rt")))
#define RT_CALLBACK static __attribute__((noinline, section("rt")))
#define RT_INLINE static inline __attribute__((always_inline))
#elif defined(RT_FREESTANDING)
/* For a traced process: position-independent, without any library. */
typedef __UINT8_TYPE__ u8;
typedef __UINT16_TYPE__ u16;
typedef __UINT32_TYPE__ u32;
typedef __UINT64_TYPE__ u64;
typedef __INT32_TYPE__ s32;
typedef __INT64_TYPE__ s64;
#define RT_PUBLIC
#define RT_CALLBACK RT_INLINE
#define RT_INLINE static inline
#else
#include <stdint.h>
typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int32_t s32;
typedef int64_t s64;
#define RT_PUBLIC
#define RT_CALLBACK RT_INLINE
#define RT_INLINE static inline
#endif

#define RT_QUANTIZE_ZERO 63 /* quantize(): the bucket of 0 */
#define RT_NONE (~(u64)0)   /* no offset, no position */

/*
 * One machine state: a slot of a per-CPU pool, owned by one firing.
 *
 *	mem: [ staging | locals | tmp a | tmp b | tok | scratch            ]
 *	     0         locals   tmp_a   tmp_b   tok   scratch_begin  scratch_end
 *
 * Records and keys are built in staging. tok, the text that strtok() takes
 * apart, does not exist (and has no offset) if the script does not call it.
 * Pointers of a program may write only to its clause-local variables and to
 * claimed scratch, nowhere else in mem.  A clause begins with all scratch free.
 *
 * mem has RTC(memmask) + 1 + RTC(strsize) bytes (the last so that a string may
 * start at any masked offset).  RTC(memmask) + 1 is a power of two; strsize is
 * at least 8.  All areas start at multiples of 8.  Scratch is last: a string
 * result is written before it is known to fit, and may then end in the spare
 * strsize bytes.
 */
struct rt_mstate {
	u64 base;      /* address of this structure, as a number */
	u64 fault;     /* enum dif_fault; 0: none so far */
	u64 fault_val; /* the illegal address or value */
	u64 scratch;   /* offset in mem of the end of claimed scratch */
	u64 tok;       /* strtok(): 1 + position in tok; 0: no text */
	u64 tok_len;   /* strtok(): length of the text */
	u64 ptr;       /* a stored pointer is read back as a number */
	u64 loop[19];  /* variables of the running RT_LOOP (rt_code.h) */
	/*
	 * Host only: BPF has immediates, and the kernel makes its own checks.
	 */
	const struct rt_conf *conf;
	const struct rt_host *host;
	u8 mem[];
};
#define RT_MEM_OFF __builtin_offsetof(struct rt_mstate, mem)

/*
 * Constants that are known when a program is loaded.  In BPF they are undefined
 * symbols rtc_NAME that the linker (exec/bpf/session/link.c) replaces by
 * immediates, so that the verifier sees constants.
 */
struct rt_conf {
	u64 strsize; /* option strsize, bytes */
	u64 memmask;
	u64 locals;	       /* offset in mem; the area ends at tmp_a */
	u64 tmp_a, tmp_b, tok; /* offsets in mem, strsize bytes each */
	u64 scratch_begin, scratch_end;
	u64 globals_size, tls_size; /* of the storage of variables */
	u64 tls_begin; /* the program may not write before this offset */
	u64 nspec;     /* option nspec */
	u64 unwind;    /* offset in mem: work area of rt_ustack() */
	u64 helper;    /* offset in mem: for helpers, their variables */
	u64 fps;       /* offset in mem: frame pointers for them; or 0 */
	u64 pidns_ino, pidns_level; /* dtrace's PID namespace; 0: the first */
	/* in exec/shared.h's memory: the table of threads, their words */
	u64 self_keys, self_words, self_stride;
	u64 task; /* host only: the target of curthread */

	/* Offsets of members of kernel structures. */
#define RT_KOFF(name, type, member, what) u64 name;
#include "exec/runtime/rt_koffs.def"
#undef RT_KOFF
};
/*
 * The memory that a program may touch on the host.  Foreign memory is read in
 * the listed ranges only, so that a program with made-up addresses sees no more
 * than it was given; a machine state without a rt_host may read all memory of
 * the process.
 */
struct rt_range {
	u64 addr, size;
	u64 bias; /* the bytes are here at addr + bias: a recorded address */
};
struct rt_ranges {
	const struct rt_range *v;
	u32 n;
	/*
	 * A thread of the process whose other memory may be read, too, if it is
	 * mapped; 0: only the listed ranges may be read.
	 */
	u32 tid;
};
struct unw_row;
struct rt_mapping { /* code, and its unwind table */
	u64 start, end, off;
	const struct unw_row *rows;
	u64 nrows;
};
/*
 * A stack as it was when it was copied; the walk reads the copy.  A signal's
 * handler may run on a stack of its own.  `returns` are the return addresses
 * that were replaced: their places, and the original addresses.
 */
struct rt_copy {
	struct {
		u64 addr, size;
		const u8 *bytes;
	} parts[2];
	const u64 *returns;
	u32 nreturns;
	u32 lacks; /* memory outside of the copy was needed */
};
struct rt_dynref;
struct rt_host {
	u8 *globals, *tls; /* storage of variables; NULL: none */
	u8 *self;	   /* likewise, what the kernel reaches, too */
	u64 *specs;	   /* conf.nspec words; NULL: none */
	const struct rt_dynref *dyn; /* arrays; NULL: none */
	u64 *drops; /* counts by enum dt_drop; NULL: not counted */
	struct rt_ranges kernel, user;
	const struct rt_mapping *mappings;
	u32 nmappings;
	struct rt_copy *copy; /* NULL: stacks are read in place */
};

#ifdef __bpf__
#define RTC(ms, name)                                                          \
	({                                                                     \
		u64 rtc_v_;                                                    \
		(void)(ms);                                                    \
		asm("%0 = rtc_" #name " ll" : "=r"(rtc_v_));                   \
		rtc_v_;                                                        \
	})
#else
#define RTC(ms, name) ((ms)->conf->name)
#endif

/* ---- subroutines and operations called by translated code --------------- */
/*
 * All of them take the slot number first.  On a fault they set ms->fault and
 * return 0.  String results are addresses; strings in are NUL-terminated or end
 * at strsize; address 0 (NULL) is read as an empty string, except where
 * doc/reference/dif.md section 9 says otherwise.  `nargs` is the number of
 * arguments that the D program gave; missing trailing ones are ignored.
 */
RT_PUBLIC u64 rt_strlen(u64 slot, u64 s);
RT_PUBLIC u64 rt_strjoin(u64 slot, u64 a, u64 b);
RT_PUBLIC u64 rt_substr(u64 slot, u64 s, u64 index, u64 len, u64 nargs);
RT_PUBLIC u64 rt_index(u64 slot, u64 s, u64 sub, u64 start, u64 nargs);
RT_PUBLIC u64 rt_rindex(u64 slot, u64 s, u64 sub, u64 start, u64 nargs);
RT_PUBLIC u64 rt_strchr(u64 slot, u64 s, u64 c);
RT_PUBLIC u64 rt_strrchr(u64 slot, u64 s, u64 c);
RT_PUBLIC u64 rt_strstr(u64 slot, u64 s, u64 sub);
RT_PUBLIC u64 rt_strtok(u64 slot, u64 s, u64 seps);
RT_PUBLIC u64 rt_basename(u64 slot, u64 s);
RT_PUBLIC u64 rt_dirname(u64 slot, u64 s);
RT_PUBLIC u64 rt_cleanpath(u64 slot, u64 s);
RT_PUBLIC u64 rt_toupper(u64 slot, u64 s);
RT_PUBLIC u64 rt_tolower(u64 slot, u64 s);
RT_PUBLIC u64 rt_lltostr(u64 slot, u64 value, u64 base, u64 nargs);
RT_PUBLIC u64 rt_strtoll(u64 slot, u64 s, u64 base, u64 nargs);
RT_PUBLIC u64 rt_json(u64 slot, u64 doc, u64 path);
RT_PUBLIC u64 rt_memref(u64 slot, u64 addr, u64 size);
RT_PUBLIC u64 rt_memstr(u64 slot, u64 addr, u64 sep, u64 size);
RT_PUBLIC u64 rt_inet_ntop(u64 slot, u64 family, u64 addr);
RT_PUBLIC u64 rt_inet_ntoa(u64 slot, u64 addr);
RT_PUBLIC u64 rt_inet_ntoa6(u64 slot, u64 addr);
RT_PUBLIC u64 rt_link_ntop(u64 slot, u64 type, u64 addr);
RT_PUBLIC u64 rt_uuidstr(u64 slot, u64 addr);
RT_PUBLIC u64 rt_copyin(u64 slot, u64 uaddr, u64 size);
RT_PUBLIC u64 rt_copyinstr(u64 slot, u64 uaddr, u64 max, u64 nargs);
RT_PUBLIC u64 rt_copyinto(u64 slot, u64 uaddr, u64 size, u64 dst);
RT_PUBLIC u64 rt_copyout(u64 slot, u64 addr, u64 uaddr, u64 size);
RT_PUBLIC u64 rt_copyoutstr(u64 slot, u64 s, u64 uaddr, u64 max);
RT_PUBLIC u64 rt_progenyof(u64 slot, u64 pid);
RT_PUBLIC u64 rt_speculation(u64 slot);
/* The tag of records of a speculation; 0: it is not active. */
RT_PUBLIC u64 rt_spec_tag(u64 slot, u64 id);
/*
 * End a speculation; returns the tag of its records, or 0: it was not active.
 */
RT_PUBLIC u64 rt_spec_end(u64 slot, u64 id);
RT_PUBLIC u64 rt_alloc(u64 slot, u64 size); /* zeroed scratch: ALLOCS too */
RT_PUBLIC u64 rt_bcopy(u64 slot, u64 src, u64 dst, u64 size); /* COPYS too */
/* Functions that need no machine state; the slot is not used. */
RT_PUBLIC u64 rt_random64(u64 slot);
RT_PUBLIC u64 rt_getmajor(u64 slot, u64 dev);
RT_PUBLIC u64 rt_getminor(u64 slot, u64 dev);

/* Is the lock held, and by whom?  `kind` is an enum dif_lock. */
RT_PUBLIC u64 rt_mutex_owned(u64 slot, u64 lock, u64 kind);
RT_PUBLIC u64 rt_mutex_owner(u64 slot, u64 lock, u64 kind);
RT_PUBLIC u64 rt_mutex_type_adaptive(u64 slot, u64 lock, u64 kind);
RT_PUBLIC u64 rt_mutex_type_spin(u64 slot, u64 lock, u64 kind);
RT_PUBLIC u64 rt_rw_read_held(u64 slot, u64 lock, u64 kind);
RT_PUBLIC u64 rt_rw_write_held(u64 slot, u64 lock, u64 kind);
RT_PUBLIC u64 rt_rw_iswriter(u64 slot, u64 lock, u64 kind);

/*
 * Write the pcs of the user stack that begins with the registers at `regs`
 * (struct pt_regs) to mem[off ...), at most `nframes`; returns their number,
 * with RT_CUT if the last is in a file that has not been read yet.  The return
 * address of the first frame is `ret_above` bytes above its stack pointer;
 * RT_NONE: only an unwind table gives it.  Unless conf.fps is 0, frame pointers
 * are written to mem[conf.fps ...).  May fault.
 */
RT_PUBLIC u64 rt_ustack(
    u64 slot, u64 off, u64 nframes, u64 regs, u64 ret_above);
#define RT_CUT ((u64)1 << 32)

/* Files of the current process: a path as text; a struct file by its number. */
RT_PUBLIC u64 rt_d_path(u64 slot, u64 path);
RT_PUBLIC u64 rt_cwd(u64 slot);
RT_PUBLIC u64 rt_root(u64 slot);
/* The container of the thread whose struct task_struct is at `task`. */
RT_PUBLIC u64 rt_zonename(u64 slot, u64 task);
RT_PUBLIC u64 rt_path_put(u64 slot, u64 text, u64 len); /* rt_path.c's own */
RT_PUBLIC u64 rt_getf(u64 slot, u64 fd);
RT_PUBLIC u64 rt_execargs(u64 slot);

/* Stores to memory of the machine state (ST*); any other address is BADADDR. */
RT_PUBLIC u64 rt_poke(u64 slot, u64 addr, u64 value, u64 size);

/* SCMP: <0, 0, >0 as a signed 64-bit number; NULL compares as "". */
RT_PUBLIC u64 rt_scmp(u64 slot, u64 a, u64 b);
/*
 * Does a string differ from a text of `size` bytes, with its NUL?  0: they are
 * equal.  The text is read without checks.  BPF programs do not have this
 * function.
 */
RT_PUBLIC u64 rt_sdiffers(u64 slot, u64 s, u64 text, u64 size);

/*
 * Copy the string at `addr` to mem[off ... off+size), padded with NULs to size
 * (the key of an aggregation is compared byte by byte).  size <= strsize; the
 * string is cut at `size` bytes (a string of exactly size bytes has no NUL).
 * Returns 0, or 1 after setting a fault.
 */
RT_PUBLIC u64 rt_store_str(u64 slot, u64 off, u64 addr, u64 size);
/*
 * Copy `size` (<= strsize) bytes from addr to mem[off...).  Returns 0, or 1
 * after a fault.
 */
RT_PUBLIC u64 rt_store_bytes(u64 slot, u64 off, u64 addr, u64 size);
/*
 * Store the data of a reference (two words at `ref`: address, length): the
 * length at mem[off], then at most `max` of the bytes.  Returns 0, or 1 after
 * a fault.
 */
RT_PUBLIC u64 rt_store_ref(u64 slot, u64 off, u64 ref, u64 max);
/* Integer loads from kernel memory (LD*): size 1, 2, 4, 8; zero-extended. */
RT_PUBLIC u64 rt_load(u64 slot, u64 addr, u64 size);
/* Integer loads from user memory of the current process (ULD*). */
RT_PUBLIC u64 rt_uload(u64 slot, u64 addr, u64 size);

/*
 * Bucket numbers of the distribution aggregations (doc/reference/records.md
 * section 6).
 */
RT_PUBLIC u64 rt_quantize_index(u64 value);
RT_PUBLIC u64 rt_lquantize_index(u64 value, u64 arg);
RT_PUBLIC u64 rt_llquantize_index(u64 value, u64 arg);
RT_PUBLIC u64 rt_percentile_index(u64 value);

#endif
