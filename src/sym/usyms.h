/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SYM_USYMS_H
#define SYM_USYMS_H

/*
 * Symbols of user processes: (process, address, time) -> module, function.
 *
 * Data are printed later than they were recorded, when the process may have
 * executed another program, unloaded a library, or be gone.  So once
 * usyms_follow() was called, the kernel tells of every executable mapping,
 * fork and exec (sym/sideband.h), and addresses are looked up in what was
 * mapped at their time.  Without it, in what is mapped now.
 *
 * Of one thread.  Strings that are handed out live as long as the usyms.
 */
#include <sys/types.h>

#include "base/mem.h"
#include "sym/sideband.h"
#include "sym/sym_cache.h"

struct usyms;

struct usyms *usyms_create(struct sym_cache *sc); /* borrowed */
void usyms_destroy(struct usyms *us);
void usyms_set_demangle(struct usyms *us, bool on);

/*
 * Take what happens from now on, and what is mapped already.  The sideband is
 * borrowed; draining it is for whoever waits on it, but usyms_find() does it
 * too for a time that it has not reached.
 */
void usyms_follow(struct usyms *us, struct sideband *sb);

/* What the process has mapped now is kept, also once it has ended.  /proc is
 * not read more often than every 50 ms. */
void usyms_note(struct usyms *us, pid_t pid);

struct usym {
	const char *module; /* "libc.so.6", "[vdso]", "[jit]" */
	const char *path;   /* of the file, or "" */
	const char *name;   /* NULL: the module has no symbol there */
	uint64_t offset;    /* from the symbol's start; else the module's */
	uint64_t symbol;    /* the symbol's start, in the process */
	uint64_t base;	    /* where the module's first byte is, or would be */
	uint64_t vaddr;	    /* the symbol's start, in the file */
	uint32_t size;	    /* of the symbol, when known */
	bool is_code;
};
#define USYM_NOW 0 /* time: the present, or the last known */

/* False: nothing that has a name is (or was) mapped there. */
bool usyms_find(struct usyms *us, pid_t pid, uint64_t addr, uint64_t time_ns,
    struct usym *sym);
/*
 * "libc.so.6`malloc+0x10", "libc.so.6`malloc", "libc.so.6`0x7f001234" (in a
 * module, but in no symbol), "0x7f001234".
 */
void usyms_format(struct usyms *us, pid_t pid, uint64_t addr, uint64_t time_ns,
    struct strbuf *out);
/* Of what usyms_find() has found. */
void usym_format(const struct usym *sym, uint64_t addr, struct strbuf *out);

/* Code that was mapped, of which file: what a stack is walked by. */
struct ucode {
	uint64_t start, end, off;
	uint64_t dev, ino; /* 0, 0: of none */
	bool is_vdso;
	uint32_t file;
};
/* False: no code is known to have been there. */
bool usyms_code(struct usyms *us, pid_t pid, uint64_t addr, uint64_t time_ns,
    struct ucode *code);
/* Its file, to read; -1: it cannot be had (any more). */
int usyms_open(struct usyms *us, pid_t pid, const struct ucode *code);

/*
 * Addresses as keys: one for all addresses in the same symbol (or module) of
 * the process, whatever programs it executed.  It is an address in that symbol;
 * usyms_find_key() knows it again.  What has no symbol stays as it is.
 */
enum usym_key { USYM_KEY_SYMBOL, USYM_KEY_MODULE };
uint64_t usyms_key(
    struct usyms *us, pid_t pid, uint64_t addr, enum usym_key kind);
bool usyms_find_key(struct usyms *us, pid_t pid, uint64_t key,
    enum usym_key kind, struct usym *sym);

#endif
