/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The file of a recording: what was written is read again, and of a damaged
 * file everything but the damage.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>
#include <zlib.h>

#include "unit.h"

#include "base/mem.h"
#include "base/str.h"
#include "record/format.h"
#include "record/write.h"

#define NBLOCKS 5 /* of records; each block is given to the file alone */
#define PER_BLOCK 3

struct file {
	char path[64];
	char *data;
	size_t len;
};

static void
read_file(struct file *f)
{
	FILE *in = fopen(f->path, "r");

	assert_non_null(in);
	fseek(in, 0, SEEK_END);
	f->len = (size_t)ftell(in);
	rewind(in);
	f->data = mem_alloc(f->len + 1);
	assert_int_equal(fread(f->data, 1, f->len, in), f->len);
	fclose(in);
}

static void
put_tables(struct record_writer *w)
{
	struct record_machine m = { "host", "6.1", "x86_64", "0.9", "dtrace", 4,
		true, 77, 1000, 5000 };
	struct record_arg args[] = { { "int", NULL, 0, false },
		{ "char *", "string", 1, true } };
	struct record_probe p = { 12, 3, "syscall", "vmlinux", "read", "entry",
		2, args };
	struct record_clause c = { 24, 1, 2 };
	struct record_agg a = { "a", "a comment", 0x0701, 9, 16, 8 };
	struct record_enabling e = { 0, 0 };
	struct record_program_source source = { "a.d", NULL, 7 };
	struct record_process proc = { 77, "sh", "/bin/sh" };

	record_put_machine(w, &m);
	record_put_source(w, &source);
	record_put_clause(w, 0, &c);
	record_put_agg(w, 1, &a);
	record_put_probe(w, 0, &p);
	record_put_enabling(w, 1, &e);
	record_put_string(w, 1, "one");
	record_put_process(w, &proc);
	record_put_program(w, "the program", 11);
}

/* A writer of a file of this process, with the tables. */
static struct record_writer *
create(char *path, size_t size)
{
	struct record_writer *w;
	struct err err = { 0 };

	snprintf(path, size, "/tmp/test_record.%d", getpid());
	assert_int_equal(record_create(path, &w, &err), 0);
	put_tables(w);
	return w;
}

static struct record *
reopen(struct record_writer *w, const char *path)
{
	struct record *r;
	struct err err = { 0 };

	assert_int_equal(record_finish(w, &err), 0);
	assert_int_equal(record_open(path, &r, &err), 0);
	return r;
}

static void
put_records(struct record_writer *w, uint64_t from)
{
	for (uint64_t i = 0; i < PER_BLOCK; i++) {
		uint64_t n = from + i;
		struct record_event ev = { .kind = RECORD_DATA,
			.time_ns = 2000 + n,
			.cpu = n % 4,
			.epid = 1,
			.next_epid = 2,
			.data = (const char *)&n,
			.size = sizeof(n) };

		record_put_event(w, &ev);
	}
	record_flush(w);
}

/* A recording with records 0 .. NBLOCKS * PER_BLOCK - 1. */
static void
make(struct file *f)
{
	struct record_event end = { .kind = RECORD_END, .result = 3 };
	struct record_writer *w;
	struct err err = { 0 };

	snprintf(f->path, sizeof(f->path), "/tmp/test_record.%d", getpid());
	assert_int_equal(record_create(f->path, &w, &err), 0);
	put_tables(w);
	for (uint64_t i = 0; i < NBLOCKS; i++)
		put_records(w, i * PER_BLOCK);
	record_put_event(w, &end);
	assert_int_equal(record_finish(w, &err), 0);
	read_file(f);
}

static void
forget(struct file *f)
{
	unlink(f->path);
	free(f->data);
}

/* ---- a whole file ------------------------------------------------------- */

static void
check_tables(const struct record *r)
{
	const struct record_machine *m = record_machine(r);
	const struct record_probe *p = record_probe(r, 0);
	size_t len;

	assert_string_equal(m->host, "host");
	assert_string_equal(m->command, "dtrace");
	assert_int_equal(m->ncpus, 4);
	assert_true(m->is_in_process);
	assert_int_equal(m->target, 77);
	assert_memory_equal(record_program(r, &len), "the program", 11);
	assert_int_equal(len, 11);
	assert_int_equal(record_nprobes(r), 1);
	assert_int_equal(p->id, 12);
	assert_string_equal(p->func, "read");
	assert_int_equal(p->nargs, 2);
	assert_null(p->args[0].xlate);
	assert_string_equal(p->args[1].xlate, "string");
	assert_true(p->args[1].is_userland);
	assert_int_equal(record_clause(r, 0)->size, 24);
	assert_int_equal(record_agg(r, 1)->key_size, 16);
	assert_string_equal(record_agg(r, 1)->remark, "a comment");
	assert_string_equal(record_program_source(r, 0)->name, "a.d");
	assert_null(record_program_source(r, 0)->text);
	assert_int_equal(record_program_source(r, 0)->nprobes, 7);
	assert_null(record_program_source(r, 1));
	assert_int_equal(record_enabling(r, 1)->probe, 0);
	assert_string_equal(record_string(r, 1), "one");
	assert_int_equal(record_process(r, 0)->pid, 77);
	assert_string_equal(record_process(r, 0)->path, "/bin/sh");
	assert_null(record_process(r, 1));
	assert_null(record_probe(r, 1));
	assert_null(record_clause(r, 1));
	assert_null(record_agg(r, 0));
	assert_null(record_agg(r, 2));
	assert_null(record_enabling(r, 0));
	assert_null(record_enabling(r, 2));
	assert_null(record_string(r, 0));
	assert_null(record_string(r, 2));
}

static void
test_round_trip(void **state)
{
	struct file f;
	struct record_event ev;
	struct record *r;
	struct err err = { 0 };
	uint64_t n;

	(void)state;
	make(&f);
	assert_int_equal(record_open(f.path, &r, &err), 0);
	check_tables(r);
	for (uint64_t i = 0; i < NBLOCKS * PER_BLOCK; i++) {
		assert_int_equal(record_peek(r, &ev, &err), 1);
		assert_int_equal(record_next(r, &ev, &err), 1);
		assert_int_equal(ev.kind, RECORD_DATA);
		assert_int_equal(ev.seq, i + 1);
		assert_int_equal(ev.cpu, i % 4);
		assert_int_equal(ev.time_ns, 2000 + i);
		assert_true(ev.wall_ns > 0);
		assert_int_equal(ev.next_epid, 2);
		memcpy(&n, ev.data, sizeof(n));
		assert_int_equal(n, i);
	}
	assert_false(record_is_complete(r));
	assert_int_equal(record_next(r, &ev, &err), 1);
	assert_int_equal(ev.kind, RECORD_END);
	assert_int_equal(ev.result, 3);
	assert_int_equal(record_next(r, &ev, &err), 0);
	assert_true(record_is_complete(r));
	assert_null(record_damage(r, 0));
	record_close(r);
	forget(&f);
}

/* Each kind of event, and that it keeps what it has. */
static void
test_events(void **state)
{
	static const uint64_t key[2] = { 3, 4 }, val = 5;
	const struct record_event events[] = {
		{ .kind = RECORD_FAULT,
		    .time_ns = 7,
		    .cpu = 1,
		    .fault = { 1, 2, 3, -1, 4 } },
		{ .kind = RECORD_AGG_BEGIN, .agg = 1, .is_turn = true },
		{ .kind = RECORD_AGG_ENTRY,
		    .agg = 1,
		    .data = (const char *)key,
		    .size = sizeof(key),
		    .val = &val,
		    .val_size = sizeof(val) },
		{ .kind = RECORD_AGG_END, .agg = 1, .result = -5 },
		{ .kind = RECORD_DROP, .cpu = 2, .drop = { 1, 9, 10, 11, 12 } },
		{ .kind = RECORD_CLOCK, .time_ns = 99 },
		{ .kind = RECORD_DRAINED },
		{ .kind = RECORD_REPORT },
		{ .kind = RECORD_STOPPED },
		{ .kind = RECORD_NOTICE, .text = "hello" },
	};
	char path[64];
	struct record_writer *w;
	struct record *r;
	struct record_event ev;
	struct err err = { 0 };

	(void)state;
	w = create(path, sizeof(path));
	for (size_t i = 0; i < sizeof(events) / sizeof(events[0]); i++)
		record_put_event(w, &events[i]);
	r = reopen(w, path);
	for (size_t i = 0; i < sizeof(events) / sizeof(events[0]); i++) {
		const struct record_event *want = &events[i];

		assert_int_equal(record_next(r, &ev, &err), 1);
		assert_int_equal(ev.kind, want->kind);
		assert_int_equal(ev.cpu, want->cpu);
		assert_int_equal(ev.time_ns, want->time_ns);
		assert_int_equal(ev.agg, want->agg);
		assert_int_equal(ev.is_turn, want->is_turn);
		assert_int_equal(ev.result, want->result);
		assert_memory_equal(&ev.fault, &want->fault, sizeof(ev.fault));
		assert_memory_equal(&ev.drop, &want->drop, sizeof(ev.drop));
		if (want->data != NULL)
			assert_memory_equal(ev.data, want->data, want->size);
		if (want->val != NULL)
			assert_memory_equal(ev.val, want->val, ev.val_size);
		if (want->text != NULL)
			assert_string_equal(ev.text, want->text);
	}
	assert_null(record_damage(r, 0));
	record_close(r);
	unlink(path);
}

/* A name holds from its event on; an address may get another. */
static void
test_names(void **state)
{
	struct record_name name = { true, "libc", "malloc", 16, 0 };
	struct record_name later = { true, "libm", "sin", 0, 0 };
	char path[64];
	struct record_writer *w;
	struct record *r;
	struct record_event ev;
	struct err err = { 0 };

	(void)state;
	w = create(path, sizeof(path));
	put_records(w, 0);
	record_put_name(w, RECORD_NAME_USER, 5, 0x1000, &name);
	put_records(w, 3);
	record_put_name(w, RECORD_NAME_USER, 5, 0x1000, &later);
	r = reopen(w, path);
	for (int i = 0; i < 4; i++)
		assert_int_equal(record_next(r, &ev, &err), 1);
	assert_string_equal(
	    record_find_name(r, RECORD_NAME_USER, 5, 0x1000)->name, "malloc");
	assert_int_equal(
	    record_find_name(r, RECORD_NAME_USER, 5, 0x1000)->offset, 16);
	assert_null(record_find_name(r, RECORD_NAME_USER, 6, 0x1000));
	assert_null(record_find_name(r, RECORD_NAME_KERNEL, 5, 0x1000));
	while (record_next(r, &ev, &err) == 1)
		;
	assert_string_equal(
	    record_find_name(r, RECORD_NAME_USER, 5, 0x1000)->module, "libm");
	record_close(r);
	unlink(path);
}

static void
test_labels(void **state)
{
	char path[64];
	struct record_writer *w;
	struct record *r;

	(void)state;
	w = create(path, sizeof(path));
	record_put_label(w, &(struct record_label){ "role", "db" });
	record_put_label(w, &(struct record_label){ "rack", "" });
	put_records(w, 1);
	r = reopen(w, path);
	assert_string_equal(record_label(r, 0)->name, "role");
	assert_string_equal(record_label(r, 0)->value, "db");
	assert_string_equal(record_label(r, 1)->name, "rack");
	assert_string_equal(record_label(r, 1)->value, "");
	assert_null(record_label(r, 2));
	record_close(r);
	unlink(path);
}

/* A mapping holds from its event on; the newest at an address counts. */
static void
test_mappings(void **state)
{
	struct record_mapping a = { .pid = 5,
		.start = 0x1000,
		.end = 0x3000,
		.offset = 0x200,
		.vaddr = 0x400200,
		.path = "/bin/a",
		.build_id = "00ff" };
	struct record_mapping b = a, bad = a;
	char path[64];
	struct record_writer *w;
	struct record *r;
	struct record_event ev;
	struct err err = { 0 };

	(void)state;
	b.start = 0x2000;
	b.path = "/bin/b";
	b.build_id = "";
	bad.build_id = "00FG";
	w = create(path, sizeof(path));
	put_records(w, 0);
	record_put_mapping(w, &a);
	record_put_mapping(w, &bad);
	put_records(w, 3);
	record_put_mapping(w, &b);
	r = reopen(w, path);
	for (int i = 0; i < 4; i++)
		assert_int_equal(record_next(r, &ev, &err), 1);
	assert_string_equal(record_find_mapping(r, 5, 0x2fff)->path, "/bin/a");
	assert_string_equal(
	    record_find_mapping(r, 5, 0x1000)->build_id, "00ff");
	assert_int_equal(record_find_mapping(r, 5, 0x1000)->vaddr, 0x400200);
	assert_int_equal(record_find_mapping(r, 5, 0x1000)->offset, 0x200);
	assert_null(record_find_mapping(r, 5, 0xfff));
	assert_null(record_find_mapping(r, 5, 0x3000));
	assert_null(record_find_mapping(r, 6, 0x1000));
	assert_null(record_find_mapping(r, 0, 0x1000));
	while (record_next(r, &ev, &err) == 1)
		;
	assert_string_equal(record_find_mapping(r, 5, 0x2fff)->path, "/bin/b");
	assert_string_equal(record_find_mapping(r, 5, 0x1fff)->path, "/bin/a");
	assert_non_null(strstr(record_damage(r, 0), "1 entries"));
	record_close(r);
	unlink(path);
}

/* A build id holds from its event on, until its module gets another one. */
static void
test_build_ids(void **state)
{
	char path[64];
	struct record_writer *w = create(path, sizeof(path));
	struct record *r;
	struct record_event ev;
	struct err err = { 0 };

	(void)state;
	put_records(w, 0);
	record_put_build_id(w, "vmlinux", "00ff");
	record_put_build_id(w, "ext4", "01");
	record_put_build_id(w, "ext4", "upper-case or no digits");
	put_records(w, 3);
	record_put_build_id(w, "ext4", "02");
	r = reopen(w, path);
	for (int i = 0; i < 4; i++)
		assert_int_equal(record_next(r, &ev, &err), 1);
	assert_string_equal(record_find_build_id(r, "vmlinux"), "00ff");
	assert_string_equal(record_find_build_id(r, "ext4"), "01");
	assert_null(record_find_build_id(r, "ext"));
	while (record_next(r, &ev, &err) == 1)
		;
	assert_string_equal(record_find_build_id(r, "vmlinux"), "00ff");
	assert_string_equal(record_find_build_id(r, "ext4"), "02");
	assert_non_null(strstr(record_damage(r, 0), "1 entries"));
	record_close(r);
	unlink(path);
}

/* ---- damage ------------------------------------------------------------- */

/* Count the records; they must be whole and in order.  -1: it cannot be opened,
 * and *err says why. */
static int
count(const char *data, size_t len, bool *is_told, bool *is_complete)
{
	struct record_event ev;
	struct record *r;
	struct err err = { 0 };
	uint64_t last = 0, n;
	int found = 0;

	if (record_open_mem(data, len, &r, &err) != 0) {
		assert_true(*err_text(&err) != '\0');
		err_clear(&err);
		return -1;
	}
	while (record_next(r, &ev, &err) == 1) {
		if (ev.kind != RECORD_DATA)
			continue;
		memcpy(&n, ev.data, sizeof(n));
		assert_true(n < NBLOCKS * PER_BLOCK);
		assert_true(found == 0 || n > last);
		assert_int_equal(ev.seq, n + 1);
		last = n;
		found++;
	}
	assert_false(err_is_set(&err));
	*is_told = record_damage(r, 0) != NULL;
	*is_complete = record_is_complete(r);
	record_close(r);
	return found;
}

/* The beginning of the n-th block; the file's length if there is none. */
static size_t
block_at(const struct file *f, size_t n)
{
	size_t at = sizeof(struct record_fhdr);
	struct record_bhdr h;

	for (; n > 0 && at < f->len; n--) {
		memcpy(&h, f->data + at, sizeof(h));
		at += sizeof(h) + h.stored;
	}
	return at;
}

/* Cut at every byte: whole blocks are read, and a part of one is reported. */
static void
test_truncation(void **state)
{
	struct file f;
	bool is_told, is_complete;

	(void)state;
	make(&f);
	for (size_t len = 0; len < f.len; len++) {
		int n = count(f.data, len, &is_told, &is_complete);
		size_t whole = 0;

		while (block_at(&f, whole + 1) <= len)
			whole++;
		if (whole < 2) { /* the tables and the program */
			assert_int_equal(n, -1);
			continue;
		}
		assert_int_equal(n,
		    whole - 2 < NBLOCKS ? (whole - 2) * PER_BLOCK :
					  NBLOCKS * PER_BLOCK);
		assert_int_equal(is_told, block_at(&f, whole) != len);
		assert_false(is_complete);
	}
	forget(&f);
}

/* Any changed byte costs at most its block, and is reported. */
static void
test_changed_bytes(void **state)
{
	struct file f;
	bool is_told, is_complete;

	(void)state;
	make(&f);
	for (size_t i = 0; i < f.len; i++) {
		int n;

		f.data[i] ^= 0x55;
		n = count(f.data, f.len, &is_told, &is_complete);
		f.data[i] ^= 0x55;
		if (i < block_at(&f, 2)) {
			assert_int_equal(n, -1);
			continue;
		}
		assert_true(n >= (NBLOCKS - 1) * PER_BLOCK);
		assert_true(is_told);
	}
	forget(&f);
}

/* A block that is not there is reported, and the others keep their numbers. */
static void
test_lost_block(void **state)
{
	struct file f;
	bool is_told, is_complete;

	(void)state;
	make(&f);
	for (size_t i = 2; i < 2 + NBLOCKS; i++) {
		size_t at = block_at(&f, i), end = block_at(&f, i + 1);
		struct strbuf cut = { 0 };

		strbuf_add(&cut, f.data, at);
		strbuf_add(&cut, f.data + end, f.len - end);
		assert_int_equal(count(cut.s, cut.len, &is_told, &is_complete),
		    (NBLOCKS - 1) * PER_BLOCK);
		assert_true(is_told);
		assert_true(is_complete);
		strbuf_fini(&cut);
	}
	forget(&f);
}

static void
set_version(struct file *f, uint16_t major, uint16_t minor)
{
	struct record_fhdr h;

	memcpy(&h, f->data, sizeof(h));
	h.major = major;
	h.minor = minor;
	h.crc = (uint32_t)crc32(
	    0, (const Bytef *)&h, offsetof(struct record_fhdr, crc));
	memcpy(f->data, &h, sizeof(h));
}

static void
test_versions(void **state)
{
	struct file f;
	bool is_told, is_complete;

	(void)state;
	make(&f);
	set_version(&f, RECORD_MAJOR + 1, 0);
	assert_int_equal(count(f.data, f.len, &is_told, &is_complete), -1);
	set_version(&f, 0, 9);
	assert_int_equal(count(f.data, f.len, &is_told, &is_complete), -1);
	set_version(&f, RECORD_MAJOR, RECORD_MINOR + 1);
	assert_int_equal(
	    count(f.data, f.len, &is_told, &is_complete), NBLOCKS * PER_BLOCK);
	assert_true(is_told);
	/* the newest that had no packed blocks */
	set_version(&f, 1, 4);
	assert_int_equal(
	    count(f.data, f.len, &is_told, &is_complete), NBLOCKS * PER_BLOCK);
	assert_false(is_told);
	forget(&f);
}

static void
test_foreign(void **state)
{
	static const char *const files[] = { "", "x", "\177ELF",
		"#!/usr/sbin/dtrace -s\nBEGIN { exit(0); } /* long enough */" };
	bool is_told, is_complete;

	(void)state;
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		assert_int_equal(
		    count(files[i], strlen(files[i]), &is_told, &is_complete),
		    -1);
}

/* ---- a file that cannot grow -------------------------------------------- */

static void
test_limit(void **state)
{
	struct rlimit before, limit;
	struct record_event ev;
	struct record_writer *w;
	struct record *r;
	struct err err = { 0 };
	char path[64], *text = NULL, *noise = mem_alloc(1 << 16);
	unsigned seed = 1;
	int n = 0;

	(void)state;
	for (size_t i = 0; i < 1 << 16; i++)
		noise[i] = (char)rand_r(&seed);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
	limit = before;
	limit.rlim_cur = 200000;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
	w = create(path, sizeof(path));
	for (int i = 0; i < 1000 && text == NULL; i++) {
		ev = (struct record_event){ .kind = RECORD_DATA,
			.epid = 1,
			.data = noise,
			.size = 1 << 16 };
		record_put_data(w, &ev);
		record_flush(w);
		usleep(100);
		text = record_write_failure(w);
	}
	assert_non_null(text);
	assert_non_null(strstr(text, "ends here: File too large"));
	free(text);
	assert_null(record_write_failure(w));
	assert_int_equal(record_finish(w, &err), -EFBIG);
	err_clear(&err);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
	/* the file ends with its last whole block */
	assert_int_equal(record_open(path, &r, &err), 0);
	while (record_next(r, &ev, &err) == 1)
		n += ev.kind == RECORD_DATA;
	assert_int_equal(n, 3);
	assert_null(record_damage(r, 0));
	record_close(r);
	unlink(path);
	free(noise);
}

/* ---- recordings that come block by block --------------------------------- */

/* The next record has this number. */
static void
next_is(struct record *r, uint64_t n)
{
	struct record_event ev;
	struct err err = { 0 };
	uint64_t found;

	assert_int_equal(record_next(r, &ev, &err), 1);
	assert_int_equal(ev.kind, RECORD_DATA);
	memcpy(&found, ev.data, sizeof(found));
	assert_int_equal(found, n);
}

/* Two that are in the middle of their blocks, and one that has read all. */
static void
test_fed(void **state)
{
	struct record_space *space = record_space_create();
	struct record *r[2];
	struct record_event ev;
	struct err err = { 0 };
	struct file f;
	size_t at;

	(void)state;
	make(&f);
	/* the program and the tables come before the first events */
	at = block_at(&f, 3);
	for (size_t i = 0; i < 2; i++)
		assert_int_equal(
		    record_open_fed(space, f.data, at, &r[i], &err), 0);
	for (size_t b = 0; b < NBLOCKS; b++) {
		for (uint64_t n = 0; n < PER_BLOCK; n++) {
			next_is(r[0], b * PER_BLOCK + n);
			if (n + 1 < PER_BLOCK)
				next_is(r[1], b * PER_BLOCK + n);
		}
		if (b + 1 < NBLOCKS)
			assert_int_equal(record_next(r[0], &ev, &err), 0);
		next_is(r[1], b * PER_BLOCK + PER_BLOCK - 1);
		for (size_t i = 0; i < 2; i++)
			record_feed(
			    r[i], f.data + at, block_at(&f, b + 4) - at);
		at = block_at(&f, b + 4);
	}
	for (size_t i = 0; i < 2; i++) {
		assert_int_equal(record_next(r[i], &ev, &err), 1);
		assert_true(record_is_complete(r[i]));
		assert_null(record_damage(r[i], 0));
		record_close(r[i]);
	}
	record_space_destroy(space);
	forget(&f);
}

static void
put_entries(struct record_writer *w, uint64_t n)
{
	struct record_event ev = { .kind = RECORD_AGG_BEGIN, .agg = 1 };

	record_put_event(w, &ev);
	for (uint64_t i = 0; i < n; i++) {
		uint64_t key[] = { 0, i };

		ev = (struct record_event){ .kind = RECORD_AGG_ENTRY,
			.agg = 1,
			.data = (const char *)key,
			.size = sizeof(key),
			.val = &i,
			.val_size = sizeof(i) };
		record_put_event(w, &ev);
	}
	ev = (struct record_event){ .kind = RECORD_AGG_END, .agg = 1 };
	record_put_event(w, &ev);
}

static void
test_entries(void **state)
{
	char path[64];
	struct record_writer *w = create(path, sizeof(path));
	struct record_event ev;
	struct err err = { 0 };
	struct record *r;
	const char *key;
	const void *val;

	(void)state;
	put_entries(w, 3);
	r = reopen(w, path);
	assert_false(record_take_entry(r, 1, 16, 8, &key, &val));
	assert_int_equal(record_next(r, &ev, &err), 1);
	assert_int_equal(ev.kind, RECORD_AGG_BEGIN);
	assert_false(record_take_entry(r, 2, 16, 8, &key, &val));
	assert_false(record_take_entry(r, 1, 8, 16, &key, &val));
	for (uint64_t i = 0; i < 3; i++) {
		if (i == 1) {
			/* what was looked at is taken by record_next() */
			assert_int_equal(record_peek(r, &ev, &err), 1);
			assert_false(
			    record_take_entry(r, 1, 16, 8, &key, &val));
			assert_int_equal(record_next(r, &ev, &err), 1);
			key = ev.data;
			val = ev.val;
		} else {
			assert_true(record_take_entry(r, 1, 16, 8, &key, &val));
		}
		assert_memory_equal(key + 8, &i, sizeof(i));
		assert_memory_equal(val, &i, sizeof(i));
	}
	assert_false(record_take_entry(r, 1, 16, 8, &key, &val));
	assert_int_equal(record_next(r, &ev, &err), 1);
	assert_int_equal(ev.kind, RECORD_AGG_END);
	assert_int_equal(ev.seq, 5);
	record_close(r);
	unlink(path);
}

/* A host that names without end: its tables end, and it is told. */
static void
test_fed_limit(void **state)
{
	struct record_space *space = record_space_create();
	char *name = mem_alloc(1U << 20);
	struct file f = { .len = 0 };
	struct record_writer *w = create(f.path, sizeof(f.path));
	struct record_event ev;
	struct err err = { 0 };
	struct record *r;

	(void)state;
	memset(name, 'x', (1U << 20) - 1);
	for (uint32_t i = 0; i < 70; i++)
		record_put_string(w, i + 2, name);
	put_records(w, 0);
	assert_int_equal(record_finish(w, &err), 0);
	read_file(&f);
	assert_int_equal(record_open_fed(space, f.data, f.len, &r, &err), 0);
	assert_in_range(record_nstrings(r), 2, 64);
	assert_non_null(record_damage(r, 0));
	assert_int_equal(record_next(r, &ev, &err), 1);
	assert_int_equal(ev.kind, RECORD_DATA);
	record_close(r);
	record_space_destroy(space);
	free(name);
	forget(&f);
}

static void
test_no_file(void **state)
{
	struct record_writer *w;
	struct record *r;
	struct err err = { 0 };

	(void)state;
	assert_int_equal(record_create("/nonexistent/file", &w, &err), -ENOENT);
	err_clear(&err);
	assert_int_equal(record_open("/nonexistent/file", &r, &err), -ENOENT);
	err_clear(&err);
	assert_int_equal(record_open("/", &r, &err), -EISDIR);
	err_clear(&err);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_round_trip),
		cmocka_unit_test(test_events),
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_labels),
		cmocka_unit_test(test_mappings),
		cmocka_unit_test(test_build_ids),
		cmocka_unit_test(test_truncation),
		cmocka_unit_test(test_changed_bytes),
		cmocka_unit_test(test_lost_block),
		cmocka_unit_test(test_versions),
		cmocka_unit_test(test_foreign),
		cmocka_unit_test(test_limit),
		cmocka_unit_test(test_fed),
		cmocka_unit_test(test_entries),
		cmocka_unit_test(test_fed_limit),
		cmocka_unit_test(test_no_file),
	};

	return cmocka_run_group_tests_name("record", tests, NULL, NULL);
}
