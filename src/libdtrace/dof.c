/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Programs in files: save a compiled program, load it, print it.
 *
 * A saved file holds the program and the options under which it was compiled,
 * but neither its source nor its probes: probes are looked up when the file is
 * loaded.  A loaded program runs alone: ids of variables and aggregations begin
 * at the same numbers in each file, so those of two programs would clash.
 */
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"
#include "base/kallsyms.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/vec.h"
#include "ctf/addrmap.h"
#include "ctf/ctf_import.h"
#include "ctf/ctf_write.h"
#include "dof/dof.h"
#include "libdtrace/dt_impl.h"

/* ---- options ------------------------------------------------------------ */

static enum dt_opt
opt_by_number(uint32_t number)
{
	enum dt_opt opt = 0;

	while (opt < DT_OPT_MAX &&
	    (dt_optinfo[opt].number < 0 ||
		(uint32_t)dt_optinfo[opt].number != number))
		opt++;
	return opt;
}

static const char *
opt_name(uint32_t number)
{
	enum dt_opt opt = opt_by_number(number);

	return opt != DT_OPT_MAX ? dt_optinfo[opt].name : NULL;
}

/* Options that are not numbers and matter after a text is compiled. */
static bool
is_kept(enum dt_opt opt)
{
	return dt_optinfo[opt].class_ != DT_OPT_COMPILE ||
	    opt == DT_OPT_AGGPERCPU || opt == DT_OPT_DROPTAGS ||
	    opt == DT_OPT_ENCODING || opt == DT_OPT_VERBOSE ||
	    opt == DT_OPT_ZDEFS;
}

/* A number as the user would write it, for dt_options_set(). */
static char *
num_text(const struct dt_optinfo *info, int64_t num)
{
	const char *choice = info->choices;

	if (info->type == DT_OPT_RATE)
		return mem_printf("%" PRId64 "ns", num);
	if (info->type != DT_OPT_ENUM)
		return mem_printf("%" PRId64, num);
	for (int64_t i = 0; i < num && choice != NULL; i++) {
		choice = strchr(choice, '|');
		choice = choice != NULL ? choice + 1 : NULL;
	}
	if (choice == NULL || num < 0)
		return mem_printf("%" PRId64, num);
	return mem_strndup(choice, strcspn(choice, "|"));
}

static bool
is_text(const struct dt_optinfo *info)
{
	return info->type == DT_OPT_STRING || info->type == DT_OPT_LIST;
}

static char *
opt_text(const struct dt_optinfo *info, const struct dt_optval *val)
{
	if (is_text(info))
		return mem_strdup(val->strs.n != 0 ? val->strs.v[0] : "");
	return num_text(info, val->num);
}

/* Save the options that were set: as numbers if DOF has them, else by name. */
static void
collect_options(const struct dt_hdl *h, struct dof_prog_opts *po)
{
	for (enum dt_opt opt = 0; opt < DT_OPT_MAX; opt++) {
		const struct dt_optinfo *info = &dt_optinfo[opt];
		char *text;

		if (!h->opts.vals[opt].is_set || !is_kept(opt))
			continue;
		text = opt_text(info, &h->opts.vals[opt]);
		if (info->number >= 0)
			VEC_PUSH(&po->options,
			    (struct dof_option){
				.number = (uint32_t)info->number,
				.value = h->opts.vals[opt].num,
				.text = is_text(info) ? text : NULL });
		else
			VEC_PUSH(&po->named,
			    (struct dof_named_option){ info->name, text });
		VEC_PUSH(&po->texts, text);
	}
}

static void
prog_opts_fini(struct dof_prog_opts *po)
{
	VEC_FREE(&po->options);
	VEC_FREE(&po->named);
	VEC_FOREACH(&po->texts, text)
		free(*text);
	VEC_FREE(&po->texts);
}

static int
set_option(struct dt_hdl *h, const char *name, const char *value)
{
	enum dt_opt opt = dt_options_find(name);
	struct err err = { 0 };
	int rc;

	if (opt != DT_OPT_MAX && dt_optinfo[opt].why_not != NULL &&
	    dt_optinfo[opt].class_ != DT_OPT_NONE) {
		dt_notice(h,
		    "option %s=%s, which the DOF file sets, is "
		    "not supported: %s",
		    name, value, dt_optinfo[opt].why_not);
		return 0;
	}
	rc = dt_options_set(&h->opts, name, value, false, &err);
	if (rc != 0)
		dt_fail(h, "the DOF file sets an option: %s", err_text(&err));
	err_clear(&err);
	return rc;
}

static int
load_option(struct dt_hdl *h, const struct dof *d, const struct dof_optdesc *o)
{
	enum dt_opt opt = opt_by_number(o->dofo_option);
	char *value;
	int rc;

	if ((int64_t)o->dofo_value == DT_OPT_UNSET)
		return 0;
	if (opt == DT_OPT_MAX) {
		dt_notice(h,
		    "the DOF file sets option number %u, which does "
		    "not exist here",
		    o->dofo_option);
		return 0;
	}
	if (o->dofo_strtab != DOF_SECIDX_NONE)
		return set_option(h, dt_optinfo[opt].name,
		    dof_str(d, o->dofo_strtab, o->dofo_value));
	value = num_text(&dt_optinfo[opt], (int64_t)o->dofo_value);
	rc = set_option(h, dt_optinfo[opt].name, value);
	free(value);
	return rc;
}

static int
load_option_sec(struct dt_hdl *h, const struct dof *d, uint32_t sec)
{
	int rc = 0;

	for (uint32_t i = 0; i < dof_nelems(d, sec) && rc == 0; i++) {
		struct dof_optdesc o;
		struct dof_xoption x;

		if (d->secs[sec].dofs_type == DOF_SECT_OPTDESC) {
			dof_get(d, sec, i, &o);
			rc = load_option(h, d, &o);
		} else {
			dof_get(d, sec, i, &x);
			rc = set_option(h,
			    dof_str(d, x.dofxo_strtab, x.dofxo_name),
			    dof_str(d, x.dofxo_strtab, x.dofxo_value));
		}
	}
	return rc;
}

static int
load_options(struct dt_hdl *h, const struct dof *d)
{
	int rc = 0;

	for (uint32_t i = 0; i < d->hdr.dofh_secnum && rc == 0; i++) {
		if (d->secs[i].dofs_type == DOF_SECT_OPTDESC ||
		    d->secs[i].dofs_type == DOF_SECT_X_OPTION)
			rc = load_option_sec(h, d, i);
	}
	return rc;
}

/* ---- kernel symbols ----------------------------------------------------- */

/*
 * Kernel symbols that a program names, found in one reading of the kernel's
 * list: `keys` are "module`symbol", `symbols` the part after the backquote.
 */
struct dof_ksyms {
	struct strtab keys, symbols;
	VEC(uint64_t) addrs; /* by key; 0: not found */
};

static void
for_each_krel(const struct dif_prog *dif,
    void (*f)(const struct dif_obj *dp, const struct dif_krel *k, void *arg),
    void *arg)
{
	VEC_FOREACH(&dif->clauses, cl) {
		for (size_t i = 0; i <= cl->actions.n; i++) {
			const struct dif_obj *dp = i == cl->actions.n ?
			    cl->pred :
			    cl->actions.v[i].difo;

			for (uint32_t k = 0; dp != NULL && k < dp->nkrel; k++)
				f(dp, &dp->krels[k], arg);
		}
	}
}

static uint32_t
ksyms_key(struct dof_ksyms *ks, const char *module, const char *symbol)
{
	char *key = mem_printf("%s`%s", module, symbol);
	uint32_t id = strtab_intern(&ks->keys, key);

	free(key);
	while (ks->addrs.n < id)
		VEC_PUSH(&ks->addrs, 0);
	return id;
}

static void
want_symbol(const struct dif_obj *dp, const struct dif_krel *k, void *arg)
{
	struct dof_ksyms *ks = arg;

	(void)dp;
	strtab_intern(&ks->symbols, k->symbol);
	ksyms_key(ks, k->module, k->symbol);
}

static bool
take_symbol(const struct ksymbol *sym, void *arg)
{
	struct dof_ksyms *ks = arg;
	uint32_t id;

	if (strtab_find(&ks->symbols, sym->name) == 0)
		return false;
	id = ksyms_key(ks, sym->module, sym->name);
	if (ks->addrs.v[id - 1] == 0)
		ks->addrs.v[id - 1] = sym->addr;
	return false;
}

/* A per-CPU variable's number in the kernel's BTF, or 0. */
static uint64_t
percpu_id(struct dt_hdl *h, const struct dif_krel *k)
{
	struct ctf_symbol sym = { 0 };
	struct ctf_import *im;

	if (dt_need_types(h) != 0)
		return 0;
	im = ctf_import_find(cg_session_types(h->compiled.cg), k->module);
	if (im == NULL || im->ops->symbol == NULL ||
	    !im->ops->symbol(im, k->symbol, &sym) || !sym.is_percpu)
		return 0;
	return sym.percpu_id;
}

struct resolving {
	struct dt_hdl *h;
	struct dof_ksyms ks;
	int rc;
};

static void
resolve_krel(const struct dif_obj *dp, const struct dif_krel *k, void *arg)
{
	struct resolving *r = arg;
	uint64_t value = k->is_percpu ?
	    percpu_id(r->h, k) :
	    r->ks.addrs.v[ksyms_key(&r->ks, k->module, k->symbol) - 1];

	dp->inttab[k->int_index] = value + k->addend;
	if (value == 0 && r->rc == 0)
		r->rc = dt_fail(r->h,
		    "the DOF file uses the kernel symbol "
		    "%s`%s, which this kernel does not have or does not show",
		    k->module, k->symbol);
}

/* Store the addresses of the symbols on this kernel. */
static int
resolve(struct dt_hdl *h, const struct dif_prog *dif)
{
	struct resolving r = { .h = h };

	strtab_init(&r.ks.keys);
	strtab_init(&r.ks.symbols);
	for_each_krel(dif, want_symbol, &r.ks);
	/* a kernel without the list is one that does not show its symbols */
	if (r.ks.addrs.n != 0 && !kallsyms_each(take_symbol, &r.ks) &&
	    errno != ENOENT)
		r.rc = dt_fail(h,
		    "the DOF file uses kernel symbols, and they cannot be "
		    "read: /proc/kallsyms: %s",
		    strerror(errno));
	else
		for_each_krel(dif, resolve_krel, &r);
	strtab_fini(&r.ks.keys);
	strtab_fini(&r.ks.symbols);
	VEC_FREE(&r.ks.addrs);
	return r.rc;
}

/* ---- types --------------------------------------------------------------- */

/* The types of actions, each of them once. */
struct types {
	struct addrmap numbers;
	VEC(struct ctf_type *) list;
};

/* Types that only D has are not C types: they are found by their names. */
static bool
is_ds_own(struct ctf_type *t)
{
	return ctf_strip(t)->kind >= CTF_K_D_STRING;
}

static uint32_t
number_type(const struct dif_action *act, void *arg)
{
	struct types *ts = arg;
	uint32_t n;

	if (act->type == NULL || is_ds_own(act->type))
		return DOF_CTF_NONE;
	n = addrmap_number(&ts->numbers, act->type);
	if (n == ts->list.n)
		VEC_PUSH(&ts->list, act->type);
	return n;
}

static void
types_fini(struct types *ts)
{
	addrmap_fini(&ts->numbers);
	VEC_FREE(&ts->list);
}

/*
 * Save the types by which print() shows values, so that output is the same
 * without the source.
 */
static int
collect_types(struct dt_hdl *h, const struct dif_prog *const *progs, size_t n,
    struct types *ts, struct strbuf *ctf)
{
	struct err err = { 0 };

	for (size_t i = 0; i < n; i++) {
		VEC_FOREACH(&progs[i]->clauses, cl) {
			VEC_FOREACH(&cl->actions, act)
				number_type(act, ts);
		}
	}
	if (ts->list.n == 0 ||
	    ctf_write_types(cg_session_types(h->compiled.cg), ts->list.v,
		ts->list.n, (uint64_t)dt_opt(h, DT_OPT_STRSIZE), ctf,
		&err) == 0)
		return 0;
	return dt_fail_err(h, &err);
}

static void
set_type(struct dif_action *act, uint32_t ctf, void *arg)
{
	struct ctf_import *im = arg;
	char *name = mem_printf("$%u", ctf);
	struct ctf_type *t = im->ops->type(im, CTF_SP_ORDINARY, name);

	/* without it, the value is printed by its size */
	if (t != NULL && t->kind == CTF_K_TYPEDEF)
		act->type = t->ref;
	free(name);
}

static void
set_ds_types(struct dt_hdl *h, const struct dif_prog *dif)
{
	VEC_FOREACH(&dif->clauses, cl) {
		VEC_FOREACH(&cl->actions, act) {
			struct ctf_type *t = act->type_name == NULL ?
			    NULL :
			    ctf_lookup_text(cg_session_types(h->compiled.cg),
				act->type_name);

			if (t != NULL && is_ds_own(t))
				act->type = t;
		}
	}
}

static int
load_types(struct dt_hdl *h, const struct dof *d, const struct dif_prog *dif)
{
	struct ctf_import *im = NULL;
	struct ctf_set *set;
	struct err err = { 0 };

	for (uint32_t i = 0; i < d->hdr.dofh_secnum; i++) {
		if (d->secs[i].dofs_type != DOF_SECT_X_TYPES || im != NULL)
			continue;
		if (ctf_set_decode(dof_str(d, i, 0), d->secs[i].dofs_size, &set,
			&err) == 0)
			im = ctf_import_set("the DOF file", set, NULL, &err);
		if (im == NULL)
			break;
		ctf_import_ds_string(im);
		ctf_import_add(cg_session_types(h->compiled.cg), im);
		dof_each_type(d, dif, set_type, im);
	}
	return !err_is_set(&err) ? 0 : dt_fail_err(h, &err);
}

/* ---- loading ------------------------------------------------------------ */

static enum dof_abi
wanted_abi(const struct dt_hdl *h)
{
	/* the choices of option dofabi are in the order of enum dof_abi */
	return h->opts.vals[DT_OPT_DOFABI].is_set ?
	    (enum dof_abi)(dt_opt(h, DT_OPT_DOFABI) + 1) :
	    DOF_ABI_GUESS;
}

static int
load_prog(struct dt_hdl *h, const struct dof *d, struct dif_prog **outp)
{
	struct err err = { 0 };
	int rc = dof_check_enabling(d, &err);

	if (rc == 0)
		rc = dof_decode_prog(d, wanted_abi(h), &err, outp);
	if (rc != 0)
		return dt_fail_err(h, &err);
	rc = load_options(h, d);
	if (rc != 0)
		goto out;
	rc = resolve(h, *outp);
	if (rc != 0)
		goto out;
	if (cg_needs_link(*outp) &&
	    !cg_session_reserve(h->compiled.cg, *outp)) {
		rc = dt_fail(h,
		    "the DOF file refers to translators, and has "
		    "variables: it cannot follow a text that declares some, "
		    "too");
		goto out;
	}
	rc = load_types(h, d, *outp);
	if (rc != 0)
		goto out;
	set_ds_types(h, *outp);
	return 0;

out:
	dif_prog_destroy(*outp);
	*outp = NULL;
	return -1;
}

static bool
is_elf(const void *img, size_t len)
{
	return len >= 4 && memcmp(img, "\177ELF", 4) == 0;
}

bool
dt_is_image(const void *img, size_t len)
{
	return dof_is_dof(img, len) || is_elf(img, len);
}

struct dif_prog *
dt_load_dof(struct dt_hdl *h, const void *img, size_t len)
{
	struct dif_prog *dif = NULL;
	struct dof *d = NULL;
	struct err err = { 0 };

	if (is_elf(img, len)) {
		dt_fail(h,
		    "this is an ELF file, not a D program; -S prints "
		    "the DOF in it");
		return NULL;
	}
	VEC_FOREACH(&h->compiled.progs, p) {
		if (!(*p)->is_library && (*p)->dif->clauses.n != 0) {
			dt_fail(h, "a DOF file must be the only program");
			return NULL;
		}
	}
	if (dof_decode(img, len, &err, &d) != 0) {
		dt_fail_err(h, &err);
		return NULL;
	}
	if (d->hdr.dofh_filesz != len)
		dt_fail(h, "the DOF has %" PRIu64 " bytes, but the file %zu",
		    d->hdr.dofh_filesz, len);
	else
		load_prog(h, d, &dif);
	dof_destroy(d);
	h->compiled.has_dof |= dif != NULL && dif->clauses.n != 0;
	return dif;
}

/* ---- saving ------------------------------------------------------------- */

int
dt_write_file(struct dt_hdl *h, const char *path, const struct strbuf *sb)
{
	int rc = mem_write_file(path, sb->s, sb->len);

	if (rc != 0)
		return dt_fail(h, "cannot write %s: %s", path, strerror(-rc));
	return 0;
}

int
dt_encode(struct dt_hdl *h, const struct dif_prog *const *progs, size_t n,
    bool strip, struct strbuf *out)
{
	struct types ts = { 0 };
	struct strbuf ctf = { 0 };
	struct dof_prog_opts po = { .strip = strip,
		.ctf_of = number_type,
		.ctf_arg = &ts,
		.ctf = &ctf };
	int rc = collect_types(h, progs, n, &ts, &ctf);

	if (rc == 0) {
		collect_options(h, &po);
		dof_encode_progs(progs, n, &po, out);
		prog_opts_fini(&po);
	}
	types_fini(&ts);
	strbuf_fini(&ctf);
	return rc;
}

int
dt_save(struct dt_hdl *h, const char *path)
{
	VEC(const struct dif_prog *) progs = { 0 };
	struct strbuf sb = { 0 };
	int rc;

	if (dt_opt(h, DT_OPT_LINKTYPE) != 0)
		return dt_fail(h,
		    "linktype=elf is for -G, which makes an "
		    "object for the linker; linktype=dof saves a program");
	VEC_FOREACH(&h->compiled.progs, p) {
		if (!(*p)->is_library)
			VEC_PUSH(&progs, (*p)->dif);
	}
	rc = dt_encode(h, progs.v, progs.n, dt_opt_flag(h, DT_OPT_STRIP), &sb);
	if (rc == 0)
		rc = dt_write_file(h, path, &sb);
	strbuf_fini(&sb);
	VEC_FREE(&progs);
	return rc;
}

/* ---- printing ----------------------------------------------------------- */

static int
print_dof(const struct dof *d, void *arg)
{
	dof_print(d, opt_name, arg);
	return 0;
}

CHECKED static int
print_image(const void *img, size_t len, struct strbuf *out, struct err *err)
{
	struct dof *d;
	int rc;

	if (!dof_is_dof(img, len)) {
		rc = dof_elf_iter(img, len, print_dof, out, err);
		return rc < 0 ? rc : 0;
	}
	rc = dof_decode(img, len, err, &d);
	if (rc != 0)
		return rc;
	print_dof(d, out);
	dof_destroy(d);
	return 0;
}

int
dt_print_file(struct dt_hdl *h, const char *path, FILE *out)
{
	struct strbuf file = { 0 }, text = { 0 };
	struct err err = { 0 };
	int rc = strcmp(path, "-") == 0 ? 0 : dt_read_file(h, path, &file);

	if (rc == 0 && dt_is_image(file.s, file.len)) {
		rc = print_image(file.s, file.len, &text, &err) == 0 ?
		    1 :
		    dt_fail_err(h, &err);
		if (rc == 1)
			fwrite(text.s, 1, text.len, out);
	}
	strbuf_fini(&file);
	strbuf_fini(&text);
	return rc;
}

/* --dump=dof: the text is always the same for the same program. */
void
dt_dump_dof(struct dt_hdl *h, const struct dif_prog *dif, struct strbuf *out)
{
	struct strbuf sb = { 0 };
	struct err err = { 0 };
	int rc;

	if (dt_encode(h, &dif, 1, true, &sb) != 0) {
		strbuf_adds(out, dt_errmsg(h));
		strbuf_addc(out, '\n');
	} else {
		rc = print_image(sb.s, sb.len, out, &err);
		assert(rc == 0);
	}
	strbuf_fini(&sb);
}
