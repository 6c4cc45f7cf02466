/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Recordings: any file is read to its end, and replayed as text and as JSON,
 * though its program, probes and records may contradict each other.
 *
 * The input is a file.  If its first byte is not 0, the checksums and numbers
 * of its blocks are made right, so that variations reach what the blocks hold.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zlib.h>

#include "libdtrace/dt.h"
#include "record/format.h"
#include "record/record.h"
#include "sum.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Steps of a replay; a small input cannot have more. */
#define STEPS_MAX 100000

/* A sum of all that was read: the compiler must not leave reads out. */
static volatile size_t used;

static void
repair_header(uint8_t *data)
{
	struct record_fhdr h = { .major = RECORD_MAJOR, .size = sizeof(h) };

	memcpy(h.magic, RECORD_MAGIC, sizeof(h.magic));
	h.crc = (uint32_t)crc32(
	    0, (const Bytef *)&h, offsetof(struct record_fhdr, crc));
	memcpy(data, &h, sizeof(h));
}

/* Returns the bytes of the block. */
static size_t
repair_block(uint8_t *data, size_t left, uint32_t number)
{
	struct record_bhdr h;

	memcpy(&h, data, sizeof(h));
	memcpy(h.magic, RECORD_BLOCK_MAGIC, sizeof(h.magic));
	h.number = number;
	if (h.stored > left - sizeof(h))
		h.stored = (uint32_t)(left - sizeof(h));
	h.flags &= RECORD_ZSTD | RECORD_PACKED;
	if (h.flags == RECORD_PACKED)
		h.packed = h.stored;
	else if (h.flags == 0)
		h.raw = h.stored;
	h.data_crc = (uint32_t)crc32(0, data + sizeof(h), h.stored);
	h.crc = (uint32_t)crc32(
	    0, (const Bytef *)&h, offsetof(struct record_bhdr, crc));
	memcpy(data, &h, sizeof(h));
	return sizeof(h) + h.stored;
}

static void
repair(uint8_t *data, size_t size)
{
	size_t at = sizeof(struct record_fhdr);

	if (size < at)
		return;
	repair_header(data);
	for (uint32_t n = 0; size - at >= sizeof(struct record_bhdr); n++)
		at += repair_block(data + at, size - at, n);
}

/* ---- reading ------------------------------------------------------------ */

static void
use_tables(const struct record *r)
{
	const struct record_machine *m = record_machine(r);
	size_t n = strlen(m->host) + strlen(m->command);

	for (uint32_t i = 0; i < record_nprobes(r); i++) {
		const struct record_probe *p = record_probe(r, i);

		for (uint32_t k = 0; p != NULL && k < p->nargs; k++)
			n += strlen(p->args[k].native);
	}
	for (uint32_t i = 1; i <= record_nenablings(r) && i < 100000; i++)
		n += record_enabling(r, i) != NULL;
	for (uint32_t i = 1; i <= record_nstrings(r); i++)
		n += record_string(r, i) != NULL;
	for (size_t i = 0; record_process(r, i) != NULL; i++)
		n += strlen(record_process(r, i)->path);
	for (size_t i = 0; record_damage(r, i) != NULL; i++)
		n += strlen(record_damage(r, i));
	used = n;
}

static void
use_event(const struct record *r, const struct record_event *ev)
{
	size_t n = 0;

	if (ev->cpu >= record_machine(r)->ncpus)
		abort();
	if (ev->kind == RECORD_DATA || ev->kind == RECORD_AGG_ENTRY)
		n += sum(ev->data, ev->size);
	if (ev->kind == RECORD_AGG_ENTRY)
		n += sum(ev->val, ev->val_size);
	if (ev->kind == RECORD_NOTICE)
		n += strlen(ev->text);
	n += record_find_name(r, RECORD_NAME_USER, ev->epid, ev->seq) != NULL;
	n += record_find_mapping(r, ev->epid, ev->seq) != NULL;
	n += record_find_build_id(r, "vmlinux") != NULL;
	used = n;
}

static void
read_all(const uint8_t *data, size_t size)
{
	struct record_event ev;
	struct err err = { 0 };
	struct record *r;
	int rc = record_open_mem(data, size, &r, &err);

	if ((rc != 0) != err_is_set(&err))
		abort();
	if (rc == 0) {
		while ((rc = record_next(r, &ev, &err)) == 1)
			use_event(r, &ev);
		if (rc != 0)
			abort();
		use_tables(r);
		record_close(r);
	}
	err_clear(&err);
}

/* ---- replaying ---------------------------------------------------------- */

static void
replay_steps(struct dt_hdl *h, FILE *out)
{
	for (size_t i = 0; dt_work(h, out) == DT_WORK_OKAY; i++) {
		if (i == STEPS_MAX)
			abort();
	}
	dt_notices(h);
}

static void
replay_as(const char *path, const char *oformat, FILE *out)
{
	struct dt_hdl *h = dt_open();

	if (h == NULL)
		return;
	if (dt_replay_open(h, path) == 0 &&
	    dt_setopt(h, "oformat", oformat) == 0 && dt_go(h) == 0)
		replay_steps(h, out);
	dt_close(h);
}

/* A program over the firings, whatever they are. */
static void
ask(const char *path, bool is_deep, bool is_twice, FILE *out)
{
	static const char text[] =
	    ":::entry, :::return { @[execname, probefunc] = count(); "
	    "self->t = timestamp; n[tid] = arg0; trace(copyinstr(arg1)); "
	    "trace(arg0); @h[host, execargs] = count(); } END { printa(@); }";
	static const char deep[] =
	    ":::entry { @[stack(), ustack()] = count(); @u[usym(ucaller)] = "
	    "count(); }";
	struct dt_proginfo info;
	struct dt_hdl *h = dt_open();
	struct dt_prog *p = NULL;

	if (h == NULL)
		return;
	/* the deep one is read by threads, whatever this machine has */
	if (dt_query_open(h, path) == 0 && dt_setopt(h, "threads", "3") == 0 &&
	    (!is_twice || dt_query_open(h, path) == 0))
		p = dt_compile_str(
		    h, is_deep ? deep : text, LANG_PSPEC_NAME, 0, 0, NULL);
	if (p != NULL && dt_prog_exec(h, p, &info) == 0 && dt_go(h) == 0)
		replay_steps(h, out);
	dt_close(h);
}

/* The consumer complains about each damaged record: nobody reads it. */
static void
replay(const uint8_t *data, size_t size)
{
	static FILE *null;
	int fd = memfd_create("recording", MFD_CLOEXEC), kept;
	char path[64];

	if (null == NULL)
		null = fopen("/dev/null", "we");
	if (fd < 0 || null == NULL || write(fd, data, size) != (ssize_t)size)
		return;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	kept = dup(STDERR_FILENO);
	dup2(fileno(null), STDERR_FILENO);
	replay_as(path, "text", null);
	replay_as(path, "json", null);
	replay_as(path, "ctf", null);
	ask(path, false, false, null);
	ask(path, false, true, null);
	ask(path, true, false, null);
	dup2(kept, STDERR_FILENO);
	close(kept);
	close(fd);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t *copy;

	if (size == 0)
		return 0;
	copy = malloc(size);
	if (copy == NULL)
		return 0;
	memcpy(copy, data, size);
	if (data[0] != 0)
		repair(copy, size);
	read_all(copy, size);
	replay(copy, size);
	free(copy);
	return 0;
}
