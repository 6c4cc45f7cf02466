/* SPDX-License-Identifier: BSD-2-Clause */
/* Places of the kernel's functions, with lists of functions and symbols of our
 * own. */
#include "unit.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "base/err.h"
#include "base/vec.h"
#include "provider/fbt.h"
#include "provider/provider.h"

#define TRACING "/sys/kernel/tracing"
#define SYMBOLS TRACING "/symbols"

/* The list has "dup" twice, at two places.  It has "twin" once: that is the one
 * between its neighbours. */
#define LIST "first\ndup\ntwin\ndup\nlast\n"
#define KALLSYMS                                                               \
	"ffffffff81000000 T first\n"                                           \
	"ffffffff81000010 t dup\n"                                             \
	"ffffffff81000020 t twin\n"                                            \
	"ffffffff81000030 t dup\n"                                             \
	"ffffffff81000040 T last\n"                                            \
	"ffffffff81000050 t twin\n"                                            \
	"ffffffff81000060 t hidden\n"

static bool has_lists;

static bool
put(const char *path, const char *text)
{
	FILE *f = fopen(path, "we");
	bool is_put = f != NULL && fputs(text, f) >= 0;

	return f != NULL && fclose(f) == 0 && is_put;
}

/* Private lists, which only this process sees. */
static int
own_lists(void **state)
{
	(void)state;
	if (unshare(CLONE_NEWNS) != 0 &&
	    unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0)
		return 0;
	has_lists = mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0 &&
	    mount("fbt", "/sys/kernel", "tmpfs", 0, NULL) == 0 &&
	    mkdir(TRACING, 0700) == 0 &&
	    put(TRACING "/available_filter_functions", LIST) &&
	    put(SYMBOLS, KALLSYMS) &&
	    mount(SYMBOLS, "/proc/kallsyms", NULL, MS_BIND, NULL) == 0;
	return 0;
}

static int
take(const struct dt_probe *p, void *arg)
{
	const struct dt_probe **found = arg;

	*found = p;
	return 0;
}

/* The function of a probe that the description finds; NULL: it finds none. */
static const struct fbt_func *
find(struct dt_registry *r, const char *func, int *rc, struct err *err)
{
	static char prov[] = "fbt", mod[] = "vmlinux", name[] = "entry";
	char wanted[16];
	const struct dif_pdesc desc = {
		.prov = prov, .mod = mod, .func = wanted, .name = name
	};
	const struct dt_probe *p = NULL;

	snprintf(wanted, sizeof(wanted), "%s", func);
	*rc = dt_registry_match(r, &desc, take, &p, err);
	return p != NULL ? p->data : NULL;
}

/* No more files can be opened, or again as many as before. */
static void
limit_files(bool is_short)
{
	static struct rlimit before;
	struct rlimit none;

	if (is_short)
		assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
	none = (struct rlimit){ 0, before.rlim_max };
	assert_int_equal(
	    setrlimit(RLIMIT_NOFILE, is_short ? &none : &before), 0);
}

static size_t
count_places(const struct fbt_place *p)
{
	size_t n = 0;

	for (; p != NULL; p = p->next)
		n++;
	return n;
}

/* An unreadable list is reported, not taken for one without the function. */
static void
places(void **state)
{
	struct dt_registry *r = dt_registry_create();
	const struct fbt_func *dup, *twin;
	const struct fbt_place *at;
	struct err err = { 0 };
	int rc;

	(void)state;
	if (!has_lists)
		skip();
	dup = find(r, "dup", &rc, &err);
	twin = find(r, "twin", &rc, &err);
	assert_non_null(dup);
	assert_non_null(twin);
	limit_files(true);
	rc = fbt_places(dup, &at, &err);
	limit_files(false);
	assert_int_equal(rc, -EMFILE);
	assert_non_null(strstr(err_text(&err), "/proc/kallsyms"));
	err_clear(&err);
	assert_int_equal(fbt_places(dup, &at, &err), 0);
	assert_int_equal(count_places(at), 2);
	assert_int_equal(fbt_places(twin, &at, &err), 0);
	assert_int_equal(count_places(at), 1);
	assert_true(at->addr == 0xffffffff81000020);
	dt_registry_destroy(r);
}

/* Whether a function exists that the tracer leaves out, the symbols tell. */
static void
refused(void **state)
{
	struct dt_registry *r = dt_registry_create();
	struct err err = { 0 };
	int rc;

	(void)state;
	if (!has_lists)
		skip();
	assert_null(find(r, "hidden", &rc, &err));
	assert_int_equal(rc, -EPERM);
	err_clear(&err);
	limit_files(true);
	assert_null(find(r, "hidden", &rc, &err));
	limit_files(false);
	assert_int_equal(rc, -EMFILE);
	assert_non_null(strstr(err_text(&err), "/proc/kallsyms"));
	err_clear(&err);
	assert_null(find(r, "nothing", &rc, &err));
	assert_int_equal(rc, 0);
	err_clear(&err);
	dt_registry_destroy(r);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(places),
		cmocka_unit_test(refused),
	};

	return cmocka_run_group_tests(tests, own_lists, NULL);
}
