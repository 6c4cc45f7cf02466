/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0 */
/*
 * Threads: find the part of the calling thread, or take one for it.
 */
#include "exec/process/inside/parts.h"
#include "exec/runtime/rt_self.h"

enum { ARCH_GET_FS = 0x1003 };

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
		base = rt_cpu_base();
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

void
pr_level_init(struct pr_thread *t, u64 region, struct rt_vm *vm)
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
	vm->host.self = t->self;
	vm->host.specs = (u64 *)(region + c->specs);
	vm->host.dyn = &vm->dyn;
	vm->host.drops = t->shared->drops;
	PR_FIRE(vm)->ranges[0] =
	    (struct rt_range){ .addr = region, .size = c->region_size };
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

/* The words of variables that the kernel reaches, too; without a place in the
 * table, the thread has words of its own. */
static u8 *
self_words(struct pr_thread *t, u64 region)
{
	const struct pr_conf *c = t->conf;
	u64 bucket = rt_self_bucket(t->tid), way;
	u64 *keys = (u64 *)(region + c->shared + c->rt.self_keys);

	if (c->rt.self_stride == 0)
		return NULL;
	way = rt_self_way_take(keys + bucket * RT_SELF_WAYS, t->tid);
	if (way == RT_SELF_WAYS) {
		drop(t, DT_DROP_DYNAMIC);
		return (u8 *)t + c->self_own;
	}
	return (u8 *)(region + c->shared + c->rt.self_words +
	    (bucket * RT_SELF_WAYS + way) * c->rt.self_stride);
}

/* Begin a thread's own part; the thread that had it has ended. */
static void
thread_init(struct pr_thread *t, struct pr_own *own, const struct pr_conf *c,
    u64 number, u64 tid)
{
	u64 region = (u64)own - c->own;

	t->fs_base = 0;
	memset(t + 1, 0, c->rt.tls_size);
	memset((u8 *)t + c->self_own, 0, c->rt.self_stride);
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
	t->self = self_words(t, region);
	pr_level_init(t, region, level(t, 0));
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
		if (number == c->nthreads)
			return NULL;
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

/* The thread's parts; NULL: there is no room for them. */
static inline __attribute__((always_inline)) struct pr_thread *
thread_self(struct pr_own *own, const struct pr_conf *c)
{
	struct pr_found *found;
	u64 fs = fs_base(c), tid;

	found = find_entry(own, fs);
	if (__builtin_expect(found->fs_base != fs, 0))
		found = find_room(own, fs);
	tid = thread_id(own, fs);
	if (found->fs_base == fs && found->thread->tid == tid)
		return found->thread;
	return tid != 0 ? thread_find(own, c, fs, tid) : NULL;
}

struct pr_thread *
pr_thread_self(struct pr_own *own, const struct pr_conf *c)
{
	struct pr_thread *t;

	if (!own->start.live)
		return NULL;
	t = thread_self(own, c);
	if (__builtin_expect(t == NULL, 0))
		__sync_add_and_fetch(&head_of(own, c)->nowhere, 1);
	return t;
}

struct pr_thread *
pr_thread_of_call(struct pr_own *own, const struct pr_conf *c)
{
	return own->start.live ? thread_self(own, c) : NULL;
}
