/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0 */
/*
 * Records: room for them in the buffer of the thread, drops, and the
 * wakeups of dtrace.
 */
#include "exec/process/inside/parts.h"

enum { FUTEX_WAKE = 1 };

u64
pr_drop(struct rt_vm *vm, u64 kind)
{
	drop(thread_of(vm), (u32)kind);
	return 0;
}

void
pr_wake(struct pr_head *h)
{
	__sync_add_and_fetch(&h->wakeups, 1);
	if (h->naps != 0)
		rt_syscall3(RT_SYS_FUTEX, (long)&h->wakeups, FUTEX_WAKE, 1);
}

/* The buffer has no room: count a drop, or end tracing in this thread. */
static void
buffer_full(struct pr_thread *t)
{
	if (t->conf->policy != DT_BUF_FILL) {
		drop(t, DT_DROP_PRINCIPAL);
	} else if (t->shared->drops[DT_DROP_FILLED] == 0) {
		t->shared->drops[DT_DROP_FILLED] = 1;
		pr_wake(t->head);
	}
}

RT_INLINE u64
move_head(struct exec_buf *buf, u64 head, u64 next)
{
	return rt_cpu_exchange((u64 *)&buf->head, head, next);
}

u64
pr_wake_for_half(struct rt_vm *vm)
{
	pr_wake(thread_of(vm)->head);
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
	u32 word[2] = { (u32)(size + EXEC_BUF_WORD), (u32)cpu_of(vm) };

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
		pr_wake(t->head);
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
	u64 time = timestamp_of(vm);
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
	u64 time = timestamp_of(vm);
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
