/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Option follow: descriptions of the processes of -c and -p select probes of
 * their descendants, too.
 *
 * The substrate knows the descendants.  The probes of a file are found when the
 * first of them maps it; each waits there until dtrace has looked (loads.c),
 * unless its program has no dynamic linker.
 */
#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "base/proclist.h"
#include "base/vec.h"
#include "libdtrace/dt_impl.h"

bool
dt_follows(const struct dt_hdl *h)
{
	return dt_opt_flag(h, DT_OPT_FOLLOW) && h->procs.list.n != 0;
}

void
dt_follow_choose(struct dt_hdl *h)
{
	VEC(pid_t) pids = { 0 };

	VEC_FOREACH(&h->procs.list, p) {
		if (dt_follows(h))
			VEC_PUSH(&pids, p->pid);
	}
	dt_registry_set_families(h->probes.registry, pids.v, pids.n);
	VEC_FREE(&pids);
}

int
dt_follow_check(struct dt_hdl *h)
{
	if (!dt_opt_flag(h, DT_OPT_FOLLOW) || h->procs.list.n != 0)
		return 0;
	return dt_fail(h,
	    "option follow: there is no process to follow; name one with -c "
	    "or -p");
}

static pid_t
root_of(void *arg, pid_t pid)
{
	const struct dt_hdl *h = arg;

	return h->exec != NULL && h->ops->code != NULL ?
	    h->ops->code->root_of(h->exec, pid) :
	    0;
}

bool
dt_follow_watch(struct dt_hdl *h, pid_t pid)
{
	const struct dt_probe *loader = NULL;
	struct err err = { 0 };
	int rc = dt_pid_loader(h->probes.registry, pid, &loader, &err);

	if (rc == 0 && loader != NULL)
		rc = h->ops->code->watch_loads(h->exec, pid, loader, &err);
	if (rc < 0)
		dt_notice(h, "code that process %d loads is not traced: %s",
		    (int)pid, err_text(&err));
	err_clear(&err);
	return rc > 0;
}

/*
 * The kernel writes the auxiliary vector of a new program last (binfmt_elf.c),
 * when the program and its dynamic linker are mapped.  Before that,
 * /proc/PID/auxv begins with AT_NULL.  A process that has ended has none.
 */
bool
dt_follow_is_in_exec(struct dt_hdl *h, pid_t pid)
{
	uint32_t type = AT_NULL + 1; /* also of a program of 32 bits */
	char path[32];
	int fd;

	if (root_of(h, pid) == 0)
		return false;
	snprintf(path, sizeof(path), "/proc/%d/auxv", (int)pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	if (read(fd, &type, sizeof(type)) != (ssize_t)sizeof(type))
		type = AT_NULL + 1;
	close(fd);
	return type == AT_NULL;
}

void
dt_follow_ended(struct dt_hdl *h, pid_t pid)
{
	pid_t root = root_of(h, pid);

	if (root != 0 && root != pid)
		dt_ending_tell_descendant(h, pid, pid, -1);
}

/* Let the present descendants wait when they load code. */
static void
watch_present(struct dt_hdl *h)
{
	struct proc_list list;
	pid_t pid;
	int rc;

	proc_list_open(&list, 0);
	while ((pid = proc_list_next(&list)) != 0) {
		pid_t root = root_of(h, pid);

		if (root != 0 && root != pid)
			dt_follow_watch(h, pid);
	}
	rc = proc_list_close(&list);
	if (rc != 0)
		dt_notice(
		    h, "not all descendants are traced: %s", strerror(-rc));
}

void
dt_follow_begin(struct dt_hdl *h)
{
	if (!dt_follows(h))
		return;
	dt_registry_set_root_of(h->probes.registry, root_of, h);
	watch_present(h);
	dt_registry_set_focus(h->probes.registry, NULL, 0, NULL, 0);
	if (dt_grow(h) < 0)
		dt_notice(
		    h, "not all descendants are traced: %s", dt_errmsg(h));
	dt_registry_end_focus(h->probes.registry);
	h->ops->code->resume(h->exec);
}
