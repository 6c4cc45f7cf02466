/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Option follow: the families of the processes of -c and -p
 * (kern/family.bpf.c).
 *
 * The program at forks is armed before the processes and their present
 * descendants are entered into the map, so a child that is forked meanwhile is
 * found by the one or the other.
 */
#include "exec/bpf/bpf_impl.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>

#include "base/err.h"
#include "base/proctree.h"
#include "base/vec.h"

/* Entries of the map.  Those of ended processes are deleted when so many
 * processes were forked. */
#define FAMILY_MAX 65536
#define FAMILY_TURN 8192

int
bx_family_map(void)
{
	LIBBPF_OPTS(bpf_map_create_opts, o);

	return bpf_map_create(
	    BPF_MAP_TYPE_HASH, "dt_family", 4, 4, FAMILY_MAX, &o);
}

static bool
has_families(const struct bx_exec *x)
{
	return x->family.progs.n != 0;
}

static pid_t
find_root(const struct bx_exec *x, pid_t pid)
{
	uint32_t key = (uint32_t)pid, root = 0;

	if (bpf_map_lookup_elem(bx_map_find(x, "rtm_family"), &key, &root) != 0)
		return 0;
	return (pid_t)root;
}

pid_t
bx_root_of(const struct dt_exec *e, pid_t pid)
{
	const struct bx_exec *x = bx_of(e);

	return has_families(x) ? find_root(x, pid) : 0;
}

/* Does not replace what a fork has added.  0 or -errno. */
static int
add(const struct bx_exec *x, pid_t pid, pid_t root)
{
	uint32_t key = (uint32_t)pid, value = (uint32_t)root;
	int rc = bpf_map_update_elem(
	    bx_map_find(x, "rtm_family"), &key, &value, BPF_NOEXIST);

	return rc == -EEXIST ? 0 : rc;
}

static bool
add_descendant(void *arg, pid_t pid, pid_t parent)
{
	const struct bx_exec *x = arg;
	pid_t root = find_root(x, parent);

	return root != 0 && find_root(x, pid) == 0 && add(x, pid, root) == 0;
}

CHECKED static int
add_present(struct bx_exec *x, struct err *err)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < x->roots.n; i++)
		rc = add(x, x->roots.v[i], x->roots.v[i]);
	if (rc == 0)
		rc = proc_descendants(add_descendant, x);
	if (rc != 0)
		err_set(err, rc, "cannot find the descendants of processes: %s",
		    strerror(-rc));
	return rc;
}

/*
 * Descendants that execute programs wait for dtrace, and take CPU time
 * meanwhile (emit/load_barrier.c).  There may be hundreds: with the priority of
 * any other thread dtrace would get its turn too late.  Without permission it
 * is so.
 */
static void
raise_priority(struct bx_exec *x)
{
	x->nice = getpriority(PRIO_PROCESS, 0);
	x->is_raised = setpriority(PRIO_PROCESS, 0, -20) == 0;
}

void
bx_family_disarm(struct bx_exec *x)
{
	if (x->is_raised)
		setpriority(PRIO_PROCESS, 0, x->nice);
	x->is_raised = false;
}

int
bx_family_arm(struct bx_exec *x, struct err *err)
{
	int fd;

	if (!has_families(x))
		return 0;
	fd =
	    bpf_raw_tracepoint_open("sched_process_fork", x->family.progs.v[0]);
	if (fd < 0)
		return err_set(err, fd,
		    "option follow is not available: cannot attach to sched_process_fork: %s",
		    strerror(-fd));
	VEC_PUSH(&x->family.armed.fds, fd);
	raise_priority(x);
	return add_present(x, err);
}

/* Delete the entries of processes that have ended. */
static void
forget_ended(struct bx_exec *x)
{
	int fd = bx_map_find(x, "rtm_family");
	uint32_t key, next;
	bool is_more = bpf_map_get_next_key(fd, NULL, &next) == 0;

	while (is_more) {
		key = next;
		is_more = bpf_map_get_next_key(fd, &key, &next) == 0;
		if (kill((pid_t)key, 0) != 0 && errno == ESRCH)
			bpf_map_delete_elem(fd, &key);
	}
}

void
bx_family_work(struct bx_exec *x)
{
	if (!has_families(x))
		return;
	if (x->ctl->followed - x->nfollowed >= FAMILY_TURN) {
		x->nfollowed = x->ctl->followed;
		forget_ended(x);
	}
	if (x->ctl->not_followed != 0 && !x->has_told_family &&
	    x->opts.notice != NULL) {
		x->has_told_family = true;
		x->opts.notice(x->opts.notice_arg,
		    "there are more descendants than dtrace can follow "
		    "(65,536): some are not traced");
	}
}
