/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0 */
/*
 * Associative arrays: a chained hash table in memory of fixed size, which
 * several threads and processes may share.
 *
 *	| struct rt_dyn | buckets | starts | pool of elements |
 *	element: | header | value, 8-aligned | key |
 *
 * Offsets in the pool replace pointers; 0 means none, since the pool's first
 * bytes are never given out.  The key contains the array of an element.  Freed
 * elements are reused by their size class (a power of two), so the place where
 * an element begins stays one for good: `starts` has a bit for each 32 bytes of
 * the pool, with which the element is found for an address inside its value.
 *
 * Locks.  Each bucket has one, and the pool has one inside of it; both are held
 * for some dozen instructions.  The lock word is the holder's thread id, so
 * that
 *	- a firing in a signal handler, which interrupts its own thread between
 *	  lock and unlock, finds its own id and gives up (counted as a drop);
 *	- a holder that died in between is found dead, and its lock taken over;
 *	- one that a signal handler has jumped out of (longjmp) has left it to
 *	  the thread, whose next firing that interrupts none goes on with it.
 *
 * Other processes may overwrite all of this memory, or be stopped while they
 * hold a lock.  So its dimensions are taken from the struct rt_dynref, which
 * others cannot write; every offset is read once and checked before use; the
 * length of a chain is bounded; and no wait for a lock is unlimited: the
 * operation is given up, as above.
 */
#include "exec/runtime/rt_cpu.h"
#include "exec/runtime/rt_vm.h"

#include "exec/runtime/rt_prim.h"

#define MIN_CLASS 5 /* 32 bytes: the header fits */
#define NCLASSES 32
#define ELEM_AVERAGE 64	  /* one bucket for this many bytes of pool */
#define SPINS 1000	  /* before yielding to another thread */
#define YIELDS 100	  /* before testing whether the holder lives */
#define WAIT_NS 500000000 /* the longest wait for the holder */

struct bucket {
	u32 lock;
	u32 head;
};

struct rt_dyn {
	u64 drops;
	u64 lost; /* bytes of elements that found no room */
	u32 used;
	u32 lock;	    /* protects used and free */
	u32 free[NCLASSES]; /* first element, or 0 */
	struct bucket buckets[];
};

struct elem {
	u32 next;
	u32 hash;
	u32 value_size, key_len;
	u32 class;
	u32 pad;
};
#define CHUNK (1U << MIN_CLASS) /* elements begin and end at multiples */

/* ---- locks -------------------------------------------------------------- */

/* Memory that another process may change is read only once. */
static u32
once(const u32 *p)
{
	return __atomic_load_n(p, __ATOMIC_RELAXED);
}

/* Wait a little; returns whether the holder has ended. */
static int
wait_for(u32 holder, u32 i)
{
	if (i % SPINS != SPINS - 1) {
		rt_cpu_pause();
		return 0;
	}
	rt_os_yield();
	return i / SPINS % YIELDS == YIELDS - 1 && !rt_os_is_alive(holder);
}

static int
is_late(u64 *until)
{
	u64 now = rt_os_monotonic_ns();

	if (*until == 0)
		*until = now + WAIT_NS;
	return now > *until;
}

static u32
self_of(const struct rt_dynref *r)
{
	return r->self != 0 ? r->self : rt_os_tid();
}

/*
 * Returns 0 if the calling thread holds the lock already, in a firing that this
 * one interrupts, or if the lock cannot be taken, as by a thread of unknown id.
 */
static int
lock_take(const struct rt_dynref *r, u32 *lock, u32 self)
{
	u32 holder = 0;
	u64 until = 0;

	if (self == 0)
		return 0;
	for (u32 i = 0; !__atomic_compare_exchange_n(
		 lock, &holder, self, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
	     i++) {
		if (holder == self)
			return r->is_outermost;
		if (i % SPINS == SPINS - 1 && is_late(&until))
			return 0;
		/* the next exchange takes it over if the holder is the same */
		if (!wait_for(holder, i))
			holder = 0;
	}
	return 1;
}

static void
lock_drop(u32 *lock)
{
	__atomic_store_n(lock, 0, __ATOMIC_RELEASE);
}

/* ---- elements ----------------------------------------------------------- */

/* FNV-1a, of eight bytes at a time where possible. */
static u32
hash_key(const u8 *key, u32 len)
{
	u64 h = 0xcbf29ce484222325ULL, word;

	for (; len >= 8; key += 8, len -= 8) {
		memcpy(&word, key, sizeof(word));
		h = (h ^ word) * 0x100000001b3ULL;
		h ^= h >> 29;
	}
	for (; len > 0; key++, len--)
		h = (h ^ *key) * 0x100000001b3ULL;
	return (u32)(h ^ h >> 32);
}

static u32
nstarts(u64 size)
{
	return (u32)(size / CHUNK / 64 + 1);
}

static u64 *
starts(const struct rt_dynref *r)
{
	return (u64 *)(void *)&r->d->buckets[r->nbuckets];
}

static u8 *
pool(const struct rt_dynref *r)
{
	return (u8 *)(starts(r) + nstarts(r->size));
}

static struct elem *
elem_at(const struct rt_dynref *r, u32 off)
{
	return (struct elem *)(void *)(pool(r) + off);
}

static int
is_elem(const struct rt_dynref *r, u32 off)
{
	return off != 0 && (off & 7) == 0 && off < r->size &&
	    r->size - off >= sizeof(struct elem);
}

static u8 *
elem_value(struct elem *e)
{
	return (u8 *)(e + 1);
}

static u64
value_space(u32 size)
{
	return ((u64)size + 7) & ~(u64)7;
}

/*
 * The key after a value of this size, if a key of that length fits in the pool.
 */
static const u8 *
elem_key(const struct rt_dynref *r, u32 off, u32 value_size, u32 len)
{
	u64 room = r->size - off - sizeof(struct elem);
	u64 space = value_space(value_size);

	return space + len <= room ? elem_value(elem_at(r, off)) + space : NULL;
}

static int
elem_matches(
    const struct rt_dynref *r, u32 off, u32 hash, const u8 *key, u32 len)
{
	const struct elem *e = elem_at(r, off);
	const u8 *own = elem_key(r, off, once(&e->value_size), len);

	return e->hash == hash && e->key_len == len && own != NULL &&
	    memcmp(own, key, len) == 0;
}

/* The link to the element with this key, or to the end of the chain. */
static u32 *
find_link(
    const struct rt_dynref *r, u32 *link, u32 hash, const u8 *key, u32 len)
{
	u32 off = once(link);

	for (u32 i = r->size >> MIN_CLASS;
	     is_elem(r, off) && !elem_matches(r, off, hash, key, len); i--) {
		if (i == 0)
			*link = 0;
		else
			link = &elem_at(r, off)->next;
		off = once(link);
	}
	return link;
}

static u32
class_of(u64 size)
{
	u32 class = MIN_CLASS;

	while ((u64)1 << class < size)
		class ++;
	return class;
}

/* Is there an element of this class at `off`? */
static int
fits(const struct rt_dynref *r, u32 off, u32 class)
{
	return is_elem(r, off) && (u64)1 << class <= r->size - off;
}

/* Note that elements begin at `off` from now on. */
static void
mark_start(const struct rt_dynref *r, u32 off)
{
	starts(r)[off / CHUNK / 64] |= (u64)1 << off / CHUNK % 64;
}

/* The offset of the element that contains byte `off` of the pool, or 0. */
static u32
elem_around(const struct rt_dynref *r, u32 off)
{
	u32 i = off / CHUNK / 64, n = off / CHUNK % 64;
	u64 bits = starts(r)[i] & ~(u64)0 >> (63 - n);

	while (bits == 0 && i > 0)
		bits = starts(r)[--i];
	if (bits == 0)
		return 0;
	return (i * 64 + 63 - (u32)__builtin_clzll(bits)) * CHUNK;
}

/* Offset of a free element, or 0. */
static u32
elem_take(const struct rt_dynref *r, u32 class, u32 self)
{
	struct rt_dyn *d = r->d;
	u32 off;

	if (class >= NCLASSES || !lock_take(r, &d->lock, self))
		return 0;
	off = once(&d->free[class]);
	if (fits(r, off, class)) {
		d->free[class] = elem_at(r, off)->next;
	} else {
		off = once(&d->used);
		if (fits(r, off, class)) {
			d->used = off + (1U << class);
			mark_start(r, off);
		} else {
			off = 0;
		}
	}
	lock_drop(&d->lock);
	return off;
}

/* A new element at the chain's end; 0: no room. */
static u32
elem_create(const struct rt_dynref *r, u32 hash, const u8 *key, u32 len,
    u32 value_size, u32 self)
{
	u32 class =
	    class_of(sizeof(struct elem) + value_space(value_size) + len);
	u32 off = elem_take(r, class, self);
	struct elem *e = elem_at(r, off);

	if (off == 0) {
		__atomic_add_fetch(
		    &r->d->lost, (u64)1 << class, __ATOMIC_RELAXED);
		return 0;
	}
	*e = (struct elem){ .hash = hash,
		.value_size = value_size,
		.key_len = len,
		.class = class };
	memset(elem_value(e), 0, value_space(value_size));
	memcpy(elem_value(e) + value_space(value_size), key, len);
	return off;
}

/* ---- the table ---------------------------------------------------------- */

static int
count_drop(const struct rt_dynref *r)
{
	__atomic_add_fetch(&r->d->drops, 1, __ATOMIC_RELAXED);
	return 0;
}

u8 *
rt_dyn_find(const struct rt_dynref *r, const u8 *key, u32 len)
{
	u32 hash = hash_key(key, len), self = self_of(r), off;
	struct bucket *b = &r->d->buckets[hash & (r->nbuckets - 1)];

	if (__atomic_load_n(&b->head, __ATOMIC_ACQUIRE) == 0)
		return NULL;
	if (!lock_take(r, &b->lock, self)) {
		count_drop(r);
		return NULL;
	}
	off = once(find_link(r, &b->head, hash, key, len));
	lock_drop(&b->lock);
	return is_elem(r, off) ? elem_value(elem_at(r, off)) : NULL;
}

int
rt_dyn_store(const struct rt_dynref *r, const u8 *key, u32 len, const u8 *value,
    u32 size)
{
	u32 hash = hash_key(key, len), self = self_of(r), *link;
	struct bucket *b = &r->d->buckets[hash & (r->nbuckets - 1)];
	u32 off;

	if (!lock_take(r, &b->lock, self))
		return count_drop(r);
	link = find_link(r, &b->head, hash, key, len);
	off = once(link);
	if (!is_elem(r, off))
		off = elem_create(r, hash, key, len, size, self);
	if (off != 0) {
		memcpy(elem_value(elem_at(r, off)), value, size);
		__atomic_store_n(link, off, __ATOMIC_RELEASE);
	}
	lock_drop(&b->lock);
	return off != 0 ? 1 : count_drop(r);
}

/* Does the element's own key lead to it? */
static int
is_found(const struct rt_dynref *r, u32 off, u32 value_size)
{
	u32 len = once(&elem_at(r, off)->key_len), self = self_of(r), hash;
	const u8 *key = elem_key(r, off, value_size, len);
	struct bucket *b;
	int found;

	if (key == NULL)
		return 0;
	hash = hash_key(key, len);
	b = &r->d->buckets[hash & (r->nbuckets - 1)];
	if (!lock_take(r, &b->lock, self))
		return count_drop(r);
	found = *find_link(r, &b->head, hash, key, len) == off;
	lock_drop(&b->lock);
	return found;
}

u8 *
rt_dyn_at(const struct rt_dynref *r, u64 addr, u64 size)
{
	u64 at = addr - (u64)pool(r), in;
	u32 off, value_size;

	if (at >= r->size)
		return NULL;
	off = elem_around(r, (u32)at);
	if (!is_elem(r, off))
		return NULL;
	in = at - off - sizeof(struct elem);
	value_size = once(&elem_at(r, off)->value_size);
	if (in >= value_size || size > value_size - in ||
	    !is_found(r, off, value_size))
		return NULL;
	return pool(r) + at;
}

static void
elem_free(const struct rt_dynref *r, u32 off, u32 self)
{
	struct elem *e = elem_at(r, off);
	struct rt_dyn *d = r->d;
	u32 class = once(&e->class);

	/*
	 * in a signal handler of a thread that holds the lock: dropped and
	 * counted
	 */
	if (!lock_take(r, &d->lock, self)) {
		count_drop(r);
		return;
	}
	if (class < NCLASSES) {
		e->next = d->free[class];
		d->free[class] = off;
	}
	lock_drop(&d->lock);
}

void
rt_dyn_delete(const struct rt_dynref *r, const u8 *key, u32 len)
{
	u32 hash = hash_key(key, len), self = self_of(r), *link, off;
	struct bucket *b = &r->d->buckets[hash & (r->nbuckets - 1)];

	if (__atomic_load_n(&b->head, __ATOMIC_ACQUIRE) == 0)
		return;
	if (!lock_take(r, &b->lock, self)) {
		count_drop(r);
		return;
	}
	link = find_link(r, &b->head, hash, key, len);
	off = once(link);
	if (is_elem(r, off)) {
		*link = elem_at(r, off)->next;
		elem_free(r, off, self);
	}
	lock_drop(&b->lock);
}

/* ---- life --------------------------------------------------------------- */

static u32
nbuckets_for(u64 size)
{
	u32 n = 16;

	while (n < size / ELEM_AVERAGE && n < 1U << 16)
		n *= 2;
	return n;
}

static u64
pool_size(u64 size)
{
	return size < 1U << MIN_CLASS ? 1U << MIN_CLASS : size;
}

u64
rt_dyn_bytes(u64 size)
{
	return sizeof(struct rt_dyn) +
	    nbuckets_for(size) * sizeof(struct bucket) +
	    nstarts(pool_size(size)) * sizeof(u64) + pool_size(size);
}

void
rt_dyn_init(struct rt_dynref *r, void *memory, u64 size)
{
	rt_dyn_use(r, memory, size);
	r->d->used = 1U << MIN_CLASS;
}

void
rt_dyn_use(struct rt_dynref *r, void *memory, u64 size)
{
	r->d = memory;
	r->nbuckets = nbuckets_for(size);
	r->size = (u32)pool_size(size);
	r->is_outermost = 0;
	r->self = 0;
}

u8 *
rt_dyn_pool(const struct rt_dynref *r)
{
	return pool(r);
}

u64
rt_dyn_drops(const struct rt_dynref *r)
{
	return __atomic_load_n(&r->d->drops, __ATOMIC_RELAXED);
}

u64
rt_dyn_lost(const struct rt_dynref *r)
{
	return __atomic_load_n(&r->d->lost, __ATOMIC_RELAXED);
}
