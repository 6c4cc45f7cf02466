/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Options cgroup and container: find the control group that a script is
 * restricted to.
 *
 * It is in the unified hierarchy (cgroups(7)), wherever that is mounted, and is
 * given by its path, in the file system or from the root of the hierarchy, or
 * by its name alone if one group has that name.
 */
#include <dirent.h>
#include <errno.h>
#include <mntent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/str.h"
#include "exec/runtime/rt_zone_host.h"
#include "libdtrace/dt_impl.h"

/* Is `path` the directory `top`, or below it? */
static bool
is_below(const char *path, const char *top)
{
	size_t n = strlen(top);

	return strncmp(path, top, n) == 0 &&
	    (path[n] == '\0' || path[n] == '/' || n == 0 || top[n - 1] == '/');
}

#define MOUNTS "/proc/self/mounts"

/*
 * Find the directory on which cgroup2 is mounted (malloced).  A mount above the
 * path `arg` is preferred.  NULL: there is none; or *error is not 0, and the
 * list of mounts could not be read.
 */
static char *
find_mount(const char *arg, int *error)
{
	FILE *mounts;
	struct mntent *m;
	char *dir = NULL;

	errno = 0;
	mounts = setmntent(MOUNTS, "re");
	while (mounts != NULL && (m = getmntent(mounts)) != NULL) {
		if (strcmp(m->mnt_type, "cgroup2") != 0 ||
		    (dir != NULL && !is_below(arg, m->mnt_dir)))
			continue;
		free(dir);
		dir = mem_strdup(m->mnt_dir);
	}
	*error = dir == NULL ? errno : 0;
	if (mounts != NULL)
		endmntent(mounts);
	return dir;
}

static bool
is_dir(const char *path)
{
	struct stat sb;

	return stat(path, &sb) == 0 && S_ISDIR(sb.st_mode);
}

/* ---- a name alone -------------------------------------------------------- */

struct dirs {
	VEC(char *) v; /* paths */
};

static void
dirs_free(struct dirs *dirs)
{
	VEC_FOREACH(&dirs->v, path)
		free(*path);
	VEC_FREE(&dirs->v);
}

static void
add_children(const char *path, struct dirs *to)
{
	DIR *dir = opendir(path);
	struct dirent *d;

	while (dir != NULL && (d = readdir(dir)) != NULL) {
		if (d->d_type == DT_DIR && d->d_name[0] != '.')
			VEC_PUSH(&to->v, mem_printf("%s/%s", path, d->d_name));
	}
	if (dir != NULL)
		closedir(dir);
}

typedef bool is_group_f(const char *path, const char *arg);

static bool
has_name(const char *path, const char *name)
{
	return strcmp(strrchr(path, '/') + 1, name) == 0;
}

/* All groups below `top` that are `arg`. */
static void
find_groups(
    const char *top, is_group_f *is, const char *arg, struct dirs *found)
{
	struct dirs all = { 0 };

	add_children(top, &all);
	for (size_t i = 0; i < all.v.n; i++) {
		if (is(all.v.v[i], arg))
			VEC_PUSH(&found->v, mem_strdup(all.v.v[i]));
		add_children(all.v.v[i], &all);
	}
	dirs_free(&all);
}

/* The path of the only group that is `arg` (malloced); NULL: an error. */
static char *
only_group(struct dt_hdl *h, const char *top, is_group_f *is, const char *what,
    const char *arg)
{
	struct dirs found = { 0 };
	struct strbuf list = { 0 };
	char *path = NULL;

	find_groups(top, is, arg, &found);
	if (found.v.n == 1) {
		path = mem_strdup(found.v.v[0]);
		goto out;
	}
	VEC_FOREACH(&found.v, p)
		strbuf_printf(&list, "%s%s", list.len != 0 ? ", " : ": ",
		    *p + strlen(top));
	if (found.v.n == 0)
		dt_fail(
		    h, "option %s: there is no '%s' below %s", what, arg, top);
	else
		dt_fail(h,
		    "option %s: '%s' stands for %zu control groups; give the path of "
		    "one with option cgroup%s",
		    what, arg, found.v.n, list.s);
out:
	strbuf_fini(&list);
	dirs_free(&found);
	return path;
}

/* ---- the option ---------------------------------------------------------- */

/* The directory of the group (malloced), or NULL with an error. */
static char *
find_dir(struct dt_hdl *h, const char *top, const char *arg)
{
	bool has_slash = strchr(arg, '/') != NULL;
	char *path;

	if (is_below(arg, top) && is_dir(arg))
		return mem_strdup(arg);
	path = mem_printf("%s%s%s", top, *arg == '/' ? "" : "/", arg);
	if (*arg != '\0' && is_dir(path))
		return path;
	free(path);
	if (*arg != '\0' && !has_slash)
		return only_group(h, top, has_name, "cgroup", arg);
	dt_fail(h, "option cgroup: there is no '%s' below %s", arg, top);
	return NULL;
}

/* "/a//b/" becomes "/a/b", and its depth is counted. */
static char *
clean_path(const char *path, uint32_t *level)
{
	struct strbuf clean = { 0 };

	*level = 0;
	for (path += strspn(path, "/"); *path != '\0';
	     path += strspn(path, "/")) {
		size_t len = strcspn(path, "/");

		strbuf_printf(&clean, "/%.*s", (int)len, path);
		path += len;
		++*level;
	}
	return clean.s != NULL ? strbuf_steal(&clean) : mem_strdup("");
}

/*
 * Depths are counted from the host's root, which a namespace of control groups
 * hides.
 */
static bool
is_in_namespace(void)
{
	enum { HOST = 0xeffffffb }; /* PROC_CGROUP_INIT_INO */
	struct stat sb;

	return stat("/proc/self/ns/cgroup", &sb) == 0 && sb.st_ino != HOST;
}

CHECKED static int
take_group(struct dt_hdl *h, const char *top, char *dir, struct exec_cgroup *to)
{
	struct stat sb;
	int rc = -1;

	if (dir == NULL)
		return -1;
	if (strstr(dir, "/..") != NULL)
		dt_fail(h, "option cgroup: the path has '..': %s", dir);
	else if (stat(dir, &sb) != 0)
		dt_fail(h, "option cgroup: %s: %s", dir, strerror(errno));
	else
		rc = 0;
	if (rc == 0) {
		to->id = sb.st_ino;
		to->path = clean_path(dir + strlen(top), &to->level);
	}
	free(dir);
	return rc;
}

static const char *
value_of(const struct dt_hdl *h, enum dt_opt opt)
{
	const struct dt_optval *v = &h->opts.vals[opt];

	return v->strs.n != 0 ? v->strs.v[v->strs.n - 1] : NULL;
}

static char *
find_container(struct dt_hdl *h, const char *top, const char *arg)
{
	char *id, *path = NULL;
	size_t n = dt_container_named(arg, &id);

	if (n > 1)
		dt_fail(h,
		    "option container: %zu containers have the name '%s'; give "
		    "the id of one",
		    n, arg);
	else
		path = only_group(
		    h, top, rt_zone_is, "container", id != NULL ? id : arg);
	free(id);
	return path;
}

int
dt_cgroup_find(struct dt_hdl *h, struct exec_cgroup *to)
{
	const char *group = value_of(h, DT_OPT_CGROUP);
	const char *container = value_of(h, DT_OPT_CONTAINER);
	const char *what = group != NULL ? "cgroup" : "container";
	char *top;
	int error, rc;

	*to = (struct exec_cgroup){ 0 };
	if (group == NULL && container == NULL)
		return 0;
	if (group != NULL && container != NULL)
		return dt_fail(
		    h, "only one of options cgroup and container can be set");
	if (is_in_namespace())
		return dt_fail(h,
		    "option %s: dtrace is in a namespace of control groups, "
		    "whose root hides the host's groups",
		    what);
	top = find_mount(group != NULL ? group : "", &error);
	if (error != 0)
		return dt_fail(
		    h, "option %s: " MOUNTS ": %s", what, strerror(error));
	if (top == NULL)
		return dt_fail(h,
		    "option %s: the unified hierarchy of control groups "
		    "(cgroup2) is not mounted",
		    what);
	rc = take_group(h, top,
	    group != NULL ? find_dir(h, top, group) :
			    find_container(h, top, container),
	    to);
	free(top);
	return rc;
}

void
dt_cgroup_free(struct exec_cgroup *g)
{
	free(g->path);
	*g = (struct exec_cgroup){ 0 };
}
