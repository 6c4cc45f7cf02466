/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The published API: probes, symbols, and the text of descriptions and
 * attributes.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/kallsyms.h"
#include "libdtrace/api_impl.h"

/* ---- probes ------------------------------------------------------------- */

static struct dif_pdesc
pattern_of(const dtrace_probedesc_t *p)
{
	static const dtrace_probedesc_t all;

	if (p == NULL)
		p = &all;
	return (struct dif_pdesc){ .id = p->dtpd_id,
		.prov = mem_strndup(p->dtpd_provider, DTRACE_PROVNAMELEN - 1),
		.mod = mem_strndup(p->dtpd_mod, DTRACE_MODNAMELEN - 1),
		.func = mem_strndup(p->dtpd_func, DTRACE_FUNCNAMELEN - 1),
		.name = mem_strndup(p->dtpd_name, DTRACE_NAMELEN - 1) };
}

static void
pattern_fini(struct dif_pdesc *pattern)
{
	free(pattern->prov);
	free(pattern->mod);
	free(pattern->func);
	free(pattern->name);
}

struct iterating {
	dtrace_hdl_t *h;
	dtrace_probe_f *f;
	void *arg;
	int rc;
};

static int
iter_probe(const struct dt_probe *probe, void *arg)
{
	struct iterating *it = arg;
	dtrace_probedesc_t pdesc;

	api_pdesc(probe, &pdesc);
	it->rc = it->f(it->h, &pdesc, it->arg);
	return it->rc != 0;
}

int
dtrace_probe_iter(dtrace_hdl_t *h, const dtrace_probedesc_t *pdesc,
    dtrace_probe_f *f, void *arg)
{
	struct dif_pdesc pattern = pattern_of(pdesc);
	struct iterating it = { h, f, arg, 0 };
	int n = dt_probe_iter(h->dt, &pattern, iter_probe, &it);

	pattern_fini(&pattern);
	if (n < 0)
		return api_fail_dt(h, EDT_BADPROBE);
	if (n == 0)
		return api_fail(h, EDT_NOPROBE);
	return it.rc;
}

struct finding {
	const struct dt_probe *probe;
	size_t n;
};

static int
find_probe(const struct dt_probe *probe, void *arg)
{
	struct finding *fi = arg;

	fi->probe = probe;
	return ++fi->n > 1;
}

static dtrace_attribute_t
attribute(struct dif_attr a)
{
	return (dtrace_attribute_t){ a.name, a.data, a.class_ };
}

static void
fill_info(const struct dif_pdesc *pattern, const struct dt_probe *probe,
    dtrace_probeinfo_t *info)
{
	struct dt_argdesc args[DT_NARGS_MAX];
	size_t n = dt_probe_args(probe, args);
	struct dif_attr arga = { 0 };

	_Static_assert(DTRACE_PROBEARGS_MAX == DT_NARGS_MAX, "probeinfo");
	memset(info, 0, sizeof(*info));
	dif_attr_parse(probe->ops->attrs[DIF_PROVATTR_ARGS], &arga);
	info->dtp_attr = attribute(dt_probe_attr(pattern, probe));
	info->dtp_arga = attribute(arga);
	info->dtp_argc = (int)n;
	for (size_t i = 0; i < n; i++) {
		dtrace_argdesc_t *ad = &info->dtp_argv[i];

		ad->dtargd_id = probe->id;
		ad->dtargd_ndx = (int32_t)i;
		ad->dtargd_mapping = args[i].mapping;
		snprintf(ad->dtargd_native, sizeof(ad->dtargd_native), "%s",
		    args[i].native);
		snprintf(ad->dtargd_xlate, sizeof(ad->dtargd_xlate), "%s",
		    args[i].xlate != NULL ? args[i].xlate : "");
	}
}

int
dtrace_probe_info(
    dtrace_hdl_t *h, const dtrace_probedesc_t *pdesc, dtrace_probeinfo_t *info)
{
	struct dif_pdesc pattern = pattern_of(pdesc);
	struct finding fi = { 0 };
	int n = dt_probe_iter(h->dt, &pattern, find_probe, &fi);

	if (n >= 0 && fi.n == 1)
		fill_info(&pattern, fi.probe, info);
	pattern_fini(&pattern);
	if (n < 0)
		return api_fail_dt(h, EDT_BADPROBE);
	if (fi.n == 0)
		return api_fail(h, EDT_NOPROBE);
	return fi.n == 1 ? 0 : api_fail(h, EDT_BADPGLOB);
}

int
dtrace_id2desc(dtrace_hdl_t *h, dtrace_id_t id, dtrace_probedesc_t *pdesc)
{
	const struct dt_probe *probe = dt_registry_by_id(h->dt->registry, id);

	if (probe == NULL)
		return api_fail(h, EDT_BADID);
	api_pdesc(probe, pdesc);
	return 0;
}

/* ---- text --------------------------------------------------------------- */

struct field {
	char *to;
	size_t size;
};

/*
 * Fields are given from the right: the last one is the one that `spec` says,
 * and those to its left follow.
 */
int
dtrace_str2desc(dtrace_hdl_t *h, dtrace_probespec_t spec, const char *text,
    dtrace_probedesc_t *pdesc)
{
	struct field fields[] = {
		{ pdesc->dtpd_provider, sizeof(pdesc->dtpd_provider) },
		{ pdesc->dtpd_mod, sizeof(pdesc->dtpd_mod) },
		{ pdesc->dtpd_func, sizeof(pdesc->dtpd_func) },
		{ pdesc->dtpd_name, sizeof(pdesc->dtpd_name) },
	};
	const char *end = text + strlen(text);
	int i = (int)spec;

	if (i < DTRACE_PROBESPEC_PROVIDER || i > DTRACE_PROBESPEC_NAME)
		return api_fail(h, EINVAL);
	memset(pdesc, 0, sizeof(*pdesc));
	for (;; i--) {
		const char *start = end;

		while (start > text && start[-1] != ':')
			start--;
		if (i < 0 || (size_t)(end - start) >= fields[i].size)
			return api_fail(h, i < 0 ? EDT_BADSPEC : ENAMETOOLONG);
		memcpy(fields[i].to, start, (size_t)(end - start));
		if (start == text)
			return 0;
		end = start - 1;
	}
}

char *
dtrace_desc2str(const dtrace_probedesc_t *pdesc, char *buf, size_t size)
{
	if (pdesc->dtpd_id != 0 && pdesc->dtpd_name[0] == '\0')
		snprintf(buf, size, "%u", pdesc->dtpd_id);
	else
		snprintf(buf, size, "%s:%s:%s:%s", pdesc->dtpd_provider,
		    pdesc->dtpd_mod, pdesc->dtpd_func, pdesc->dtpd_name);
	return buf;
}

#define STABILITY_MAX 7 /* language.md section 13 */
#define CLASS_MAX 5

const char *
dtrace_stability_name(dtrace_stability_t stability)
{
	struct dif_attr a = { .name = stability };

	return stability <= STABILITY_MAX ? dif_attr_name(&a) : NULL;
}

const char *
dtrace_class_name(dtrace_class_t class_)
{
	struct dif_attr a = { .class_ = class_ };

	return class_ <= CLASS_MAX ? dif_attr_class(&a) : NULL;
}

static const char *
or_unknown(const char *name)
{
	return name != NULL ? name : "?";
}

char *
dtrace_attr2str(dtrace_attribute_t attr, char *buf, size_t size)
{
	snprintf(buf, size, "%s/%s/%s",
	    or_unknown(dtrace_stability_name(attr.dtat_name)),
	    or_unknown(dtrace_stability_name(attr.dtat_data)),
	    or_unknown(dtrace_class_name(attr.dtat_class)));
	return buf;
}

int
dtrace_str2attr(const char *text, dtrace_attribute_t *attr)
{
	struct dif_attr a;

	if (!dif_attr_parse(text, &a))
		return -1;
	*attr = attribute(a);
	return 0;
}

/* ---- symbols ------------------------------------------------------------ */

static struct ksyms *
ksyms_of(dtrace_hdl_t *h)
{
	if (h->ksyms == NULL)
		h->ksyms = ksyms_create();
	return h->ksyms;
}

static void
fill_symbol(const char *mod, const char *name, uint64_t addr, Elf64_Sym *sym,
    dtrace_syminfo_t *si)
{
	if (sym != NULL)
		*sym = (Elf64_Sym){ .st_value = addr,
			.st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC),
			.st_shndx = SHN_ABS };
	if (si != NULL)
		*si = (dtrace_syminfo_t){ .dts_object = mod, .dts_name = name };
}

int
dtrace_lookup_by_addr(
    dtrace_hdl_t *h, uint64_t addr, Elf64_Sym *sym, dtrace_syminfo_t *si)
{
	const char *mod, *name;
	uint64_t offset;

	if (!ksyms_find_name(ksyms_of(h), addr, &mod, &name, &offset))
		return api_fail(h, EDT_NOSYMADDR);
	fill_symbol(mod, name, addr - offset, sym, si);
	return 0;
}

int
dtrace_addr2str(dtrace_hdl_t *h, uint64_t addr, char *buf, int size)
{
	struct strbuf sb = { 0 };
	int len;

	ksyms_format(ksyms_of(h), addr, &sb);
	len = snprintf(buf, size > 0 ? (size_t)size : 0, "%s", sb.s);
	strbuf_fini(&sb);
	return len;
}

/* The module to look in; NULL: any.  False: not the kernel's. */
static bool
module_of(const char *object, const char **module)
{
	*module = NULL;
	if (object == DTRACE_OBJ_EVERY || object == DTRACE_OBJ_KMODS)
		return true;
	if (object == DTRACE_OBJ_EXEC || object == DTRACE_OBJ_UMODS)
		return false;
	*module = object;
	return true;
}

int
dtrace_lookup_by_name(dtrace_hdl_t *h, const char *object, const char *name,
    Elf64_Sym *sym, dtrace_syminfo_t *si)
{
	const char *module;
	char *found, type;
	uint64_t addr;

	if (!module_of(object, &module)) {
		dt_fail(h->dt,
		    "symbols of processes are not available: only "
		    "those of the kernel are looked up");
		return api_fail_dt(h, EDT_NOSYM);
	}
	switch (kallsyms_find(module, name, &addr, &type, &found)) {
	case KSYM_FOUND:
		fill_symbol(arena_strdup(&h->dt->arena, found),
		    arena_strdup(&h->dt->arena, name), addr, sym, si);
		if (sym != NULL && !ksym_is_code(type))
			sym->st_info = ELF64_ST_INFO(STB_GLOBAL, STT_OBJECT);
		free(found);
		return 0;
	case KSYM_NO_MODULE:
		return api_fail(h, EDT_NOMOD);
	case KSYM_HIDDEN:
	case KSYM_UNREADABLE:
		return api_fail(h, EDT_ACCESS);
	case KSYM_ABSENT:
	case KSYM_NO_DATA:
		break;
	}
	return api_fail(h, EDT_NOSYM);
}
