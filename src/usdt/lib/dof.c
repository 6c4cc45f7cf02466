/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Turn sites that DOF in memory describes into sites that dtrace finds.
 *
 * dtrace -G of other systems, and libusdt, leave instructions without effect
 * where a probe is.  We overwrite them with a call, or a jump, to a stub:
 *
 *	nop nop nop nop nop		call probe
 *	ret nop nop nop nop		jmp probe
 *	xor %eax,%eax nop nop [nop]	call asks
 *	xor %eax,%eax ret nop [nop]	jmp asks
 *	xor %eax,%eax nop nop leave ret	leave; jmp asks
 *
 * xor has two bytes, or three with REX.W.  The DOF has the address of the first
 * nop behind it, or of the xor itself; for a probe, libusdt's DOF has the
 * address of another nop than the first.
 */
#include "libdtrace-usdt.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/vec.h"
#include "dof/dof.h"
#include "usdt/lib/image.h"
#include "usdt/lib/pages.h"

#define EXPORT __attribute__((visibility("default")))
#define DOF_MAX (8U << 20) /* bytes of an image: dtrace_dof_maxsize */
#define SITE_MAX 6
#define OP_NOP 0x90
#define OP_RET 0xc3
#define OP_LEAVE 0xc9
#define OP_CALL 0xe8
#define OP_JMP 0xe9
#define REX_W 0x48

struct dof_site {
	uint8_t *at;
	uint8_t old[SITE_MAX], len;
	bool asks, is_jump, leaves;
	bool is_led; /* jumps to its stub */
	size_t stub;
};

/* Providers, sites and images of one DOF. */
struct brought {
	int number;
	VEC(struct dif_provider) defs;
	VEC(struct dof_site) sites;
	/* one or more for each provider: a jump does not reach all memory */
	VEC(struct usdt_image) images;
	struct usdt_pages pages;
	struct brought *next;
};

/*
 * Guards `all`, and the protection of pages: two sites may share a page, so one
 * thread at a time overwrites sites.  No other lock is held with it.  After a
 * fork() while another thread held it, the child cannot add or remove DOF.
 */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct brought *all;
static int last_number;

/* ---- sites --------------------------------------------------------------- */

static bool
are_nops(const uint8_t *p, size_t n)
{
	while (n > 0 && *p == OP_NOP) {
		p++;
		n--;
	}
	return n == 0;
}

/* The length of an xor that clears %eax; 0: another instruction. */
static size_t
length_of_xor(const uint8_t *p)
{
	size_t rex = p[0] == REX_W;

	return (p[rex] == 0x31 || p[rex] == 0x33) && p[rex + 1] == 0xc0 ?
	    rex + 2 :
	    0;
}

static bool
look_at_probe(struct dof_site *s)
{
	s->len = 5;
	s->is_jump = s->at[0] == OP_RET;
	return (s->is_jump || s->at[0] == OP_NOP) && are_nops(s->at + 1, 4);
}

/*
 * Behind the xor there must be three bytes, two if it is the longer one; or
 * nops and the function's end.
 */
static bool
look_at_question(struct dof_site *s)
{
	size_t n = length_of_xor(s->at);
	const uint8_t *rest = s->at + n;

	s->asks = true;
	if (n == 0)
		return false;
	s->len = 5;
	s->is_jump = rest[0] == OP_RET;
	if ((s->is_jump || rest[0] == OP_NOP) && are_nops(rest + 1, 4 - n))
		return true;
	s->len = 6;
	s->is_jump = s->leaves = true;
	return n == 2 && are_nops(rest, 2) && rest[2] == OP_LEAVE &&
	    rest[3] == OP_RET;
}

/*
 * DOF may name any nop of a probe; for an is-enabled site, the place behind its
 * xor, or a byte of the xor.
 */
static bool
find_site(uint8_t *named, bool asks, struct dof_site *out)
{
	size_t most = asks ? 3 : 4;

	for (size_t back = 0; back <= most; back++) {
		*out = (struct dof_site){ .at = named - back };
		if (asks ? look_at_question(out) : look_at_probe(out))
			return true;
	}
	return false;
}

static bool
add_site(struct brought *b, uint64_t addr, bool asks)
{
	struct dof_site s;

	if (!find_site((uint8_t *)(uintptr_t)addr, asks, &s)) {
		errno = ENOEXEC;
		return false;
	}
	memcpy(s.old, s.at, s.len);
	VEC_PUSH(&b->sites, s);
	return true;
}

/*
 * The displacement from the end of the site's jump or call, which has 32 bits
 * for it.
 */
static int64_t
distance(const struct dof_site *s, const uint8_t *stub)
{
	return (int64_t)((uintptr_t)stub -
	    ((uintptr_t)s->at + (s->leaves ? 6 : 5)));
}

static bool
can_lead(const struct dof_site *s, const uint8_t *stub)
{
	int64_t n = distance(s, stub);

	return n >= INT32_MIN && n <= INT32_MAX;
}

static bool
lead(const struct usdt_pages *pages, struct dof_site *s, const uint8_t *stub)
{
	uint8_t bytes[SITE_MAX] = { OP_LEAVE };
	size_t n = s->leaves;
	int32_t disp = (int32_t)distance(s, stub);

	bytes[n] = s->is_jump ? OP_JMP : OP_CALL;
	memcpy(bytes + n + 1, &disp, sizeof(disp));
	s->is_led = usdt_pages_overwrite(pages, s->at, bytes, s->len);
	return s->is_led;
}

/* ---- providers ----------------------------------------------------------- */

static void
take_types(struct dif_provprobe *pp, const struct dof_usdt_probe *p)
{
	VEC_FOREACH(&p->nargs, type)
		VEC_PUSH(&pp->native,
		    ((struct dif_provarg){
			mem_strdup(*type), (uint8_t)(type - p->nargs.v) }));
	for (size_t i = 0; i < p->xargs.n; i++)
		VEC_PUSH(&pp->xlated,
		    ((struct dif_provarg){
			mem_strdup(p->xargs.v[i]), p->map.v[i] }));
	pp->is_translated = pp->xlated.n != 0;
}

/*
 * Make a stub for each probe with sites, and one for each with is-enabled
 * sites.
 */
static bool
take_probe(struct brought *b, const struct dif_provider *def,
    struct dif_provprobe *pp, const struct dof_usdt_probe *p, uint64_t base,
    struct usdt_stubs *stubs)
{
	for (int asks = 0; asks < 2; asks++) {
		size_t n = asks ? p->enoffs.n : p->offs.n;

		for (size_t i = 0; i < n; i++) {
			uint32_t off = asks ? p->enoffs.v[i] : p->offs.v[i];

			if (!add_site(b, base + p->addr + off, asks))
				return false;
			b->sites.v[b->sites.n - 1].stub = stubs->v.n;
		}
		if (n != 0)
			VEC_PUSH(
			    &stubs->v, ((struct usdt_stub){ def, pp, asks }));
	}
	return true;
}

static bool
map_stubs(struct brought *b, const char *module, struct dif_provider *def,
    const struct usdt_stubs *stubs, const char *const *functions,
    const struct dof_site *near)
{
	struct usdt_defs defs = { 0 };
	struct usdt_image img;
	bool is_mapped;

	VEC_PUSH(&defs.providers, def);
	is_mapped = usdt_image_map(&img, module, &defs, stubs, functions,
			(uint64_t)(uintptr_t)near->at) == 0;
	VEC_FREE(&defs.providers);
	if (is_mapped)
		VEC_PUSH(&b->images, img);
	return is_mapped;
}

/*
 * Make sites from the i-th on jump to the last image, if they are near it.  The
 * i-th must be.
 */
static bool
lead_near(struct brought *b, size_t i)
{
	const struct usdt_image *img = &b->images.v[b->images.n - 1];
	const struct dof_site *needed = &b->sites.v[i];

	for (; i < b->sites.n; i++) {
		struct dof_site *s = &b->sites.v[i];
		const uint8_t *stub =
		    img->base + img->text + img->offsets.v[s->stub];

		if (!s->is_led && can_lead(s, stub) &&
		    !lead(&b->pages, s, stub))
			return false;
	}
	if (!needed->is_led)
		errno = ENOMEM;
	return needed->is_led;
}

/*
 * Make all sites jump.  On failure the caller calls undo().
 *
 * An image has all stubs, also those of sites that are far from it, which are
 * not called.  The second image is module.2, so that its probes are different
 * ones: dtrace adds no sites to a probe that it traces already.
 */
static bool
lead_all(struct brought *b, const char *module, struct dif_provider *def,
    const struct usdt_stubs *stubs, const char *const *functions, size_t first)
{
	unsigned nimages = 0;
	bool is_led = true;

	for (size_t i = first; i < b->sites.n && is_led; i++) {
		const struct dof_site *s = &b->sites.v[i];
		char *name;

		if (s->is_led)
			continue;
		name = ++nimages == 1 ? mem_strdup(module) :
					mem_printf("%s.%u", module, nimages);
		is_led = map_stubs(b, name, def, stubs, functions, s) &&
		    lead_near(b, i);
		free(name);
	}
	return is_led;
}

static bool
take_provider(struct brought *b, const struct dof_usdt *u, const char *module,
    uint64_t base)
{
	struct usdt_stubs stubs = { 0 };
	VEC(const char *) functions = { 0 };
	size_t first = b->sites.n;
	struct dif_provider *def;
	bool is_taken = true;

	VEC_PUSH(
	    &b->defs, (struct dif_provider){ .name = mem_strdup(u->name) });
	def = &b->defs.v[b->defs.n - 1];
	for (int i = 0; i < DIF_NPROVATTRS; i++)
		dof_attr_of_word(u->attrs[i], &def->attrs[i]);
	VEC_FOREACH(&u->probes, p) {
		struct dif_provprobe pp = { .name = mem_strdup(p->name) };

		take_types(&pp, p);
		VEC_PUSH(&def->probes, pp);
	}
	for (size_t i = 0; i < u->probes.n && is_taken; i++) {
		is_taken = take_probe(
		    b, def, &def->probes.v[i], &u->probes.v[i], base, &stubs);
		while (functions.n < stubs.v.n)
			VEC_PUSH(&functions, u->probes.v[i].func);
	}
	if (is_taken)
		is_taken = lead_all(b, module, def, &stubs, functions.v, first);
	VEC_FREE(&stubs.v);
	VEC_FREE(&functions);
	return is_taken;
}

/* ---- images -------------------------------------------------------------- */

static void
undo(struct brought *b)
{
	usdt_pages_read(&b->pages); /* as they were when the DOF was added */
	VEC_FOREACH(&b->sites, s) {
		if (memcmp(s->at, s->old, s->len) != 0)
			usdt_pages_overwrite(&b->pages, s->at, s->old, s->len);
	}
	VEC_FOREACH(&b->images, img)
		usdt_image_unmap(img);
	VEC_FOREACH(&b->defs, def)
		dif_provider_fini(def);
	usdt_pages_fini(&b->pages);
	VEC_FREE(&b->sites);
	VEC_FREE(&b->images);
	VEC_FREE(&b->defs);
	free(b);
}

/* Does the DOF give addresses of functions relative to the object's? */
static bool
is_relative(const struct dof *d)
{
	for (uint32_t i = 0; i < d->hdr.dofh_secnum; i++) {
		if (d->secs[i].dofs_type == DOF_SECT_URELHDR)
			return true;
	}
	return false;
}

static bool
take_all(
    struct brought *b, const struct dof *d, const char *module, uint64_t base)
{
	bool is_taken = true;

	for (uint32_t i = 0; i < d->hdr.dofh_secnum && is_taken; i++) {
		struct dof_usdt u;

		if (d->secs[i].dofs_type != DOF_SECT_PROVIDER)
			continue;
		dof_get_usdt(d, i, &u);
		is_taken =
		    take_provider(b, &u, module, is_relative(d) ? base : 0);
		dof_usdt_fini(&u);
	}
	return is_taken;
}

static struct brought *
bring(const void *dof, const char *module, uint64_t base)
{
	const struct dof_hdr *h = dof;
	struct brought *b;
	struct dof *d = NULL;
	struct err err = { 0 };
	int code;

	if (!dof_is_dof(dof, sizeof(*h)) || h->dofh_filesz > DOF_MAX ||
	    dof_decode(dof, h->dofh_filesz, &err, &d) != 0 ||
	    dof_check_helper(d, &err) != 0) {
		err_clear(&err);
		if (d != NULL)
			dof_destroy(d);
		errno = EINVAL;
		return NULL;
	}
	b = mem_alloc(sizeof(*b));
	if (!usdt_pages_read(&b->pages) || !take_all(b, d, module, base)) {
		code = errno;
		undo(b);
		errno = code;
		b = NULL;
	}
	dof_destroy(d);
	return b;
}

/* Add it to the list. Returns its number. */
static int
keep(struct brought *b)
{
	b->number = ++last_number;
	b->next = all;
	all = b;
	return b->number;
}

/* Remove it from the list; NULL: the number is unknown. */
static struct brought *
take_out(int number)
{
	struct brought **link, *b;

	for (link = &all; *link != NULL && (*link)->number != number;)
		link = &(*link)->next;
	b = *link;
	if (b != NULL)
		*link = b->next;
	return b;
}

EXPORT int
dtrace_usdt_add_dof(const void *dof, const char *module, uint64_t base)
{
	struct brought *b;
	int number;

	pthread_mutex_lock(&lock);
	b = bring(dof, module, base);
	number = b != NULL ? keep(b) : -1;
	pthread_mutex_unlock(&lock);
	return number;
}

EXPORT int
dtrace_usdt_remove_dof(int number)
{
	struct brought *b;

	pthread_mutex_lock(&lock);
	b = take_out(number);
	if (b != NULL)
		undo(b);
	pthread_mutex_unlock(&lock);
	if (b == NULL) {
		errno = ESRCH;
		return -1;
	}
	return 0;
}
