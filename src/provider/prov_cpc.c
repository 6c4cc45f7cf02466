/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The cpc provider: cpc:::EVENT-MODE-COUNT fires on each CPU whenever an event
 * has happened there COUNT times.
 *
 *	cpc:::page_faults-user-1		the kernel's own
 *	cpc:::PAPI_tot_cyc-all-10000000		generic
 *	cpc:::mem_inst_retired.all_loads-kernel-50000	libpfm's
 *	cpc:::l2_rqsts-user-0xff-50000		with a mask of units
 *
 * A name that is spelled out makes its probe.  Listings have the events of the
 * table that this machine can count.
 */
#include "provider/cpc.h"
#include "base/err.h"
#include "base/glob.h"
#include "base/mem.h"
#include "base/near.h"
#include "base/str.h"
#include "provider/pfm_lib.h"
#include "provider/provider_impl.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/syscall.h>
#include <unistd.h>

#define MIN_RAW 5000 /* as the table's for processors' events */
#define PAPI "PAPI_"
#define MASK_SHIFT 8 /* of IA32_PERFEVTSELx: the unit mask */
#define MASK_BITS 0xffULL

static const struct event {
	const char *name;
	uint32_t type;
	uint64_t config;
	uint64_t min, listed;
} events[] = {
#define CPC_EVENT(name, type, config, min, listed)                             \
	{ #name, PERF_TYPE_##type, PERF_COUNT_##config, min, listed },
#include "provider/cpc_events.def"
};
#define NEVENTS (sizeof(events) / sizeof(events[0]))

/* ---- names --------------------------------------------------------------- */

/* EVENT-MODE[-MASK]-COUNT, taken apart; owns its text. */
struct parts {
	char *text, *event, *mode, *mask, *count;
};

/* Cut the text at its last dash and return its end; NULL: it has no dash. */
static char *
cut_last(char *s)
{
	char *dash = strrchr(s, '-');

	if (dash == NULL)
		return NULL;
	*dash = '\0';
	return dash + 1;
}

static bool
is_mode(const char *s)
{
	return strcmp(s, "user") == 0 || strcmp(s, "kernel") == 0 ||
	    strcmp(s, "all") == 0;
}

static bool
split(const char *name, struct parts *p)
{
	memset(p, 0, sizeof(*p));
	p->event = p->text = mem_strdup(name);
	p->count = cut_last(p->text);
	p->mode = p->count != NULL ? cut_last(p->text) : NULL;
	if (p->mode != NULL && !is_mode(p->mode)) {
		p->mask = p->mode;
		p->mode = cut_last(p->text);
	}
	return p->mode != NULL && is_mode(p->mode) && *p->event != '\0';
}

/* All of the text, which begins with a digit. */
static bool
parse_number(const char *s, int base, uint64_t *n)
{
	char *end;

	errno = 0;
	*n = strtoull(s, &end, base);
	return *s >= '0' && *s <= '9' && *end == '\0' && errno == 0 &&
	    *n <= INT64_MAX;
}

static const struct event *
find_event(const char *name)
{
	for (size_t i = 0; i < NEVENTS; i++) {
		if (strcmp(events[i].name, name) == 0)
			return &events[i];
	}
	return NULL;
}

/* ---- perf's names -------------------------------------------------------- */

#define USUAL_CACHE 100000 /* as of cache_misses */

/* Is it a cache and what happens there, as L1-dcache-load-misses? */
static bool
is_of_cache(const char *word)
{
	static const char *const caches[] = {
#define CPC_CACHE(word) #word "-",
#include "provider/cpc_events.def"
	};
	static const char *const ends[] = {
#define CPC_CACHE_END(word) #word,
#include "provider/cpc_events.def"
	};

	for (size_t i = 0; i < sizeof(caches) / sizeof(caches[0]); i++) {
		size_t len = strlen(caches[i]);

		if (strncasecmp(word, caches[i], len) != 0)
			continue;
		for (size_t k = 0; k < sizeof(ends) / sizeof(ends[0]); k++) {
			if (strcasecmp(word + len, ends[k]) == 0)
				return true;
		}
	}
	return false;
}

/* The event is perf's word, but for dashes and an s at the end. */
static const struct event *
find_perf_event(const char *word)
{
	char *name = mem_printf("%ss", word);
	const struct event *e;

	for (char *dash = name; (dash = strchr(dash, '-')) != NULL;)
		*dash = '_';
	e = find_event(name);
	if (e == NULL) {
		name[strlen(word)] = '\0';
		e = find_event(name);
	}
	free(name);
	return e;
}

const char *
dt_cpc_of_perf(const char *word)
{
	static const struct {
		const char *word, *event;
	} words[] = {
#define CPC_PERF(word, event) { #word, #event },
#include "provider/cpc_events.def"
	};
	const struct event *e = find_perf_event(word);

	for (size_t i = 0; e == NULL && i < sizeof(words) / sizeof(words[0]);
	     i++) {
		if (strcmp(words[i].word, word) == 0)
			e = find_event(words[i].event);
	}
	if (e != NULL)
		return e->name;
	return is_of_cache(word) ? word : NULL;
}

uint64_t
dt_cpc_count(const char *event, uint64_t wanted)
{
	const struct event *e = find_event(event);
	uint64_t min = e != NULL ? e->min : MIN_RAW;

	if (wanted == 0)
		return e != NULL ? e->listed : USUAL_CACHE;
	return wanted > min ? wanted : min;
}

/* ---- events -------------------------------------------------------------- */

/* Level 2 of a cache is no misspelt level 3: digits are not letters. */
static bool
has_same_digits(const char *a, const char *b)
{
	static const char digits[] = "0123456789";

	do {
		a += strcspn(a, digits);
		b += strcspn(b, digits);
		if (*a != *b)
			return false;
	} while (*a++ != '\0' && *b++ != '\0');
	return true;
}

/* Other systems have more events of PAPI: list ours (malloced). */
static char *
no_papi_event(const char *name)
{
	struct strbuf sb = { 0 };

	strbuf_printf(&sb, "there is no event '%s'; of PAPI's there are", name);
	for (size_t i = 0, n = 0; i < NEVENTS; i++) {
		if (strncmp(events[i].name, PAPI, sizeof(PAPI) - 1) == 0)
			strbuf_printf(
			    &sb, "%s %s", n++ > 0 ? "," : "", events[i].name);
	}
	return strbuf_steal(&sb);
}

/* malloced */
static char *
no_event(const char *name, const char *why)
{
	struct near n = near_start(name);

	for (size_t i = 0; i < NEVENTS; i++) {
		if (has_same_digits(name, events[i].name))
			near_try(&n, events[i].name);
	}
	if (n.name != NULL)
		return mem_printf(
		    "there is no event '%s'; did you mean '%s'?", name, n.name);
	if (strncmp(name, PAPI, sizeof(PAPI) - 1) == 0)
		return no_papi_event(name);
	return mem_printf("there is no event '%s' of the kernel; those of the "
			  "processor: %s",
	    name, why);
}

/* How often may it fire, by whatever name it is called? */
static uint64_t
min_count(const struct perf_event_attr *attr)
{
	for (size_t i = 0; i < NEVENTS; i++) {
		if (events[i].type == attr->type &&
		    events[i].config == attr->config)
			return events[i].min;
	}
	return MIN_RAW;
}

CHECKED static int
set_event(const struct parts *p, struct perf_event_attr *attr, struct err *err)
{
	const struct event *e = find_event(p->event);
	struct dt_pfm_event found;
	struct err why = { 0 };

	if (e != NULL) {
		attr->type = e->type;
		attr->config = e->config;
		return 0;
	}
	if (dt_pfm_find(p->event, &found, &why) != 0) {
		err_take(err, -EINVAL, no_event(p->event, err_text(&why)));
		err_clear(&why);
		return -EINVAL;
	}
	attr->type = found.type;
	attr->config = found.config;
	attr->config1 = found.config1;
	attr->config2 = found.config2;
	return 0;
}

CHECKED static int
set_mask(const struct parts *p, struct perf_event_attr *attr, struct err *err)
{
	uint64_t mask;

	if (p->mask == NULL)
		return 0;
	if (!parse_number(p->mask, 16, &mask) || mask > MASK_BITS)
		return err_set(err, -EINVAL,
		    "'%s' is neither user, kernel or all nor a mask (00 to ff)",
		    p->mask);
	if (attr->type != PERF_TYPE_RAW)
		return err_set(err, -EINVAL,
		    "%s is not the processor's own event, which may have a mask",
		    p->event);
	attr->config &= ~(MASK_BITS << MASK_SHIFT);
	attr->config |= mask << MASK_SHIFT;
	return 0;
}

/* The kernel's period is signed. */
#define COUNT_MAX INT64_MAX

CHECKED static int
set_count(const struct parts *p, struct perf_event_attr *attr, struct err *err)
{
	uint64_t n, min = min_count(attr);

	if (!parse_number(p->count, 10, &n) || n < min || n > COUNT_MAX)
		return err_set(err, -EINVAL,
		    "the count is a number, of %s from %" PRIu64 " to %" PRId64,
		    p->event, min, COUNT_MAX);
	attr->sample_period = n;
	return 0;
}

/* Give an example of the form: of perf's event, if the name is one. */
CHECKED static int
refuse_name(const char *name, struct err *err)
{
	const char *event = dt_cpc_of_perf(name);

	if (event == NULL)
		event = "page_faults";
	return err_set(err, -EINVAL,
	    "names are EVENT-MODE-COUNT, MODE one of user, kernel, all: "
	    "%s-user-%" PRIu64,
	    event, dt_cpc_count(event, 0));
}

int
dt_cpc_parse(const char *name, struct perf_event_attr *attr, struct err *err)
{
	struct parts p;
	int rc;

	memset(attr, 0, sizeof(*attr));
	if (!split(name, &p)) {
		rc = refuse_name(name, err);
		goto out;
	}
	rc = set_event(&p, attr, err);
	if (rc != 0)
		goto out;
	rc = set_mask(&p, attr, err);
	if (rc != 0)
		goto out;
	rc = set_count(&p, attr, err);
	if (rc != 0)
		goto out;
	attr->exclude_kernel = strcmp(p.mode, "user") == 0;
	attr->exclude_user = strcmp(p.mode, "kernel") == 0;
out:
	free(p.text);
	return rc;
}

/* ---- probes -------------------------------------------------------------- */

static uint32_t
cpc_nids(struct dt_registry *r)
{
	(void)r;
	return NEVENTS;
}

static void
add_counter(struct dt_registry *r, uint32_t id, const char *name,
    const struct perf_event_attr *attr)
{
	struct dt_probe tmpl = { .ops = &dt_provider_cpc,
		.prov = "cpc",
		.mod = "",
		.func = "",
		.name = name,
		.id = id,
		.kind = DT_PROBE_COUNTER };
	struct dt_probe *p = dt_registry_add(r, &tmpl);

	p->group = DT_GROUP(COUNTER, p->id);
	if (p->data == NULL) {
		p->data =
		    ARENA_NEW(dt_registry_arena(r), struct perf_event_attr);
		memcpy(p->data, attr, sizeof(*attr));
	}
}

/* Can the event be counted, in this thread?  0 or -errno. */
static int
try_event(struct perf_event_attr attr)
{
	int fd;

	attr.size = sizeof(attr);
	attr.disabled = 1;
	fd = (int)syscall(
	    SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	if (fd < 0)
		return -errno;
	close(fd);
	return 0;
}

static void
add_listed(struct dt_registry *r, const struct dif_pdesc *desc, uint32_t id,
    const struct event *e)
{
	char *name = mem_printf("%s-all-%" PRIu64, e->name, e->listed);
	struct dt_probe tmpl = {
		.prov = "cpc", .mod = "", .func = "", .name = name, .id = id
	};
	struct perf_event_attr attr = {
		.type = e->type, .config = e->config, .sample_period = e->listed
	};

	if (dt_pdesc_match(desc, &tmpl) && try_event(attr) == 0)
		add_counter(r, id, name, &attr);
	free(name);
}

static bool
is_listed(const char *name)
{
	for (size_t i = 0; i < NEVENTS; i++) {
		char *listed = mem_printf(
		    "%s-all-%" PRIu64, events[i].name, events[i].listed);
		bool is = strcmp(listed, name) == 0;

		free(listed);
		if (is)
			return true;
	}
	return false;
}

static int
not_permitted(struct dt_registry *r, int err, const char *name)
{
	char *why = dt_privilege_refusal(DT_PRIV_KERNEL, "counting its events");
	int rc = dt_registry_fail(
	    r, err, "cpc:::%s: %s: run dtrace with sudo", name, why);

	free(why);
	return rc;
}

static int
match_on_demand(struct dt_registry *r, const char *name)
{
	struct perf_event_attr attr;
	struct err err = { 0 };
	int rc = dt_cpc_parse(name, &attr, &err);

	if (rc != 0) {
		dt_registry_fail(r, rc, "cpc:::%s: %s", name, err_text(&err));
		err_clear(&err);
		return rc;
	}
	rc = try_event(attr);
	if ((rc == -EPERM || rc == -EACCES) &&
	    !dt_privilege_has(DT_PRIV_KERNEL))
		return not_permitted(r, rc, name);
	if (rc == -ENOENT || rc == -ENODEV || rc == -EOPNOTSUPP)
		return dt_registry_fail(r, rc,
		    "cpc:::%s: this machine has no counter for it, as is usual "
		    "in virtual machines; dtrace -lP cpc lists those it has",
		    name);
	if (rc != 0)
		return dt_registry_fail(r, rc,
		    "cpc:::%s: the kernel refuses the event: %s", name,
		    strerror(-rc));
	if (!is_listed(name))
		add_counter(r, 0, name, &attr);
	return 0;
}

/* Only a description that names cpc can select an event that is not listed. */
static int
cpc_match(struct dt_registry *r, const struct dif_pdesc *desc, uint32_t id_base)
{
	for (uint32_t i = 0; i < NEVENTS; i++)
		add_listed(r, desc, id_base + i, &events[i]);
	if (desc->id != 0 || !dt_field_is(desc->prov, "cpc") ||
	    dt_field_is_empty(desc->name) || glob_is_pattern(desc->name) ||
	    !dt_field_match(desc->mod, "") || !dt_field_match(desc->func, ""))
		return 0;
	return match_on_demand(r, desc->name);
}

/* The kernel's pc or the process's pc; the other is 0. */
static const char *const *
cpc_arg_types(const struct dt_probe *probe)
{
	static const char *const types[] = { "uintptr_t", "uintptr_t", NULL };

	(void)probe;
	return types;
}

static const char *const cpc_attrs[] = {
	"Evolving/Evolving/Common",
	"Private/Private/Unknown",
	"Private/Private/Unknown",
	"Evolving/Evolving/CPU",
	"Evolving/Evolving/Common",
};

const struct dt_provider_ops dt_provider_cpc = {
	.name = "cpc",
	.nids = cpc_nids,
	.match = cpc_match,
	.arg_types = cpc_arg_types,
	.privilege = DT_PRIV_KERNEL,
	.attrs = cpc_attrs,
};
