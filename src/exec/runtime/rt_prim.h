/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0 */
#ifndef EXEC_RUNTIME_RT_PRIM_H
#define EXEC_RUNTIME_RT_PRIM_H

/*
 * Primitives: the operations that differ between the substrates of the runtime.
 *
 *	rt_ms		the machine state of a slot, or NULL
 *	rt_peek		bytes from a foreign (kernel) address; 0 or negative
 *	rt_peek_str	string from there into dst[size]: bytes with the NUL,
 *			which is always written (size when the string was cut),
 *			or negative.  Bytes behind the NUL do not change.
 *	rt_upeek*	the same from user memory of the current process
 *	rt_upoke	write to that memory; 0 or negative
 *	rt_zero		zero bytes
 *	RT_LOOP		call fn(i, ctx) for i = 0 ... n-1 until it returns
 *			nonzero; the number of calls made
 *	rt_word, rt_set_word	8 bytes at any offset of mem
 *	rt_spec_word	the word of speculation i < conf.nspec, or NULL
 *	rt_unw_rows	a segment of unwind tables, or NULL
 *	rt_unw_row	its row i: off | rule << 32
 *	rt_count_drop	count a drop of a kind
 *	rt_globals, rt_tls	storage of global and thread-local variables, or
 *			NULL; rt_number is its address as a plain number
 *	rt_elem		whether addr[size] is in the value of an element of
 *			an array; if so, the low `width` bytes of `value` are
 *			stored at addr
 *	rt_task_*	the current task, its process id, its parent.  A task is
 *			an address in the kernel and a process id on the host.
 *	rt_task_struct	the address of the current task's struct task_struct
 */
#include "exec/runtime/rt.h"
#include "unwind/rule.h"

#ifdef __bpf__

/* Helper numbers are ABI: enum bpf_func_id of linux/bpf.h. */
static void *(*const bpf_map_lookup_elem)(
    void *map, const void *key) = (void *)1;
static u32 (*const bpf_get_prandom_u32)(void) = (void *)7;
static u64 (*const bpf_get_current_task)(void) = (void *)35;
static u64 (*const bpf_get_current_pid_tgid)(void) = (void *)14;
static long (*const bpf_probe_write_user)(
    u64 dst, const void *src, u32 size) = (void *)36;
static long (*const bpf_probe_read_user)(
    void *dst, u32 size, u64 src) = (void *)112;
static long (*const bpf_probe_read_kernel)(
    void *dst, u32 size, u64 src) = (void *)113;
static long (*const bpf_probe_read_user_str)(
    void *dst, u32 size, u64 src) = (void *)114;
static long (*const bpf_probe_read_kernel_str)(
    void *dst, u32 size, u64 src) = (void *)115;
/*
 * It brings in pages that are not mapped.  For programs that may not sleep the
 * linker replaces it by a failure (exec/bpf/session/link.c).
 */
static long (*const bpf_copy_from_user)(
    void *dst, u32 size, u64 src) = (void *)148;
static long (*const bpf_loop)(
    u32 n, void *fn, void *ctx, u64 flags) = (void *)181;

static void *(*const bpf_task_storage_get)(
    void *map, void *task, void *value, u64 flags) = (void *)156;
static void *(*const bpf_get_current_task_btf)(void) = (void *)158;

extern char rtm_states[], rtm_globals[], rtm_tls[], rtm_specs[], rtm_unwsegs[];
RT_PUBLIC u64 rt_drop(u64 kind); /* kern.bpf.c */
/* pidns.bpf.c: numbers of a task in dtrace's PID namespace */
RT_PUBLIC u64 rt_task_tgid(u64 task);
RT_PUBLIC u64 rt_task_tid(u64 task);
RT_PUBLIC u64 rt_elem(
    u64 slot, u64 addr, u64 size, u64 width, u64 value); /* elem_store.c */

#define rt_peek(ms, dst, size, addr) bpf_probe_read_kernel(dst, size, addr)
#define rt_peek_str(ms, dst, size, addr)                                       \
	bpf_probe_read_kernel_str(dst, size, addr)
#define rt_upeek(ms, dst, size, addr) rt_read_user(dst, size, addr)
#define rt_upeek_str(ms, dst, size, addr) rt_read_user_str(dst, size, addr)
#define rt_upoke(ms, addr, src, size) bpf_probe_write_user(addr, src, size)
#define RT_LOOP(n, fn, ctx) ((u64)bpf_loop((u32)(n), fn, ctx, 0))

/*
 * Hide the origin of a value, so that the compiler keeps a check that the BPF
 * verifier needs.
 */
#define RT_OPAQUE(x) asm volatile("" : "+r"(x))
/*
 * Before a loop of few steps whose number is known: BPF code gets no loop
 * there.
 */
#define RT_UNROLL _Pragma("unroll")

#define RT_PAGE 4096

RT_INLINE long
rt_read_user(void *dst, u32 size, u64 addr)
{
	return bpf_probe_read_user(dst, size, addr) == 0 ?
	    0 :
	    bpf_copy_from_user(dst, size, addr);
}

/* Bring in the page of an address. 0: it is mapped. */
RT_INLINE long
rt_bring_in(u64 addr)
{
	u8 byte;

	return bpf_copy_from_user(&byte, 1, addr);
}

/* A string may continue into a page that is not mapped. */
RT_INLINE long
rt_read_user_str(void *dst, u32 size, u64 addr)
{
	long n = bpf_probe_read_user_str(dst, size, addr);

	if (n >= 0 || rt_bring_in(addr) != 0)
		return n;
	n = bpf_probe_read_user_str(dst, size, addr);
	if (n >= 0 || rt_bring_in((addr | (RT_PAGE - 1)) + 1) != 0)
		return n;
	return bpf_probe_read_user_str(dst, size, addr);
}

RT_INLINE struct rt_mstate *
rt_ms(u64 slot)
{
	u32 key = (u32)slot;

	return bpf_map_lookup_elem(rtm_states, &key);
}

RT_INLINE u8 *
rt_globals(const struct rt_mstate *ms)
{
	u32 key = 0;

	(void)ms;
	return bpf_map_lookup_elem(rtm_globals, &key);
}

RT_INLINE u8 *
rt_tls(const struct rt_mstate *ms)
{
	(void)ms;
	return bpf_task_storage_get(
	    rtm_tls, bpf_get_current_task_btf(), (void *)0, 0);
}

RT_INLINE u64 *
rt_spec_word(const struct rt_mstate *ms, u64 i)
{
	u32 key = (u32)i;

	(void)ms;
	return bpf_map_lookup_elem(rtm_specs, &key);
}

RT_INLINE const void *
rt_unw_rows(const struct rt_mstate *ms, u64 seg)
{
	u32 key = (u32)seg;

	(void)ms;
	return bpf_map_lookup_elem(rtm_unwsegs, &key);
}

RT_INLINE u64
rt_unw_row(const void *rows, u64 i)
{
	u32 key = (u32)i;
	const u64 *row = bpf_map_lookup_elem((void *)rows, &key);

	return row ? *row : 0;
}

RT_INLINE void
rt_count_drop(const struct rt_mstate *ms, u64 kind)
{
	(void)ms;
	rt_drop(kind);
}

/* A privileged program may store a pointer; reading it back gives a number. */
RT_INLINE u64
rt_number(struct rt_mstate *ms, void *p)
{
	*(void *volatile *)&ms->ptr = p;
	return *(volatile u64 *)&ms->ptr;
}

/*
 * A failed read must not leave stale bytes in a destination that the verifier
 * then takes as initialised, so the kernel zeroes it; NULL is refused before it
 * is accessed.  So reading NULL is a memset() in one helper call.
 */
RT_INLINE void
rt_zero(void *dst, u64 size)
{
	bpf_probe_read_kernel(dst, (u32)size, 0);
}

RT_INLINE u64
rt_word(const struct rt_mstate *ms, u64 off)
{
	return *(const u64 *)&ms->mem[off & RTC(ms, memmask)];
}

RT_INLINE void
rt_set_word(struct rt_mstate *ms, u64 off, u64 word)
{
	*(u64 *)&ms->mem[off & RTC(ms, memmask)] = word;
}

RT_INLINE u32
rt_random(void)
{
	return bpf_get_prandom_u32();
}

RT_INLINE u64
rt_task_current(void)
{
	return bpf_get_current_task();
}

RT_INLINE u64
rt_task_struct(const struct rt_mstate *ms)
{
	(void)ms;
	return bpf_get_current_task();
}

/* The number of the current process, as dtrace sees it. */
RT_INLINE u32
rt_current_pid(void)
{
	if (RTC(0, pidns_ino) != 0)
		return (u32)rt_task_tgid(bpf_get_current_task());
	return (u32)(bpf_get_current_pid_tgid() >> 32);
}

RT_INLINE u32
rt_task_pid(const struct rt_mstate *ms, u64 task)
{
	u32 tgid = 0;

	if (RTC(ms, pidns_ino) != 0)
		return (u32)rt_task_tgid(task);
	bpf_probe_read_kernel(&tgid, sizeof(tgid), task + RTC(ms, task_tgid));
	return tgid;
}

RT_INLINE u64
rt_task_parent(const struct rt_mstate *ms, u64 task)
{
	u64 parent = 0;

	bpf_probe_read_kernel(
	    &parent, sizeof(parent), task + RTC(ms, task_real_parent));
	return parent;
}

#else /* a process: dtrace's own, or the traced one */

#include "exec/runtime/rt_os.h"
#include "exec/runtime/rt_vm.h"

#define RT_HOST_PAGE 4096
#define RT_OPAQUE(x) ((void)(x))
#define RT_UNROLL

RT_INLINE struct rt_mstate *
rt_ms(u64 slot)
{
	return (struct rt_mstate *)slot;
}

/* The number of bytes from `addr` on that lie in one of the ranges. */
RT_INLINE u64
rt_span(const struct rt_ranges *rs, u64 addr)
{
	for (u32 i = 0; i < rs->n; i++) {
		if (addr - rs->v[i].addr < rs->v[i].size)
			return rs->v[i].size - (addr - rs->v[i].addr);
	}
	return 0;
}

/* The place in this process of the byte at `addr`, which lies in a range. */
RT_INLINE const void *
rt_place(const struct rt_ranges *rs, u64 addr)
{
	u32 i = 0;

	while (addr - rs->v[i].addr >= rs->v[i].size)
		i++;
	return (const void *)(addr + rs->v[i].bias);
}

RT_INLINE const struct rt_ranges *
rt_kernel_ranges(const struct rt_mstate *ms)
{
	return ms->host != NULL ? &ms->host->kernel : NULL;
}

RT_INLINE const struct rt_ranges *
rt_user_ranges(const struct rt_mstate *ms)
{
	return ms->host != NULL ? &ms->host->user : NULL;
}

/* Read bytes from one of the ranges; without a list, from anywhere. */
RT_INLINE long
rt_fetch(const struct rt_ranges *rs, void *dst, u64 size, u64 addr)
{
	if (size == 0)
		return 0;
	if (rs == NULL) {
		if (rt_os_read(0, dst, size, addr) == 0)
			return 0;
	} else if (rt_span(rs, addr) >= size) {
		memmove(dst, rt_place(rs, addr), size);
		return 0;
	} else if (rs->tid != 0 && rt_os_read(rs->tid, dst, size, addr) == 0) {
		return 0;
	}
	memset(dst, 0, size);
	return -1;
}

#ifdef RT_FREESTANDING
#define RT_PIECE 256 /* on the stack of a traced program */
#else
#define RT_PIECE RT_HOST_PAGE
#endif

/*
 * Read a string piece by piece: it may end just before an unmapped page, or
 * before the end of a range.
 */
RT_INLINE long
rt_fetch_str(const struct rt_ranges *rs, void *dst, u64 size, u64 addr)
{
	char piece[RT_PIECE], *out = dst;
	u64 done = 0;

	while (done < size) {
		u64 n = RT_HOST_PAGE - (addr + done) % RT_HOST_PAGE;
		u64 left = rs != NULL ? rt_span(rs, addr + done) : n;

		n = left != 0 && left < n ? left : n;
		n = n < size - done ? n : size - done;
		n = n < RT_PIECE ? n : RT_PIECE;
		if (rt_fetch(rs, piece, n, addr + done) != 0) {
			memset(dst, 0, size);
			return -1;
		}
		u64 len = strnlen(piece, n);
		memcpy(out + done, piece, len);
		done += len;
		if (len < n) {
			out[done] = '\0';
			return (long)done + 1;
		}
	}
	if (size > 0)
		out[size - 1] = '\0';
	return (long)size;
}

/* Write only where the process itself may, as a probe in the kernel would. */
RT_INLINE long
rt_upoke(const struct rt_mstate *ms, u64 addr, const void *src, u64 size)
{
	const struct rt_ranges *rs = rt_user_ranges(ms);

	if (rs != NULL && rs->tid == 0 && rt_span(rs, addr) < size)
		return -1;
	return rt_os_write(rs != NULL ? rs->tid : 0, addr, src, size);
}

#define rt_peek(ms, dst, size, addr)                                           \
	rt_fetch(rt_kernel_ranges(ms), dst, size, addr)
#define rt_peek_str(ms, dst, size, addr)                                       \
	rt_fetch_str(rt_kernel_ranges(ms), dst, size, addr)
#define rt_upeek(ms, dst, size, addr)                                          \
	rt_fetch(rt_user_ranges(ms), dst, size, addr)
#define rt_upeek_str(ms, dst, size, addr)                                      \
	rt_fetch_str(rt_user_ranges(ms), dst, size, addr)

/* The number of bytes at an address that may be read without checks. */
RT_INLINE u64
rt_direct(const struct rt_mstate *ms, u64 addr)
{
	const struct rt_ranges *rs = rt_kernel_ranges(ms);

	return rs != NULL ? rt_span(rs, addr) : 0;
}

RT_INLINE void
rt_zero(void *dst, u64 size)
{
	memset(dst, 0, size);
}

RT_INLINE u8 *
rt_globals(const struct rt_mstate *ms)
{
	return ms->host != NULL ? ms->host->globals : NULL;
}

RT_INLINE u8 *
rt_tls(const struct rt_mstate *ms)
{
	return ms->host != NULL ? ms->host->tls : NULL;
}

RT_INLINE u64
rt_elem(u64 slot, u64 addr, u64 size, u64 width, u64 value)
{
	const struct rt_host *host = rt_ms(slot)->host;
	u8 *p = host != NULL && host->dyn != NULL ?
	    rt_dyn_at(host->dyn, addr, size) :
	    NULL;

	if (p == NULL)
		return 0;
	memcpy(p, &value, width);
	return 1;
}

RT_INLINE u64 *
rt_spec_word(const struct rt_mstate *ms, u64 i)
{
	return ms->host != NULL && ms->host->specs != NULL ?
	    &ms->host->specs[i] :
	    NULL;
}

/* On the host a segment is a mapping. */
RT_INLINE const void *
rt_unw_rows(const struct rt_mstate *ms, u64 seg)
{
	return ms->host->mappings[seg].rows;
}

RT_INLINE u64
rt_unw_row(const void *rows, u64 i)
{
	const struct unw_row *r = (const struct unw_row *)rows + i;

	return r->off | (u64)r->rule << 32;
}

RT_INLINE void
rt_count_drop(const struct rt_mstate *ms, u64 kind)
{
	if (ms->host != NULL && ms->host->drops != NULL)
		ms->host->drops[kind]++;
}

RT_INLINE u64
rt_number(struct rt_mstate *ms, void *p)
{
	(void)ms;
	return (u64)p;
}

RT_INLINE u64
rt_loop(u64 n, long (*fn)(u32 i, void *ctx), void *ctx)
{
	u64 i;

	for (i = 0; i < n; i++) {
		if (fn((u32)i, ctx) != 0)
			return i + 1;
	}
	return i;
}
#define RT_LOOP(n, fn, ctx) rt_loop(n, fn, ctx)

RT_INLINE u64
rt_word(const struct rt_mstate *ms, u64 off)
{
	u64 word;

	memcpy(&word, &ms->mem[off & RTC(ms, memmask)], sizeof(word));
	return word;
}

RT_INLINE void
rt_set_word(struct rt_mstate *ms, u64 off, u64 word)
{
	memcpy(&ms->mem[off & RTC(ms, memmask)], &word, sizeof(word));
}

RT_INLINE u32
rt_random(void)
{
	return rt_os_random();
}

RT_INLINE u64
rt_task_current(void)
{
	return rt_os_pid();
}

RT_INLINE u64
rt_task_struct(const struct rt_mstate *ms)
{
	return ms->conf->task;
}

RT_INLINE u32
rt_task_pid(const struct rt_mstate *ms, u64 task)
{
	(void)ms;
	return (u32)task;
}

/* "/proc/PID/stat", built without printf(). */
RT_INLINE void
rt_stat_path(char path[32], u64 pid)
{
	static const char before[] = "/proc/", after[] = "/stat";
	char digits[20];
	u32 n = 0, len = sizeof(before) - 1;

	do
		digits[n++] = (char)('0' + pid % 10);
	while ((pid /= 10) != 0 && n < 19);
	memcpy(path, before, len);
	while (n > 0 && len < 25)
		path[len++] = digits[--n];
	memcpy(path + len, after, sizeof(after));
}

/* proc(5): the fourth field, after a name that may hold blanks and parens. */
RT_INLINE u64
rt_task_parent(const struct rt_mstate *ms, u64 task)
{
	char path[32], text[512];
	u64 ppid = 0;
	long n, i;

	(void)ms;
	rt_stat_path(path, task & 0xffffffff);
	n = rt_os_file(path, text, sizeof(text));
	for (i = n - 1; i >= 0 && text[i] != ')'; i--)
		;
	/* ") S 1234 " */
	for (i += 4; i > 3 && i < n && text[i] >= '0' && text[i] <= '9'; i++)
		ppid = 10 * ppid + (u64)(text[i] - '0');
	return ppid;
}

#endif
#endif
