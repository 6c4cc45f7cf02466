/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef USDT_USDT_H
#define USDT_USDT_H

/*
 * Probes that programs bring (USDT): what `dtrace -h` and `dtrace -G` write.
 *
 * The header puts sites in place (include/dtrace/usdt.h, whose text it holds);
 * the object has what all sites of a probe share: its semaphore, which the
 * header's FOO_BAR_ENABLED() asks, and the types of its arguments, as DOF.  The
 * program's own objects are read, never written.
 */
#include <stdbool.h>
#include <stddef.h>

#include "base/mem.h"
#include "dif/dif.h"

#define USDT_MAXARGS 12 /* of a site; see include/dtrace/usdt.h */

/* Providers of the programs, each once. */
struct usdt_defs {
	VEC(const struct dif_provider *) providers;
};

/*
 * The header `path` is for; `source` names the file that it comes from.  0 or
 * -EINVAL with *msg (malloced): a probe that no header can be for.
 */
int usdt_header(const struct usdt_defs *defs, const char *path,
    const char *source, struct strbuf *out, char **msg);

enum usdt_class { USDT_CLASS_ANY, USDT_CLASS_32, USDT_CLASS_64 };

/*
 * Look at an object that the probes are for.  It decides the class of a
 * program for which *cls is USDT_CLASS_ANY.  The functions that it calls where
 * it has probes are added to *stubs.  A probe of one of the providers that its
 * definition does not have is a mistake: -EINVAL with *msg.
 */
struct usdt_stubs;
int usdt_check_object(const struct usdt_defs *defs, const char *path,
    enum usdt_class *cls, struct usdt_stubs *stubs, char **msg);

/*
 * The relocatable ELF object, with the functions that objects call.
 * `programs` is DOF of clauses, and may be empty.  0 or -errno with *msg.
 */
int usdt_object(const struct usdt_defs *defs, const struct usdt_stubs *stubs,
    const struct strbuf *programs, enum usdt_class cls, struct strbuf *out,
    char **msg);

/*
 * Append the DOF of providers, and `programs` behind it.  Images in a section
 * stand at multiples of 8.
 */
void usdt_dof(const struct usdt_defs *defs, const struct strbuf *programs,
    enum usdt_class cls, struct strbuf *out);

/* A note has a probe's name as C has it: "-" is "__". */
bool usdt_is_name(const char *name, const char *c_name);

/* "query-start" as C has it: query__start. */
void usdt_c_name(const char *name, struct strbuf *out);

/*
 * The arguments of a call, as a note has them: where they are at the call, or
 * inside of the function, with the return address on top of the stack.  A jump
 * that replaces a call has them as inside.
 */
char *usdt_call_args(enum usdt_class cls, size_t n, bool is_inside);

/* The semaphore's symbol. */
void usdt_semaphore(const struct dif_provider *p,
    const struct dif_provprobe *pp, struct strbuf *out);

#endif
