/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The answer of base/confine.h's child about a module:
 *
 *	| symbols | is_go, ntexts |
 *	| of each text: vaddr, len, nbad, nstarts, nkeepers, ndoubtful_calls |
 *	| of each text: bad, starts, keepers, doubtful_calls |
 *	| to a page | marks of each text |
 *
 * The answer does not contain the code's bytes, which we read from the file
 * ourselves.  Texts are the file's segments of code.  Numbers are offsets in
 * their text.  The numbers of bad, starts and doubtful_calls ascend; the file
 * has a SYSCALL at each of doubtful_calls.  Marks and keepers may have any
 * value: plans decode the instructions that they displace, and a false mark
 * harms only the program that has this file.
 */
#include "inproc/module_read.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bounds.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/vec.h"
#include "inproc/module.h"
#include "x86/insn.h"

#define PAGE 4096
#define READ_STEP ((size_t)16 << 20)

struct module_read_head {
	uint64_t is_go, ntexts;
};

struct flat_text {
	uint64_t vaddr, len, nbad, nstarts, nkeepers, ndoubtful_calls;
};

/* ---- a file's bytes ------------------------------------------------------ */

static const uint8_t *
map_part(struct inproc_module *m, int fd, uint64_t off, uint64_t len)
{
	uint64_t skip = off & (PAGE - 1);
	uint8_t *p = mmap(
	    NULL, len + skip, PROT_READ, MAP_PRIVATE, fd, (off_t)(off - skip));

	if (p == MAP_FAILED)
		return NULL;
	VEC_PUSH(&m->memory, (struct ip_memory){ p, len + skip });
	return p + skip;
}

/* False: errno says why, if it is not 0. */
static bool
read_all(int fd, uint64_t off, uint8_t *bytes, uint64_t len)
{
	errno = 0;
	for (uint64_t done = 0; done < len;) {
		size_t want = len - done < READ_STEP ? len - done : READ_STEP;
		ssize_t n = bounds_is_over() ?
		    0 :
		    pread(fd, bytes + done, want, (off_t)(off + done));

		if (n <= 0)
			return false;
		done += (uint64_t)n;
	}
	return true;
}

const uint8_t *
ip_load(struct inproc_module *m, int fd, uint64_t off, uint64_t len,
    struct err *err)
{
	const uint8_t *mapped;
	uint8_t *bytes;
	struct stat st;

	if (fstat(fd, &st) != 0 || off > (uint64_t)st.st_size ||
	    len > (uint64_t)st.st_size - off) {
		err_set(err, -EINVAL, "its file was cut off");
		return NULL;
	}
	if (confine_is_inside()) {
		mapped = map_part(m, fd, off, len);
		if (mapped == NULL)
			err_set(err, -ENOMEM, "no memory for it");
		return mapped;
	}
	if (!bounds_take(len))
		return NULL;
	bytes = mem_alloc(len + 1);
	VEC_PUSH(&m->memory, (struct ip_memory){ bytes, 0 });
	if (read_all(fd, off, bytes, len))
		return bytes;
	if (errno == 0)
		err_set(err, -EINVAL, "its file cannot be read");
	else
		err_set(err, -errno, "its file cannot be read: %s",
		    strerror(errno));
	return NULL;
}

/* ---- writing ------------------------------------------------------------- */

#define PUT_OFFSETS(vec, out)                                                  \
	confine_put((out), (vec)->v, (vec)->n * sizeof(*(vec)->v))

static void
put_texts(const struct inproc_module *m, struct confine_out *out)
{
	const struct module_read_head h = { m->is_go, m->texts.n };

	confine_put(out, &h, sizeof(h));
	VEC_FOREACH(&m->texts, t) {
		const struct flat_text f = { t->vaddr, t->len, t->bad.n,
			t->starts.n, t->keepers.n, t->doubtful_calls.n };

		confine_put(out, &f, sizeof(f));
	}
	VEC_FOREACH(&m->texts, u) {
		PUT_OFFSETS(&u->bad, out);
		PUT_OFFSETS(&u->starts, out);
		PUT_OFFSETS(&u->keepers, out);
		PUT_OFFSETS(&u->doubtful_calls, out);
	}
}

void
inproc_module_put(const struct elf_syms *es, const struct inproc_module *m,
    struct confine_out *out)
{
	elf_syms_put(es, out);
	while (out->len % 8 != 0 && !out->is_bad)
		confine_put(out, "", 1);
	put_texts(m, out);
	confine_align(out);
	VEC_FOREACH(&m->texts, t)
		confine_put(out, t->marks, t->len);
}

/* ---- checking ------------------------------------------------------------ */

/* Do the values ascend, from `from` or above to `to` or below? */
static bool
is_ascending(const uint64_t *v, uint64_t n, uint64_t from, uint64_t to)
{
	for (uint64_t i = 0; i < n; i++) {
		if (v[i] < from || v[i] > to)
			return false;
		from = v[i];
	}
	return true;
}

/* Copy n offsets.  NULL: there are none, or the answer is bad. */
static size_t *
copy_offsets(struct confine_in *in, uint64_t n)
{
	const void *from = confine_get(in, n, sizeof(size_t));
	size_t *v;

	if (from == NULL || n == 0)
		return NULL;
	v = mem_alloc(n * sizeof(*v));
	memcpy(v, from, n * sizeof(*v));
	return v;
}

#define TAKE_OFFSETS(vec, count, in)                                           \
	do {                                                                   \
		(vec)->v = copy_offsets(in, count);                            \
		(vec)->n = (vec)->cap = (vec)->v != NULL ? (count) : 0;        \
	} while (0)

/* Is there a SYSCALL at each of them, and none is there twice? */
static bool
are_calls(const struct ip_text *t)
{
	uint64_t from = 0;

	VEC_FOREACH(&t->doubtful_calls, off) {
		if (*off < from || !ip_is_call(t, *off))
			return false;
		from = *off + 1;
	}
	return true;
}

/* Keepers are only compared, so any value is safe. */
static bool
take_numbers(
    struct ip_text *t, const struct flat_text *f, struct confine_in *in)
{
	TAKE_OFFSETS(&t->bad, f->nbad, in);
	TAKE_OFFSETS(&t->starts, f->nstarts, in);
	TAKE_OFFSETS(&t->keepers, f->nkeepers, in);
	TAKE_OFFSETS(&t->doubtful_calls, f->ndoubtful_calls, in);
	return !in->is_bad && t->bad.n != 0 && t->starts.n != 0 &&
	    is_ascending(t->bad.v, t->bad.n, 0, t->len) &&
	    t->starts.v[0] == 0 &&
	    is_ascending(t->starts.v, t->starts.n, 0, t->len - 1);
}

/* The next segment of code from *i on, or NULL. */
static const struct elf_seg *
next_code(const struct elf_syms *es, size_t *i)
{
	while (*i < elf_syms_nsegs(es)) {
		const struct elf_seg *s = elf_syms_seg(es, (*i)++);

		if (s->is_exec && s->filesz != 0)
			return s;
	}
	return NULL;
}

/* Take the texts without their marks. */
CHECKED static bool
take_texts(struct inproc_module *m, int fd, const struct elf_syms *es,
    struct confine_in *in, struct err *err)
{
	const struct module_read_head *h = confine_get(in, 1, sizeof(*h));
	const struct flat_text *texts;
	size_t seg = 0;

	if (h == NULL || h->ntexts > LIMIT_SEGMENTS)
		return false;
	m->is_go = h->is_go != 0;
	texts = confine_get(in, h->ntexts, sizeof(*texts));
	if (texts == NULL)
		return false;
	for (uint64_t i = 0; i < h->ntexts; i++) {
		const struct elf_seg *s = next_code(es, &seg);
		struct ip_text *t;

		if (s == NULL || s->vaddr != texts[i].vaddr ||
		    s->filesz != texts[i].len || s->filesz > in->left)
			return false;
		VEC_PUSH(&m->texts,
		    (struct ip_text){ .vaddr = s->vaddr,
			.len = s->filesz,
			.is_go = m->is_go });
		t = &m->texts.v[i];
		if (!take_numbers(t, &texts[i], in))
			return false;
		t->bytes = ip_load(m, fd, s->off, s->filesz, err);
		if (t->bytes == NULL || !are_calls(t))
			return false;
	}
	return next_code(es, &seg) == NULL;
}

/* There must be a mark for each byte of all texts, and nothing behind. */
static bool
take_marks(struct inproc_module *m, const uint8_t *all, struct confine_in *in)
{
	confine_get(in, -(uint64_t)(in->p - all) & (PAGE - 1), 1);
	VEC_FOREACH(&m->texts, t)
		t->marks = (uint8_t *)(uintptr_t)confine_get(in, t->len, 1);
	return !in->is_bad && in->left == 0;
}

CHECKED static struct inproc_module *
take_module(int fd, const struct elf_syms *es, void *p, size_t len,
    struct confine_in *in, struct err *err)
{
	struct inproc_module *m = mem_alloc(sizeof(*m));
	struct bounds_meter meter;
	bool is_ok;

	VEC_PUSH(&m->memory, (struct ip_memory){ p, len });
	confine_get(in, -(uint64_t)(in->p - (uint8_t *)p) & 7, 1);
	bounds_begin(&meter);
	bounds_give(len); /* the code has as many bytes as marks */
	is_ok = !in->is_bad && take_texts(m, fd, es, in, err) &&
	    take_marks(m, p, in);
	free(bounds_end(&meter));
	if (is_ok)
		return m;
	inproc_module_close(m);
	return NULL;
}

int
inproc_module_take(int fd, void *p, size_t len, struct elf_syms **es,
    struct inproc_module **m, struct err *err)
{
	struct confine_in in = { p, len, false };

	err_clear(err);
	*es = elf_syms_take(&in);
	if (*es == NULL) {
		munmap(p, len);
	} else {
		*m = take_module(fd, *es, p, len, &in, err);
		if (*m != NULL)
			return 0;
		elf_syms_rele(*es);
	}
	if (!err_is_set(err))
		err_set(err, -EINVAL, "%s", CONFINE_BAD);
	return -1;
}

/* ---- the job ------------------------------------------------------------- */

CHECKED static int
open_both(int fd, const char *path, struct elf_syms **es,
    struct inproc_module **m, struct err *err)
{
	*es = elf_syms_open(fd, path, "", err);
	if (*es == NULL)
		return -1;
	*m = inproc_module_open(fd, *es, err);
	if (*m != NULL)
		return 0;
	elf_syms_rele(*es);
	return -1;
}

CHECKED static int
read_module(int fd, const void *arg, size_t len, struct confine_out *out,
    struct err *err)
{
	struct bounds_meter meter;
	struct inproc_module *m = NULL;
	struct elf_syms *es;

	bounds_begin(&meter);
	es = elf_syms_in_child(fd, arg, len, err);
	if (es != NULL)
		m = inproc_module_open(fd, es, err);
	if (m != NULL)
		inproc_module_put(es, m, out);
	free(bounds_end(&meter));
	if (es != NULL)
		elf_syms_rele(es);
	if (m == NULL)
		return -1;
	inproc_module_close(m);
	return 0;
}

int
inproc_module_read(int fd, const char *path, struct elf_syms **es,
    struct inproc_module **m, struct err *err)
{
	struct confine_answer a;
	struct strbuf names;
	struct confine_call c = elf_syms_call(fd, &names, path, "");
	int rc;

	c.run = read_module;
	c.is_ready = x86_is_ready;
	rc = confine_run(&c, &a, err);
	strbuf_fini(&names);
	if (rc == -ENOSYS)
		return open_both(fd, path, es, m, err);
	if (rc != 0)
		return -1;
	if (a.p != NULL)
		return inproc_module_take(fd, a.p, a.len, es, m, err);
	return err_set(err, -EINVAL, "%s", CONFINE_BAD);
}
