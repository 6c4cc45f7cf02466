/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Names of addresses and the time: from this machine, or from the book of a
 * recording.
 */
#include "consume/consume_impl.h"

#include "base/clock.h"
#include "consume/ksyms.h"

static void
ask_kernel(struct consumer *c, uint64_t addr, struct record_name *out)
{
	struct ksym_name found;

	out->is_found = ksyms_find_name(c->ksyms, addr, &found);
	if (!out->is_found)
		return;
	out->module = found.module;
	out->name = found.name;
	out->offset = found.offset;
}

static void
ask_kernel_module(struct consumer *c, uint64_t addr, struct record_name *out)
{
	struct ksym_name found;

	out->is_found = ksyms_find_name(c->ksyms, addr, &found);
	out->addr = out->is_found ?
	    ksyms_module_addr(c->ksyms, found.module, addr) :
	    addr;
}

static void
take_usym(bool is_found, const struct usym *u, struct record_name *out)
{
	out->is_found = is_found;
	if (!is_found)
		return;
	out->module = u->module;
	out->name = u->name;
	out->offset = u->offset;
}

/* Ask this machine. */
static void
ask(struct consumer *c, enum record_name_kind kind, uint64_t pid, uint64_t addr,
    uint64_t time_ns, struct record_name *out)
{
	struct usyms *us = c->opts.usyms;
	struct usym u = { 0 };

	switch (kind) {
	case RECORD_NAME_KERNEL:
		ask_kernel(c, addr, out);
		break;
	case RECORD_NAME_KERNEL_MODULE:
		ask_kernel_module(c, addr, out);
		break;
	case RECORD_NAME_USER:
		take_usym(
		    usyms_find(us, (pid_t)pid, addr, time_ns, &u), &u, out);
		break;
	case RECORD_NAME_USER_KEY_SYMBOL:
		take_usym(
		    usyms_find_key(us, (pid_t)pid, addr, USYM_KEY_SYMBOL, &u),
		    &u, out);
		break;
	case RECORD_NAME_USER_KEY_MODULE:
		take_usym(
		    usyms_find_key(us, (pid_t)pid, addr, USYM_KEY_MODULE, &u),
		    &u, out);
		break;
	case RECORD_NAME_USER_TO_SYMBOL:
		out->is_found = true;
		out->addr = usyms_key(us, (pid_t)pid, addr, USYM_KEY_SYMBOL);
		break;
	case RECORD_NAME_USER_TO_MODULE:
		out->is_found = true;
		out->addr = usyms_key(us, (pid_t)pid, addr, USYM_KEY_MODULE);
		break;
	case RECORD_NAME_ARGS: /* the recorder notes them */
		break;
	}
}

static bool
is_of_kernel(enum record_name_kind kind)
{
	return kind == RECORD_NAME_KERNEL || kind == RECORD_NAME_KERNEL_MODULE;
}

bool
consumer_find_name(struct consumer *c, enum record_name_kind kind, uint64_t pid,
    uint64_t addr, uint64_t time_ns, struct record_name *out)
{
	const struct consume_book *book = c->opts.book;
	const struct record_name *known;

	*out = (struct record_name){ 0 };
	if (c->opts.noresolve)
		return false;
	if (book != NULL && book->find != NULL) {
		known = book->find(book->arg, kind, pid, addr);
		if (known != NULL)
			*out = *known;
		return out->is_found;
	}
	if (!is_of_kernel(kind) && c->opts.usyms == NULL)
		return false;
	ask(c, kind, pid, addr, time_ns, out);
	if (book != NULL)
		book->note(book->arg, kind, pid, addr, out);
	return out->is_found;
}

uint64_t
consumer_now(const struct consumer *c)
{
	const struct consume_book *book = c->opts.book;

	return book != NULL ? book->clock(book->arg) : now_ns();
}

uint64_t
consumer_wall_offset(const struct consumer *c)
{
	const struct consume_book *book = c->opts.book;

	return book != NULL && book->wall_offset != NULL ?
	    book->wall_offset(book->arg) :
	    wall_offset_ns();
}
