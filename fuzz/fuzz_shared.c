/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The memory that traced processes share with dtrace.  Whatever a process
 * writes there, dtrace reads and prints it and ends, and takes no more memory
 * than there is data.
 *
 * Input: a byte of options, then the process's operations, each a byte and its
 * operands: write any bytes, or bytes that look like a thread, a record or an
 * entry of an aggregation; let dtrace take all records.  At the end dtrace's
 * own END runs in that memory.
 */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/err.h"
#include "consume/oformat.h"
#include "shared.h"

#define NTHREADS 8 /* threads that an input can name */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/*
 * Every kind of datum, action, aggregation and variable.  The probe of any
 * process exists nowhere, but makes room for the threads of many.
 */
#define PROGRAM                                                                \
	"shared*::: { } BEGIN { x[1, \"a\"] = 7; y[\"b\"] = \"text\";"         \
	"  s = \"string\"; n = 3; }"                                           \
	"tick-1h { trace(arg0); trace((char)arg1); trace(s); print(n);"        \
	"  tracemem(arg0, 4); trace(execname); trace(probefunc);"              \
	"  tracemem(arg0, 8, n); printm(8, memref((void *)arg0, 8)); }"        \
	"tick-1h { printf(\"%d %s %*d %-*s|%x %Y %p\", n, s, n, n, n, s, n,"   \
	"    walltimestamp, arg0);"                                            \
	"  printf(\"%A %a %c %C %S\", arg0, arg0, arg1, n, s); }"              \
	"tick-1h { @c = count(); @s[n] = sum(n); @i[s] = min(n);"              \
	"  @a[execname, probefunc] = max(n); @v[tid] = avg(n);"                \
	"  @d[usym(arg0)] = stddev(n); @q[n, s] = quantize(n);"                \
	"  @l = lquantize(n, 0, 100, 10);"                                     \
	"  @ll[n] = llquantize(n, 10, 0, 3, 10);"                              \
	"  @p[n] = percentile(n, 50, 99); }"                                   \
	"tick-1h { printa(@q); printa(\"%d %@d\\n\", @s); clear(@q);"          \
	"  trunc(@s, arg0); normalize(@i, arg0); denormalize(@i);"             \
	"  setopt(s, s); }"                                                    \
	"tick-1h { speculate(arg0); trace(n); }"                               \
	"tick-1h { commit(arg0); } tick-1h { discard(arg0); }"                 \
	"tick-1h { exit(arg0); }"                                              \
	"END { x[1, \"a\"]++; x[2, s] = x[1, \"a\"]; y[\"b\"] = 0; n++;"       \
	"  y[s] = strjoin(s, \"z\"); s = y[s]; trace(x[1, \"a\"]); trace(s);"  \
	"  self->t = timestamp; trace(self->t); @c = count(); @s[n] = sum(n);" \
	"  @q[n, s] = quantize(n); z = speculation(); trace(z); }"
#define STACKS                                                                 \
	"tick-1h { ustack(3); jstack(2, 64); usym(arg0); umod(arg0);"          \
	"  uaddr(arg0); printf(\"%k\", ustack(2)); @u[ustack(2)] = count(); }"

struct input {
	const uint8_t *p, *end;
};

static uint32_t
next(struct input *in)
{
	return in->p < in->end ? *in->p++ : 0;
}

static uint32_t
next16(struct input *in)
{
	uint32_t low = next(in);

	return low | next(in) << 8;
}

/* ---- a session ---------------------------------------------------------- */

struct session {
	struct dt_hdl *h;
	struct consumer *c;
	FILE *out;
};

static int
refuse(void *arg, const char *name, const char *value, struct err *err)
{
	(void)arg;
	return err_set(
	    err, -EINVAL, "%s is not %s", name, value != NULL ? value : "set");
}

static void
hear(void *arg, const char *what)
{
	(void)arg;
	(void)what;
}

/* Compile once each; a session that walks stacks takes longer to begin. */
static struct dt_hdl *
compiled(bool walks)
{
	static struct dt_hdl *h[2];

	if (h[walks] == NULL)
		h[walks] = shared_compile(walks ? PROGRAM STACKS : PROGRAM);
	return h[walks];
}

static struct consumer *
consume(struct plan *pl, struct pr_exec *x, uint32_t flags, uint32_t form,
    FILE *out)
{
	const struct consume_opts opts = { .quiet = flags & 1,
		.flowindent = flags & 2,
		.oformat = oformat_by_choice(form),
		.rawbytes = flags & 8,
		.aggpercpu = flags & 16,
		.temporal = flags & 32,
		.agghist = flags & 64,
		.aggpack = flags & 128,
		.stackindent = 14,
		.specsize = 1024,
		.nspec = SHARED_NSPEC,
		.setopt = refuse };

	return consumer_create(pl, &dt_exec_process, &x->e, &opts, out, out);
}

/* ---- what a process does ------------------------------------------------ */

/* Places in the memory, each given with the data behind it. */
static uint64_t
place(const struct pr_exec *x, uint32_t which, uint32_t thread)
{
	const struct pr_conf *c = &x->conf;
	const struct pr_agg *ag = &x->aggs.v[which % x->aggs.n];
	struct pr_tab tab = pr_tab(x, ag, thread, which / 8 % 2);

	switch (which % 8) {
	case 0:
		return c->data;
	case 1:
		return c->gens;
	case 2:
		return c->owners;
	case 3:
		return c->globals;
	case 4:
		return c->dyn;
	case 5:
		return c->threads + thread * c->thread_size;
	case 6:
		return (uint64_t)(pr_room(x, thread) - (char *)x->base);
	default:
		return (uint64_t)((char *)tab.t - (char *)x->base);
	}
}

static void
write_bytes(struct pr_exec *x, struct input *in, uint64_t at, size_t n)
{
	for (; n > 0 && at < x->conf.region_size; n--)
		x->base[at++] = (uint8_t)next(in);
}

static void
scribble(struct pr_exec *x, struct input *in)
{
	uint32_t which = next(in), thread = next(in) % NTHREADS;
	uint64_t at = place(x, which, thread) + next16(in);

	write_bytes(x, in, at, next(in));
}

static void
begin_thread(struct pr_exec *x, struct input *in)
{
	uint32_t thread = next(in) % NTHREADS;

	shared_begin_thread(x, thread, next16(in));
}

/* Write a record with a valid header and a recent time. */
static void
put_record(struct pr_exec *x, struct input *in)
{
	uint32_t thread = next(in) % NTHREADS;
	struct exec_buf *buf = exec_buf_at(&x->bufs, thread);
	uint32_t epid = next(in), size = PLAN_RECHDR, word[2], time[2];
	const struct plan_clause *pc = plan_by_epid(x->pl, epid, NULL);
	uint64_t now = now_ns() + next(in);
	uint64_t at = (uint64_t)(buf->data - x->base);
	uint64_t mask = exec_bufs_part(&x->bufs, thread)->size - 1;

	shared_begin_thread(x, thread, 1);
	size = pc != NULL ? pc->size : sizeof(struct exec_errrec);
	epid = pc != NULL ? epid : EXEC_EPID_ERROR;
	time[0] = (uint32_t)(now >> 32);
	time[1] = (uint32_t)now;
	word[0] = size + EXEC_BUF_WORD;
	word[1] = next(in) % 8;
	at += buf->head & mask;
	memcpy(x->base + at, &epid, sizeof(epid));
	memcpy(x->base + at + 4, time, sizeof(time));
	write_bytes(x, in, at + PLAN_RECHDR, size - PLAN_RECHDR);
	memcpy(buf->data + ((buf->head + size) & mask), word, sizeof(word));
	buf->head += size + EXEC_BUF_WORD;
}

/* Write the next entry, and a slot that leads to it or anywhere. */
static void
put_entry(struct pr_exec *x, struct input *in)
{
	const struct pr_agg *ag = &x->aggs.v[next(in) % x->aggs.n];
	struct pr_tab tab = pr_tab(x, ag, next(in) % NTHREADS, 0);
	uint32_t i = (uint32_t)(tab.t->n % tab.max), slot = next16(in);
	char *entry = tab.entries + (uint64_t)i * ag->entry_size;

	if (tab.nslots != 0)
		tab.t->slots[slot % tab.nslots] = i + 1 + next(in) / 128 * 77;
	*entry = PR_USED;
	write_bytes(
	    x, in, (uint64_t)(entry - (char *)x->base) + 8, ag->entry_size - 8);
	tab.t->n++;
}

static void
act(struct session *s, struct pr_exec *x, struct input *in)
{
	int status;

	switch (next(in) % 8) {
	case 0:
	case 1:
		scribble(x, in);
		break;
	case 2:
		begin_thread(x, in);
		break;
	case 3:
	case 4:
	case 5:
		put_record(x, in);
		break;
	case 6:
		put_entry(x, in);
		break;
	default:
		dt_exec_process.wait(&x->e, 0, -1);
		consumer_work(s->c, &status);
		break;
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input in = { data, data + size };
	uint32_t flags = next(&in), which = next(&in);
	struct session s = { .h = compiled(which / 3 % 4 == 3),
		.out = fopen("/dev/null", "w") };
	struct pr_exec *x =
	    shared_load(s.h, (enum dt_bufpolicy)(which % 3), 4096, hear, NULL);
	const struct dt_exec_ops *ops = &dt_exec_process;
	int status;

	shared_go(x);
	/* every form of output: bit 2, and what is left of `which` */
	s.c = consume(
	    s.h->plan, x, flags, (flags >> 2 & 1) + which / 12 * 2, s.out);
	while (in.p < in.end)
		act(&s, x, &in);
	ops->stop(&x->e);
	consumer_work(s.c, &status);
	ops->end(&x->e);
	consumer_finish(s.c, &status);
	consumer_report_drops(s.c);
	consumer_end(s.c, 0);
	consumer_destroy(s.c);
	ops->destroy(&x->e);
	fclose(s.out);
	return 0;
}
