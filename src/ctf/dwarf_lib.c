/* SPDX-License-Identifier: BSD-2-Clause */
#include "ctf/dwarf_lib.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include "base/dynlib.h"
#include "base/err.h"
#include "base/mem.h"
#include "sonames.h"

/* Written once, by load(), under `once`; read by everybody after it. */
static pthread_once_t once = PTHREAD_ONCE_INIT;
static struct dw_lib loaded;
static char *load_error;

static const struct dynlib_fn functions[] = {
#define DW_FN(name) { #name, offsetof(struct dw_lib, name) },
#include "ctf/dwarf_fns.def"
#undef DW_FN
};

static void
load(void)
{
	load_error = dynlib_load(SONAME_DW, PACKAGE_DW, functions,
	    sizeof(functions) / sizeof(functions[0]), &loaded);
}

/* The library, or NULL with *err. */
static const struct dw_lib *
get_lib(struct err *err)
{
	pthread_once(&once, load);
	if (load_error == NULL)
		return &loaded;
	err_set(err, -EINVAL, "DWARF cannot be read: %s", load_error);
	return NULL;
}

int
dw_lib_need(struct err *err)
{
	return get_lib(err) != NULL ? 0 : -EINVAL;
}

static Dwfl_Module *
report(struct dw_file *df, const char *path, int fd)
{
	const struct dw_lib *lib = df->lib;
	Dwfl_Module *mod;

	lib->dwfl_report_begin(df->dwfl);
	mod = lib->dwfl_report_offline(df->dwfl, path, path, fd);
	lib->dwfl_report_end(df->dwfl, NULL, NULL);
	if (mod == NULL)
		close(fd); /* otherwise libdw owns it now */
	return mod;
}

/*
 * dwz(1) moves entries that several files share to another file, which may be
 * missing.
 */
CHECKED static int
check_supplement(struct dw_file *df, const char *path, struct err *err)
{
	const char *name;
	const void *id;

	if (df->lib->dwelf_dwarf_gnu_debugaltlink(df->dwarf, &name, &id) <= 0 ||
	    df->lib->dwarf_getalt(df->dwarf) != NULL)
		return 0;
	return err_set(err, -EINVAL,
	    "%s: its DWARF continues in %s, which is not there or not the one that belongs to it",
	    path, name);
}

static _Noreturn void
no_memory(void)
{
	mem_end("libdw");
}

/* Else libdw without memory would end dtrace with a message of its own. */
static void
handle_no_memory(struct dw_file *df)
{
	Dwarf *alt = df->lib->dwarf_getalt(df->dwarf);

	df->lib->dwarf_new_oom_handler(df->dwarf, no_memory);
	if (alt != NULL)
		df->lib->dwarf_new_oom_handler(alt, no_memory);
}

CHECKED static int
open_module(struct dw_file *df, const char *path, int fd, struct err *err)
{
	Dwfl_Module *mod = report(df, path, fd);
	Dwarf_Addr bias;
	const char *why;

	if (mod != NULL)
		df->dwarf = df->lib->dwfl_module_getdwarf(mod, &bias);
	if (df->dwarf != NULL) {
		handle_no_memory(df);
		return check_supplement(df, path, err);
	}
	why = df->lib->dwfl_errmsg(-1);
	return err_set(err, -EINVAL, "%s: no DWARF: %s", path,
	    why != NULL ? why : "it is not an ELF file");
}

int
dw_file_open(struct dw_file *df, const char *path, int fd, struct err *err)
{
	fd = dup(fd);
	if (fd < 0)
		return err_set(err, -errno, "%s: %s", path, strerror(errno));
	memset(df, 0, sizeof(*df));
	df->lib = get_lib(err);
	if (df->lib == NULL) {
		close(fd);
		return -1;
	}
	df->callbacks.find_debuginfo = df->lib->dwfl_standard_find_debuginfo;
	df->callbacks.section_address = df->lib->dwfl_offline_section_address;
	df->dwfl = df->lib->dwfl_begin(&df->callbacks);
	if (df->dwfl == NULL) {
		close(fd);
		return err_set(
		    err, -ENOMEM, "%s: no DWARF: %s", path, strerror(ENOMEM));
	}
	if (open_module(df, path, fd, err) == 0)
		return 0;
	dw_file_close(df);
	return -1;
}

void
dw_file_close(struct dw_file *df)
{
	if (df->dwfl != NULL)
		df->lib->dwfl_end(df->dwfl);
	df->dwfl = NULL;
}
