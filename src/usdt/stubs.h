/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef USDT_STUBS_H
#define USDT_STUBS_H

/*
 * Objects that were compiled against another system's <sys/sdt.h>, or a header
 * of its `dtrace -h`, call a function where they have a probe:
 *
 *	__dtrace_PROVIDER___PROBE(arguments)
 *	__dtraceenabled_PROVIDER___PROBE()	not 0 while it is traced
 *	__dtraceenabled_PROVIDER___PROBE(uint32_t *flag)
 *						the same, stored in *flag
 *
 * `dtrace -G` there overwrites the calls.  Ours does not change objects: it
 * writes the functions.  A function for a probe has a probe site and returns;
 * an is-enabled function returns the semaphore, or stores it.
 */
#include <libelf.h>

#include "base/err.h"
#include "base/str.h"
#include "base/vec.h"
#include "usdt/usdt.h"

#define USDT_CALL "__dtrace_"
#define USDT_ASK "__dtraceenabled_"

/* How a function tells whether the probe is enabled. */
enum usdt_asks {
	USDT_ASKS_NOT,	   /* it is the probe */
	USDT_ASKS_UNKNOWN, /* no call tells: by its value */
	USDT_ASKS_VALUE,
	USDT_ASKS_POINTER,
};

/* A function that some object calls. */
struct usdt_stub {
	const struct dif_provider *provider;
	const struct dif_provprobe *probe;
	enum usdt_asks asks;
};

struct usdt_stubs {
	VEC(struct usdt_stub) v;
};

/*
 * Add the functions that the object calls, each once.  Returns 0, or -errno
 * with *err: the definition of a provider lacks the probe, or objects call a
 * function in two ways.  The file is hostile.
 */
CHECKED int usdt_stubs_read(const struct usdt_defs *defs, const char *path,
    int fd, struct usdt_stubs *out, struct err *err);

/* asks.c: an object whose calls are looked at. */
struct usdt_asking {
	Elf *elf;
	Elf_Scn *symtab;
	uint64_t left; /* steps, before the object is refused: it is hostile */
};
#define USDT_ASKING_STEPS (UINT64_C(1) << 26)

/*
 * How do the calls of a symbol, by its number in the table, ask?  Returns 0, or
 * -errno with *err: in two ways, too many to look at, or they cannot be
 * decoded.
 */
CHECKED int usdt_asks(struct usdt_asking *as, size_t symbol,
    enum usdt_asks *asks, struct err *err);

/* Targets of the code's relocations. */
enum usdt_ref {
	USDT_REF_TEXT,	    /* the beginning of the code */
	USDT_REF_BASE,	    /* _.stapsdt.base */
	USDT_REF_SEMAPHORE, /*
	 * the semaphore of a probe, by its number among all definitions
	 */
};

struct usdt_reloc {
	enum { USDT_RELOC_NONE, USDT_RELOC_PC32, USDT_RELOC_ADDR } kind;
	enum usdt_ref ref;
	uint32_t number; /* for USDT_REF_SEMAPHORE */
	uint32_t at;
	int32_t addend;
};

/* Contents of a section, and its relocations. */
struct usdt_part {
	struct strbuf bytes;
	VEC(struct usdt_reloc) relocs;
};

struct usdt_code {
	struct usdt_part text, notes, frames; /* .eh_frame */
	VEC(uint32_t) offsets;		      /* offset of each stub in text */
};

void usdt_stubs_code(const struct usdt_defs *defs,
    const struct usdt_stubs *stubs, enum usdt_class cls, struct usdt_code *out);
void usdt_code_fini(struct usdt_code *code);

/* The function's name. */
void usdt_stub_name(const struct usdt_stub *s, struct strbuf *out);

#endif
