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

struct pr_yes {
	struct pr_plant plant;	  /* first: see share_of() */
	struct dt_exec_opts opts; /* of the plant: only `refused` is set */
	int code_fd, data_fd;	  /* to be mapped: a page each, without code */
	VEC(struct asked {
		const struct dt_probe *probe;
		bool is_taken; /* its sites are points */
	})
	probes;
	bool is_wide; /* some probes are those of all processes */
};

const struct inproc_body pr_yes_body = { .emit = inproc_emit_yes,
	.keeps_flags = true };

static struct inproc_share
share_of(const struct pr_plant *pl)
{
	const struct pr_yes *y = (const struct pr_yes *)pl;

	return (struct inproc_share){ .code_fd = y->code_fd,
		.data_fd = y->data_fd,
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

struct pr_yes *
pr_yes_create(struct refusals *refused)
{
	struct pr_yes *y = mem_alloc(sizeof(*y));

	y->opts.refused = refused;
	y->plant.ops = &plant_ops;
	y->plant.opts = &y->opts;
	y->plant.begin_ns = clock_read_ns(CLOCK_BOOTTIME);
	y->code_fd = page_file("dtrace-code");
	y->data_fd = page_file("dtrace-data");
	return y;
}

void
pr_yes_destroy(struct pr_yes *y)
{
	pr_disarm(&y->plant);
	VEC_FREE(&y->probes);
	VEC_FREE(&y->plant.targets);
	if (y->code_fd >= 0)
		close(y->code_fd);
	if (y->data_fd >= 0)
		close(y->data_fd);
	free(y);
}

void
pr_yes_add(struct pr_yes *y, const struct dt_probe *p)
{
	y->is_wide |= p->up->pid == 0;
	VEC_PUSH(&y->probes, ((struct asked){ .probe = p }));
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

/* Has the process mapped a file of a probe of all processes? */
static bool
is_met(const struct pr_yes *y, pid_t pid)
{
	struct proc_maps pm;
	struct err err = { 0 };
	bool is = false;

	if (proc_maps_read(&pm, pid, &err) != 0) {
		err_clear(&err);
		return false;
	}
	VEC_FOREACH(&y->probes, asked) {
		const struct dt_usites *up = asked->probe->up;

		VEC_FOREACH(&up->sites, s) {
			if (s->is_enabled && up->pid == 0)
				is = is || is_of(&pm, s->file);
		}
	}
	proc_maps_fini(&pm);
	return is;
}

static int
find_targets(struct pr_yes *y, struct err *err)
{
	struct proc_list list;
	pid_t pid;
	int rc;

	y->plant.targets.n = 0;
	proc_list_open(&list, 0);
	while ((pid = proc_list_next(&list)) != 0) {
		if (is_met(y, pid))
			VEC_PUSH(&y->plant.targets, pid);
	}
	rc = proc_list_close(&list);
	return rc == 0 ?
	    0 :
	    err_set(err, rc, "cannot list the processes: %s", strerror(-rc));
}

static int
add_points(struct pr_yes *y, struct asked *asked, struct err *err)
{
	const struct dt_usites *up = asked->probe->up;
	int rc = 0;

	/* files of probes of any process may be mapped later */
	asked->is_taken = up->pid != 0;
	VEC_FOREACH(&up->sites, s) {
		if (rc == 0 && s->is_enabled)
			rc = pr_site_add(
			    &y->plant, asked->probe, s, &pr_yes_body, err);
	}
	return rc;
}

static int
collect_points(struct pr_yes *y, struct err *err)
{
	int rc = 0;

	VEC_FOREACH(&y->probes, asked) {
		if (rc == 0 && !asked->is_taken)
			rc = add_points(y, asked, err);
	}
	return rc != 0 ? rc : pr_may_go_on(err);
}

static int
plant(struct pr_yes *y, struct err *err)
{
	int rc = x86_init(err);

	if (rc == 0)
		rc = collect_points(y, err);
	VEC_FOREACH(&y->plant.procs, p) {
		if (rc == 0 && (*p)->files.n != 0)
			rc = pr_proc_plant(&y->plant, *p, err);
	}
	return rc;
}

static void
plant_again(struct pr_yes *y, struct err *err)
{
	VEC_FOREACH(&y->plant.procs, p)
		pr_proc_look(*p);
	if (collect_points(y, err) != 0)
		return;
	VEC_FOREACH(&y->plant.procs, pp) {
		if (!err_is_set(err) && !(*pp)->is_lost && (*pp)->files.n != 0)
			err_suffices(pr_proc_plant_again(&y->plant, *pp, err));
	}
}

/* Word the message for a user whose enabled probe does not fire. */
static int
refuse(const struct pr_yes *y, int rc, struct err *err)
{
	struct strbuf name = { 0 };

	err_default(err, rc != 0 ? rc : -ENOTSUP);
	dt_probe_format(y->probes.v[0].probe, &name);
	rc = err_set(err, err->code,
	    "%s: the program asks whether it is enabled in the way of other systems' dtrace -G, and cannot be told (%s): build it with this dtrace -G, or name other probes",
	    name.s, err_text(err));
	strbuf_fini(&name);
	return rc;
}

int
pr_yes_tell(struct pr_yes *y, struct err *err)
{
	bool is_again = y->plant.procs.n != 0;
	int rc = y->is_wide ? find_targets(y, err) : 0;

	if (rc == 0 && !is_again)
		rc = plant(y, err);
	if (rc == -ESRCH && y->is_wide) { /* a process has ended */
		err_clear(err);
		rc = 0;
		is_again = true;
	}
	if (rc == 0 && is_again)
		plant_again(y, err);
	return rc != 0 || err_is_set(err) ? refuse(y, rc, err) : 0;
}

void
pr_yes_let_go(struct pr_yes *y, pid_t pid)
{
	pr_plant_let_go(&y->plant, pid);
}
