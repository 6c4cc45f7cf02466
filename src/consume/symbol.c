/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Names of addresses: sym(), usym() and the like, and frames of stacks.
 *
 * An address in a record is looked up as of the record's time.  An address in a
 * key has no time, and stands for all addresses of its symbol: such addresses
 * are made equal before keys are merged, so that each symbol has one row.
 */
#include "consume/consume_impl.h"

#include <stdlib.h>

#include "base/str.h"
#include "base/vec.h"

#define COLUMNS 50

static uint64_t
word(const void *data, size_t i)
{
	uint64_t w;

	memcpy(&w, (const char *)data + i * sizeof(w), sizeof(w));
	return w;
}

static struct symbol
kernel_symbol(struct consumer *c, uint64_t addr)
{
	struct record_name found;

	if (!consumer_find_name(c, RECORD_NAME_KERNEL, 0, addr, 0, &found))
		return (struct symbol){ .addr = addr };
	return (struct symbol){ .addr = addr,
		.module = found.module,
		.name = found.name,
		.offset = found.offset };
}

static struct symbol
user_symbol(struct consumer *c, uint64_t pid, uint64_t addr, uint64_t time_ns)
{
	struct symbol s = { .addr = addr, .pid = pid };
	struct record_name u;

	if (!consumer_find_name(c, RECORD_NAME_USER, pid, addr, time_ns, &u))
		return s;
	s.module = u.module;
	s.name = u.name;
	s.offset = u.offset;
	return s;
}

/* symbol_merge() has made the addresses in keys equal. */
static struct symbol
user_key(
    struct consumer *c, uint64_t pid, uint64_t addr, enum record_name_kind kind)
{
	struct symbol s = { .addr = addr, .pid = pid };
	struct record_name u;

	if (!consumer_find_name(c, kind, pid, addr, 0, &u))
		return s;
	s.module = u.module;
	s.name = u.name;
	if (u.name == NULL)
		s.offset = u.offset;
	return s;
}

static struct symbol
any_symbol(struct consumer *c, const struct datum *d)
{
	uint64_t pid;

	if (d->rec->store == PLAN_SYM)
		return kernel_symbol(c, word(d->data, 0));
	pid = word(d->data, 0);
	if (d->time_ns != 0 || d->rec->action == DT_ACT_UADDR)
		return user_symbol(c, pid, word(d->data, 1), d->time_ns);
	return user_key(c, pid, word(d->data, 1),
	    d->rec->action == DT_ACT_UMOD ? RECORD_NAME_USER_KEY_MODULE :
					    RECORD_NAME_USER_KEY_SYMBOL);
}

struct symbol
symbol_of(struct consumer *c, const struct datum *d)
{
	struct symbol s = any_symbol(c, d);

	if (d->rec->action == DT_ACT_MOD || d->rec->action == DT_ACT_UMOD) {
		s.name = NULL;
		s.offset = 0;
	}
	/*
	 * uaddr() names the address itself, the others the function or object
	 */
	if (d->rec->action != DT_ACT_UADDR && s.name != NULL) {
		s.addr -= s.offset;
		s.offset = 0;
	}
	return s;
}

static struct symbol
frame_symbol(
    struct consumer *c, const struct datum *d, uint64_t pid, uint64_t pc)
{
	return d->rec->store == PLAN_USTACK ?
	    user_symbol(c, pid, pc, d->time_ns) :
	    kernel_symbol(c, pc);
}

/*
 * A frame's pc is the return address, which is behind the function if that
 * calls a function that never returns: so the instruction before it, the call,
 * is looked up.  Only the first frame's pc and that of a signal's frame are
 * exact; no symbol precedes the latter.
 */
struct symbol
symbol_of_frame(struct consumer *c, const struct datum *d,
    const struct frames *f, uint32_t i)
{
	uint64_t pc = frames_pc(f, i);
	struct symbol s = { 0 };

	if (d->rec->store == PLAN_USTACK && plan_cut_name(pc) != NULL)
		return (struct symbol){ .addr = pc,
			.pid = f->pid,
			.module = "[cut]",
			.name = plan_cut_name(pc) };
	if (i > 0)
		s = frame_symbol(c, d, f->pid, pc - 1);
	if (s.name == NULL)
		return frame_symbol(c, d, f->pid, pc);
	s.addr = pc;
	s.offset++;
	return s;
}

/*
 * Helpers may name addresses that are not their own, so a pc in the code of a
 * file keeps the name from that file, even if it is only an address.
 */
bool
symbol_takes_name(const struct symbol *sym, const char *name)
{
	return *name != '\0' && *name != '@' && sym->module == NULL;
}

void
symbol_format(const struct symbol *sym, struct strbuf *out)
{
	struct usym u = {
		.module = sym->module, .name = sym->name, .offset = sym->offset
	};

	if (sym->module != NULL)
		usym_format(&u, out);
	else
		strbuf_add_hex(out, sym->addr);
}

void
symbol_format_kernel(struct consumer *c, uint64_t addr, struct strbuf *out)
{
	struct symbol s = kernel_symbol(c, addr);

	symbol_format(&s, out);
}

void
symbol_format_user(struct consumer *c, uint64_t pid, uint64_t addr,
    uint64_t time_ns, struct strbuf *out)
{
	struct symbol s = user_symbol(c, pid, addr, time_ns);

	symbol_format(&s, out);
}

/* Printing only a module's name is left to mod() and umod(). */
static bool
is_module(const struct datum *d)
{
	return d->rec->action == DT_ACT_MOD || d->rec->action == DT_ACT_UMOD;
}

void
symbol_text(struct consumer *c, const struct datum *d, struct strbuf *out)
{
	struct symbol s = symbol_of(c, d);

	if (is_module(d) && s.module != NULL)
		strbuf_adds(out, s.module);
	else
		symbol_format(&s, out);
}

void
out_symbol(struct consumer *c, const struct datum *d)
{
	struct strbuf text = { 0 };

	symbol_text(c, d, &text);
	out_pad(&c->buf, 2);
	out_data(c, text.s, text.len, COLUMNS, true);
	strbuf_fini(&text);
}

/* ---- keys ---------------------------------------------------------------- */

bool
symbol_in_keys(const struct plan_agg *pa)
{
	VEC_FOREACH(&pa->keys, key) {
		if (key->store == PLAN_SYM || key->store == PLAN_USYM)
			return true;
	}
	return false;
}

/* The symbol's first address, or one address for the whole module. */
static uint64_t
merge_kernel(struct consumer *c, uint64_t addr, uint16_t action)
{
	struct symbol s = kernel_symbol(c, addr);
	struct record_name found;

	if (s.module == NULL)
		return addr;
	if (action != DT_ACT_MOD)
		return addr - s.offset;
	return consumer_find_name(
		   c, RECORD_NAME_KERNEL_MODULE, 0, addr, 0, &found) ?
	    found.addr :
	    addr;
}

/* Merge a key of a process; the first word is the process. */
static void
merge_user(struct consumer *c, const struct plan_rec *key, char *data)
{
	uint64_t addr = word(data, 1);
	struct record_name found;

	if (addr == 0) {
		/* arg1 of profile-N in the kernel: of no process */
		memset(data, 0, sizeof(addr));
	} else if (key->action != DT_ACT_UADDR &&
	    consumer_find_name(c,
		key->action == DT_ACT_UMOD ? RECORD_NAME_USER_TO_MODULE :
					     RECORD_NAME_USER_TO_SYMBOL,
		word(data, 0), addr, 0, &found)) {
		memcpy(data + sizeof(addr), &found.addr, sizeof(found.addr));
	}
}

void
symbol_merge(struct consumer *c, const struct plan_rec *key, char *data)
{
	uint64_t addr;

	if (key->store == PLAN_SYM) {
		addr = merge_kernel(c, word(data, 0), key->action);
		memcpy(data, &addr, sizeof(addr));
	} else if (key->store == PLAN_USYM) {
		merge_user(c, key, data);
	}
}
