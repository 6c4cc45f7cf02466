/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * DIF as text.  The assembler survives any text; the listing of accepted text
 * assembles to the same listing.  An object with references to translators is
 * linked: the result passes the verifier, or the object is refused.
 */
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "dif/dif.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct dif_obj *
assemble(const char *text, size_t len)
{
	struct dif_obj *dp = NULL;
	struct err err = { 0 };

	if (dif_assemble(text, len, &dp, &err) != 0 && err.text == NULL)
		abort();
	err_clear(&err);
	return dp;
}

/* A translator's code: writes registers, compares, branches, calls. */
static const char *const parts[] = {
	"DIFO returns D type (integer) (size 8)\n"
	"ldls 0xf00, %r1\nmov %r1, %r7\nadd %r1, %r7, %r2\nret %r2\n"
	"NAME ID KND SCP FLAG TYPE\n"
	"in f00 scl loc r D type (integer) (size 8)\n",
	"DIFO returns string by ref (size strsize)\n"
	"ldgs arg0, %r3\ntst %r3\nbe no\nsets \"yes\", %r3\nret %r3\n"
	"no: sets \"no\", %r1\nret %r1\n",
	"DIFO returns D type (integer) (size 8)\n"
	"setx 0x1234567890, %r1\npushtv DT_TYPE(0), %r0, %r1\n"
	"call htonl, %r1\nret %r1\n",
};
#define NPARTS (sizeof(parts) / sizeof(parts[0]))

static void
link_object(struct dif_obj *dp)
{
	static const uint32_t saves[DIF_NREGS] = { 0, 0xf01, 0xf02, 0xf03,
		0xf04, 0xf05, 0xf06, 0xf07 };
	struct dif_part *ps = mem_alloc(dp->nxlref * sizeof(*ps));
	uint32_t n = dp->nxlref;
	struct err err = { 0 };

	for (uint32_t i = 0; i < n; i++) {
		ps[i].obj =
		    assemble(parts[i % NPARTS], strlen(parts[i % NPARTS]));
		ps[i].input = 0xf00;
		if (ps[i].obj == NULL || dif_verify(ps[i].obj, &err) != 0)
			abort();
	}
	if (dif_link(dp, ps, saves, &err) == 0 && dp->nxlref != 0)
		abort();
	err_clear(&err);
	for (uint32_t i = 0; i < n; i++)
		dif_obj_destroy(ps[i].obj);
	free(ps);
}

/* Does the object use variable ids that are reserved for the linker? */
static bool
has_our_ids(const struct dif_obj *dp)
{
	for (uint32_t i = 0; i < dp->nvar; i++) {
		if (dp->vartab[i].id >= 0xf00 && dp->vartab[i].id <= 0xf07)
			return true;
	}
	return false;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct dif_obj *dp = assemble((const char *)data, size), *again;
	struct strbuf first = { 0 }, second = { 0 };
	struct err err = { 0 };

	if (dp == NULL)
		return 0;
	dif_format(dp, &first);
	again = assemble(first.s, first.len);
	if (again == NULL)
		abort();
	dif_format(again, &second);
	if (strcmp(first.s, second.s) != 0)
		abort();
	if (dif_verify_unlinked(dp, &err) == 0 && dp->nxlref != 0 &&
	    dp->nxlref < 64 && !has_our_ids(dp))
		link_object(dp);
	err_clear(&err);
	strbuf_fini(&first);
	strbuf_fini(&second);
	dif_obj_destroy(dp);
	dif_obj_destroy(again);
	return 0;
}
