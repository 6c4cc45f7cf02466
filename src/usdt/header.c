/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * dtrace -h: the header of a provider.
 *
 *	MYSERVER_REQUEST_START(arg0, arg1)	a site of the probe
 *	MYSERVER_REQUEST_START_ENABLED()	is it traced?
 *
 * The header needs no other one, so it begins with the text of <dtrace/usdt.h>,
 * whose include guard serves programs that have several.
 */
#include "usdt/usdt.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "base/err.h"
#include "base/str.h"
#include "base/vec.h"

static const char usdt_text[] =
#include "usdt_text.h"
    ;

static void
add_upper(struct strbuf *out, const char *s)
{
	for (; *s != '\0'; s++)
		strbuf_addc(out,
		    isalnum((unsigned char)*s) ?
			(char)toupper((unsigned char)*s) :
			'_');
}

static void
add_macro_name(struct strbuf *out, const struct dif_provider *p,
    const struct dif_provprobe *pp)
{
	add_upper(out, p->name);
	strbuf_addc(out, '_');
	add_upper(out, pp->name);
}

static void
add_params(struct strbuf *out, size_t n)
{
	for (size_t i = 0; i < n; i++)
		strbuf_printf(out, "%sarg%zu", i > 0 ? ", " : "", i);
}

/* List the arguments' types in a comment, which no type can end. */
static void
add_types(struct strbuf *out, const struct dif_provprobe *pp)
{
	for (size_t i = 0; i < pp->native.n; i++)
		strbuf_printf(
		    out, "%s%s", i > 0 ? ", " : "", pp->native.v[i].type);
}

static void
add_enabled(struct strbuf *out, const struct dif_provider *p,
    const struct dif_provprobe *pp)
{
	strbuf_adds(out, "extern volatile unsigned short ");
	usdt_semaphore(p, pp, out);
	strbuf_adds(out,
	    "\n    __attribute__((visibility(\"hidden\")));\n"
	    "#define ");
	add_macro_name(out, p, pp);
	strbuf_adds(out, "_ENABLED() \\\n\t__builtin_expect(");
	usdt_semaphore(p, pp, out);
	strbuf_adds(out, " != 0, 0)\n");
}

static void
add_probe(struct strbuf *out, const struct dif_provider *p,
    const struct dif_provprobe *pp)
{
	strbuf_printf(out, "\n/* %s:::%s(", p->name, pp->name);
	add_types(out, pp);
	strbuf_adds(out, ") */\n");
	add_enabled(out, p, pp);
	strbuf_adds(out, "#define ");
	add_macro_name(out, p, pp);
	strbuf_addc(out, '(');
	add_params(out, pp->native.n);
	strbuf_printf(out, ") \\\n\tDTU_PROBE(\"%s\", \"", p->name);
	usdt_c_name(pp->name, out);
	strbuf_adds(out, "\", ");
	usdt_semaphore(p, pp, out);
	strbuf_printf(out, ", \\\n\t    %zu, (", pp->native.n);
	add_params(out, pp->native.n);
	strbuf_adds(out, "))\n");
}

static void
add_guard(struct strbuf *out, const char *path)
{
	const char *slash = strrchr(path, '/');

	strbuf_addc(out, '_');
	add_upper(out, slash != NULL ? slash + 1 : path);
}

CHECKED static int
check_probe(const struct dif_provider *p, const struct dif_provprobe *pp,
    struct err *err)
{
	if (pp->native.n <= USDT_MAXARGS)
		return 0;
	return err_set(err, -EINVAL,
	    "probe %s:::%s has %zu arguments, and a probe's site in a program can have no more than %d: pass the address of a structure instead",
	    p->name, pp->name, pp->native.n, USDT_MAXARGS);
}

int
usdt_header(const struct usdt_defs *defs, const char *path, const char *source,
    struct strbuf *out, struct err *err)
{
	int rc = 0;

	strbuf_printf(out,
	    "/* Written by dtrace -h; edit %s instead. */\n"
	    "#ifndef ",
	    source);
	add_guard(out, path);
	strbuf_adds(out, "\n#define ");
	add_guard(out, path);
	strbuf_printf(out,
	    "\n\n%s\n#ifdef __cplusplus\nextern \"C\" {\n"
	    "#endif\n",
	    usdt_text);
	VEC_FOREACH(&defs->providers, p) {
		VEC_FOREACH(&(*p)->probes, pp) {
			rc = rc == 0 ? check_probe(*p, pp, err) : rc;
			add_probe(out, *p, pp);
		}
	}
	strbuf_adds(out, "\n#ifdef __cplusplus\n}\n#endif\n\n#endif\n");
	return rc;
}
