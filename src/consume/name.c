/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Names of addresses and the time: from this machine, or from the book of a
 * recording.
 */
#include "consume/consume_impl.h"

#include <string.h>

#include "base/clock.h"
#include "consume/ksyms.h"
#include "sym/elf_note.h"
#include "sym/proc_maps.h"

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

/* ---- files --------------------------------------------------------------- */

static bool
ask_file(struct consumer *c, uint64_t pid, uint64_t addr, uint64_t time_ns,
    struct consumer_file *out)
{
	const struct elf_seg *seg;
	const uint8_t *id;
	struct usym u;
	size_t len;

	if (c->opts.usyms == NULL ||
	    !usyms_find(c->opts.usyms, (pid_t)pid, addr, time_ns, &u) ||
	    u.file == NULL)
		return false;
	seg = elf_syms_seg_at(u.file, u.file_addr);
	if (seg == NULL)
		return false;
	id = elf_syms_build_id(u.file, &len);
	out->map = (struct record_mapping){ .pid = pid,
		.start = addr - (u.file_addr - seg->vaddr),
		.offset = seg->off,
		.vaddr = seg->vaddr,
		.path = *u.path != '\0' ? u.path : u.module,
		.build_id = out->build_id };
	out->map.end = out->map.start + seg->memsz;
	elf_build_id_format(id, len, out->build_id);
	return true;
}

bool
consumer_find_file(
    struct consumer *c, uint64_t pid, uint64_t addr, struct consumer_file *out)
{
	const struct consume_book *book = c->opts.book;
	const struct record_mapping *known;

	if (book == NULL || book->find_file == NULL)
		return ask_file(c, pid, addr, USYM_NOW, out);
	known = book->find_file(book->arg, pid, addr);
	if (known != NULL)
		out->map = *known;
	return known != NULL;
}

_Static_assert(ELF_BUILD_ID_TEXT == RECORD_BUILD_ID_MAX + 1,
    "a recording has whole build ids");

void
consumer_kernel_build_id(const struct consumer *c, const char *module,
    char out[RECORD_BUILD_ID_MAX + 1])
{
	const struct consume_book *book = c->opts.book;
	const char *known = NULL;

	if (book == NULL || book->find == NULL) {
		elf_build_id_of_kernel(module, out);
		return;
	}
	if (book->find_kernel_file != NULL)
		known = book->find_kernel_file(book->arg, module);
	strcpy(out, known != NULL ? known : "");
}

static void
note_kernel_file(const struct consume_book *book, const char *module)
{
	char build_id[ELF_BUILD_ID_TEXT];

	elf_build_id_of_kernel(module, build_id);
	book->note_kernel_file(book->arg, module, build_id);
}

/* An address that nobody named: its file, and where it is in that. */
static void
name_by_file(const struct consume_book *book, uint64_t pid, uint64_t addr,
    struct record_name *out)
{
	const struct record_mapping *m = book->find_file != NULL ?
	    book->find_file(book->arg, pid, addr) :
	    NULL;

	if (m == NULL)
		return;
	out->is_found = true;
	out->module = proc_module_name(m->path);
	out->offset = addr - m->start + m->offset;
}

/* ---- names --------------------------------------------------------------- */

/* Note the file at an address that got a name. */
static void
note_file_at(struct consumer *c, uint64_t pid, uint64_t addr, uint64_t time_ns,
    const struct record_name *name)
{
	const struct consume_book *book = c->opts.book;
	struct consumer_file file;

	if (pid == 0)
		note_kernel_file(book, name->module);
	else if (ask_file(c, pid, addr, time_ns, &file))
		book->note_file(book->arg, &file.map);
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
		else if (kind == RECORD_NAME_USER)
			name_by_file(book, pid, addr, out);
		return out->is_found;
	}
	if (!is_of_kernel(kind) && c->opts.usyms == NULL)
		return false;
	ask(c, kind, pid, addr, time_ns, out);
	if (book != NULL && book->note(book->arg, kind, pid, addr, out))
		note_file_at(c, pid, addr, time_ns, out);
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
