/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The published API: probes, and the text of descriptions and attributes.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
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

struct api_names_iterating {
	dtrace_hdl_t *h;
	dtrace_probe_f *f;
	void *arg;
	int rc;
};

static int
iter_probe(const struct dt_probe *probe, void *arg)
{
	struct api_names_iterating *it = arg;
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
	struct api_names_iterating it = { h, f, arg, 0 };
	int n = dt_probe_iter(h->dt, &pattern, iter_probe, &it);

	pattern_fini(&pattern);
	if (n < 0)
		return api_fail_dt(h, EDT_BADPROBE);
	if (n == 0)
		return api_fail(h, EDT_NOPROBE);
	return it.rc;
}

struct api_names_finding {
	uint32_t id;
	size_t n;
};

static int
find_probe(const struct dt_probe *probe, void *arg)
{
	struct api_names_finding *fi = arg;

	fi->id = probe->id;
	return ++fi->n > 1;
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
	dif_attr_parse(dt_probe_attrs(probe)[DIF_PROVATTR_ARGS], &arga);
	info->dtp_attr = api_attribute(dt_probe_attr(pattern, probe));
	info->dtp_arga = api_attribute(arga);
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
	struct api_names_finding fi = { 0 };
	int n = dt_probe_iter(h->dt, &pattern, find_probe, &fi);
	char *hint = NULL;

	if (n >= 0 && fi.n == 1)
		fill_info(&pattern,
		    dt_registry_by_id(dt_registry(h->dt), fi.id), info);
	if (n >= 0 && fi.n == 0)
		hint = dt_suggest_probe(h->dt, &pattern);
	pattern_fini(&pattern);
	if (n < 0)
		return api_fail_dt(h, EDT_BADPROBE);
	if (hint != NULL) {
		dt_fail(h->dt, "there is no such probe; %s", hint);
		free(hint);
		return api_fail_dt(h, EDT_NOPROBE);
	}
	if (fi.n == 0)
		return api_fail(h, EDT_NOPROBE);
	return fi.n == 1 ? 0 : api_fail(h, EDT_BADPGLOB);
}

int
dtrace_provider_modules(dtrace_hdl_t *h, const char **names, int n)
{
	size_t i = 0;
	const struct dt_provider_ops *ops;

	(void)h;
	for (; (ops = dt_provider_at(i)) != NULL; i++) {
		if (names != NULL && i < (size_t)(n > 0 ? n : 0))
			names[i] = ops->name;
	}
	return (int)i;
}

int
dtrace_id2desc(dtrace_hdl_t *h, dtrace_id_t id, dtrace_probedesc_t *pdesc)
{
	const struct dt_probe *probe =
	    dt_registry_by_id(h->dt->probes.registry, id);

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
 * Fields are given from the right: `spec` says which field the last one is, and
 * those to its left follow.
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

static int
copy_field(dtrace_hdl_t *h, char *to, size_t size, const char *from)
{
	if (strlen(from) >= size)
		return api_fail(h, ENAMETOOLONG);
	strcpy(to, from);
	return 0;
}

int
dtrace_xstr2desc(dtrace_hdl_t *h, dtrace_probespec_t spec, const char *text,
    int argc, char *const argv[], dtrace_probedesc_t *pdesc)
{
	const struct ast_pdesc *ap;

	if (spec < DTRACE_PROBESPEC_PROVIDER || spec > DTRACE_PROBESPEC_NAME)
		return api_fail(h, EINVAL);
	ap = dt_parse_pdesc(h->dt, (enum lang_pspec)spec, text, argc, argv);
	if (ap == NULL)
		return api_fail_dt(
		    h, strchr(text, '$') != NULL ? EDT_BADSPCV : EDT_BADSPEC);
	memset(pdesc, 0, sizeof(*pdesc));
	pdesc->dtpd_id = ap->id;
	if (copy_field(h, pdesc->dtpd_provider, DTRACE_PROVNAMELEN, ap->prov) !=
		0 ||
	    copy_field(h, pdesc->dtpd_mod, DTRACE_MODNAMELEN, ap->mod) != 0 ||
	    copy_field(h, pdesc->dtpd_func, DTRACE_FUNCNAMELEN, ap->func) != 0)
		return -1;
	return copy_field(h, pdesc->dtpd_name, DTRACE_NAMELEN, ap->name);
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

#define STABILITY_MAX 7 /* doc/reference/language.md section 13 */
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
	*attr = api_attribute(a);
	return 0;
}
