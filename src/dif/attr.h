/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DIF_ATTR_H
#define DIF_ATTR_H

/*
 * Facts about a name, from providers and the compiler: its stability, the
 * version of D that has it, the types of a probe's arguments.
 */
#include <stdbool.h>
#include <stdint.h>

struct strbuf;

/*
 * Stability: of the name, of what it means, and which systems have it.  The
 * numbers are those of doc/reference/language.md section 13.
 */
struct dif_attr {
	uint8_t name, data, class_;
};
#define DIF_ATTR_MAX                                                           \
	{                                                                      \
		7, 7, 5                                                        \
	} /* Standard/Standard/Common */
#define DIF_ATTR_PROGRAM                                                       \
	{                                                                      \
		6, 6, 5                                                        \
	} /* Stable/Stable/Common */
#define DIF_ATTR_PROVIDER                                                      \
	{                                                                      \
		4, 4, 5                                                        \
	} /* Unstable/Unstable/Common */
#define DIF_ATTR_KERNEL                                                        \
	{                                                                      \
		1, 1, 0                                                        \
	} /* Private/Private/Unknown */

/* "Stable/Stable/Common" */
bool dif_attr_parse(const char *s, struct dif_attr *a);
/* The minimum of each component. */
struct dif_attr dif_attr_min(struct dif_attr a, struct dif_attr b);
bool dif_attr_below(struct dif_attr a, struct dif_attr least);
const char *dif_attr_name(const struct dif_attr *a);
const char *dif_attr_data(const struct dif_attr *a);
const char *dif_attr_class(const struct dif_attr *a);

/* Convert a version of D, "1.6.3", to a word; 0: there was no such version. */
uint32_t dif_version_parse(const char *s);
void dif_version_format(uint32_t version, struct strbuf *out);
#define DIF_VERSION_LATEST (1u << 24 | 13u << 12)

/*
 * An argument of a probe as args[] has it, declared by the provider.  C types
 * as text: "int", "const char *", "struct file *".
 */
#define DT_NARGS_MAX 32
struct dt_argdesc {
	const char *native; /* type that the provider passes */
	const char *xlate;  /* type after translation, or NULL */
	uint8_t mapping;    /* number of the native argument: argN */
	bool is_userland;   /* pointers are the process's addresses */
};

#endif
