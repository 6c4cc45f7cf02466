/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef LIBDTRACE_TYPESHOW_IMPL_H
#define LIBDTRACE_TYPESHOW_IMPL_H

/* Shared by the files that show types: typeshow.c, typedecl.c, typejson.c. */
#include "ctf/ctf.h"
#include "libdtrace/dt_impl.h"

/* Types come from files that may be malformed, so nesting is bounded. */
#define DEPTH_MAX 64 /* C programs nest a dozen deep */
/*
 * No body is opened within another beyond this length: a hostile file could
 * nest them so that the text grows without end.
 */
#define TEXT_MAX (16U << 20)

/* ---- typedecl.c ---------------------------------------------------------- */

/* Is it a struct, union or enum? */
bool dt_type_has_body(struct ctf_type *t);
/* Follow pointers to their target, arrays to their elements, functions to their
 * results. */
struct ctf_type *dt_type_base_of(struct ctf_type *t);
/* Does a declaration of the type contain a body, since it has no tag? */
bool dt_type_is_untagged(struct ctf_type *t);

struct dt_type_decl {
	struct strbuf *sb;
	bool has_places; /* comments with offsets and sizes */
	unsigned depth;
};

/* End the line with a comment, which stands in a column. */
void dt_type_comment(struct dt_type_decl *d, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
/* End the line with the size of the type, if comments are wanted. */
void dt_type_size(struct dt_type_decl *d, struct ctf_type *t);
/*
 * The declarations that lead to the type: the struct, then its typedefs.  Types
 * of C and D themselves have none.
 */
void dt_type_declarations(struct dt_type_decl *d, struct ctf_type *t);

/* ---- typeshow.c, typejson.c ---------------------------------------------- */

/*
 * The translators to the type: as text, or as a list of JSON that the caller
 * ends.  Returns their number.
 */
size_t dt_type_translators(
    struct dt_hdl *h, struct ctf_type *t, struct strbuf *sb, bool is_json);
/* The type as one line of JSON. */
void dt_type_json(struct dt_hdl *h, struct ctf_type *t, struct strbuf *sb);

#endif
