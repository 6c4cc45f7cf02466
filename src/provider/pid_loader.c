/* SPDX-License-Identifier: BSD-2-Clause */
/* The probe at which a process's dynamic linker reports what it loaded. */
#include <elf.h>
#include <string.h>

#include "base/err.h"
#include "base/ownfailure.h"
#include "base/vec.h"
#include "provider/pid_impl.h"
#include "provider/provider.h"
#include "provider/provider_impl.h"
#include "provider/ufiles.h"
#include "provider/usdt_files.h"

/* The function by which dynamic linkers tell debuggers what they did (<link.h>,
 * struct r_debug). */
#define LOADER_REPORT "_dl_debug_state"
#define LOADER_STATE "_r_debug"

/* The distance from the report to a struct r_debug of 64 bits; or 0. */
static int32_t
state_distance(struct elf_syms *es, const struct elf_sym *report)
{
	const struct elf_sym *state = elf_syms_by_name(es, LOADER_STATE);

	return state != NULL && elf_syms_machine(es) == EM_X86_64 ?
	    (int32_t)(state->value - report->value) :
	    0;
}

/* Does the module at hand have the report?  Then *site is where. */
static bool
has_report(struct pid_match *pm, struct dt_usite *site)
{
	const struct elf_sym *sym = elf_syms_by_name(pm->es, LOADER_REPORT);

	if (sym == NULL || !elf_syms_offset(pm->es, sym->value, &site->off))
		return false;
	site->file = pm->file;
	site->r_debug = state_distance(pm->es, sym);
	return true;
}

/* site->file stays NULL if no module has the report. */
CHECKED static int
find_report(struct pid_match *pm, struct dt_usite *site, struct err *err)
{
	VEC_FOREACH(&pm->maps.modules, m) {
		int rc;

		pm->m = m;
		pm->text = pid_text_of(m);
		if (pm->text == NULL || strncmp(m->name, "ld", 2) != 0)
			continue;
		rc = pid_open_module(pm, err);
		if (is_own_failure(-rc))
			return rc;
		if (rc == 0 && has_report(pm, site))
			break;
	}
	return 0;
}

int
dt_pid_loader(struct dt_registry *r, pid_t pid, const struct dt_probe **loader,
    struct err *err)
{
	struct pid_match pm = { .r = r,
		.pid = pid,
		.files = dt_registry_ufiles(r),
		.func = LOADER_REPORT };
	struct dt_usite site = { 0 };
	int rc = proc_maps_read(&pm.maps, pid, err);

	*loader = NULL;
	if (rc == 0)
		rc = find_report(&pm, &site, err);
	proc_maps_fini(&pm.maps);
	if (is_own_failure(-rc))
		return rc;
	err_clear(err);
	if (site.file != NULL)
		*loader = dt_registry_loader(r,
		    dt_registry_root_of(r, pid) != 0 ? 0 : pid, LOADER_REPORT,
		    &site);
	return 0;
}
