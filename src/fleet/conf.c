/* SPDX-License-Identifier: BSD-2-Clause */
#include "fleet/conf.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "fleet/subject.h"

#define LINE_MAX_BYTES 4096

static const struct {
	const char *word;
	size_t off;
} settings[] = {
	{ "url", offsetof(struct fl_conf, url) },
	{ "name", offsetof(struct fl_conf, name) },
	{ "policy", offsetof(struct fl_conf, policy) },
	{ "state", offsetof(struct fl_conf, state) },
	{ "author", offsetof(struct fl_conf, author) },
	{ "user", offsetof(struct fl_conf, user) },
	{ "password", offsetof(struct fl_conf, password) },
	{ "token", offsetof(struct fl_conf, token) },
	{ "creds", offsetof(struct fl_conf, creds) },
	{ "nkey", offsetof(struct fl_conf, nkey) },
	{ "nkey_file", offsetof(struct fl_conf, nkey_file) },
	{ "ca", offsetof(struct fl_conf, ca) },
	{ "cert", offsetof(struct fl_conf, cert) },
	{ "key", offsetof(struct fl_conf, key) },
	{ "metrics", offsetof(struct fl_conf, metrics) },
	{ "metrics_dir", offsetof(struct fl_conf, metrics_dir) },
	{ "metrics_cpu", offsetof(struct fl_conf, metrics_cpu) },
};
#define NSETTINGS (sizeof(settings) / sizeof(settings[0]))

static char **
member(struct fl_conf *c, size_t i)
{
	return (char **)(void *)((char *)c + settings[i].off);
}

int
fl_conf_add_label(struct fl_conf *c, const char *text, struct err *err)
{
	const char *eq = strchr(text, '=');

	if (eq == NULL || eq == text)
		return err_set(err, -EINVAL,
		    "a label is a name and a value, as in role=db, not '%s'",
		    text);
	VEC_PUSH(&c->labels,
	    ((struct fl_pair){
		mem_strndup(text, (size_t)(eq - text)), mem_strdup(eq + 1) }));
	return 0;
}

CHECKED static int
add_merger(struct fl_conf *c, const char *name, struct err *err)
{
	VEC_FOREACH(&c->mergers, known) {
		if (strcmp(*known, name) == 0)
			return err_set(
			    err, -EINVAL, "the merger %s is named twice", name);
	}
	if (*name == '\0' || strlen(name) > FL_HOST_MAX)
		return err_set(err, -EINVAL,
		    "the name of a merger has 1 to %u bytes", FL_HOST_MAX);
	if (c->mergers.n == FL_MERGERS_MAX)
		return err_set(err, -EINVAL, "there are at most %u mergers",
		    FL_MERGERS_MAX);
	VEC_PUSH(&c->mergers, mem_strdup(name));
	return 0;
}

CHECKED static int
set(struct fl_conf *c, const char *word, const char *value, struct err *err)
{
	if (strcmp(word, "label") == 0)
		return fl_conf_add_label(c, value, err);
	if (strcmp(word, "merger") == 0)
		return add_merger(c, value, err);
	for (size_t i = 0; i < NSETTINGS; i++) {
		char **at = member(c, i);

		if (strcmp(word, settings[i].word) != 0)
			continue;
		if (*at != NULL)
			return err_set(err, -EINVAL, "%s is set twice", word);
		*at = mem_strdup(value);
		return 0;
	}
	return err_set(err, -EINVAL, "there is no setting '%s'", word);
}

/* Cut blanks at both ends. */
static char *
trim(char *s)
{
	size_t n;

	s += strspn(s, " \t\r\n");
	n = strlen(s);
	while (n != 0 && strchr(" \t\r\n", s[n - 1]) != NULL)
		s[--n] = '\0';
	return s;
}

CHECKED static int
take_line(struct fl_conf *c, char *line, struct err *err)
{
	char *text = trim(line), *eq;

	if (*text == '\0' || *text == '#')
		return 0;
	eq = strchr(text, '=');
	if (eq == NULL)
		return err_set(err, -EINVAL,
		    "expected a setting, as in url = nats://localhost");
	*eq = '\0';
	return set(c, trim(text), trim(eq + 1), err);
}

int
fl_conf_read(const char *path, struct fl_conf *out, struct err *err)
{
	FILE *f = fopen(path, "re");
	char line[LINE_MAX_BYTES];
	unsigned number = 0;
	int rc = 0;

	if (f == NULL) {
		int error = -errno;

		return err_set(
		    err, error, "cannot read %s: %s", path, strerror(-error));
	}
	while (rc == 0 && fgets(line, sizeof(line), f) != NULL) {
		number++;
		rc = strlen(line) == sizeof(line) - 1 ?
		    err_set(err, -EINVAL, "the line is too long") :
		    take_line(out, line, err);
		if (rc != 0)
			rc = err_prefix(err, "%s:%u", path, number);
	}
	fclose(f);
	return rc;
}

void
fl_conf_fini(struct fl_conf *c)
{
	for (size_t i = 0; i < NSETTINGS; i++)
		free(*member(c, i));
	VEC_FOREACH(&c->labels, l) {
		free((char *)(uintptr_t)l->name);
		free((char *)(uintptr_t)l->value);
	}
	VEC_FREE(&c->labels);
	VEC_FOREACH(&c->mergers, name)
		free((char *)(uintptr_t)*name);
	VEC_FREE(&c->mergers);
}

struct fl_bus_opts
fl_conf_bus(const struct fl_conf *c, const char *name)
{
	return (struct fl_bus_opts){ .url = c->url,
		.name = name,
		.user = c->user,
		.password = c->password,
		.token = c->token,
		.creds = c->creds,
		.nkey = c->nkey,
		.nkey_file = c->nkey_file,
		.ca = c->ca,
		.cert = c->cert,
		.key = c->key };
}
