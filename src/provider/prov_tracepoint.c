/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Kernel tracepoints: sdt:<subsystem>::<event> and rawtp:<subsystem>::<name>.
 *
 * Both are raw tracepoints with the arguments that the kernel's code passes;
 * sdt has those that are events of tracefs, rawtp also the bare ones, which
 * only programs like ours can use.  The system calls' events are no tracepoints
 * of their own (provider syscall has them).
 *
 * The kernel's BTF has a typedef for each, whose parameters after the first
 * are the arguments:
 *
 *	typedef void (*btf_trace_sched_switch)(void *, bool,
 *	    struct task_struct *, struct task_struct *, unsigned int);
 *
 * The subsystem comes from tracefs; it is empty if tracefs has none.  A probe's
 * place among the ids is its typedef's among those of vmlinux, then of the
 * modules in the order of their names.
 *
 * Programs that read an argument which a tracepoint does not have are refused
 * when they are attached, so probes with the same number of arguments share a
 * program.
 */
#include "provider/kernel_btf.h"
#include "provider/tracepoint.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/glob.h"
#include "base/mem.h"
#include "base/ownfailure.h"
#include "base/str.h"
#include "base/vec.h"

#define PREFIX "btf_trace_"
#define NIDS 16384 /* more are numbered on demand */

struct tracepoint {
	const char *name;
	const char *subsys; /* of its event, or NULL */
	struct btf_blob *btf;
	uint32_t id;	/* the typedef, as `btf` counts */
	uint32_t proto; /* its parameters' type */
	uint32_t nwords;
	struct arena *arena; /* for: */
	const char **types;  /* nwords texts, once somebody asked */
};

struct tracepoints {
	struct arena arena;
	VEC(struct tracepoint) tps;
	struct strtab names;  /* of tps.v[i]: i + 1 */
	const char *no_types; /* why there are no tracepoints */
	char *no_events;      /* why there are no subsystems */
	int error;	      /* the errno of either, or 0 */
};

/* ---- what there is ------------------------------------------------------- */

/* The parameters behind a typedef of a pointer to a function; 0: it is not. */
static uint32_t
typedef_proto(struct btf_blob *b, const struct btf_type *t)
{
	uint32_t id = t->type;

	t = btf_blob_type(b, id);
	if (t != NULL && btf_type_kind(t) == BTF_KIND_PTR) {
		id = t->type;
		t = btf_blob_type(b, id);
	}
	return t != NULL && btf_type_kind(t) == BTF_KIND_FUNC_PROTO &&
		btf_type_vlen(t) >= 1 ?
	    id :
	    0;
}

static void
add_tracepoint(struct tracepoints *ts, struct btf_blob *b, uint32_t id,
    const struct btf_type *t)
{
	struct tracepoint tp = { .btf = b,
		.id = id,
		.proto = typedef_proto(b, t),
		.arena = &ts->arena };
	const char *name = btf_blob_name(b, t->name_off);

	if (strncmp(name, PREFIX, strlen(PREFIX)) != 0 || tp.proto == 0)
		return;
	tp.name = name + strlen(PREFIX);
	tp.nwords = btf_type_vlen(btf_blob_type(b, tp.proto)) - 1;
	if (strtab_find(&ts->names, tp.name) != 0)
		return;
	strtab_intern(&ts->names, tp.name);
	VEC_PUSH(&ts->tps, tp);
}

static void
read_blob(struct tracepoints *ts, struct btf_blob *b)
{
	uint32_t end = btf_blob_end(b);

	for (uint32_t id = btf_blob_first(b); id < end; id++) {
		const struct btf_type *t = btf_blob_type(b, id);

		if (btf_type_kind(t) == BTF_KIND_TYPEDEF)
			add_tracepoint(ts, b, id, t);
	}
}

/* "sched:sched_switch\n" */
static void
take_event(struct tracepoints *ts, char *line)
{
	char *name = strchr(line, ':');
	uint32_t i;

	if (name == NULL)
		return;
	*name++ = '\0';
	name[strcspn(name, "\n")] = '\0';
	i = strtab_find(&ts->names, name);
	if (i != 0)
		ts->tps.v[i - 1].subsys = arena_strdup(&ts->arena, line);
}

static char *
no_list(int err)
{
	bool is_denied = err == EPERM || err == EACCES;
	char *why, *text;

	if (is_denied && !dt_privilege_has(DT_PRIV_KERNEL)) {
		why =
		    dt_privilege_refusal(DT_PRIV_KERNEL, "tracing its events");
		text = mem_printf("%s: run dtrace with sudo", why);
		free(why);
		return text;
	}
	why = dt_tracefs_refusal(err);
	if (why != NULL) {
		text = mem_printf("%s; rawtp needs no list of events", why);
		free(why);
		return text;
	}
	return mem_printf("cannot read the list of events in tracefs: %s%s",
	    strerror(err),
	    !is_denied ? "" :
		geteuid() != 0 ?
			 " (needs root; rawtp needs no list)" :
			 " (the kernel is locked down; rawtp needs no list)");
}

static void
read_events(struct tracepoints *ts)
{
	FILE *f = dt_tracefs_open("available_events");
	char *line = NULL;
	size_t size = 0;

	if (f == NULL) {
		ts->error = errno;
		ts->no_events = no_list(errno);
		return;
	}
	while (getline(&line, &size, f) > 0)
		take_event(ts, line);
	if (!feof(f)) { /* no memory for a line, or an error of tracefs */
		ts->error = errno;
		ts->no_events = no_list(errno);
	}
	free(line);
	fclose(f);
}

static void *
tracepoints_create(struct dt_registry *r)
{
	struct tracepoints *ts = mem_alloc(sizeof(*ts));
	struct dt_kbtf *k = dt_kbtf(r);
	struct btf_blob *b;

	arena_init(&ts->arena);
	strtab_init(&ts->names);
	ts->no_types = dt_kbtf_problem(k);
	ts->error = dt_kbtf_error(k);
	for (size_t i = 0; (b = dt_kbtf_at(k, i)) != NULL; i++)
		read_blob(ts, b);
	if (ts->no_types == NULL)
		read_events(ts);
	return ts;
}

static void
tracepoints_destroy(void *arg)
{
	struct tracepoints *ts = arg;

	VEC_FREE(&ts->tps);
	strtab_fini(&ts->names);
	arena_fini(&ts->arena);
	free(ts->no_events);
	free(ts);
}

static const struct dt_keep keep_tracepoints = {
	.create = tracepoints_create,
	.destroy = tracepoints_destroy,
};

/* ---- matching ------------------------------------------------------------ */

static uint32_t
tracepoint_nids(struct dt_registry *r)
{
	(void)r;
	return NIDS;
}

/*
 * Names that belong to other providers: a description without a provider is
 * not about tracepoints then, and nothing has to be read to know it.
 */
static bool
is_elsewhere(const struct dif_pdesc *desc)
{
	static const char *const names[] = { "BEGIN", "END", "ERROR", "entry",
		"return" };

	if (desc->id != 0)
		return false;
	if (!dt_field_match(desc->func, ""))
		return true;
	for (size_t i = 0; dt_field_is_empty(desc->prov) &&
	     i < sizeof(names) / sizeof(names[0]);
	     i++) {
		if (dt_field_is(desc->name, names[i]))
			return true;
	}
	return !dt_field_is_empty(desc->name) && !glob_is_pattern(desc->name) &&
	    strchr(desc->name, '-') != NULL;
}

static void
add_probe(struct dt_registry *r, const struct dif_pdesc *desc,
    const struct dt_provider_ops *ops, struct tracepoint *tp, uint32_t id)
{
	struct dt_probe p = { .id = id,
		.ops = ops,
		.prov = ops->name,
		.mod = tp->subsys != NULL ? tp->subsys : "",
		.func = "",
		.name = tp->name,
		.kind = DT_PROBE_TRACEPOINT,
		.group = DT_GROUP(RAWTP, tp->nwords),
		.nwords = tp->nwords,
		.data = tp };

	if (dt_pdesc_match(desc, &p))
		dt_registry_offer(r, &p);
}

/* Fail if the description is about a list that is missing, or may be about one
 * that could not be read this time. */
static int
check_lists(struct dt_registry *r, const struct dif_pdesc *desc,
    const struct dt_provider_ops *ops, const struct tracepoints *ts)
{
	const char *why = ts->no_types;

	if (why == NULL && ops == &dt_provider_sdt)
		why = ts->no_events;
	if (why == NULL ||
	    (dt_field_is_empty(desc->prov) && !is_own_failure(ts->error)))
		return 0;
	return dt_registry_fail(
	    r, -ENOTSUP, "%s is not available: %s", ops->name, why);
}

static int
match_all(struct dt_registry *r, const struct dif_pdesc *desc,
    const struct dt_provider_ops *ops, uint32_t id_base)
{
	struct tracepoints *ts;
	uint32_t i = 0, end;

	if (is_elsewhere(desc))
		return 0;
	ts = dt_registry_keep(r, &keep_tracepoints);
	end = (uint32_t)ts->tps.n;
	if (desc->id == 0 && !dt_field_is_empty(desc->name) &&
	    !glob_is_pattern(desc->name)) {
		end = strtab_find(&ts->names, desc->name);
		i = end != 0 ? end - 1 : 0;
	}
	for (; i < end; i++) {
		if (ops == &dt_provider_rawtp || ts->tps.v[i].subsys != NULL)
			add_probe(r, desc, ops, &ts->tps.v[i],
			    i < NIDS ? id_base + i : 0);
	}
	return check_lists(r, desc, ops, ts);
}

static int
sdt_match(struct dt_registry *r, const struct dif_pdesc *desc, uint32_t id_base)
{
	return match_all(r, desc, &dt_provider_sdt, id_base);
}

/*
 * rawtp has sdt's tracepoints once more.  A description that names no provider
 * means each event once: sdt's.  One that names nothing at all lists them all.
 */
static bool
is_left_to_sdt(const struct dif_pdesc *desc)
{
	bool names_provider = !dt_field_is_empty(desc->prov) &&
	    desc->prov[strspn(desc->prov, "*")] != '\0';

	return desc->id == 0 && !names_provider &&
	    !(dt_field_is_empty(desc->mod) && dt_field_is_empty(desc->func) &&
		dt_field_is_empty(desc->name));
}

static int
rawtp_match(
    struct dt_registry *r, const struct dif_pdesc *desc, uint32_t id_base)
{
	if (is_left_to_sdt(desc))
		return 0;
	return match_all(r, desc, &dt_provider_rawtp, id_base);
}

/* The probe for an event of one system call, which tracefs lists. */
static char *
tracepoint_means(const struct dif_pdesc *desc)
{
	static const struct {
		const char *prefix, *name;
	} ends[] = { { "sys_enter_", "entry" }, { "sys_exit_", "return" } };

	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
		size_t n = strlen(ends[i].prefix);

		if (strncmp(desc->name, ends[i].prefix, n) == 0)
			return mem_printf(
			    "syscall::%s:%s", desc->name + n, ends[i].name);
	}
	return NULL;
}

/* ---- arguments ----------------------------------------------------------- */

static void
find_types(struct tracepoint *tp)
{
	const struct btf_param *params =
	    btf_type_tail(btf_blob_type(tp->btf, tp->proto));

	tp->types = arena_alloc(tp->arena, (tp->nwords + 1) * sizeof(char *));
	for (uint32_t i = 0; i < tp->nwords; i++)
		tp->types[i] =
		    dt_kbtf_text(tp->arena, tp->btf, params[i + 1].type);
}

static const char *const *
tracepoint_arg_types(const struct dt_probe *p)
{
	struct tracepoint *tp = p->data;

	if (tp->types == NULL)
		find_types(tp);
	return tp->types;
}

uint32_t
dt_tracepoint_btf_id(const struct dt_probe *p)
{
	const struct tracepoint *tp = p->data;

	return btf_blob_first(tp->btf) == 1 ? tp->id : 0;
}

static const char *const tracepoint_attrs[] = {
	"Evolving/Evolving/Common",
	"Private/Private/Unknown",
	"Private/Private/Unknown",
	"Private/Private/ISA",
	"Private/Private/ISA",
};

const struct dt_provider_ops dt_provider_sdt = {
	.name = "sdt",
	.nids = tracepoint_nids,
	.match = sdt_match,
	.means = tracepoint_means,
	.arg_types = tracepoint_arg_types,
	.privilege = DT_PRIV_KERNEL,
	.attrs = tracepoint_attrs,
};

const struct dt_provider_ops dt_provider_rawtp = {
	.name = "rawtp",
	.nids = tracepoint_nids,
	.match = rawtp_match,
	.means = tracepoint_means,
	.arg_types = tracepoint_arg_types,
	.privilege = DT_PRIV_KERNEL,
	.attrs = tracepoint_attrs,
};
