/* SPDX-License-Identifier: BSD-2-Clause */
/* Definitions of providers: C names of their probes, and their DOF. */
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "base/vec.h"
#include "dof/dof.h"
#include "usdt/usdt.h"

/* ---- names --------------------------------------------------------------- */

bool
usdt_is_name(const char *name, const char *c_name)
{
	for (; *name != '\0'; name++, c_name++) {
		if (*name == '-' && *c_name++ != '_')
			return false;
		if (*c_name != (*name == '-' ? '_' : *name))
			return false;
	}
	return *c_name == '\0';
}

void
usdt_c_name(const char *name, struct strbuf *out)
{
	for (; *name != '\0'; name++)
		strbuf_adds(out, *name == '-' ? "__" : (char[]){ *name, 0 });
}

void
usdt_semaphore(const struct dif_provider *p, const struct dif_provprobe *pp,
    struct strbuf *out)
{
	strbuf_printf(out, "%s_", p->name);
	usdt_c_name(pp->name, out);
	strbuf_adds(out, "_semaphore");
}

char *
usdt_call_args(enum usdt_class cls, size_t n, bool is_inside)
{
	static const char *const regs[] = { "8@%rdi", "8@%rsi", "8@%rdx",
		"8@%rcx", "8@%r8", "8@%r9" };
	size_t nregs = cls == USDT_CLASS_32 ? 0 : 6;
	size_t word = cls == USDT_CLASS_32 ? 4 : 8;
	struct strbuf sb = { 0 };

	for (size_t i = 0; i < n && i < USDT_MAXARGS; i++) {
		if (i > 0)
			strbuf_addc(&sb, ' ');
		if (i < nregs)
			strbuf_adds(&sb, regs[i]);
		else
			strbuf_printf(&sb, "%zu@%zu(%s)", word,
			    word * (i - nregs + is_inside),
			    word == 4 ? "%esp" : "%rsp");
	}
	return sb.s != NULL ? strbuf_steal(&sb) : mem_strdup("");
}

/* ---- DOF ----------------------------------------------------------------- */

static void
add_args(struct dof_usdt_probe *to, const struct dif_provprobe *pp)
{
	size_t n = pp->is_translated ? pp->xlated.n : pp->native.n;
	const struct dif_provarg *args =
	    pp->is_translated ? pp->xlated.v : pp->native.v;

	VEC_FOREACH(&pp->native, arg)
		VEC_PUSH(&to->nargs, mem_strdup(arg->type));
	for (size_t i = 0; i < n; i++) {
		VEC_PUSH(&to->xargs, mem_strdup(args[i].type));
		VEC_PUSH(&to->map, args[i].mapping);
	}
}

static void
write_provider(struct dof_writer *w, const struct dif_provider *p)
{
	struct dof_usdt u = { .name = mem_strdup(p->name) };

	for (int i = 0; i < DIF_NPROVATTRS; i++)
		u.attrs[i] = dof_attr_word(p->attrs[i]);
	VEC_FOREACH(&p->probes, pp) {
		struct dof_usdt_probe probe = { .func = mem_strdup(""),
			.name = mem_strdup(pp->name) };

		add_args(&probe, pp);
		VEC_PUSH(&u.probes, probe);
	}
	dof_write_usdt(w, &u);
	dof_usdt_fini(&u);
}

void
usdt_dof(const struct usdt_defs *defs, const struct strbuf *programs,
    enum usdt_class cls, struct strbuf *out)
{
	const struct dof_ident id = { cls == USDT_CLASS_32 ? DOF_MODEL_ILP32 :
							     DOF_MODEL_LP64,
		DOF_ENCODE_NATIVE, DOF_VERSION_2 };
	struct dof_writer *w = dof_writer_create(&id);

	VEC_FOREACH(&defs->providers, p)
		write_provider(w, *p);
	dof_write_finish(w, out);
	dof_writer_destroy(w);
	while (out->len % 8 != 0)
		strbuf_addc(out, '\0');
	strbuf_add(out, programs->s, programs->len);
}
