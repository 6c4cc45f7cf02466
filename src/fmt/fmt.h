/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef FMT_FMT_H
#define FMT_FMT_H

/*
 * printf() and printa() formats: parse, check at compile time, print.
 */
#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/vec.h"

/*
 * Check a printf or printa format against the D types of its arguments, at
 * compile time.  `nargs` arguments; for printa, `agg` is non-NULL and the
 * arguments are its keys.  Returns the error tag's name ("D_PRINTF_ARG_TYPE")
 * with *err, or NULL when all is well.  Used by codegen (to
 * refuse bad formats) and by consume (to print): the conversion table is
 * written once, in fmt/printf_convs.def.
 */
enum pf_argkind {
	PF_ARG_INT,
	PF_ARG_ENUM, /* an integer that may have a name */
	PF_ARG_STRING,
	PF_ARG_BYTES,
	PF_ARG_STACK,
	PF_ARG_SYM,
	PF_ARG_POINTER,
	PF_ARG_FLOAT,
	PF_ARG_SOU /* a pointer to a struct or union */
};
CHECKED const char *printf_check(const char *fmt, bool is_printa,
    const enum pf_argkind *args, const char *const *arg_types, size_t nargs,
    struct err *err);

/* How a conversion's argument becomes text. */
enum pf_render {
	PF_RENDER_SINT,
	PF_RENDER_UINT,
	PF_RENDER_CHAR,
	PF_RENDER_CHAR_ESC,
	PF_RENDER_STR,
	PF_RENDER_STR_ESC,
	PF_RENDER_WIDE,
	PF_RENDER_WIDE_CHAR,
	PF_RENDER_KADDR,
	PF_RENDER_UADDR,
	PF_RENDER_STACK,
	PF_RENDER_FLOAT,
	PF_RENDER_HOST,
	PF_RENDER_PORT,
	PF_RENDER_TIME,
	PF_RENDER_DATE
};

/* A row of fmt/printf_convs.def. */
struct pf_convinfo {
	const char *name;  /* "d", "ws", ... */
	const char *takes; /* "an integer": for messages */
	unsigned kinds;	   /* 1 << enum pf_argkind */
	unsigned mods;	   /* PF_MOD_* that may stand before it */
	enum pf_render render;
	bool agg; /* with '@': prints an aggregation's value */
};

#define PF_MOD_HH 1
#define PF_MOD_H 2
#define PF_MOD_L 4
#define PF_MOD_LL 8
#define PF_MOD_LD 16 /* L */

/* Widths and precisions beyond this are refused, or cut when dynamic. */
#define PF_WIDTH_MAX (1 << 20)

/* A parsed format: literal text and conversions, in order. */
struct pf_conv {
	char *prefix; /* literal text before; %% is resolved */
	size_t prefix_len;
	char conv[4]; /* "d", "s", "ws", "Y", ...; "" at the end */
	char mod[3];  /* "h" "hh" "l" "ll" "L" or "" */
	bool left, plus, space, alt, zero, thousands;
	bool aggval;			/* %@d */
	int width, prec;		/* -1: none */
	bool width_star, prec_star;	/* from arguments */
	bool plain;			/* no flags, no precision, no '*' */
	unsigned size;			/* bytes that the modifier leaves */
	const struct pf_convinfo *info; /* NULL at the end */
};
struct pf_format {
	VEC(struct pf_conv) convs; /* the last has conv "" (tail text) */
};
/* Returns NULL and an error tag in *tag and *err when malformed. */
CHECKED struct pf_format *pf_parse(
    const char *fmt, const char **tag, struct err *err);
void pf_destroy(struct pf_format *pf);

#endif
