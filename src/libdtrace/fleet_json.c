/* SPDX-License-Identifier: BSD-2-Clause */
/* Lists of a fleet as JSON (doc/json.md). */
#include <string.h>

#include "consume/json.h"
#include "libdtrace/dt_impl.h"

static void
put_line(struct strbuf *sb, FILE *out)
{
	strbuf_adds(sb, "}\n");
	fwrite(sb->s, 1, sb->len, out);
	strbuf_fini(sb);
}

void
dt_fleet_probe_json(const struct dt_probe *p, FILE *out)
{
	struct strbuf sb = { 0 };

	json_open(&sb);
	json_str(&sb, "event", "listing");
	json_uint(&sb, "hosts", p->id);
	json_str(&sb, "provider", p->prov);
	json_str(&sb, "module", p->mod);
	json_str(&sb, "function", p->func);
	json_str(&sb, "name", p->name);
	put_line(&sb, out);
}

/* A host of dt_fleet_run.hosts. */
static void
put_host(struct strbuf *sb, const char *name, size_t len)
{
	bool is_heard = len == 0 || name[len - 1] != '?';

	json_open(sb);
	json_name(sb, "name");
	json_text(sb, name, is_heard ? len : len - 1);
	json_name(sb, "heard");
	strbuf_adds(sb, is_heard ? "true" : "false");
	strbuf_addc(sb, '}');
}

void
dt_fleet_run_json(const struct dt_fleet_run *run, FILE *out)
{
	const char *host = run->hosts;
	struct strbuf sb = { 0 };

	json_open(&sb);
	json_str(&sb, "event", "run");
	json_str(&sb, "name", run->name);
	json_str(&sb, "author", run->author);
	json_uint(&sb, "since", run->since_ns);
	json_uint(&sb, "until", run->until_ns);
	json_uint(&sb, "bytes", run->bytes);
	json_list(&sb, "hosts");
	while (*host != '\0') {
		size_t len = strcspn(host, ",");

		put_host(&sb, host, len);
		host += len + (host[len] == ',');
	}
	strbuf_addc(&sb, ']');
	put_line(&sb, out);
}
