/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SYM_USYMS_H
#define SYM_USYMS_H

/*
 * Symbols of user processes: (process, address, time) -> module, function.
 *
 * Data are printed later than they were recorded, when the process may have
 * executed another program, unloaded a library, or ended.  So after
 * usyms_follow() the kernel tells of every executable mapping, fork and exec
 * (sym/sideband.h), and addresses are looked up in the mappings of their time.
 * Otherwise they are looked up in the present mappings.
 *
 * For one thread.  Returned strings live as long as the usyms.
 */
#include <sys/types.h>

#include "base/str.h"
#include "sym/sideband.h"
#include "sym/sym_cache.h"

struct usyms;

struct usyms *usyms_create(struct sym_cache *sc); /* sc is borrowed */
void usyms_destroy(struct usyms *us);
void usyms_set_demangle(struct usyms *us, bool on);
/* The errno for which mappings or symbols were not read (dtrace had no
 * descriptors or no memory for them, or a disk failed), once, or 0. */
int usyms_take_error(struct usyms *us);

/*
 * Record changes from now on, and the present mappings.  The sideband is
 * borrowed.  Its owner drains it; usyms_find() does so too for times that it
 * has not reached.
 */
void usyms_follow(struct usyms *us, struct sideband *sb);

/*
 * Record the process's present mappings, and keep them when it has ended.
 * /proc is read at most every 50 ms.
 */
void usyms_note(struct usyms *us, pid_t pid);

struct usym {
	const char *module; /* "libc.so.6", "[vdso]", "[jit]" */
	const char *path;   /* the file's path, or "" */
	const char *name;   /* NULL: the module has no symbol there */
	uint64_t offset;    /* from the symbol's start, or the module's */
	uint64_t symbol;    /* the symbol's address in the process */
	uint64_t base;	    /* address of the file's first byte */
	uint64_t vaddr;	    /* the symbol's address in the file */
	uint64_t file_addr; /* that of the address; 0: unknown */
	/* the file; NULL: not read.  Valid as long as `name`. */
	const struct elf_syms *file;
	uint32_t size; /* of the symbol; 0: unknown */
	bool is_code;
};
#define USYM_NOW 0 /* as time: the present, or the last known */

/* False: nothing with a name is (or was) mapped there. */
bool usyms_find(struct usyms *us, pid_t pid, uint64_t addr, uint64_t time_ns,
    struct usym *sym);
/*
 * "libc.so.6`malloc+0x10", "libc.so.6`malloc", "libc.so.6`+0x1234" (in a
 * module, but in no symbol: the offset is that of the module, which is the same
 * in every run), "0x7f001234".
 */
void usyms_format(struct usyms *us, pid_t pid, uint64_t addr, uint64_t time_ns,
    struct strbuf *out);
/* usyms_format() for a result of usyms_find(). */
void usym_format(const struct usym *sym, struct strbuf *out);

/* A mapping of code and its file, for walking stacks. */
struct ucode {
	uint64_t start, end, off;
	uint64_t dev, ino; /* 0, 0: no file */
	bool is_vdso;
	uint32_t file;
};
/* False: no code is known at that address and time. */
bool usyms_code(struct usyms *us, pid_t pid, uint64_t addr, uint64_t time_ns,
    struct ucode *code);
/* Open its file for reading, as proc_map_open(). */
CHECKED int usyms_open(struct usyms *us, pid_t pid, const struct ucode *code);

/*
 * A number that is another one whenever the process's mappings have changed; 0:
 * they are not known, or have changed since that time.
 */
uint64_t usyms_version(struct usyms *us, pid_t pid, uint64_t time_ns);

/*
 * Addresses as keys: one for all addresses in the same symbol (or module) of
 * the process, whatever programs it executed.  The key is an address in the
 * symbol, which usyms_find_key() finds again.  An address without a symbol is
 * its own key.
 */
enum usym_key { USYM_KEY_SYMBOL, USYM_KEY_MODULE };
uint64_t usyms_key(
    struct usyms *us, pid_t pid, uint64_t addr, enum usym_key kind);
bool usyms_find_key(struct usyms *us, pid_t pid, uint64_t key,
    enum usym_key kind, struct usym *sym);

#endif
