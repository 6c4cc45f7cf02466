/* SPDX-License-Identifier: BSD-2-Clause */
/* Options of a compiled program: saved in its DOF file, and set from it. */
#include "libdtrace/dof_impl.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/vec.h"
#include "dof/dof.h"
#include "libdtrace/dt_impl.h"

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

const char *
dt_dof_opt_name(uint32_t number)
{
	enum dt_opt opt = opt_by_number(number);

	return opt != DT_OPT_MAX ? dt_optinfo[opt].name : NULL;
}

/* Options that are not numbers and matter after a text is compiled. */
static bool
is_kept(enum dt_opt opt)
{
	return (dt_optinfo[opt].class_ != DT_OPT_COMPILE &&
		   opt != DT_OPT_RECORD && opt != DT_OPT_FLEETHOST) ||
	    opt == DT_OPT_AGGPERCPU || opt == DT_OPT_ALLFAULTS ||
	    opt == DT_OPT_DROPTAGS || opt == DT_OPT_ENCODING ||
	    opt == DT_OPT_VERBOSE || opt == DT_OPT_ZDEFS;
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

void
dt_dof_collect_options(const struct dt_hdl *h, struct dof_prog_opts *po)
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

void
dt_dof_opts_fini(struct dof_prog_opts *po)
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

	if (opt != DT_OPT_MAX && dt_optinfo[opt].type == DT_OPT_DEPTH &&
	    value != NULL && strcmp(value, "0") == 0)
		value = NULL; /* as it was given */
	if (opt == DT_OPT_RECORD)
		return dt_fail(h,
		    "the DOF file sets option record: only -x may choose a "
		    "file that is overwritten");
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

int
dt_dof_load_options(struct dt_hdl *h, const struct dof *d)
{
	int rc = 0;

	for (uint32_t i = 0; i < d->hdr.dofh_secnum && rc == 0; i++) {
		if (d->secs[i].dofs_type == DOF_SECT_OPTDESC ||
		    d->secs[i].dofs_type == DOF_SECT_X_OPTION)
			rc = load_option_sec(h, d, i);
	}
	return rc;
}
