/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The helpers of processes, for helper.bpf.c.
 *
 *	rtm_hprocs	process -> pieces of code, and where their files are
 *	rtm_hcode	code of all files, one behind the other
 *	rtm_hstrs	their strings
 *	rtm_hmiss	processes that a program met and does not know
 *
 * dtrace reads the helpers of $target before tracing begins.  It reads those of
 * another process, or of one that has mapped new code, when a program first
 * names a stack there; the frames of that stack have no names.  Helpers of
 * other processes are never read.
 *
 * Code is never changed once an entry refers to it, so programs need no lock.
 */
#include "exec/bpf/bpf_impl.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/vec.h"
#include "dof/dof.h"
#include "sym/proc_maps.h"

#define NPROCS 8192 /* the least recently used entry is dropped */
#define NMISS 256

/* A file that dtrace has read, and its identity at that time. */
struct hfile {
	uint64_t size;
	struct timespec mtime;
	bool has_helpers;
	uint32_t first;
};

/* The helpers of a file. */
struct helper_image {
	struct dof_helpers helpers;
	struct err err; /* why they cannot be used */
};

struct bx_helpers {
	struct sym_cache *syms;
	struct strtab known; /* device and inode: id - 1 in `files` */
	VEC(struct hfile) files;
	struct bx_hinsn *code; /* mapped */
	char *strs;
	uint32_t ninsns, nstrs; /* used entries of code and strs */
};

/* ---- maps ---------------------------------------------------------------- */

int
bx_helper_map(const char *sym)
{
	if (strcmp(sym, "rtm_hcode") == 0)
		return bx_map_array(sizeof(struct bx_hinsn), BX_HINSNS,
		    BPF_F_MMAPABLE, "dt_hcode");
	if (strcmp(sym, "rtm_hstrs") == 0)
		return bx_map_array(BX_HSTRS, 1, BPF_F_MMAPABLE, "dt_hstrs");
	if (strcmp(sym, "rtm_hprocs") == 0)
		return bpf_map_create(BPF_MAP_TYPE_LRU_HASH, "dt_hprocs", 4,
		    sizeof(struct bx_hproc), NPROCS, NULL);
	if (strcmp(sym, "rtm_hmiss") == 0)
		return bpf_map_create(
		    BPF_MAP_TYPE_HASH, "dt_hmiss", 4, 16, NMISS, NULL);
	return -ENOENT;
}

static void *
map_values(struct bx_exec *x, const char *sym, size_t size)
{
	void *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED,
	    bx_map_find(x, sym), 0);

	return p == MAP_FAILED ? NULL : p;
}

/* ---- files --------------------------------------------------------------- */

static int
read_image(const struct dof *d, void *arg)
{
	struct helper_image *im = arg;
	int rc = dof_check_types(d, &im->err);

	return rc != 0 ? rc : dof_get_helpers(d, &im->helpers, &im->err);
}

/* Report a file whose helpers cannot be used; the error is counted, too. */
static void
tell_refused(struct bx_exec *x, const char *path, const char *why)
{
	char *text = mem_printf(
	    "%s: its helpers, which name frames of jstack(), are not used: %s",
	    path, why);

	__atomic_fetch_add(
	    &bx_pcpu(x, 0)->drops[DT_DROP_HELPER], 1, __ATOMIC_RELAXED);
	if (x->opts.notice != NULL)
		x->opts.notice(x->opts.notice_arg, text);
	free(text);
}

static const char *
add_code(struct bx_helpers *hs, const struct bx_hcode *code, struct hfile *f)
{
	if (code->insns.n > BX_HINSNS - hs->ninsns ||
	    code->strs.n > BX_HSTRS - hs->nstrs)
		return "there is no room for more code";
	memcpy(hs->code + hs->ninsns, code->insns.v,
	    code->insns.n * sizeof(*code->insns.v));
	if (code->strs.n != 0)
		memcpy(hs->strs + hs->nstrs, code->strs.v, code->strs.n);
	f->first = hs->ninsns;
	f->has_helpers = true;
	hs->ninsns += (uint32_t)code->insns.n;
	hs->nstrs += (uint32_t)code->strs.n;
	return NULL;
}

static void
use_helpers(struct bx_exec *x, const struct dof_helpers *h, const char *path,
    struct hfile *f)
{
	struct bx_helpers *hs = x->helpers;
	struct bx_hcode code = { .at = hs->ninsns,
		.strs_at = hs->nstrs,
		.strsize = (uint32_t)x->lo.conf.strsize };
	struct err err = { 0 };
	const char *why;

	if (bx_hcode_make(h, &code, &err) != 0)
		why = err_text(&err);
	else
		why = add_code(hs, &code, f);
	if (why != NULL)
		tell_refused(x, path, why);
	err_clear(&err);
	VEC_FREE(&code.insns);
	VEC_FREE(&code.strs);
}

/* Read a file.  One with bad DOF counts as one with helpers; one without DOF
 * has none. */
static void
read_file(struct bx_exec *x, int fd, const char *path, struct hfile *f)
{
	struct helper_image im = { 0 };
	struct err err = { 0 };
	int rc = dof_elf_iter_fd(fd, read_image, &im, &err);

	f->has_helpers = false;
	if (err_is_set(&im.err) || rc == -EBADMSG)
		tell_refused(
		    x, path, err_text(err_is_set(&im.err) ? &im.err : &err));
	else if (im.helpers.v.n != 0)
		use_helpers(x, &im.helpers, path, f);
	err_clear(&err);
	err_clear(&im.err);
	dof_helpers_fini(&im.helpers);
}

static struct hfile *
find_file(struct bx_helpers *hs, const struct proc_map *map)
{
	char *id = mem_printf("%llx %llx", (unsigned long long)map->dev,
	    (unsigned long long)map->ino);
	uint32_t i = strtab_intern(&hs->known, id) - 1;

	free(id);
	if (i == hs->files.n)
		VEC_PUSH(&hs->files, (struct hfile){ .size = UINT64_MAX });
	return &hs->files.v[i];
}

/* The file of a mapping, read on first use, or NULL if it has no helpers. */
static const struct hfile *
look_into(struct bx_exec *x, pid_t pid, const struct proc_map *map)
{
	struct hfile *f = find_file(x->helpers, map);
	int fd = proc_map_open(pid, map);
	struct stat st;

	if (fd < 0)
		return NULL;
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) &&
	    (f->size != (uint64_t)st.st_size ||
		memcmp(&f->mtime, &st.st_mtim, sizeof(f->mtime)) != 0)) {
		f->size = (uint64_t)st.st_size;
		f->mtime = st.st_mtim;
		read_file(x, fd, map->path, f);
	}
	close(fd);
	return f->has_helpers ? f : NULL;
}

/* ---- processes ----------------------------------------------------------- */

static void
add_module(struct bx_exec *x, pid_t pid, const struct proc_map *map,
    struct bx_hproc *p)
{
	const struct hfile *f = look_into(x, pid, map);
	struct err err = { 0 };
	struct elf_syms *es;
	exec_u64 base;

	if (f == NULL)
		return;
	es = proc_map_syms(x->helpers->syms, pid, map, &err);
	if (es == NULL)
		tell_refused(x, map->path, err_text(&err));
	else if (!proc_map_bias(map, es, (uint64_t *)&base))
		tell_refused(x, map->path, "its place is not known");
	else if (p->nsets == BX_HSETS)
		tell_refused(x, map->path, "the process has too many");
	else {
		p->first[p->nsets] = f->first;
		p->base[p->nsets++] = base;
	}
	err_clear(&err);
}

/* Read a process's helpers.  If it still has the same memory, its global
 * variables stay. */
static void
look_at(struct bx_exec *x, pid_t pid, uint64_t mm, uint64_t exec_vm)
{
	int fd = bx_map_find(x, "rtm_hprocs");
	struct bx_hproc p = { .mm = mm, .exec_vm = exec_vm }, old;
	uint32_t key = (uint32_t)pid;
	struct proc_maps pm = { 0 };
	struct err err = { 0 };

	if (proc_maps_read(&pm, pid, &err) != 0) { /* the process has ended */
		err_clear(&err);
		bpf_map_delete_elem(fd, &key);
		return;
	}
	VEC_FOREACH(&pm.modules, m) {
		for (size_t i = 0; i < m->nmaps; i++) {
			if (!m->maps[i].is_exec || m->maps[i].ino == 0)
				continue;
			add_module(x, pid, &m->maps[i], &p);
			break;
		}
	}
	proc_maps_fini(&pm);
	if (bpf_map_lookup_elem(fd, &key, &old) == 0 && old.mm == mm)
		memcpy(p.globals, old.globals, sizeof(p.globals));
	if (bpf_map_update_elem(fd, &key, &p, BPF_ANY) != 0 && p.nsets != 0)
		tell_refused(x, "a process", strerror(errno));
}

void
bx_helpers_work(struct bx_exec *x)
{
	uint64_t what[2];
	uint32_t pid;
	int fd;

	if (x->helpers == NULL)
		return;
	fd = bx_map_find(x, "rtm_hmiss");
	while (bpf_map_get_next_key(fd, NULL, &pid) == 0) {
		if (bpf_map_lookup_elem(fd, &pid, what) == 0)
			look_at(x, (pid_t)pid, what[0], what[1]);
		bpf_map_delete_elem(fd, &pid);
	}
}

void
bx_helpers_start(struct bx_exec *x)
{
	struct bx_helpers *hs;

	if (bx_map_find(x, "rtm_hcode") < 0)
		return;
	hs = x->helpers = mem_alloc(sizeof(*hs));
	strtab_init(&hs->known);
	hs->syms = sym_cache_create();
	hs->code =
	    map_values(x, "rtm_hcode", BX_HINSNS * sizeof(struct bx_hinsn));
	hs->strs = map_values(x, "rtm_hstrs", BX_HSTRS);
	if (hs->code == NULL || hs->strs == NULL) {
		tell_refused(x, "all processes", strerror(errno));
		bx_helpers_stop(x);
	} else if (x->opts.target > 0)
		look_at(x, (pid_t)x->opts.target, 0, 0);
}

void
bx_helpers_stop(struct bx_exec *x)
{
	struct bx_helpers *hs = x->helpers;

	if (hs == NULL)
		return;
	if (hs->code != NULL)
		munmap(hs->code, BX_HINSNS * sizeof(struct bx_hinsn));
	if (hs->strs != NULL)
		munmap(hs->strs, BX_HSTRS);
	sym_cache_destroy(hs->syms);
	strtab_fini(&hs->known);
	VEC_FREE(&hs->files);
	free(hs);
	x->helpers = NULL;
}
