/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Names for a recording of firings.
 *
 * The consumer does not print the stacks of firings.  It looks their addresses
 * up for the book alone.  A replay may ask for each frame, and for what caller,
 * ucaller and profile probes' arguments lead to: sym(), mod(), usym(), umod(),
 * in records and as keys.  It asks with the same addresses as symbol.c does.
 *
 * Most stacks were seen before.  A table remembers the last ones, with the
 * state of the process's mappings in which they were looked up.
 */
#include "consume/consume_impl.h"

#include "base/hash.h"
#include "base/mem.h"

#define SEEN_BITS 13
#define SEEN (1U << SEEN_BITS)

/* Was it looked up lately?  It is, from now on. */
static bool
was_seen(struct consumer *c, uint64_t hash)
{
	uint64_t *slot;

	if (c->seen_stacks == NULL)
		c->seen_stacks = mem_alloc(SEEN * sizeof(*c->seen_stacks));
	hash |= 1; /* no free slot */
	slot = &c->seen_stacks[hash >> (64 - SEEN_BITS)];
	if (*slot == hash)
		return true;
	*slot = hash;
	return false;
}

static void
note_kernel(struct consumer *c, uint64_t addr)
{
	struct record_name n;

	(void)consumer_find_name(c, RECORD_NAME_KERNEL, 0, addr, 0, &n);
}

/* As a key of sym() and mod(), too. */
static void
note_kernel_place(struct consumer *c, uint64_t addr)
{
	struct record_name n;

	if (!consumer_find_name(c, RECORD_NAME_KERNEL, 0, addr, 0, &n))
		return;
	note_kernel(c, addr - n.offset);
	if (consumer_find_name(c, RECORD_NAME_KERNEL_MODULE, 0, addr, 0, &n))
		note_kernel(c, n.addr);
}

static void
note_user(struct consumer *c, uint64_t pid, uint64_t addr, uint64_t time_ns)
{
	struct record_name n;

	(void)consumer_find_name(c, RECORD_NAME_USER, pid, addr, time_ns, &n);
}

/* As a key of usym() and umod(), too. */
static void
note_user_place(
    struct consumer *c, uint64_t pid, uint64_t addr, uint64_t time_ns)
{
	struct record_name n, of;

	note_user(c, pid, addr, time_ns);
	if (consumer_find_name(c, RECORD_NAME_USER_TO_SYMBOL, pid, addr, 0, &n))
		(void)consumer_find_name(
		    c, RECORD_NAME_USER_KEY_SYMBOL, pid, n.addr, 0, &of);
	if (consumer_find_name(c, RECORD_NAME_USER_TO_MODULE, pid, addr, 0, &n))
		(void)consumer_find_name(
		    c, RECORD_NAME_USER_KEY_MODULE, pid, n.addr, 0, &of);
}

/* ---- stacks -------------------------------------------------------------- */

static uint64_t
hash_of(const struct datum *d, uint64_t version)
{
	uint64_t parts[] = { hash_bytes(d->data, d->rec->size), version };

	return hash_bytes(parts, sizeof(parts));
}

static void
note_kernel_stack(struct consumer *c, const struct datum *d)
{
	struct frames f = frames_of_stack(d);

	if (was_seen(c, hash_of(d, 0)))
		return;
	for (uint32_t i = 0; i < f.n; i++) {
		/* frame 1 is the caller */
		if (i <= 1)
			note_kernel_place(c, frames_pc(&f, i));
		symbol_of_frame(c, d, &f, i);
	}
}

static void
note_user_stack(struct consumer *c, const struct datum *d)
{
	struct frames f = frames_of_stack(d);
	uint64_t version = c->opts.usyms == NULL ?
	    0 :
	    usyms_version(c->opts.usyms, (pid_t)f.pid, d->time_ns);

	if (version != 0 && was_seen(c, hash_of(d, version)))
		return;
	for (uint32_t i = 0; i < f.n; i++) {
		uint64_t pc = frames_pc(&f, i);

		if (plan_cut_name(pc) != NULL)
			break;
		if (i <= 1)
			note_user_place(c, f.pid, pc, d->time_ns);
		symbol_of_frame(c, d, &f, i);
	}
}

/* ---- arguments ----------------------------------------------------------- */

static uint64_t
number(const struct datum *d)
{
	uint64_t n = 0;

	if (d->data != NULL)
		memcpy(&n, d->data, d->rec->size < 8 ? d->rec->size : 8);
	return n;
}

/* arg0 is an address in the kernel, or arg1 one in the process. */
static void
note_sample(const struct chew *ch)
{
	struct datum pid = chew_firing(ch, DIF_FIRING_PID);
	struct datum kernel = chew_firing(ch, DIF_FIRING_ARG0);
	struct datum user = chew_firing(ch, DIF_FIRING_ARG0 + 1);

	if (number(&kernel) != 0)
		note_kernel_place(ch->c, number(&kernel));
	if (number(&user) != 0)
		note_user_place(
		    ch->c, number(&pid), number(&user), ch->rec->time_ns);
}

static void
note_thread(const struct chew *ch)
{
	const struct consume_book *book = ch->c->opts.book;
	struct datum pid = chew_firing(ch, DIF_FIRING_PID);
	struct datum tid = chew_firing(ch, DIF_FIRING_TID);
	struct datum name = chew_firing(ch, DIF_FIRING_EXECNAME);

	if (pid.data != NULL && tid.data != NULL && name.data != NULL &&
	    name.rec->store == PLAN_STR_COMM)
		book->thread(book->arg, number(&pid), number(&tid), name.data);
}

void
symbol_note_firing(const struct chew *ch)
{
	note_thread(ch);
	for (size_t i = 0; i < ch->pc->recs.n; i++) {
		const struct plan_rec *rec = &ch->pc->recs.v[i];
		struct datum d;

		if (dif_action_firing(rec->src) < 0)
			continue;
		d = chew_datum(ch, i);
		if (rec->store == PLAN_STACK)
			note_kernel_stack(ch->c, &d);
		else if (rec->store == PLAN_USTACK)
			note_user_stack(ch->c, &d);
	}
	if (strcmp(ch->probe->prov, "profile") == 0)
		note_sample(ch);
}
