// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0
/*
 * The kernel side of the runtime: machine states, records, drops.
 *
 * These are the primitives that differ between substrates (see
 * exec/runtime/rt.h for the rules of the C).  Another firing on the same CPU
 * may interrupt this code between any two instructions, so all shared state is
 * claimed or counted with one atomic instruction.
 */
#include "exec/runtime/drops.h"
#include "exec/runtime/rt.h"
#include "exec/runtime/rt_prim.h"
#include "exec/bpf/kern/shared.h"

#define RESERVE_TRIES 8	  /* each retry means an interrupt came between */
#define RB_FORCE_WAKEUP 2 /* BPF_RB_FORCE_WAKEUP */

extern char rtm_pcpu[], rtm_bufs[], rtm_wakeup[], rtm_ctl[];

static u64 (*const ktime_get_ns)(void) = (void *)5;
static u32 (*const smp_processor_id)(void) = (void *)8;
static u64 (*const current_task)(void) = (void *)35;
static long (*const ringbuf_output)(
    void *rb, void *data, u64 size, u64 flags) = (void *)130;
static long (*const copy_from_user_task)(
    void *dst, u32 size, u64 src, void *task, u64 flags) = (void *)191;

RT_INLINE struct bx_pcpu *
this_pcpu(void)
{
	u32 cpu = smp_processor_id();

	return bpf_map_lookup_elem(rtm_pcpu, &cpu);
}

/* Count a drop of a kind (enum dt_drop) on this CPU. */
RT_PUBLIC u64
rt_drop(u64 kind)
{
	struct bx_pcpu *pc = this_pcpu();

	if (pc)
		__sync_fetch_and_add(&pc->drops[kind & (BX_NDROPS - 1)], 1);
	return 0;
}

/* Claim a machine state: its number, or BX_NO_SLOT (counted as a drop). */
RT_PUBLIC u64
rt_slot_claim(void)
{
	u32 cpu = smp_processor_id();
	struct bx_pcpu *pc = bpf_map_lookup_elem(rtm_pcpu, &cpu);

	if (!pc)
		return BX_NO_SLOT;
#pragma unroll
	for (u32 i = 0; i < BX_NSLOTS; i++) {
		u64 bit = 1ULL << i;

		if (!(__sync_fetch_and_or(&pc->slots, bit) & bit))
			return (u64)cpu * BX_NSLOTS + i;
	}
	__sync_fetch_and_add(&pc->drops[DT_DROP_SCRATCH], 1);
	return BX_NO_SLOT;
}

RT_PUBLIC u64
rt_slot_release(u64 slot)
{
	u32 cpu = slot / BX_NSLOTS;
	struct bx_pcpu *pc = bpf_map_lookup_elem(rtm_pcpu, &cpu);

	if (pc)
		__sync_fetch_and_and(
		    &pc->slots, ~(1ULL << (slot & (BX_NSLOTS - 1))));
	return 0;
}

/* A firing in several programs (part.c) finds its machine state by its thread.
 * If firings of one thread interrupt each other, the latest one ends first. */
RT_PUBLIC u64
rt_chain_claim(void)
{
	u64 slot = rt_slot_claim();
	struct bx_pcpu *pc = this_pcpu();
	u64 i = slot & (BX_NSLOTS - 1);

	if (!pc || slot == BX_NO_SLOT)
		return BX_NO_SLOT;
	pc->chain_turn[i] = __sync_fetch_and_add(&pc->chain_turns, 1);
	pc->chain_owner[i] = current_task();
	return slot;
}

RT_PUBLIC u64
rt_chain_find(void)
{
	struct bx_pcpu *pc = this_pcpu();
	u64 task = current_task(), turn = 0, slot = BX_NO_SLOT;

	if (!pc)
		return BX_NO_SLOT;
#pragma unroll
	for (u32 i = 0; i < BX_NSLOTS; i++) {
		if (pc->chain_owner[i] == task && pc->chain_turn[i] >= turn) {
			turn = pc->chain_turn[i];
			slot = (u64)smp_processor_id() * BX_NSLOTS + i;
		}
	}
	return slot;
}

RT_PUBLIC u64
rt_chain_release(u64 slot)
{
	u32 cpu = slot / BX_NSLOTS;
	struct bx_pcpu *pc = bpf_map_lookup_elem(rtm_pcpu, &cpu);

	if (pc)
		pc->chain_owner[slot & (BX_NSLOTS - 1)] = 0;
	return rt_slot_release(slot);
}

RT_INLINE void
wake_dtrace(void)
{
	u64 wakeup = 1;

	ringbuf_output(rtm_wakeup, &wakeup, 8, RB_FORCE_WAKEUP);
}

/* The buffer has no room: count a drop, or end tracing on this CPU. */
RT_INLINE void
buffer_full(void)
{
	struct bx_pcpu *pc;

	if (RTC(0, bufpolicy) != DT_BUF_FILL) {
		rt_drop(DT_DROP_PRINCIPAL);
		return;
	}
	pc = this_pcpu();
	if (pc && !__sync_fetch_and_or(&pc->drops[DT_DROP_FILLED], 1))
		wake_dtrace();
}

/*
 * Reserve `size` bytes (a multiple of 8, at most RTC(recmax)) in this CPU's
 * buffer.  Returns where they start, or NULL after counting a drop.
 */
RT_INLINE u8 *
reserve(u64 size)
{
	u32 cpu = smp_processor_id();
	struct exec_buf *buf = bpf_map_lookup_elem(rtm_bufs, &cpu);
	u64 is_ring = RTC(0, bufpolicy) == DT_BUF_RING;

	if (!buf)
		return 0;
#pragma unroll
	for (u32 i = 0; i < RESERVE_TRIES; i++) {
		u64 head = *(volatile u64 *)&buf->head, next = head + size;
		u64 half = RTC(0, bufmask) / 2 + 1;

		if (is_ring)
			next += EXEC_BUF_WORD;
		else if (next - *(volatile u64 *)&buf->tail >
		    RTC(0, bufmask) + 1)
			break;
		if (__sync_val_compare_and_swap(&buf->head, head, next) != head)
			continue;
		if (is_ring)
			*(u64 *)(buf->data +
			    ((head + size) & RTC(0, bufmask))) = next - head;
		else if ((head ^ next) & half)
			wake_dtrace();
		return buf->data + (head & RTC(0, bufmask));
	}
	buffer_full();
	return 0;
}

/* Write the EPID last: it tells the reader that the rest is there. */
RT_INLINE void
commit(u8 *dst, u64 epid, u64 time)
{
	((volatile u32 *)dst)[1] = time >> 32;
	((volatile u32 *)dst)[2] = time;
	asm volatile("" ::: "memory");
	*(volatile u32 *)dst = epid;
}

/* Write the record at mem[RTC(rec_off)] of a machine state. */
RT_PUBLIC u64
rt_record(u64 slot, u64 size, u64 epid, u64 time)
{
	struct rt_mstate *ms = rt_ms(slot);
	u8 *dst;
	u64 body;

	if (!ms)
		return 0;
	dst = reserve(size);
	if (!dst)
		return 0;
	body = size - 12;
	asm volatile("" : "+r"(body));
	if (body > 0 && body <= RTC(0, recmax))
		rt_peek(ms, dst + 12, body,
		    ms->base + RT_MEM_OFF + RTC(0, rec_off) + 12);
	commit(dst, epid, time);
	return 0;
}

/* Report a fault: epid | action << 32, fault << 32 | offset, value. */
RT_PUBLIC u64
rt_error(u64 epid_action, u64 fault_offset, u64 value, u64 time)
{
	struct exec_errrec *rec = (struct exec_errrec *)reserve(sizeof(*rec));

	if (!rec)
		return 0;
	rec->epid = epid_action;
	rec->action = epid_action >> 32;
	rec->fault = fault_offset >> 32;
	rec->offset = fault_offset;
	rec->value = value;
	commit((u8 *)rec, EXEC_EPID_ERROR, time);
	return 0;
}

/* ---- chill() ------------------------------------------------------------- */

#define CHILL_INTERVAL 1000000000ULL
#define CHILL_MAX 500000000ULL /* per CPU and interval */
#define CHILL_STEPS (1 << 23)  /* most steps of a bpf_loop() */
#define CHILL_LOOKS                                                            \
	16 /* looks at the clock per step: at least 4 ns
				 * each */

struct chill {
	u64 until;
};

RT_CALLBACK long
chill_step(u32 i, void *arg)
{
	const struct chill *c = arg;

	(void)i;
#pragma unroll
	for (u32 n = 0; n < CHILL_LOOKS; n++) {
		if (ktime_get_ns() >= c->until)
			return 1;
	}
	return 0;
}

/*
 * Keep this CPU busy for `ns`.  Returns 0, or 1 if that exceeds the limit of
 * this interval.  The time is charged before it is spent: an interrupt may
 * chill, too.
 */
RT_PUBLIC u64
rt_chill(u64 ns)
{
	struct bx_pcpu *pc = this_pcpu();
	struct chill c;
	u64 now = ktime_get_ns();

	if (!pc || ns > CHILL_MAX)
		return 1;
	if (now - pc->chill_start >= CHILL_INTERVAL) {
		pc->chill_start = now;
		pc->chilled = 0;
	}
	if (__sync_fetch_and_add(&pc->chilled, ns) + ns > CHILL_MAX) {
		__sync_fetch_and_sub(&pc->chilled, ns);
		return 1;
	}
	c.until = now + ns;
	RT_LOOP(CHILL_STEPS, chill_step, &c);
	return 0;
}

/* ---- new code ------------------------------------------------------------ */

struct hold {
	volatile struct bx_ctl *ctl;
	u64 load, until, sp;
};

/* Let another thread run if it is its turn (load_barrier.c).  The word that is
 * read is not used, and the read may fail. */
RT_INLINE void
give_way(u64 sp)
{
	u64 word;

	copy_from_user_task(
	    &word, sizeof(word), sp, bpf_get_current_task_btf(), 0);
}

RT_INLINE u64
is_waiting(const struct hold *h)
{
	return h->ctl->loads_seen < h->load &&
	    h->ctl->state < EXEC_STATE_DRAINING;
}

RT_CALLBACK long
load_barrier_step(u32 i, void *arg)
{
	const struct hold *h = arg;

	(void)i;
#pragma unroll
	for (u32 n = 0; n < CHILL_LOOKS; n++) {
		if (!is_waiting(h) || ktime_get_ns() >= h->until)
			return 1;
	}
	give_way(h->sp);
	return 0;
}

#define R_STATE 24 /* offset in struct r_debug (<link.h>) */
enum { RT_CONSISTENT, RT_ADD, RT_DELETE };

/*
 * May new code have been mapped?  The linker reports the beginning and the end
 * of each change.  New code is there at the end, unless libraries were removed.
 * A linker whose state is not known may have mapped code at each report.  The
 * same holds if its last report was lost because another process took its slot.
 */
RT_INLINE u64
may_have_new_code(volatile struct bx_ctl *ctl, u64 r_debug)
{
	u64 pid = rt_current_pid(), before;
	u32 state = RT_CONSISTENT;

	if (r_debug != 0)
		bpf_probe_read_user(&state, sizeof(state), r_debug + R_STATE);
	before = ctl->linkers[pid & (BX_LINKERS - 1)];
	ctl->linkers[pid & (BX_LINKERS - 1)] = pid << 2 | (state & 3);
	return state == RT_CONSISTENT && before != (pid << 2 | RT_DELETE);
}

/* Announce new code, and wait until dtrace has looked at it.  `sp` is the
 * thread's: its memory can be read there.  `r_debug` may be 0. */
RT_PUBLIC u64
rt_load_barrier(u64 sp, u64 r_debug)
{
	u32 zero = 0;
	struct hold h = { .ctl = bpf_map_lookup_elem(rtm_ctl, &zero),
		.sp = sp };

	if (!h.ctl || !may_have_new_code(h.ctl, r_debug))
		return 0;
	h.load = __sync_fetch_and_add(&h.ctl->loads, 1) + 1;
	h.until = ktime_get_ns() + EXEC_LOAD_BARRIER_NS;
	wake_dtrace();
	RT_LOOP(CHILL_STEPS, load_barrier_step, &h);
	if (is_waiting(&h))
		rt_drop(DT_DROP_LOADS);
	return 0;
}
