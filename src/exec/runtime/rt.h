/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0 */
#ifndef EXEC_RUNTIME_RT_H
#define EXEC_RUNTIME_RT_H

/*
 * The runtime: what DIF cannot express, written once for all substrates.
 *
 * Compiled three times: into the library (host, for tests and the interpreter);
 * with `clang -target bpf` into an object that is linked to translated code
 * when a program is loaded; and freestanding, for traced processes.
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
 * through rt_read*(), which cannot fault the system.  Our own memory's address
 * is ms->base + offset, so it can be told apart for writing.
 */
#ifdef __bpf__
/* No header at all: the kernel's need the host's asm/, libc's its stubs. */
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
/* In a traced process: position-independent, without any library. */
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
#define RT_NONE (~(u64)0) /* no offset, no position */

/*
 * One machine state: a slot of a per-CPU pool, owned by one firing.
 *
 *	mem: [ staging | locals | tmp a | tmp b | tok | scratch            ]
 *	     0         locals   tmp_a   tmp_b   tok   scratch_begin  scratch_end
 *
 * Staging is where records and keys are built; tok, the text that strtok()
 * takes apart, is absent (and has no offset) when the script does not call it.
 * A program's pointers may write to its clause-local variables and to scratch
 * that was claimed, and nowhere else in mem.  A clause begins with all scratch
 * free.
 *
 * mem has RTC(memmask) + 1 + RTC(strsize) bytes (the last so that a string may
 * start at any masked offset).  RTC(memmask) + 1 is a power of two; strsize is
 * at least 8.  All areas start at multiples of 8.  Scratch is last: a string
 * result is written before it is known to fit, and may then end in the spare
 * strsize bytes.
 */
struct rt_mstate {
	u64 base;	/* address of this structure, as a number */
	u64 fault;	/* enum dif_fault; 0: none so far */
	u64 fault_val;	/* the illegal address or value */
	u64 scratch;	/* offset in mem of the end of claimed scratch */
	u64 tok;	/* strtok(): 1 + where it goes on in tok; 0: no text */
	u64 tok_len;	/* ... and how long its text is */
	u64 ptr;	/* pointers pass through here to become numbers */
	u64 loop[19];	/* variables of the RT_LOOP that runs (rt_impl.h) */
	/* host only: BPF has immediates, and the kernel's own checks */
	const struct rt_conf *conf;
	const struct rt_host *host;
	u8 mem[];
};
#define RT_MEM_OFF __builtin_offsetof(struct rt_mstate, mem)

/*
 * Constants that are known when a program is loaded.  In BPF they are
 * undefined symbols rtc_NAME that the linker (exec/bpf/link.c) replaces by
 * immediates, so the verifier sees constants.
 */
struct rt_conf {
	u64 strsize;		/* option strsize, bytes */
	u64 memmask;
	u64 locals;		/* offset in mem; they end at tmp_a */
	u64 tmp_a, tmp_b, tok;	/* offsets in mem, strsize bytes each */
	u64 scratch_begin, scratch_end;
	u64 globals_size, tls_size; /* of the variables' storage */
	u64 tls_begin;	/* what is before it is not the program's to write */
	u64 nspec; /* option nspec */
	u64 unwind; /* offset in mem: where rt_ustack() works */
	u64 helper; /* ... where helpers do, and their variables are */
	u64 fps;    /* ... where frame pointers are put for them; 0: nowhere */
	u64 task;   /* host only: what curthread points to */
	/* offsets of members of kernel structures */
#define RT_KOFF(name, type, member, what) u64 name;
#include "exec/runtime/rt_koffs.def"
#undef RT_KOFF
};
/*
 * What a program may touch on the host.  Foreign memory is read where the list
 * says, so that a program that invents addresses sees only what it was given;
 * a machine state without a rt_host may read whatever the process can.
 */
struct rt_range {
	u64 addr, size;
};
struct rt_ranges {
	const struct rt_range *v;
	u32 n;
	/* a thread of the process that the rest may be read of, too, if it is
	 * there; 0: the list is all */
	u32 tid;
};
struct unw_row;
struct rt_mapping {	/* code, and its unwind table */
	u64 start, end, off;
	const struct unw_row *rows;
	u64 nrows;
};
/*
 * A stack as it was when it was copied: what the walk reads then.  A signal's
 * handler may run on a stack of its own.  `returns` are those that were
 * replaced: where each stood, and the right address.
 */
struct rt_copy {
	struct {
		u64 addr, size;
		const u8 *bytes;
	} parts[2];
	const u64 *returns;
	u32 nreturns;
	u32 lacks; /* something else was wanted */
};
struct rt_dynref;
struct rt_host {
	u8 *globals, *tls;	     /* storage of variables; NULL: none */
	u64 *specs;		     /* conf.nspec words; NULL: none */
	const struct rt_dynref *dyn; /* arrays; NULL: none */
	u64 *drops; /* counts by enum dt_drop; NULL: not wanted */
	struct rt_ranges kernel, user;
	const struct rt_mapping *mappings;
	u32 nmappings;
	struct rt_copy *copy; /* NULL: stacks are read where they are */
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
 * All take the slot number first.  On a fault they set ms->fault and return 0.
 * String results are addresses; strings in are NUL-terminated or end at
 * strsize; address 0 (NULL) is read as an empty string, except where
 * doc/reference/dif.md section 9 says otherwise.  `nargs` is how many arguments
 * the D program gave: the trailing ones are ignored when left out.
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
/* The tag of records that go to a speculation: 0 when it is not active. */
RT_PUBLIC u64 rt_spec_tag(u64 slot, u64 id);
/* End a speculation; the tag of its records, or 0 when it was not active. */
RT_PUBLIC u64 rt_spec_end(u64 slot, u64 id);
RT_PUBLIC u64 rt_alloc(u64 slot, u64 size);	/* zeroed scratch: ALLOCS too */
RT_PUBLIC u64 rt_bcopy(u64 slot, u64 src, u64 dst, u64 size); /* COPYS too */
/* Those that need no machine state, whatever the slot. */
RT_PUBLIC u64 rt_random64(u64 slot);
RT_PUBLIC u64 rt_getmajor(u64 slot, u64 dev);
RT_PUBLIC u64 rt_getminor(u64 slot, u64 dev);

/* Locks: is it held, by whom.  `kind` is an enum dif_lock. */
RT_PUBLIC u64 rt_mutex_owned(u64 slot, u64 lock, u64 kind);
RT_PUBLIC u64 rt_mutex_owner(u64 slot, u64 lock, u64 kind);
RT_PUBLIC u64 rt_mutex_type_adaptive(u64 slot, u64 lock, u64 kind);
RT_PUBLIC u64 rt_mutex_type_spin(u64 slot, u64 lock, u64 kind);
RT_PUBLIC u64 rt_rw_read_held(u64 slot, u64 lock, u64 kind);
RT_PUBLIC u64 rt_rw_write_held(u64 slot, u64 lock, u64 kind);
RT_PUBLIC u64 rt_rw_iswriter(u64 slot, u64 lock, u64 kind);

/* The pcs of the user stack that begins with the registers at `regs` (struct
 * pt_regs) to mem[off ...), at most `nframes`: how many, with RT_CUT if the last
 * is in a file that nobody has read yet.  The return address of the first is
 * `ret_above` bytes above its stack pointer; RT_NONE: only a table tells.  The
 * frame pointers of the frames to mem[conf.fps ...), unless that is 0.  Can
 * fault. */
RT_PUBLIC u64 rt_ustack(
    u64 slot, u64 off, u64 nframes, u64 regs, u64 ret_above);
#define RT_CUT ((u64)1 << 32)

/* Files of the current process: paths as text, a struct file by number. */
RT_PUBLIC u64 rt_d_path(u64 slot, u64 path);
RT_PUBLIC u64 rt_cwd(u64 slot);
RT_PUBLIC u64 rt_root(u64 slot);
RT_PUBLIC u64 rt_path_put(u64 slot, u64 text, u64 len); /* rt_path.c's own */
RT_PUBLIC u64 rt_getf(u64 slot, u64 fd);
RT_PUBLIC u64 rt_execargs(u64 slot);

/* Stores to own memory (ST*); anything else is BADADDR. */
RT_PUBLIC u64 rt_poke(u64 slot, u64 addr, u64 value, u64 size);

/* SCMP: <0, 0, >0 as a signed 64-bit number; NULL compares as "". */
RT_PUBLIC u64 rt_scmp(u64 slot, u64 a, u64 b);
/* Not in BPF: is a string not a text that may be read as it is, of `size` bytes
 * with its NUL?  0: they are equal. */
RT_PUBLIC u64 rt_sdiffers(u64 slot, u64 s, u64 text, u64 size);

/*
 * Copy the string at `addr` to mem[off ... off+size), padded with NULs to size
 * (the key of an aggregation is compared byte by byte).  size <= strsize; the
 * string is cut at `size` bytes (a string of exactly size bytes has no NUL).
 * Returns 0, or 1 after setting a fault.
 */
RT_PUBLIC u64 rt_store_str(u64 slot, u64 off, u64 addr, u64 size);
/* Copy `size` (<= strsize) bytes from addr to mem[off...). Same result. */
RT_PUBLIC u64 rt_store_bytes(u64 slot, u64 off, u64 addr, u64 size);
/*
 * Store what a reference (two words at `ref`: address, length) points to: the
 * length at mem[off], then at most `max` of the bytes.  Same result.
 */
RT_PUBLIC u64 rt_store_ref(u64 slot, u64 off, u64 ref, u64 max);
/* Integer loads from kernel memory (LD*): size 1, 2, 4, 8; zero-extended. */
RT_PUBLIC u64 rt_load(u64 slot, u64 addr, u64 size);
/* ... from user memory of the current process (ULD*). */
RT_PUBLIC u64 rt_uload(u64 slot, u64 addr, u64 size);

/*
 * Bucket numbers of the distribution aggregations (doc/reference/records.md
 * section 6).
 */
RT_PUBLIC u64 rt_quantize_index(u64 value);
RT_PUBLIC u64 rt_lquantize_index(u64 value, u64 arg);
RT_PUBLIC u64 rt_llquantize_index(u64 value, u64 arg);

#endif
