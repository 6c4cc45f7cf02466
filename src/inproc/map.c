/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Our memory in a process.
 *
 *	base		the share (enter.h): code, own, data, vars
 *
 *	areas		trampolines of this process, where the plan wants them:
 *			parts of a file of their own, one after another
 *
 * The process receives the files as descriptors, over a pair of sockets that it
 * makes.  It needs no path name, so this works in containers, below chroot(),
 * and for any user's process.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/procstatus.h"
#include "base/vec.h"
#include "inproc/enter_impl.h"

#define PAGE 4096

CHECKED static int
refuse(
    const struct inproc_entry *e, const char *what, int64_t rc, struct err *err)
{
	if (rc == -ENOMEM)
		err_set(err, (int)rc,
		    "process %d cannot map %s: its memory or the number of its mappings is limited (ulimit -v, vm.max_map_count)",
		    (int)e->pid, what);
	else if (rc == -EAGAIN)
		err_set(err, (int)rc,
		    "process %d cannot map %s: it locks all that it maps (mlockall), and may lock no more (ulimit -l)",
		    (int)e->pid, what);
	else if (rc == -EEXIST)
		err_set(err, (int)rc,
		    "process %d cannot map %s: something else was mapped there meanwhile, by another dtrace maybe; try again",
		    (int)e->pid, what);
	else
		err_set(err, (int)rc, "process %d cannot map %s: %s",
		    (int)e->pid, what, strerror((int)-rc));
	return (int)rc;
}

/* mmap() over pages that are ours, or that nothing is mapped to. */
static struct ent_call
map_at(uint64_t at, uint64_t len, int prot, int flags, int fd, uint64_t off)
{
	return ENT_CALL(SYS_mmap, at, len, (uint64_t)prot,
	    (uint64_t)(flags | MAP_FIXED), (uint64_t)(int64_t)fd, off);
}

/* Did the mmap() return the address that was asked for? 0 or -errno. */
static int
is_mapped_at(const struct ent_call *c, uint64_t at)
{
	if (c->rc == (int64_t)at)
		return 0;
	return c->rc < 0 ? (int)c->rc : -EEXIST;
}

/* reach of a jump: trampolines will be here */
#define GAP (1ULL << 31)

static bool
is_error(int64_t rc)
{
	return rc < 0 && rc > -PAGE;
}

static int64_t
reserve_pages(struct ent_remote *r, uint64_t len)
{
	return ENT_REMOTE(r, SYS_mmap, 0, len, PROT_NONE,
	    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, (uint64_t)-1);
}

/*
 * Reserve pages of the kernel's choice, without any access.  The kernel chooses
 * pages below the libraries, where trampolines want to be, and there may be no
 * room above them (personality(2), ADDR_NO_RANDOMIZE). So reserve more, if that
 * is permitted, and give back the upper end.
 */
static int64_t
reserve(struct ent_remote *r, uint64_t len)
{
	int64_t base = reserve_pages(r, len + GAP);

	if (is_error(base))
		return reserve_pages(r, len);
	ENT_REMOTE(r, SYS_munmap, (uint64_t)base + len, GAP);
	return base;
}

/*
 * Reserve pages just below the reach of jumps from the program's code, so that
 * the reach stays free for trampolines, which are at most half as far away.
 * The heap grows upwards.
 */
static int64_t
reserve_near_program(
    const struct inproc_entry *e, struct ent_remote *r, uint64_t len)
{
	uint64_t code = ent_stat_field(e->pid, ENT_STAT_CODE);
	uint64_t below = GAP + len + PAGE;

	if (code <= below)
		return -ENOMEM;
	return ENT_REMOTE(r, SYS_mmap, (code - below) & -(uint64_t)PAGE, len,
	    PROT_NONE,
	    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE,
	    (uint64_t)-1);
}

/* ---- threads ------------------------------------------------------------ */

/*
 * Bytes behind %fs that belong to the thread's own structure: glibc's is 2304
 * bytes long and has the id at 720.  Memory further on may be another mapping
 * that ends before the thread does (ld.so.cache, while a program starts) and
 * contains a small number like an id by chance: glibc before 2.32 writes no id
 * in programs without threads.
 */
#define TCB_MAX 1024

/* The thread's id in its own pid namespace. */
static uint32_t
own_tid(pid_t tid)
{
	char text[128], *last;

	if (!proc_status(tid, "NSpid", text, sizeof(text)))
		return (uint32_t)tid;
	last = strrchr(text, '\t');
	return (uint32_t)atoi(last != NULL ? last + 1 : text);
}

/* Clear `is_id` for those words behind %fs that are not the thread's id. */
static void
narrow(const struct ent_stop *s, const struct ent_thread *t, bool *is_id)
{
	uint32_t words[TCB_MAX / 4] = { 0 }, id = own_tid(t->tid);
	size_t len = TCB_MAX;

	while (len > PAGE / 8 && !ent_read(s, t->regs.fs_base, words, len))
		len /= 2;
	for (size_t i = 0; i < TCB_MAX / 4; i++)
		is_id[i] &= i < len / 4 && words[i] == id;
}

/*
 * Find where threads keep their id: glibc, musl and others all do, each at
 * another offset.  The right word is the id in all threads.  If several are, by
 * chance, take the first: libraries keep the id near the beginning.
 */
static int64_t
find_tid(const struct ent_stop *s)
{
	bool is_id[TCB_MAX / 4];

	memset(is_id, true, sizeof(is_id));
	VEC_FOREACH(&s->threads, t)
		narrow(s, t, is_id);
	for (size_t i = 0; i < TCB_MAX / 4; i++) {
		if (is_id[i])
			return (int64_t)(4 * i);
	}
	return -1;
}

/* ---- the share ---------------------------------------------------------- */

/*
 * A child of fork() must not have the variables: it is not traced, and nobody
 * would look after its mapping.
 */
static int
map_vars(
    const struct inproc_entry *e, struct ent_remote *r, uint64_t at, int fd)
{
	enum { MAP, NO_FORK, CLOSE, N };
	uint64_t len = e->share.vars_len;
	struct ent_call calls[N] = {
		[MAP] =
		    map_at(at, len, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0),
		[NO_FORK] = ENT_CALL(SYS_madvise, at, len, MADV_DONTFORK),
		[CLOSE] = ENT_CALL(SYS_close, (uint64_t)fd),
	};
	int rc;

	ent_remote_calls(r, calls, N);
	rc = is_mapped_at(&calls[MAP], at);
	return rc != 0 ? rc : (int)calls[NO_FORK].rc;
}

/*
 * fds[]: the process's descriptors of code, data and variables, closed after
 * the mapping.
 */
static int
map_parts(const struct inproc_entry *e, struct ent_remote *r, uint64_t base,
    const int *fds)
{
	enum { CODE, OWN, DATA, WIPE, NO_DUMP, CLOSE_CODE, CLOSE_DATA, N };
	const struct inproc_share *sh = &e->share;
	uint64_t own = base + sh->code_len, data = own + sh->own_len;
	struct ent_call calls[N] = {
		[CODE] = map_at(base, sh->code_len, PROT_READ | PROT_EXEC,
		    MAP_SHARED, fds[0], 0),
		[OWN] = map_at(own, sh->own_len, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
		[DATA] = map_at(data, sh->data_len, PROT_READ | PROT_WRITE,
		    MAP_SHARED, fds[1], 0),
		[WIPE] = ENT_CALL(SYS_madvise, own, sh->own_len - sh->kept_len,
		    MADV_WIPEONFORK),
		/* core files do not need it, and it has others' data */
		[NO_DUMP] = ENT_CALL(
		    SYS_madvise, base, inproc_share_len(sh), MADV_DONTDUMP),
		[CLOSE_CODE] = ENT_CALL(SYS_close, (uint64_t)fds[0]),
		[CLOSE_DATA] = ENT_CALL(SYS_close, (uint64_t)fds[1]),
	};
	int rc =
	    sh->vars_len == 0 ? 0 : map_vars(e, r, data + sh->data_len, fds[2]);

	ent_remote_calls(r, calls, N);
	if (rc != 0)
		return rc;
	rc = is_mapped_at(&calls[CODE], base);
	if (rc != 0)
		return rc;
	rc = is_mapped_at(&calls[OWN], own);
	if (rc != 0)
		return rc;
	rc = is_mapped_at(&calls[DATA], data);
	return rc != 0 ? rc : (int)calls[WIPE].rc;
}

/*
 * With Yama's ptrace_scope at 1 only ancestors may trace. dtrace is an ancestor
 * of a command but the guardian is not, so the command permits the guardian
 * (prctl(2)).  Without Yama the call fails, and is not needed.
 */
static void
permit_guardian(const struct inproc_entry *e, struct ent_remote *r)
{
	if (e->ledger->is_held)
		ENT_REMOTE(r, SYS_prctl, PR_SET_PTRACER, (uint64_t)e->guardian);
}

CHECKED static int
map_share(struct inproc_entry *e, struct ent_remote *r, struct err *err)
{
	struct ent_ledger *l = e->ledger;
	uint64_t len = inproc_share_len(&e->share);
	const int ours[] = { e->share.code_fd, e->share.data_fd,
		e->share.vars_fd };
	int64_t base = -ENOMEM;
	struct stat st;
	int fds[ENT_FDS_MAX], rc = ent_permit_inside(r, err);

	if (rc != 0)
		return rc;
	permit_guardian(e, r);
	if (e->share.is_near_program)
		base = reserve_near_program(e, r, len);
	if (is_error(base))
		base = reserve(r, len);
	if (is_error(base))
		return refuse(e, "the memory that probes need", base, err);
	if (fstat(e->share.code_fd, &st) == 0)
		l->code_ino = st.st_ino;
	l->base = (uint64_t)base;
	l->len = len;
	rc = ent_remote_give_fds(r, ours, e->share.vars_len != 0 ? 3 : 2, fds);
	if (rc == 0)
		rc = map_parts(e, r, l->base, fds);
	if (rc == 0)
		return 0;
	ENT_REMOTE(r, SYS_munmap, l->base, len);
	l->len = 0;
	return refuse(e, "the memory that probes need", rc, err);
}

/* Make system calls with f in the stopped process. */
typedef int ent_calls_f(
    struct inproc_entry *e, struct ent_remote *r, struct err *err);

CHECKED static int
with_remote(
    struct inproc_entry *e, struct ent_stop *s, ent_calls_f *f, struct err *err)
{
	struct proc_maps pm;
	struct ent_remote r;
	int rc = ent_permit_calls(s->threads.v->tid, err), locks;

	if (rc != 0)
		return rc;
	rc = proc_maps_read(&pm, e->pid, err);
	if (rc != 0)
		return rc;
	rc = ent_remote_begin(&r, s, &pm, err);
	if (rc != 0)
		goto out;
	locks = ent_locks_put_off(&r);
	rc = f(e, &r, err);
	ent_locks_restore(&r, locks, e->ledger);
	ent_remote_end(&r);
out:
	proc_maps_fini(&pm);
	return rc;
}

int
ent_map_share(struct inproc_entry *e, struct ent_stop *s, struct err *err)
{
	int rc = with_remote(e, s, map_share, err);

	if (rc == 0)
		e->ledger->tid_off = find_tid(s);
	return rc;
}

/* ---- areas -------------------------------------------------------------- */

/* Keep the areas that were mapped: those before the first failure. */
static int
keep_mapped(struct ent_ledger *l, struct ent_remote *r,
    const struct ent_area *a, const struct ent_call *calls, size_t n)
{
	int rc = 0;

	for (size_t i = 0; i < n; i++) {
		int is = is_mapped_at(&calls[i], a[i].at);

		if (rc == 0)
			rc = is;
		if (rc == 0)
			l->nmapped++;
		else if (is == 0)
			ENT_REMOTE(r, SYS_munmap, a[i].at, a[i].len);
	}
	return rc;
}

/* Map the areas of the ledger that are not in the process. */
CHECKED static int
map_areas(struct inproc_entry *e, struct ent_remote *r, struct err *err)
{
	struct ent_ledger *l = e->ledger;
	const struct ent_area *a = &l->areas[l->nmapped];
	size_t n = l->nareas - l->nmapped;
	struct ent_call *calls;
	int there[ENT_FDS_MAX];
	int rc = ent_remote_give_fds(r, &e->code->file.fd, 1, there);

	if (rc != 0)
		return refuse(e, "room for probes", rc, err);
	calls = mem_alloc((n + 1) * sizeof(*calls));
	for (size_t i = 0; i < n; i++)
		calls[i] = map_at(a[i].at, a[i].len, PROT_READ | PROT_EXEC,
		    MAP_SHARED | MAP_FIXED_NOREPLACE, there[0], a[i].off);
	calls[n] = ENT_CALL(SYS_close, (uint64_t)there[0]);
	ent_remote_calls(r, calls, n + 1);
	rc = keep_mapped(l, r, a, calls, n);
	free(calls);
	return rc != 0 ? refuse(e, "room for probes", rc, err) : 0;
}

int
ent_map_areas(struct inproc_entry *e, struct ent_stop *s, struct err *err)
{
	if (e->ledger->nmapped == e->ledger->nareas)
		return 0;
	return with_remote(e, s, map_areas, err);
}

/* ---- unmapping ---------------------------------------------------------- */

static uint64_t
inode_of(int fd)
{
	struct stat st;

	return fstat(fd, &st) == 0 ? st.st_ino : 0;
}

/* No other file in memory has the same inode number. */
bool
ent_is_share(const struct proc_map *map, const struct inproc_share *share)
{
	return strstr(map->path, ENT_CODE_NAME) != NULL &&
	    map->ino == inode_of(share->code_fd);
}

uint64_t
ent_count_areas(const struct inproc_entry *e, const struct proc_maps *pm)
{
	const struct ent_ledger *l = e->ledger;
	uint64_t ino = inode_of(e->code->file.fd), n = 0;

	for (; n < l->nmapped; n++) {
		const struct proc_map *map = proc_maps_find(pm, l->areas[n].at);

		if (map == NULL || map->start > l->areas[n].at ||
		    map->ino != ino)
			break;
	}
	return n;
}

bool
ent_is_mapped(const struct inproc_entry *e, const struct proc_maps *pm)
{
	const struct ent_ledger *l = e->ledger;
	const struct proc_map *map = proc_maps_find(pm, l->base);

	return l->len != 0 && map != NULL && map->start == l->base &&
	    map->ino == l->code_ino;
}

/* The ledger keeps the areas that could not be unmapped. */
static int64_t
unmap_areas(struct ent_ledger *l, struct ent_remote *r)
{
	uint64_t n = l->nmapped;
	struct ent_call *calls = mem_alloc((n + 1) * sizeof(*calls));
	int64_t rc = 0;

	for (uint64_t i = 0; i < n; i++)
		calls[i] =
		    ENT_CALL(SYS_munmap, l->areas[i].at, l->areas[i].len);
	ent_remote_calls(r, calls, n);
	l->nareas = 0;
	for (uint64_t i = 0; i < n; i++) {
		if (calls[i].rc != 0) {
			l->areas[l->nareas++] = l->areas[i];
			rc = calls[i].rc;
		}
	}
	l->nmapped = l->nareas;
	free(calls);
	return rc;
}

/* A child of fork() does not have the variables, and may have mapped memory of
 * its own at their place. */
static bool
has_vars(const struct inproc_entry *e)
{
	uint64_t vars = e->ledger->base + e->ledger->len - e->share.vars_len;
	const struct proc_map *map;
	struct proc_maps pm;
	struct err err = { 0 };
	bool has;

	if (proc_maps_read(&pm, e->pid, &err) != 0) {
		err_clear(&err);
		return false;
	}
	map = proc_maps_find(&pm, vars);
	has = map != NULL && map->start == vars &&
	    strstr(map->path, "bpf-map") != NULL;
	proc_maps_fini(&pm);
	return has;
}

CHECKED static int
unmap(struct inproc_entry *e, struct ent_remote *r, struct err *err)
{
	struct ent_ledger *l = e->ledger;
	uint64_t len = l->len;
	int64_t rc = unmap_areas(l, r);

	if (e->share.vars_len != 0 && !has_vars(e))
		len -= e->share.vars_len;
	if (rc == 0)
		rc = ENT_REMOTE(r, SYS_munmap, l->base, len);
	if (rc != 0)
		return refuse(e, "less memory again", rc, err);
	l->len = 0;
	return 0;
}

/* Is a thread in our memory? */
static bool
is_in_use(struct inproc_entry *e, struct ent_stop *s)
{
	const struct ent_ledger *l = e->ledger;
	VEC(struct inproc_span) spans = { 0 };
	bool is;

	VEC_PUSH(&spans, (struct inproc_span){ l->base, l->base + l->len });
	for (uint64_t i = 0; i < l->nmapped; i++)
		VEC_PUSH(&spans,
		    (struct inproc_span){
			l->areas[i].at, l->areas[i].at + l->areas[i].len });
	is = ent_refers(s, spans.v, spans.n);
	VEC_FREE(&spans);
	return is;
}

/*
 * If a new seccomp filter was installed, our memory stays mapped: nothing leads
 * there, and the unmapping call might end the process.
 */
int
ent_unmap(struct inproc_entry *e, struct ent_stop *s, struct err *err)
{
	if (e->ledger->len == 0)
		return 0;
	if (ent_permit_calls(s->threads.v->tid, err) == -EPERM) {
		err_clear(err);
		return 0;
	}
	if (is_in_use(e, s))
		return err_set(err, -EBUSY,
		    "a thread of process %d is still in code of probes",
		    (int)e->pid);
	return with_remote(e, s, unmap, err);
}
