/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef USDT_USDT_H
#define USDT_USDT_H

/*
 * Probes that programs define (USDT): the output of `dtrace -h` and `dtrace
 * -G`.
 *
 * The header makes the sites (it contains the text of include/dtrace/usdt.h).
 * The object has the data that all sites of a probe share: its semaphore, which
 * the header's FOO_BAR_ENABLED() reads, and the types of its arguments, as DOF.
 * The program's own objects are read, never written.
 */
#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/str.h"
#include "base/vec.h"
#include "dif/prog.h"

#define USDT_MAXARGS 12 /* of a site; see include/dtrace/usdt.h */

/* Providers of the programs, each once. */
struct usdt_defs {
	VEC(const struct dif_provider *) providers;
};

/*
 * Write the header for `path`; `source` is the name of its source file.
 * Returns 0, or -EINVAL with *err for a probe that a header cannot
 * support.
 */
CHECKED int usdt_header(const struct usdt_defs *defs, const char *path,
    const char *source, struct strbuf *out, struct err *err);

enum usdt_class { USDT_CLASS_ANY, USDT_CLASS_32, USDT_CLASS_64 };

/*
 * Read an object that uses the probes.  It sets *cls if that is USDT_CLASS_ANY.
 * Functions that it calls for probes are added to *stubs.  A probe that its
 * provider's definition lacks is an error: -EINVAL with *err.
 */
struct usdt_stubs;
CHECKED int usdt_check_object(const struct usdt_defs *defs, const char *path,
    enum usdt_class *cls, struct usdt_stubs *stubs, struct err *err);

/*
 * Write the relocatable ELF object, with the functions that objects call.
 * `programs` is DOF of clauses, and may be empty.  Returns 0 or -errno with
 * *err.
 */
CHECKED int usdt_object(const struct usdt_defs *defs,
    const struct usdt_stubs *stubs, const struct strbuf *programs,
    enum usdt_class cls, struct strbuf *out, struct err *err);

/*
 * Append the DOF of providers, and `programs` behind it.  Images in a section
 * are at multiples of 8.
 */
void usdt_dof(const struct usdt_defs *defs, const struct strbuf *programs,
    enum usdt_class cls, struct strbuf *out);

/* Is a probe's name the C name of a note? "-" is "__" there. */
bool usdt_is_name(const char *name, const char *c_name);

/* The C name of "query-start": query__start. */
void usdt_c_name(const char *name, struct strbuf *out);

/*
 * The text of a call's arguments for a note: their places at the call, or
 * inside of the function, where the return address is on top of the stack.  A
 * jump that replaces a call has them as inside.
 */
char *usdt_call_args(enum usdt_class cls, size_t n, bool is_inside);

/* The name of the semaphore's symbol. */
void usdt_semaphore(const struct dif_provider *p,
    const struct dif_provprobe *pp, struct strbuf *out);

#endif
