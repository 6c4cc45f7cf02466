/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0 */
/*
 * Functions that compiled clauses call, besides the runtime: threads, records,
 * aggregations, clocks.  Part of the freestanding code (jit/blob.h) only: it
 * runs in traced processes and may interrupt any code, also itself (in a signal
 * handler).
 */
#include "exec/process/inside/area.h"

#include "exec/runtime/drops.h"
#include "exec/process/inside/fire.h"
#include "exec/runtime/rt_code.h"
#include "exec/runtime/tsc.h"

enum { CLOCK_MONOTONIC = 1, CLOCK_THREAD_CPUTIME_ID = 3 };
enum { PR_GET_NAME = 16, FUTEX_WAIT = 0, FUTEX_WAKE = 1, ARCH_GET_FS = 0x1003 };

#define NS 1000000000ULL
#define TIME_TRIES 100

/* One instruction, so a signal handler between read and write loses nothing. */
RT_INLINE void
add(u64 *word, u64 n)
{
	asm volatile("addq %1, %0" : "+m"(*word) : "er"(n) : "cc");
}

/* Write `next` if the word is `old`.  Returns the word's old value. */
RT_INLINE u64
exchange(u64 *word, u64 old, u64 next)
{
	asm volatile("cmpxchgq %2, %1"
		     : "+a"(old), "+m"(*word)
		     : "r"(next)
		     : "cc", "memory");
	return old;
}

RT_INLINE struct pr_thread *
thread_of(const struct rt_vm *vm)
{
	return PR_FIRE(vm)->thread;
}

RT_INLINE u64
region_of(const struct pr_thread *t)
{
	return (u64)t->own - t->conf->own;
}

RT_INLINE void
drop(struct pr_thread *t, u32 kind)
{
	add(&t->shared->drops[kind], 1);
}

u64
pr_drop(struct rt_vm *vm, u64 kind)
{
	drop(thread_of(vm), (u32)kind);
	return 0;
}

RT_INLINE struct pr_head *
head_of(const struct pr_own *own, const struct pr_conf *c)
{
	return (struct pr_head *)((u64)own - c->own + c->data);
}

/* ---- threads ------------------------------------------------------------ */

static __attribute__((noinline)) u64
ask_fs_base(void)
{
	u64 base = 0;

	rt_syscall3(RT_SYS_ARCH_PRCTL, ARCH_GET_FS, (long)&base, 0);
	return base;
}

/* Stands for the %fs base of a thread that has not set one. */
#define NO_TLS 1

RT_INLINE u64
fs_base(const struct pr_conf *c)
{
	u64 base = 0;

	if (__builtin_expect(c->has_fsgsbase != 0, 1))
		asm volatile("rdfsbase %0" : "=r"(base));
	else
		base = ask_fs_base();
	return __builtin_expect(base != 0, 1) ? base : NO_TLS;
}

RT_INLINE u64
thread_id(const struct pr_own *own, u64 fs)
{
	if (own->start.tid_off >= 0 && fs != NO_TLS)
		return *(const u32 *)(fs + (u64)own->start.tid_off);
	return rt_os_tid();
}

RT_INLINE struct pr_found *
find_entry(struct pr_own *own, u64 fs)
{
	return &own->find[fs * PR_FIND_HASH >> PR_FIND_SHIFT];
}

RT_INLINE struct pr_thread *
thread_at(struct pr_own *own, const struct pr_conf *c, u64 number)
{
	u64 off = number < PR_NDEEP ?
	    sizeof(*own) + number * c->own_size :
	    c->far + (number - PR_NDEEP) * c->far_size;

	return (struct pr_thread *)((u64)own + off);
}

/* Take the part in `own`, too: other processes can write to the shared owners,
 * which must not decide about our memory. */
static int
part_take(struct pr_thread *t, u64 tid)
{
	u64 old = t->taken;

	return (old == 0 || !rt_os_is_alive((u32)old)) &&
	    __sync_bool_compare_and_swap(&t->taken, old, tid);
}

/* After a thread has found no room, no thread searches before the clock is
 * renewed: a search takes long. */
static int
is_full(struct pr_own *own, const struct pr_conf *c)
{
	return own->full == head_of(own, c)->turn + 1;
}

RT_INLINE u64 *
owner_of(struct pr_own *own, const struct pr_conf *c, u64 number)
{
	return (u64 *)((u64)own - c->own + c->owners) + number;
}

/* Take a number that is free, or whose owner `old` has ended. */
static int
number_claim(
    struct pr_own *own, const struct pr_conf *c, u64 number, u64 old, u64 tid)
{
	struct pr_thread *t = thread_at(own, c, number);

	if (!part_take(t, tid))
		return 0;
	if (__sync_bool_compare_and_swap(
		owner_of(own, c, number), old, own->start.pid << 32 | tid))
		return 1;
	t->taken = 0;
	return 0;
}

/* Is the owner a thread of this process that has ended?  Threads of other
 * processes may be unknown here although they live (pid_namespaces(7)). */
static int
was_ours(struct pr_own *own, u64 number, u64 owner)
{
	return (own->had[number / 64] >> number % 64 & 1) != 0 &&
	    owner >> 32 == own->start.pid && !rt_os_is_alive((u32)owner);
}

#define LOOKS 16 /* numbers checked for threads that have ended */

/* A number whose parts the process has had (low numbers have larger parts); or
 * c->nthreads. */
static u64
number_again(struct pr_own *own, const struct pr_conf *c, u64 tid)
{
	u64 nlarge = c->sizes[1].end, i = 0, old;

	for (u64 n = 0; n < nlarge + LOOKS; n++) {
		i = n < nlarge ? n : own->looked++ % c->nthreads;
		old = *owner_of(own, c, i);
		if (n < nlarge && old == 0 && number_claim(own, c, i, old, tid))
			return i;
		if (was_ours(own, i, old) && number_claim(own, c, i, old, tid))
			return i;
	}
	return c->nthreads;
}

/* A free number, or that of a thread of any process that has ended. */
static u64
number_any(struct pr_own *own, const struct pr_conf *c, u64 tid, int is_new)
{
	for (u64 i = 0; i < c->nthreads; i++) {
		u64 old = *owner_of(own, c, i);

		if (is_new ? old != 0 : rt_os_is_alive((u32)old))
			continue;
		if (number_claim(own, c, i, old, tid))
			return i;
	}
	return c->nthreads;
}

/* The number of a thread's parts; c->nthreads: there is none left. */
static u64
number_take(struct pr_own *own, const struct pr_conf *c, u64 tid)
{
	u64 number = number_again(own, c, tid);

	if (number == c->nthreads)
		number = number_any(own, c, tid, 1);
	if (number == c->nthreads)
		number = number_any(own, c, tid, 0);
	if (number == c->nthreads)
		own->full = head_of(own, c)->turn + 1;
	return number;
}

static void
level_init(struct pr_thread *t, u64 region, struct rt_vm *vm)
{
	const struct pr_conf *c = t->conf;
	struct rt_mstate *ms = rt_vm_ms(vm);

	PR_FIRE(vm)->thread = t;
	ms->base = (u64)ms;
	ms->conf = &c->rt;
	ms->host = &vm->host;
	vm->thread = t->serial;
	vm->host.globals = (u8 *)(region + c->globals);
	vm->host.tls = (u8 *)(t + 1);
	vm->host.specs = (u64 *)(region + c->specs);
	vm->host.dyn = &vm->dyn;
	vm->host.drops = t->shared->drops;
	PR_FIRE(vm)->ranges[0] = (struct rt_range){ region, c->region_size };
	PR_FIRE(vm)->ranges[1].size = PR_STACK_PAGE;
	memcpy(&PR_FIRE(vm)->ranges[2], t->own->start.proved,
	    sizeof(t->own->start.proved));
	vm->host.kernel = vm->host.user =
	    (struct rt_ranges){ PR_FIRE(vm)->ranges,
		    2 + (u32)t->own->start.nproved, (u32)t->tid };
	vm->host.mappings = &t->rows;
	vm->host.nmappings = 1;
	vm->key = (u8 *)vm + c->vm_key;
	vm->value = (u8 *)vm + c->vm_value;
	rt_dyn_use(&vm->dyn, (void *)(region + c->dyn), c->dynvarsize);
	vm->dyn.self = (u32)(t->child != 0 ? t->child : t->tid);
}

RT_INLINE struct rt_vm *
level(const struct pr_thread *t, u64 i)
{
	return (struct rt_vm *)((u64)t + t->conf->levels +
	    i * t->conf->level_size + sizeof(struct pr_fire));
}

void
pr_thread_becomes(struct pr_thread *t, u64 child)
{
	t->child = child;
	for (u64 i = 0; i < t->nlevels; i++)
		level(t, i)->dyn.self = (u32)(child != 0 ? child : t->tid);
}

static void
place_init(struct pr_place *p, const struct pr_agg_size *s, u64 room)
{
	for (u64 turn = 0; turn < 2; turn++)
		p->turns[turn] =
		    (struct pr_table *)(room + s->off + turn * s->turn_size);
	p->mask = s->nslots - 1;
	p->max = s->max;
	p->entries = sizeof(struct pr_table) + 4ULL * s->nslots;
}

RT_INLINE struct pr_place *
place_of(const struct pr_thread *t, u64 index)
{
	return (struct pr_place *)((u64)t + t->conf->places) + index;
}

/* Set the addresses of the thread's buffer and tables. */
static void
room_init(struct pr_thread *t, u64 region, u64 number)
{
	const struct pr_conf *c = t->conf;
	const struct pr_agg *ag = (const struct pr_agg *)(region + c->aggs);
	u64 k = 0, first = 0, room;

	while (number >= c->sizes[k].end)
		first = c->sizes[k++].end;
	room = region + c->sizes[k].rooms +
	    (number - first) * c->sizes[k].room_size;
	t->buf = (struct exec_buf *)room;
	t->buf_mask = c->sizes[k].buf_size - 1;
	t->buf_half = c->sizes[k].buf_size / 2;
	for (u64 i = 0; i < c->naggs; i++)
		place_init(place_of(t, i), &ag[i].sizes[k], room);
}

/* Begin a thread's own part; the thread that had it has ended. */
static void
thread_init(struct pr_thread *t, struct pr_own *own, const struct pr_conf *c,
    u64 number, u64 tid)
{
	u64 region = (u64)own - c->own;

	t->fs_base = 0;
	memset(t + 1, 0, c->rt.tls_size);
	t->tid = tid;
	t->own = own;
	t->conf = c;
	t->top = 0;
	t->head = (struct pr_head *)(region + c->data);
	t->shared =
	    (struct pr_shared *)(region + c->threads + number * c->thread_size);
	t->shared->active = t->shared->counting = 0;
	memset(t->calls, 0, sizeof(t->calls));
	t->child = 0;
	t->serial = __sync_add_and_fetch(&t->head->serial, 1);
	t->rows = (struct rt_mapping){ .rows = (void *)(region + c->rows),
		.nrows = c->nrows };
	t->nlevels = number < PR_NDEEP ? PR_LEVELS : 1;
	room_init(t, region, number);
	level_init(t, region, level(t, 0));
	level(t, 0)->dyn.is_outermost = 1;
}

/* Search the parts for a thread that the find table lacks; NULL: it is new.
 * Skip parts that no thread has had: their pages are not there yet. */
static struct pr_thread *
thread_search(struct pr_own *own, const struct pr_conf *c, u64 fs, u64 tid)
{
	for (u64 i = 0; i < PR_NTHREADS / 64; i++) {
		for (u64 bits = own->had[i]; bits != 0; bits &= bits - 1) {
			u64 number = 64 * i + (u64)__builtin_ctzll(bits);
			struct pr_thread *t = thread_at(own, c, number);

			if (own->bases[number] == fs && t->fs_base == fs &&
			    t->tid == tid)
				return t;
		}
	}
	return NULL;
}

/* The thread's entry, or the entry to use for it. */
static struct pr_found *
find_room(struct pr_own *own, u64 fs)
{
	struct pr_found *first = find_entry(own, fs), *room = first;

	for (u64 i = PR_FIND_NEXT; i-- > 0;) {
		struct pr_found *f = find_entry(own, fs);

		f = own->find + ((u64)(f - own->find) + i) % PR_FIND;
		if (f->fs_base == fs)
			return f;
		if (f->fs_base == 0)
			room = f;
	}
	return room;
}

/* Two threads that write an entry at the same time may mix it up, so a lookup
 * also checks the thread's id. */
static void
note_found(struct pr_found *found, struct pr_thread *t)
{
	*(volatile u64 *)&found->fs_base = 0;
	*(struct pr_thread *volatile *)&found->thread = t;
	*(volatile u64 *)&found->fs_base = t->fs_base;
}

/* Note the thread in a free entry, or in that of a thread that has ended. */
static void
note_near(struct pr_own *own, struct pr_thread *t)
{
	struct pr_found *end = own->near + PR_NEAR, *room = end;

	for (struct pr_found *n = own->near; n < end; n++) {
		if (n->fs_base == t->fs_base) {
			room = n;
			break;
		}
		if (room == end &&
		    (n->fs_base == 0 || !rt_os_is_alive((u32)n->thread->tid)))
			room = n;
	}
	if (room != end)
		note_found(room, t);
}

static __attribute__((noinline)) struct pr_thread *
thread_find(struct pr_own *own, const struct pr_conf *c, u64 fs, u64 tid)
{
	struct pr_thread *t = thread_search(own, c, fs, tid);
	u64 number;

	if (t == NULL) {
		number =
		    is_full(own, c) ? c->nthreads : number_take(own, c, tid);
		if (number == c->nthreads) {
			__sync_add_and_fetch(&head_of(own, c)->nowhere, 1);
			return NULL;
		}
		t = thread_at(own, c, number);
		thread_init(t, own, c, number, tid);
		t->fs_base = fs;
		own->bases[number] = fs;
		__sync_fetch_and_or(
		    &own->had[number / 64], 1ULL << number % 64);
	}
	note_found(find_room(own, fs), t);
	note_near(own, t);
	return t;
}

/* Does %fs base + tid_off hold the thread's id?  Some libcs set it later. */
int
pr_knows_tid(const struct pr_own *own, const struct pr_conf *c)
{
	return thread_id(own, fs_base(c)) == rt_os_tid();
}

struct pr_thread *
pr_thread_self(struct pr_own *own, const struct pr_conf *c)
{
	struct pr_found *found;
	u64 fs, tid;

	if (!own->start.live)
		return NULL;
	fs = fs_base(c);
	found = find_entry(own, fs);
	if (__builtin_expect(found->fs_base != fs, 0))
		found = find_room(own, fs);
	tid = thread_id(own, fs);
	if (found->fs_base == fs && found->thread->tid == tid)
		return found->thread;
	if (tid != 0)
		return thread_find(own, c, fs, tid);
	__sync_add_and_fetch(&head_of(own, c)->nowhere, 1);
	return NULL;
}

/* ---- firings ------------------------------------------------------------ */

RT_INLINE u32
this_cpu(const struct pr_conf *c)
{
	u32 cpu = 0;

	if (c->has_cpu)
		__builtin_ia32_rdtscp(&cpu);
	else
		rt_syscall3(RT_SYS_GETCPU, (long)&cpu, 0, 0);
	return cpu & EXEC_CPU_MASK; /* the upper bits are its node */
}

/* May the thread record?  Not on an untraced CPU, or after a full buffer. */
static int
is_wanted(const struct pr_thread *t, const struct pr_conf *c)
{
	if (c->cpu >= 0 && this_cpu(c) != (u32)c->cpu)
		return 0;
	return c->policy != DT_BUF_FILL ||
	    t->shared->drops[DT_DROP_FILLED] == 0;
}

/* Flags as LAHF has them, and the overflow flag (inproc_frame). */
enum {
	FLAG_O = 1,
	FLAG_C = 1 << 8,
	FLAG_P = 4 << 8,
	FLAG_Z = 0x40 << 8,
	FLAG_S = 0x80 << 8
};

/*
 * Does a condition hold, as Jcc decides (Intel SDM, volume 2, appendix
 * B.1.4.7)?  Numbers come in pairs, the odd one is the opposite.
 */
static __attribute__((noinline)) u64
holds(u64 flags, u32 cond)
{
	u64 less = !(flags & FLAG_S) != !(flags & FLAG_O), is;

	switch (cond >> 1) {
	case 0:
		is = (flags & FLAG_O) != 0;
		break;
	case 1:
		is = (flags & FLAG_C) != 0;
		break;
	case 2:
		is = (flags & FLAG_Z) != 0;
		break;
	case 3:
		is = (flags & (FLAG_C | FLAG_Z)) != 0;
		break;
	case 4:
		is = (flags & FLAG_S) != 0;
		break;
	case 5:
		is = (flags & FLAG_P) != 0;
		break;
	case 6:
		is = less;
		break;
	default:
		is = less || (flags & FLAG_Z) != 0;
		break;
	}
	return is ^ (cond & 1);
}

/* stack_t (asm-generic/signal-defs.h) */
struct signal_stack {
	u64 sp, flags, size;
};
enum { MS_ASYNC = 1 };

/* Is all memory between the two mapped?  msync() with MS_ASYNC only checks it.
 */
static int
is_one_mapping(u64 from, u64 to)
{
	from &= -(u64)PR_STACK_PAGE;
	return rt_syscall3(
		   RT_SYS_MSYNC, (long)from, (long)(to - from), MS_ASYNC) == 0;
}

/*
 * Has longjmp() out of a signal handler abandoned the firing whose frame is
 * `old`?  If the handler still ran, a firing that begins now would be below
 * `old` on the same stack, or on the handlers' own stack.
 */
static __attribute__((noinline)) int
is_abandoned(u64 old, u64 now)
{
	struct signal_stack s = { 0, 0, 0 };
	int was_there, is_there;

	if (rt_syscall3(RT_SYS_SIGALTSTACK, 0, (long)&s, 0) != 0)
		return 0;
	was_there = old - s.sp < s.size;
	is_there = now - s.sp < s.size;
	if (was_there != is_there)
		return was_there;
	return old <= now && is_one_mapping(old, now + 1);
}

/* The number of levels in use.  Takes back levels of abandoned firings. */
static u64
levels_in_use(struct pr_thread *t, u64 now)
{
	u64 top = t->top, n;

	while ((n = top & PR_TOP_LEVELS) != 0 && is_abandoned(top - n, now))
		top = PR_FIRE(level(t, n - 1))->below;
	*(volatile u64 *)&t->top = top;
	return n;
}

#define FRAME_FLAGS 16 /* of inproc_frame, in words */

struct rt_vm *
pr_enter(struct pr_own *own, const struct pr_conf *c, const u64 *frame,
    const struct pr_probe *probe)
{
	struct pr_thread *t = pr_thread_self(own, c);
	struct rt_vm *vm;
	struct rt_mstate *ms;
	u64 n;

	if (t == NULL || (!probe->is_own && !is_wanted(t, c)))
		return NULL;
	if (__builtin_expect(probe->cond != PR_ALWAYS, 0) &&
	    !holds(frame[FRAME_FLAGS], probe->cond))
		return NULL;
	n = levels_in_use(t, (u64)frame);
	if (n == t->nlevels) {
		drop(t, DT_DROP_SCRATCH);
		return NULL;
	}
	vm = level(t, n);
	if (__builtin_expect(vm->thread != t->serial, 0))
		level_init(t, region_of(t), vm);
	*(volatile u64 *)&PR_FIRE(vm)->below = t->top;
	*(volatile u64 *)&t->top = PR_TOP((u64)frame, n + 1);
	*(volatile u64 *)&t->shared->active = n + 1;
	PR_FIRE(vm)->frame = frame;
	PR_FIRE(vm)->probe = probe;
	PR_FIRE(vm)->ranges[1].addr =
	    ((u64)frame + PR_FRAME_LAST) & -(u64)PR_STACK_PAGE;
	PR_FIRE(vm)->has_regs = 0;
	PR_FIRE(vm)->time = PR_FIRE(vm)->vtime = PR_FIRE(vm)->cycles = 0;
	ms = rt_vm_ms(vm);
	ms->fault = 0;
	ms->tok = 0;
	/* by words: most scripts have none or few */
	for (u64 off = c->rt.locals; off < c->rt.tmp_a; off += 8)
		rt_set_word(ms, off, 0);
	return vm;
}

u64
pr_leave(struct rt_vm *vm)
{
	struct pr_thread *t = thread_of(vm);

	*(volatile u64 *)&t->shared->active =
	    PR_FIRE(vm)->below & PR_TOP_LEVELS;
	*(volatile u64 *)&t->top = PR_FIRE(vm)->below;
	return 0;
}

/* ---- built-in variables ------------------------------------------------- */

static u64
read_clock(u32 clock)
{
	u64 ts[2] = { 0, 0 };

	rt_syscall3(RT_SYS_CLOCK_GETTIME, clock, (long)ts, 0);
	return ts[0] * NS + ts[1];
}

/*
 * The time by the time-stamp counter, if that is even.  dtrace may renew the
 * scale meanwhile, but not often, unless a process scribbles over it.
 */
static u64
time_now(const struct pr_thread *t)
{
	const struct pr_head *h = t->head;
	u64 turn, ns, past, tries = 0;

	do {
		if (!t->conf->has_tsc || tries++ == TIME_TRIES)
			return read_clock(CLOCK_MONOTONIC);
		turn = __atomic_load_n(&h->turn, __ATOMIC_ACQUIRE);
		const struct pr_scale *s = &h->scale[turn & 1];
		/* RDTSC does not wait for loads: it may precede a new scale
		 */
		past = __builtin_ia32_rdtsc() - s->cycles;
		past = (s64)past < 0 ? 0 : past;
		ns = s->ns +
		    (u64)((unsigned __int128)past * s->mult >> PR_SCALE_SHIFT);
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
	} while (h->turn - turn > 1);
	return ns;
}

u64
pr_timestamp(struct rt_vm *vm)
{
	struct pr_fire *f = PR_FIRE(vm);

	if (f->time == 0)
		f->time = time_now(f->thread);
	return f->time;
}

/* Read anew each time: unlike timestamp, it moves within a clause. */
u64
pr_walltimestamp(struct rt_vm *vm, u64 index)
{
	(void)index;
	return time_now(PR_FIRE(vm)->thread) + thread_of(vm)->head->wall_off;
}

u64
pr_vtimestamp(struct rt_vm *vm)
{
	struct pr_fire *f = PR_FIRE(vm);

	if (f->vtime == 0)
		f->vtime = read_clock(CLOCK_THREAD_CPUTIME_ID);
	return f->vtime;
}

u64
pr_machtimestamp(struct rt_vm *vm)
{
	struct pr_fire *f = PR_FIRE(vm);

	if (f->cycles == 0)
		f->cycles = __builtin_ia32_rdtsc();
	return f->cycles;
}

u64
pr_pid(struct rt_vm *vm)
{
	const struct pr_thread *t = thread_of(vm);

	return t->child != 0 ? t->child : t->own->start.pid;
}

u64
pr_tid(struct rt_vm *vm)
{
	const struct pr_thread *t = thread_of(vm);

	return t->child != 0 ? t->child : t->tid;
}

u64
pr_ppid(struct rt_vm *vm)
{
	(void)vm;
	return (u32)rt_syscall3(RT_SYS_GETPPID, 0, 0, 0);
}

u64
pr_uid(struct rt_vm *vm)
{
	(void)vm;
	return (u32)rt_syscall3(RT_SYS_GETUID, 0, 0, 0);
}

u64
pr_gid(struct rt_vm *vm)
{
	(void)vm;
	return (u32)rt_syscall3(RT_SYS_GETGID, 0, 0, 0);
}

u64
pr_cpu(struct rt_vm *vm)
{
	const struct pr_fire *f = PR_FIRE(vm);

	return f->cpu != 0 ? f->cpu - 1 : this_cpu(f->thread->conf);
}

static u64
thread_name(struct rt_vm *vm)
{
	struct pr_fire *f = PR_FIRE(vm);

	memset(f->comm, 0, sizeof(f->comm));
	rt_syscall3(RT_SYS_PRCTL, PR_GET_NAME, (long)f->comm, 0);
	return (u64)f->comm;
}

u64
pr_execname(struct rt_vm *vm)
{
	return thread_name(vm);
}

u64
pr_threadname(struct rt_vm *vm)
{
	return thread_name(vm);
}

/* An argument on the stack, beyond the sixth; 0 where there is none. */
u64
pr_stack_arg(struct rt_vm *vm, u64 n)
{
	const struct pr_fire *f = PR_FIRE(vm);

	return pr_user_word(vm, f->frame[4] + 8 * (n - 5), 8);
}

/* The stack's page that holds the saved registers is mapped: read it. */
u64
pr_user_word(struct rt_vm *vm, u64 addr, u64 size)
{
	const struct rt_range *page = &PR_FIRE(vm)->ranges[1];
	u64 value = 0;

	if (addr - page->addr <= page->size - size)
		memcpy(&value, (const void *)addr, size);
	else
		rt_os_read((u32)thread_of(vm)->tid, &value, size, addr);
	return value;
}

/* ---- records ------------------------------------------------------------ */

void
pr_ring(struct pr_head *h)
{
	__sync_add_and_fetch(&h->bell, 1);
	if (h->naps != 0)
		rt_syscall3(RT_SYS_FUTEX, (long)&h->bell, FUTEX_WAKE, 1);
}

u64
pr_exit(struct rt_vm *vm)
{
	struct pr_thread *t = thread_of(vm);

	/* before the gate closes: dtrace sees that exit() has closed it */
	__atomic_store_n(
	    &t->head->state, EXEC_STATE_DRAINING, __ATOMIC_RELEASE);
	__atomic_store_n(&t->head->gate, 0, __ATOMIC_RELEASE);
	pr_ring(t->head);
	return 0;
}

/* The buffer has no room: count a drop, or end tracing in this thread. */
static void
buffer_full(struct pr_thread *t)
{
	if (t->conf->policy != DT_BUF_FILL) {
		drop(t, DT_DROP_PRINCIPAL);
	} else if (t->shared->drops[DT_DROP_FILLED] == 0) {
		t->shared->drops[DT_DROP_FILLED] = 1;
		pr_ring(t->head);
	}
}

RT_INLINE u64
move_head(struct exec_buf *buf, u64 head, u64 next)
{
	return exchange((u64 *)&buf->head, head, next);
}

u64
pr_bell(struct rt_vm *vm)
{
	pr_ring(thread_of(vm)->head);
	return 0;
}

/* Reserve room for a record and its word; NULL after counting a drop. */
static u8 *
reserve(struct rt_vm *vm, u64 size)
{
	struct pr_thread *t = thread_of(vm);
	const struct pr_conf *c = t->conf;
	struct exec_buf *buf = t->buf;
	u64 mask = t->buf_mask, head = buf->head, next, seen;
	u32 word[2] = { (u32)(size + EXEC_BUF_WORD), (u32)pr_cpu(vm) };

	for (;; head = seen) {
		next = head + size + EXEC_BUF_WORD;
		if (c->policy != DT_BUF_RING && next - buf->tail > mask + 1) {
			buffer_full(t);
			return NULL;
		}
		seen = move_head(buf, head, next);
		if (seen == head)
			break;
	}
	memcpy(buf->data + ((head + size) & mask), word, sizeof(word));
	if (c->policy != DT_BUF_RING && ((head ^ next) & t->buf_half))
		pr_ring(t->head);
	return buf->data + (head & mask);
}

/* Write the EPID last: it tells the reader that the rest is there. */
RT_INLINE void
commit(u8 *dst, u32 epid, u64 time)
{
	((volatile u32 *)dst)[1] = (u32)(time >> 32);
	((volatile u32 *)dst)[2] = (u32)time;
	__atomic_store_n((u32 *)dst, epid, __ATOMIC_RELEASE);
}

/* Write the record in the machine state to the buffer. */
u64
pr_record(struct rt_vm *vm, u64 size, u64 epid)
{
	const struct pr_conf *c = thread_of(vm)->conf;
	u64 time = pr_timestamp(vm);
	u8 *dst = reserve(vm, size);

	if (dst == NULL)
		return 0;
	memcpy(dst + 12, rt_vm_ms(vm)->mem + c->mem_rec + 12, size - 12);
	commit(dst, (u32)epid, time);
	return 0;
}

u64
pr_error(struct rt_vm *vm)
{
	const struct pr_fire *f = PR_FIRE(vm);
	const struct rt_mstate *ms = rt_vm_ms(vm);
	u64 time = pr_timestamp(vm);
	struct exec_errrec *rec =
	    (struct exec_errrec *)(void *)reserve(vm, sizeof(*rec));

	if (rec == NULL)
		return 0;
	rec->epid = f->epid;
	rec->action = f->action;
	rec->fault = (u32)ms->fault;
	rec->offset = f->offset;
	rec->value = ms->fault_val;
	commit((u8 *)rec, EXEC_EPID_ERROR, time);
	return 0;
}

/* Copy any number of bytes to mem; 1 after a fault. */
u64
pr_store_bytes(struct rt_vm *vm, u64 off, u64 addr, u64 size)
{
	struct rt_mstate *ms = rt_vm_ms(vm);

	if (rt_peek(ms, ms->mem + off, size, addr) == 0)
		return 0;
	rt_fault(ms, DIF_FLT_BADADDR, addr);
	return 1;
}

/* ---- aggregations ------------------------------------------------------- */

RT_INLINE u64
generation(const struct pr_thread *t, const struct pr_agg *ag)
{
	const u64 *gens = (const u64 *)(region_of(t) + t->conf->gens);

	return *(volatile const u64 *)&gens[ag->index];
}

/* A thread's table with keys: its address and geometry. */
struct tab {
	const struct pr_thread *thread;
	const struct pr_agg *ag;
	const struct pr_place *p;
	struct pr_table *t;
};

RT_INLINE u64 *
entry_at(const struct tab *tab, u64 i)
{
	return (u64 *)((u64)tab->t + tab->p->entries + i * tab->ag->entry_size);
}

/* The entry of an aggregation without keys. */
RT_INLINE u64 *
only_entry(const struct pr_thread *t, const struct pr_agg *ag)
{
	u64 turn = (generation(t, ag) & 1) * ag->turn_size;

	return (
	    u64 *)((u64)t->shared + ag->off + turn + sizeof(struct pr_table));
}

/* Add 1 to the counter.  Returns its old value. */
RT_INLINE u64
take_one(u64 *counter)
{
	u64 n = 1;

	asm volatile("xaddq %0, %1" : "+r"(n), "+m"(*counter) : : "cc");
	return n;
}

RT_INLINE int
take_slot(u32 *slot, u32 number)
{
	u32 old = 0;

	asm volatile("cmpxchgl %2, %1"
		     : "+a"(old), "+m"(*slot)
		     : "r"(number)
		     : "cc", "memory");
	return old == 0;
}

static void
value_begin(const struct pr_agg *ag, u64 *value)
{
	if (ag->kind == DT_ACT_MIN)
		*value = INT64_MAX;
	else if (ag->kind == DT_ACT_MAX)
		*value = (u64)INT64_MIN;
}

/* The key's first word is the CPU, or 0, and the table's generation. */
static u32
hash_key(const u64 *key, u32 nwords)
{
	u64 h = (u16)key[0];

	for (u32 i = 1; i < nwords; i++) {
		h = (h ^ key[i]) * PR_HASH;
		h ^= h >> 32;
	}
	return (u32)h;
}

RT_INLINE int
is_same(const u64 *a, const u64 *b, u32 nwords)
{
	u32 i = 0;

	while (i < nwords && a[i] == b[i])
		i++;
	return i == nwords;
}

/* Wake dtrace early enough to read the table before entry i is the last. */
static void
tell_fill(const struct tab *tab, u64 i)
{
	struct pr_head *h = tab->thread->head;
	u64 max = tab->p->max;

	if ((i != max / 2 && i != max - max / 4) ||
	    !tab->thread->conf->tells_fills)
		return;
	__sync_add_and_fetch(&h->fills, 1);
	pr_ring(h);
}

/*
 * Fill an entry for a key and make slot `at` lead to it: its value, or NULL
 * when a signal handler that came in between has used the slot (then the entry
 * is lost until the generation ends), or when all entries are used.
 */
static u64 *
entry_begin(const struct tab *tab, u32 at, const u64 *key, u64 used)
{
	const struct pr_agg *ag = tab->ag;
	u64 i = take_one(&tab->t->n), *entry, *value;

	if (i >= tab->p->max)
		return NULL;
	tell_fill(tab, i);
	entry = entry_at(tab, i);
	value = entry + 1 + ag->key_size / 8;
	memcpy(entry + 1, key, ag->key_size);
	memset(value, 0, ag->val_size);
	value_begin(ag, value);
	if (take_slot(&tab->t->slots[at], (u32)i + 1)) {
		__atomic_store_n(entry, used, __ATOMIC_RELEASE);
		return value;
	}
	return NULL;
}

/* The value of the slot's entry, if the entry's key is this one. */
RT_INLINE u64 *
entry_match(const struct tab *tab, u32 slot, const u64 *key, u64 used)
{
	u32 nwords = tab->ag->key_size / 8;
	u64 *entry = entry_at(tab, slot - 1);

	if (slot - 1 >= tab->p->max || *entry != used ||
	    !is_same(entry + 1, key, nwords))
		return NULL;
	return entry + 1 + nwords;
}

static u64 *
table_find(const struct tab *tab, const u64 *key)
{
	u32 hash = hash_key(key, tab->ag->key_size / 8), slot;
	u32 mask = (u32)tab->p->mask;
	u64 used = (u64)hash << 32 | PR_USED, *value;

	for (u64 i = 0; i <= mask; i++) {
		u32 at = (hash + (u32)i) & mask;

		if (tab->t->slots[at] == 0) {
			value = entry_begin(tab, at, key, used);
			if (value != NULL || tab->t->n > tab->p->max)
				return value;
		}
		slot = tab->t->slots[at];
		value = entry_match(tab, slot, key, used);
		if (value != NULL)
			return value;
	}
	return NULL;
}

/* The value of the key in the machine state; NULL: a drop. */
u64 *
pr_agg_keyed(struct rt_vm *vm, const struct pr_agg *ag)
{
	struct pr_thread *t = thread_of(vm);
	u64 *key = (u64 *)(void *)(rt_vm_ms(vm)->mem + t->conf->mem_key);
	u64 gen = generation(t, ag), *value;
	struct tab tab = { .thread = t, .ag = ag, .p = place_of(t, ag->index) };

	tab.t = tab.p->turns[gen & 1];
	key[0] = (t->conf->by_cpu ? (u16)pr_cpu(vm) : 0) | (gen & 0xffff) << 16;
	value = table_find(&tab, key);
	if (value == NULL)
		drop(t, DT_DROP_AGG);
	return value;
}

/* Without keys there is one value. */
u64 *
pr_agg_scalar(struct rt_vm *vm, const struct pr_agg *ag)
{
	struct pr_thread *t = thread_of(vm);
	u64 *entry = only_entry(t, ag);

	if (*entry == 0) {
		value_begin(ag, entry + 1);
		*entry = PR_USED;
	}
	return entry + 1;
}

u64
pr_count(struct pr_own *own, const struct pr_conf *c, const struct pr_agg *ag)
{
	struct pr_thread *t = pr_thread_self(own, c);
	u64 *entry;

	if (t == NULL || !is_wanted(t, c))
		return 0;
	add(&t->shared->counting, 1);
	entry = only_entry(t, ag);
	*(volatile u64 *)entry = PR_USED;
	add(entry + 1, 1);
	add(&t->shared->counting, -1ULL);
	return 0;
}

static void
update_minmax(u64 *word, s64 value, int is_min)
{
	u64 old = *word, seen;

	while (is_min ? value < (s64)old : value > (s64)old) {
		seen = exchange(word, old, (u64)value);
		if (seen == old)
			break;
		old = seen;
	}
}

/* Update count, sum, and the 128-bit sum of squares: the carry is in the flags,
 * which a signal handler restores. */
static void
update_stddev(u64 *v, s64 value)
{
	u64 abs = value < 0 ? -(u64)value : (u64)value;
	unsigned __int128 square = (unsigned __int128)abs * abs;

	add(&v[0], 1);
	add(&v[1], (u64)value);
	asm volatile("addq %2, %0; adcq %3, %1"
		     : "+m"(v[2]), "+m"(v[3])
		     : "r"((u64)square), "r"((u64)(square >> 64))
		     : "cc");
}

/* Update a value of any aggregating function but the distributions. */
u64
pr_agg_update(u64 *v, u64 kind, u64 value)
{
	switch (kind) {
	case DT_ACT_MIN:
	case DT_ACT_MAX:
		update_minmax(v, (s64)value, kind == DT_ACT_MIN);
		break;
	case DT_ACT_AVG:
		add(&v[0], 1);
		add(&v[1], value);
		break;
	case DT_ACT_STDDEV:
		update_stddev(v, (s64)value);
		break;
	default: /* count and sum are one instruction in the clause */
		break;
	}
	return 0;
}

/* ---- actions ------------------------------------------------------------ */

/* Note a signal to the process; 1 if the kernel would refuse the number. */
u64
pr_signal(struct rt_vm *vm, u64 number)
{
	if (number == 0 || number > 64) {
		rt_fault(rt_vm_ms(vm), DIF_FLT_ILLOP, number);
		return 1;
	}
	PR_FIRE(vm)->signals |= 1ULL << (number - 1);
	return 0;
}

/* Send signals after all clauses, as the kernel does. */
u64
pr_send_signals(struct rt_vm *vm)
{
	u64 signals = PR_FIRE(vm)->signals;
	long pid = signals != 0 ? rt_os_pid() : 0;

	for (u32 i = 0; signals != 0; i++, signals >>= 1) {
		if (signals & 1 && pid != 0)
			rt_syscall3(RT_SYS_KILL, pid, (long)i + 1, 0);
	}
	return 0;
}

#define CHILL_INTERVAL NS
#define CHILL_MAX (NS / 2) /* of each interval, per thread */

/* Keep the thread busy, by a clock that never stops.  Later actions get a new
 * timestamp. */
u64
pr_chill(struct rt_vm *vm, u64 ns)
{
	struct pr_thread *t = thread_of(vm);
	u64 now = time_now(t), until = now + ns;

	if (now - t->chill_start >= CHILL_INTERVAL) {
		t->chill_start = now;
		t->chilled = 0;
	}
	if (ns > CHILL_MAX || t->chilled + ns > CHILL_MAX) {
		rt_fault(rt_vm_ms(vm), DIF_FLT_ILLOP, ns);
		return 1;
	}
	t->chilled += ns;
	while (time_now(t) < until)
		__builtin_ia32_pause();
	PR_FIRE(vm)->time = time_now(t);
	PR_FIRE(vm)->cycles = 0;
	return 0;
}

#define FRAME_AX 0 /* of inproc_frame, in words */
#define FRAME_SP 4
#define FRAME_IP 17

#define HOLD_NAP (NS / 1000)

RT_INLINE u64
is_seen(const struct pr_head *h, u32 load)
{
	return (s32)(*(const volatile u32 *)&h->seen - load) >= 0;
}

/* Nap briefly: dtrace may have looked just before the nap. */
static void
nap_until_seen(struct pr_head *h, const struct pr_conf *c, u32 load)
{
	u64 until = read_clock(CLOCK_MONOTONIC) + EXEC_HOLD_NS;
	u64 nap[2] = { 0, HOLD_NAP };
	u32 seen;

	while (*(volatile u64 *)&h->gate == c->gate &&
	    read_clock(CLOCK_MONOTONIC) < until) {
		seen = *(volatile u32 *)&h->seen;
		if (is_seen(h, load))
			break;
		rt_syscall6(RT_SYS_FUTEX, (long)&h->seen, FUTEX_WAIT, seen,
		    (long)nap, 0, 0);
	}
}

#define R_STATE 24 /* offset of r_state in struct r_debug (<link.h>) */
enum { RT_CONSISTENT, RT_ADD, RT_DELETE };

/*
 * The dynamic linker reports the beginning and the end of each change.  New
 * code is there at the end, unless libraries were removed.  A linker whose
 * state is not known may have mapped code at each report.
 */
static int
may_have_new_code(struct pr_own *own, const struct pr_conf *c, u64 r_debug)
{
	u32 before = own->linker_state, state = RT_CONSISTENT;

	if (r_debug != 0)
		rt_os_read(0, &state, sizeof(state), r_debug + R_STATE);
	own->linker_state = state;
	/* walks of stacks also need to know which code is gone */
	return state == RT_CONSISTENT && (before != RT_DELETE || c->nrows != 0);
}

/*
 * Wait while dtrace traces and has not looked, but not long, whatever happens
 * to dtrace.
 */
u64
pr_hold(
    struct pr_own *own, const struct pr_conf *c, const u64 *frame, u64 distance)
{
	struct pr_head *h = head_of(own, c);
	u64 r_debug = distance != 0 ? frame[FRAME_IP] + (s32)distance : 0;
	u32 load;

	if (!own->start.live || *(volatile u64 *)&h->gate != c->gate ||
	    rt_is_denied(RT_SYS_FUTEX) || rt_is_denied(RT_SYS_CLOCK_GETTIME) ||
	    !may_have_new_code(own, c, r_debug))
		return 0;
	load = __sync_add_and_fetch(&h->loads, 1);
	pr_ring(h);
	nap_until_seen(h, c, load);
	if (*(volatile u64 *)&h->gate == c->gate && !is_seen(h, load))
		__sync_add_and_fetch(&h->late, 1);
	return 0;
}

/* ---- system calls ------------------------------------------------------- */

/*
 * The ring's newest entry is written.  A signal handler that interrupts this
 * has removed its calls when it returns.  A handler that does not return leaves
 * a note, which the next call at that stack pointer replaces.
 */
u64
pr_sys_note(
    struct pr_own *own, const struct pr_conf *c, const u64 *frame, u64 site)
{
	struct pr_thread *t = pr_thread_self(own, c);
	struct pr_call *call;

	if (t == NULL)
		return 0;
	for (u64 i = 0; i < PR_CALLS; i++) {
		call = &t->calls[i];
		if (call->sp == frame[FRAME_SP] && call->site == site)
			break;
		call = NULL;
	}
	if (call == NULL)
		call = &t->calls[t->ncalls++ % PR_CALLS];
	if (call->site != 0 && call->sp != frame[FRAME_SP])
		drop(t, DT_DROP_SCRATCH);
	call->site = 0;
	call->sp = frame[FRAME_SP];
	call->nr = (u32)frame[FRAME_AX];
	*(volatile u32 *)&call->site = (u32)site;
	return 0;
}

u64
pr_sys_number(
    struct pr_own *own, const struct pr_conf *c, const u64 *frame, u64 site)
{
	struct pr_thread *t = pr_thread_self(own, c);

	for (u64 i = 0; t != NULL && i < PR_CALLS; i++) {
		struct pr_call *call = &t->calls[i];

		if (call->site != site || call->sp != frame[FRAME_SP])
			continue;
		call->site = 0;
		return call->nr;
	}
	return PR_NO_CALL;
}
