// SPDX-License-Identifier: BSD-2-Clause
/*
 * Run one hand-written BPF program and print its answer.
 *
 *	handwritten MODE OBJECT		(count, byname, offcpu, latency, keys, stream)
 *
 * Prints "ready" once it traces, and ends at SIGINT or SIGTERM.  The answer
 * goes to standard output, and a line "N drops" to standard error if there were
 * any.  dtrace -q with a BEGIN clause that prints "ready" does the same, so one
 * driver runs both.
 */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "hand.h"

#define NLINKS 2
#define BATCH 65536 /* elements that one lookup call returns */
#define OUT_SIZE (1 << 20)
#define OUT_ROOM 64	 /* more than a line takes in any mode */
#define LOOK_NS 10000000 /* pause after the stream was found empty */

struct hand {
	struct bpf_object *obj;
	struct bpf_link *links[NLINKS];
	int ncpus;
	sigset_t stop;
	struct ring_buffer *rings;
	char *out;
	size_t len;
};

struct mode {
	const char *name;
	int (*prepare)(struct hand *h); /* called between load and attach */
	int (*watch)(struct hand *h);	/* runs until told to stop */
	int (*report)(struct hand *h);	/* called after the detach */
};

static int
out_flush(struct hand *h)
{
	size_t done = 0;

	while (done < h->len) {
		ssize_t n = write(STDOUT_FILENO, h->out + done, h->len - done);

		if (n < 0 && errno != EINTR)
			return -errno;
		done += n > 0 ? (size_t)n : 0;
	}
	h->len = 0;
	return 0;
}

/* Room for one more line, or NULL with errno. */
static char *
out_line(struct hand *h)
{
	if (h->len + OUT_ROOM > OUT_SIZE && out_flush(h) != 0)
		return NULL;
	return h->out + h->len;
}

static int
map_fd(const struct hand *h, const char *name)
{
	return bpf_object__find_map_fd_by_name(h->obj, name);
}

static uint64_t
sum_cpus(const struct hand *h, const uint64_t *values)
{
	uint64_t sum = 0;

	for (int cpu = 0; cpu < h->ncpus; cpu++)
		sum += values[cpu];
	return sum;
}

/* The sum over all CPUs of one element of a per-CPU array. */
static uint64_t
array_sum(const struct hand *h, const char *map, uint32_t idx)
{
	uint64_t values[HAND_MAX_CPUS];

	if (bpf_map_lookup_elem(map_fd(h, map), &idx, values) != 0)
		return 0;
	return sum_cpus(h, values);
}

static void
report_drops(const struct hand *h)
{
	uint64_t n = array_sum(h, "drops", 0);

	if (n)
		fprintf(stderr, "%" PRIu64 " drops\n", n);
}

static int
watch_signal(struct hand *h)
{
	int sig;

	return -sigwait(&h->stop, &sig);
}

static int
report_count(struct hand *h)
{
	printf("%" PRIu64 "\n", array_sum(h, "counts", 0));
	return 0;
}

static int
report_latency(struct hand *h)
{
	for (uint32_t i = 0; i < HAND_NBUCKETS; i++) {
		uint64_t n = array_sum(h, "counts", i);

		if (n)
			printf(
			    "%20" PRIu64 " %" PRIu64 "\n", UINT64_C(1) << i, n);
	}
	return 0;
}

static int
report_byname(struct hand *h)
{
	int fd = map_fd(h, "counts");
	char name[HAND_NAME_LEN], *prev = NULL;
	uint64_t values[HAND_MAX_CPUS];

	while (bpf_map_get_next_key(fd, prev, name) == 0) {
		prev = name;
		if (bpf_map_lookup_elem(fd, name, values) == 0)
			printf("%s %" PRIu64 "\n", name, sum_cpus(h, values));
	}
	report_drops(h);
	return 0;
}

struct pair {
	uint64_t key, count;
};

/* Order by count, then by key, as DTrace prints an aggregation. */
static int
by_count(const void *a, const void *b)
{
	const struct pair *x = a, *y = b;

	if (x->count != y->count)
		return x->count < y->count ? -1 : 1;
	return (x->key > y->key) - (x->key < y->key);
}

static size_t
read_pairs(const struct hand *h, struct pair *pairs)
{
	uint64_t *keys = calloc(BATCH, sizeof(*keys));
	uint64_t *values =
	    calloc((size_t)BATCH * (size_t)h->ncpus, sizeof(*values));
	uint32_t cursor, n;
	size_t npairs = 0;
	int err = !keys || !values;

	for (void *from = NULL; !err; from = &cursor) {
		n = BATCH;
		err = bpf_map_lookup_batch(
		    map_fd(h, "counts"), from, &cursor, keys, values, &n, NULL);
		if (err && err != -ENOENT)
			break;
		for (uint32_t i = 0; i < n && npairs < HAND_MAX_KEYS; i++) {
			pairs[npairs].key = keys[i];
			pairs[npairs++].count =
			    sum_cpus(h, values + (size_t)i * (size_t)h->ncpus);
		}
	}
	free(keys);
	free(values);
	return npairs;
}

/* Write `v` right-aligned in a field of 16, as printf's "%16llu". */
static char *
put_field(char *at, uint64_t v)
{
	char *digit = at + 16;

	memset(at, ' ', 16);
	do {
		*--digit = (char)('0' + v % 10);
		v /= 10;
	} while (v && digit > at);
	return at + 16;
}

static int
report_keys(struct hand *h)
{
	struct pair *pairs = calloc(HAND_MAX_KEYS, sizeof(*pairs));
	size_t npairs = pairs ? read_pairs(h, pairs) : 0;
	char *line = NULL;

	if (npairs)
		qsort(pairs, npairs, sizeof(*pairs), by_count);
	for (size_t i = 0; i < npairs; i++) {
		if (!(line = out_line(h)))
			break;
		line = put_field(line, pairs[i].key);
		*line++ = ' ';
		line = put_field(line, pairs[i].count);
		*line++ = '\n';
		h->len = (size_t)(line - h->out);
	}
	free(pairs);
	report_drops(h);
	return npairs && !line ? -EIO : out_flush(h);
}

static char *
put_number(char *at, uint32_t v)
{
	char digits[10];
	int n = 0;

	do
		digits[n++] = (char)('0' + v % 10);
	while (v /= 10);
	while (n)
		*at++ = digits[--n];
	return at;
}

static int
print_record(void *arg, void *data, size_t size)
{
	const struct hand_rec *rec = data;
	struct hand *h = arg;
	char *line = out_line(h);
	const char *name;
	size_t len;

	if (!line || size < sizeof(*rec))
		return -EIO;
	line = put_number(line, (uint32_t)rec->pid);
	*line++ = ' ';
	name = (const char *)rec->name.word;
	len = strnlen(name, HAND_NAME_LEN);
	memcpy(line, name, len);
	line += len;
	*line++ = '\n';
	h->len = (size_t)(line - h->out);
	return 0;
}

static int
add_ring(struct hand *h, uint32_t cpu)
{
	int fd = bpf_map_create(
	    BPF_MAP_TYPE_RINGBUF, "ring", 0, 0, HAND_RING_SIZE, NULL);
	int err = fd < 0 ?
	    fd :
	    bpf_map_update_elem(map_fd(h, "rings"), &cpu, &fd, BPF_ANY);

	if (err)
		return err;
	if (h->rings)
		return ring_buffer__add(h->rings, fd, print_record, h);
	h->rings = ring_buffer__new(fd, print_record, h, NULL);
	return h->rings ? 0 : -errno;
}

static int
prepare_stream(struct hand *h)
{
	int err = 0;

	for (int cpu = 0; cpu < h->ncpus && !err; cpu++)
		err = add_ring(h, (uint32_t)cpu);
	return err;
}

static int
watch_stream(struct hand *h)
{
	const struct timespec rest = { 0, LOOK_NS };
	int n;

	do {
		n = ring_buffer__consume(h->rings);
		if (n >= 0)
			n = out_flush(h);
	} while (n >= 0 && sigtimedwait(&h->stop, NULL, &rest) < 0);
	return n;
}

static int
report_stream(struct hand *h)
{
	int n = ring_buffer__consume(h->rings);

	ring_buffer__free(h->rings);
	report_drops(h);
	return n < 0 ? n : out_flush(h);
}

static const struct mode modes[] = {
	{ "count", NULL, watch_signal, report_count },
	{ "byname", NULL, watch_signal, report_byname },
	{ "offcpu", NULL, watch_signal, report_byname },
	{ "latency", NULL, watch_signal, report_latency },
	{ "keys", NULL, watch_signal, report_keys },
	{ "stream", prepare_stream, watch_stream, report_stream },
};

static const struct mode *
find_mode(const char *name)
{
	for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++) {
		if (strcmp(name, modes[i].name) == 0)
			return &modes[i];
	}
	return NULL;
}

static int
load(struct hand *h, const char *path)
{
	int err;

	h->obj = bpf_object__open_file(path, NULL);
	if (!h->obj)
		return -errno;
	err = bpf_object__load(h->obj);
	h->ncpus = libbpf_num_possible_cpus();
	if (!err && (h->ncpus < 1 || h->ncpus > HAND_MAX_CPUS))
		err = -E2BIG;
	return err;
}

static int
attach(struct hand *h)
{
	struct bpf_program *prog;
	int n = 0;

	bpf_object__for_each_program(prog, h->obj)
	{
		if (n == NLINKS)
			return -E2BIG;
		h->links[n] = bpf_program__attach(prog);
		if (!h->links[n++])
			return -errno;
	}
	return 0;
}

static void
detach(struct hand *h)
{
	for (int i = 0; i < NLINKS; i++)
		bpf_link__destroy(h->links[i]);
}

static int
run(struct hand *h, const struct mode *mode, const char *path)
{
	int err = load(h, path);

	if (!err && mode->prepare)
		err = mode->prepare(h);
	if (!err)
		err = attach(h);
	if (!err) {
		printf("ready\n");
		fflush(stdout);
		err = mode->watch(h);
	}
	detach(h);
	return err ? err : mode->report(h);
}

int
main(int argc, char **argv)
{
	const struct mode *mode = argc == 3 ? find_mode(argv[1]) : NULL;
	struct hand h = { .out = malloc(OUT_SIZE) };
	int err;

	if (!mode || !h.out) {
		fprintf(stderr,
		    "usage: handwritten "
		    "count|byname|latency|keys|stream OBJECT\n");
		return 2;
	}
	sigemptyset(&h.stop);
	sigaddset(&h.stop, SIGINT);
	sigaddset(&h.stop, SIGTERM);
	sigprocmask(SIG_BLOCK, &h.stop, NULL);
	err = run(&h, mode, argv[2]);
	if (err)
		fprintf(
		    stderr, "handwritten: %s: %s\n", argv[2], strerror(-err));
	bpf_object__close(h.obj);
	free(h.out);
	return err ? 1 : 0;
}
