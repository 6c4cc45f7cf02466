/* SPDX-License-Identifier: BSD-2-Clause */
#include "exec/plant/usdt_is_enabled.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/proclist.h"
#include "base/str.h"
#include "base/vec.h"
#include "exec/plant/plant.h"
#include "provider/usites.h"
#include "x86/insn.h"

#define PAGE 4096

struct pr_is_enabled {
	struct pr_plant plant;	  /* first: see share_of() */
	struct dt_exec_opts opts; /* of the plant: only `refused` is set */
	int code_fd, data_fd;	  /* to be mapped: a page each, without code */
	VEC(struct is_enabled_probe {
		const struct dt_probe *probe;
		bool is_taken; /* its sites are points */
	})
	probes;
	bool is_wide; /* some probes are those of several processes */
	pr_root_of_f *root_of;
	const struct dt_exec *root_arg;
};

const struct inproc_body pr_is_enabled_body = { .emit = inproc_emit_yes,
	.keeps_flags = true };

static struct inproc_share
share_of(const struct pr_plant *pl)
{
	const struct pr_is_enabled *i = (const struct pr_is_enabled *)pl;

	return (struct inproc_share){ .code_fd = i->code_fd,
		.data_fd = i->data_fd,
		.code_len = PAGE,
		.own_len = PAGE,
		.data_len = PAGE };
}

static const struct pr_plant_ops plant_ops = {
	.share = share_of,
	.enter = pr_proc_enter,
};

/* A file of one page, to be mapped. */
static int
page_file(const char *name)
{
	int fd = memfd_create(name, MFD_CLOEXEC);

	if (fd >= 0 && ftruncate(fd, PAGE) != 0) {
		close(fd);
		fd = -1;
	}
	return fd;
}

struct pr_is_enabled *
pr_is_enabled_create(
    struct refusals *refused, pr_root_of_f *root_of, const struct dt_exec *x)
{
	struct pr_is_enabled *i = mem_alloc(sizeof(*i));

	i->opts.refused = refused;
	i->root_of = root_of;
	i->root_arg = x;
	i->plant.ops = &plant_ops;
	i->plant.opts = &i->opts;
	i->plant.begin_ns = clock_read_ns(CLOCK_BOOTTIME);
	i->code_fd = page_file("dtrace-code");
	i->data_fd = page_file("dtrace-data");
	return i;
}

void
pr_is_enabled_destroy(struct pr_is_enabled *i)
{
	pr_disarm(&i->plant);
	VEC_FREE(&i->probes);
	VEC_FREE(&i->plant.targets);
	if (i->code_fd >= 0)
		close(i->code_fd);
	if (i->data_fd >= 0)
		close(i->data_fd);
	free(i);
}

void
pr_is_enabled_add(struct pr_is_enabled *i, const struct dt_probe *p)
{
	i->is_wide |= p->up->pid == 0;
	VEC_PUSH(&i->probes, ((struct is_enabled_probe){ .probe = p }));
}

/* ---- processes ---------------------------------------------------------- */

static bool
is_of(const struct proc_maps *pm, const struct dt_ufile *file)
{
	VEC_FOREACH(&pm->maps, map) {
		if (map->dev == file->dev && map->ino == file->ino)
			return true;
	}
	return false;
}

/* Has the process mapped a file of a probe of all processes, or of those of its
 * family? */
static bool
is_met(const struct pr_is_enabled *i, pid_t pid)
{
	pid_t root = i->root_of(i->root_arg, pid);
	struct proc_maps pm;
	struct err err = { 0 };
	bool is = false;

	if (proc_maps_read(&pm, pid, &err) != 0) {
		err_clear(&err);
		return false;
	}
	VEC_FOREACH(&i->probes, e) {
		const struct dt_usites *up = e->probe->up;

		VEC_FOREACH(&up->sites, s) {
			if (s->is_enabled && up->pid == 0 &&
			    (up->family == 0 || up->family == root))
				is = is || is_of(&pm, s->file);
		}
	}
	proc_maps_fini(&pm);
	return is;
}

CHECKED static int
find_targets(struct pr_is_enabled *i, struct err *err)
{
	struct proc_list list;
	pid_t pid;
	int rc;

	i->plant.targets.n = 0;
	proc_list_open(&list, 0);
	while ((pid = proc_list_next(&list)) != 0) {
		if (is_met(i, pid))
			VEC_PUSH(&i->plant.targets, pid);
	}
	rc = proc_list_close(&list);
	VEC_FOREACH(&i->plant.targets, target)
		pr_proc_of(&i->plant, *target)->root =
		    i->root_of(i->root_arg, *target);
	return rc == 0 ?
	    0 :
	    err_set(err, rc, "cannot list the processes: %s", strerror(-rc));
}

CHECKED static int
add_points(struct pr_is_enabled *i, struct is_enabled_probe *e, struct err *err)
{
	const struct dt_usites *up = e->probe->up;
	int rc = 0;

	/* files of probes of any process may be mapped later */
	e->is_taken = up->pid != 0;
	VEC_FOREACH(&up->sites, s) {
		if (rc == 0 && s->is_enabled)
			rc = pr_site_add(
			    &i->plant, e->probe, s, &pr_is_enabled_body, err);
	}
	return rc;
}

CHECKED static int
collect_points(struct pr_is_enabled *i, struct err *err)
{
	int rc = 0;

	VEC_FOREACH(&i->probes, e) {
		if (rc == 0 && !e->is_taken)
			rc = add_points(i, e, err);
	}
	return rc != 0 ? rc : pr_may_go_on(err);
}

CHECKED static int
plant(struct pr_is_enabled *i, struct err *err)
{
	int rc = x86_init(err);

	if (rc == 0)
		rc = collect_points(i, err);
	VEC_FOREACH(&i->plant.procs, p) {
		if (rc == 0 && (*p)->files.n != 0)
			rc = pr_proc_plant(&i->plant, *p, err);
	}
	return rc;
}

static void
plant_again(struct pr_is_enabled *i, struct err *err)
{
	VEC_FOREACH(&i->plant.procs, p)
		pr_proc_look(*p);
	if (collect_points(i, err) != 0)
		return;
	VEC_FOREACH(&i->plant.procs, pp) {
		if (!err_is_set(err) && !(*pp)->is_lost && (*pp)->files.n != 0)
			err_suffices(pr_proc_plant_again(&i->plant, *pp, err));
	}
}

/* Word the message for a user whose enabled probe does not fire. */
CHECKED static int
refuse(const struct pr_is_enabled *i, int rc, struct err *err)
{
	struct strbuf name = { 0 };

	err_default(err, rc != 0 ? rc : -ENOTSUP);
	dt_probe_format(i->probes.v[0].probe, &name);
	rc = err_set(err, err->code,
	    "%s: the program asks whether it is enabled in the way of other systems' dtrace -G, and cannot be told (%s): build it with this dtrace -G, or name other probes",
	    name.s, err_text(err));
	strbuf_fini(&name);
	return rc;
}

int
pr_is_enabled_tell(struct pr_is_enabled *i, struct err *err)
{
	bool is_again = i->plant.procs.n != 0;
	int rc = i->is_wide ? find_targets(i, err) : 0;

	if (rc == 0 && !is_again)
		rc = plant(i, err);
	if (rc == -ESRCH && i->is_wide) { /* a process has ended */
		err_clear(err);
		rc = 0;
		is_again = true;
	}
	if (rc == 0 && is_again)
		plant_again(i, err);
	return rc != 0 || err_is_set(err) ? refuse(i, rc, err) : 0;
}

void
pr_is_enabled_let_go(struct pr_is_enabled *i, pid_t pid)
{
	pr_plant_let_go(&i->plant, pid);
}
