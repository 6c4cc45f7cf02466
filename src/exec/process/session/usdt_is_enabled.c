/* SPDX-License-Identifier: BSD-2-Clause */
#include "exec/process/usdt_is_enabled.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "exec/process/proc.h"
#include "provider/usites.h"

#define PAGE 4096

/* A session of the process substrate that only changes sites: no probe fires in
 * it. */
struct pr_yes {
	struct pr_exec x;
	bool is_wide; /* some probes are those of all processes */
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

	y->x.opts.refused = refused;
	y->x.code.fd = page_file("dtrace-code");
	y->x.data_fd = page_file("dtrace-data");
	y->x.code_size = PAGE;
	y->x.conf.seed = (sizeof(struct pr_own) + PAGE - 1) & -PAGE;
	y->x.own_size =
	    y->x.conf.seed + ((sizeof(struct pr_seed) + PAGE - 1) & -PAGE);
	y->x.data_size = PAGE;
	VEC_PUSH(&y->x.bodies, (struct pr_body){ .kind = DT_PROBE_USDT });
	return y;
}

void
pr_yes_destroy(struct pr_yes *y)
{
	struct pr_body *b = &y->x.bodies.v[0];

	pr_disarm(&y->x);
	VEC_FOREACH(&b->probes, f)
		VEC_FREE(&f->sites);
	VEC_FREE(&b->probes);
	VEC_FREE(&y->x.bodies);
	VEC_FREE(&y->x.targets);
	pr_sys_fini(&y->x);
	code_file_fini(&y->x.code);
	if (y->x.data_fd >= 0)
		close(y->x.data_fd);
	free(y);
}

void
pr_yes_add(struct pr_yes *y, const struct dt_probe *p)
{
	struct pr_firing f = { .probe = p, .timer_fd = -1 };

	VEC_FOREACH(&p->up->sites, s) {
		if (s->is_enabled)
			VEC_PUSH(&f.sites, ((struct pr_site){ .site = s }));
	}
	y->is_wide |= p->up->pid == 0;
	VEC_PUSH(&y->x.bodies.v[0].probes, f);
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
	char *why = NULL;
	bool is = false;

	if (proc_maps_read(&pm, pid, &why) != 0) {
		free(why);
		return false;
	}
	VEC_FOREACH(&y->x.bodies.v[0].probes, f) {
		VEC_FOREACH(&f->sites, s) {
			if (f->probe->up->pid == 0)
				is = is || is_of(&pm, s->site->file);
		}
	}
	proc_maps_fini(&pm);
	return is;
}

static void
find_targets(struct pr_yes *y)
{
	DIR *dir = opendir("/proc");
	struct dirent *de;

	y->x.targets.n = 0;
	while (dir != NULL && (de = readdir(dir)) != NULL) {
		pid_t pid = (pid_t)atoi(de->d_name);

		if (isdigit((unsigned char)de->d_name[0]) && is_met(y, pid))
			VEC_PUSH(&y->x.targets, pid);
	}
	if (dir != NULL)
		closedir(dir);
}

/* Word the message for a user whose enabled probe does not fire. */
static int
refuse(const struct pr_yes *y, int rc, char **msg)
{
	struct strbuf name = { 0 };
	char *why = *msg != NULL ? *msg : mem_strdup(strerror(-rc));

	dt_probe_format(y->x.bodies.v[0].probes.v[0].probe, &name);
	*msg = mem_printf("%s: the program asks whether it is enabled in the "
			  "way of other systems' dtrace -G, and cannot be told "
			  "(%s): build it with this dtrace -G, or name other "
			  "probes",
	    name.s, why);
	strbuf_fini(&name);
	free(why);
	return rc != 0 ? rc : -ENOTSUP;
}

int
pr_yes_tell(struct pr_yes *y, char **msg)
{
	bool is_again = y->x.procs.n != 0;
	int rc = 0;

	if (y->is_wide)
		find_targets(y);
	if (!is_again)
		rc = pr_arm(&y->x, msg);
	if (rc == -ESRCH && y->is_wide) { /* a process has ended */
		free(*msg);
		*msg = NULL;
		rc = 0;
		is_again = true;
	}
	if (is_again)
		pr_arm_again(&y->x, msg);
	return rc != 0 || *msg != NULL ? refuse(y, rc, msg) : 0;
}

void
pr_yes_let_go(struct pr_yes *y, pid_t pid)
{
	pr_let_go(&y->x.e, pid);
}
