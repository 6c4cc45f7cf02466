/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The state of an entered process: has it ended, and what does it have of ours?
 */
#include "inproc/enter.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "base/err.h"
#include "base/procstatus.h"
#include "base/vec.h"
#include "inproc/enter_impl.h"

static bool
is_in(uint64_t addr, uint64_t at, uint64_t len)
{
	return addr - at < len;
}

enum inproc_part
inproc_part_at(
    const struct inproc_proc *p, uint64_t addr, const struct inproc_write **w)
{
	const struct inproc_share *share = &p->e->share;
	const struct ent_ledger *l = p->e->ledger;

	for (uint64_t i = 0; i < l->nwrites; i++) {
		*w = &ent_writes(l)[i];
		if (is_in(addr, (*w)->at, (*w)->len))
			return INPROC_JUMP;
	}
	*w = NULL;
	for (uint64_t i = 0; i < l->nareas; i++) {
		if (is_in(addr, l->areas[i].at, l->areas[i].len))
			return INPROC_TRAMPOLINE;
	}
	return is_in(addr, p->code, inproc_share_len(share)) ? INPROC_CODE :
							       INPROC_NOTHING;
}

bool
inproc_has_ended(const struct inproc_proc *p)
{
	return ent_has_ended(p->e);
}

int
inproc_pidfd(const struct inproc_proc *p)
{
	return p->e->pidfd;
}

/* Is it the mapping of a BPF map, and in our place?  All BPF maps have one
 * inode, so it may be another one. */
static bool
is_vars(const struct inproc_proc *p, const struct proc_map *map)
{
	return map->start >= p->vars &&
	    map->end <= p->vars + p->e->share.vars_len &&
	    strstr(map->path, "bpf-map") != NULL;
}

bool
inproc_has_data(const struct inproc_proc *p)
{
	uint64_t end = p->data + p->e->share.data_len, len = 0;
	struct proc_maps pm;
	struct stat st;
	struct err err = { 0 };

	if (fstat(p->e->share.data_fd, &st) != 0 ||
	    proc_maps_read(&pm, p->pid, &err) != 0) {
		err_clear(&err);
		return true; /* not known */
	}
	VEC_FOREACH(&pm.maps, map) {
		if ((map->ino == st.st_ino && map->start >= p->data &&
			map->end <= end) ||
		    is_vars(p, map))
			len += map->end - map->start;
	}
	proc_maps_fini(&pm);
	return len == p->e->share.data_len + p->e->share.vars_len;
}

bool
inproc_has_share(pid_t pid, const struct inproc_share *share)
{
	struct proc_maps pm;
	struct err err = { 0 };
	bool has = false;
	int rc = proc_maps_read(&pm, pid, &err);

	if (rc != 0) {
		err_clear(&err);
		return !proc_is_gone(-rc) && rc != -EACCES && rc != -EPERM;
	}
	VEC_FOREACH(&pm.maps, map)
		has = has || ent_is_share(map, share);
	proc_maps_fini(&pm);
	return has;
}
