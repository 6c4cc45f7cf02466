/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Facts about files' code, shared by all processes that map them: a program
 * that is executed a hundred times is read once.
 */
#include "exec/plant/plant.h"

#include <stdlib.h>

#include "base/bounds.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/vec.h"
#include "inproc/module_read.h"
#include "provider/usites.h"
#include "sym/elf_read.h"

static void
look_at(struct pr_code *code, const struct dt_ufile *file)
{
	struct err err = { 0 };

	if (inproc_module_read(
		file->fd, file->path, &code->es, &code->module, &err) == 0)
		return;
	code->es = NULL;
	code->module = NULL;
	code->why = mem_printf("%s: %s", file->path, err_text(&err));
	err_clear(&err);
}

static void
code_free(struct pr_code *code)
{
	if (code->module != NULL)
		inproc_module_close(code->module);
	if (code->es != NULL)
		elf_syms_rele(code->es);
	free(code->why);
	VEC_FREE(&code->calls);
	free(code);
}

/* The user has stopped the work: drop the last file's code. */
static struct pr_code *
forget(struct pr_plant *pl)
{
	code_free(pl->codes.v[--pl->codes.n]);
	return NULL;
}

struct pr_code *
pr_code_of(struct pr_plant *pl, const struct dt_ufile *file)
{
	struct pr_code *code;

	VEC_FOREACH(&pl->codes, c) {
		if ((*c)->dev == file->dev && (*c)->ino == file->ino)
			return *c;
	}
	if (bounds_is_stopped())
		return NULL;
	code = mem_alloc(sizeof(*code));
	code->dev = file->dev;
	code->ino = file->ino;
	look_at(code, file);
	VEC_PUSH(&pl->codes, code);
	return code->es == NULL && bounds_is_stopped() ? forget(pl) : code;
}

void
pr_codes_free(struct pr_plant *pl)
{
	VEC_FOREACH(&pl->codes, c)
		code_free(*c);
	VEC_FREE(&pl->codes);
}
