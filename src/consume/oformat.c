/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Forms of the output: the table of their operations, and their files.
 *
 * A document takes the place of the file of -o as a whole: it is written to
 * another file of the same folder, which is then renamed.  So a reader sees the
 * old document or the new one.  A pipe or a device cannot be replaced; the last
 * document alone is written to it.
 */
#include "consume/oformat.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"

const struct oformat_ops *
oformat_by_choice(size_t choice)
{
	static const struct oformat_ops *const all[] = {
#define OFORMAT(choice, name) [choice] = &oformat_##name,
#include "consume/oformats.def"
#undef OFORMAT
	};

	return choice < sizeof(all) / sizeof(all[0]) ? all[choice] : NULL;
}

bool
oformat_is_refreshed(const struct consume_opts *opts)
{
	return opts->oformat != NULL && opts->oformat->is_refreshed;
}

void
oformat_texts_init(struct oformat_texts *t, const struct consumer *c)
{
	*t = (struct oformat_texts){ .n = c->pl->aggs.n };
	t->texts = mem_alloc(t->n * sizeof(*t->texts));
}

void
oformat_texts_fini(struct oformat_texts *t)
{
	for (size_t i = 0; i < t->n; i++)
		strbuf_fini(&t->texts[i]);
	free(t->texts);
	VEC_FREE(&t->places);
}

void
oformat_texts_begin(struct oformat_texts *t, const struct consumer *c,
    struct agg *const *aggs, size_t n)
{
	t->places.n = 0;
	for (size_t i = 0; i < n; i++) {
		size_t place = (size_t)(aggs[i] - c->aggs);

		VEC_PUSH(&t->places, place);
		strbuf_reset(&t->texts[place]);
	}
}

const struct consume_run *
oformat_run(const struct consumer *c)
{
	static const struct consume_run unknown = {
		.product = "", .host = "", .kernel = ""
	};

	return c->opts.run != NULL && c->opts.run->product != NULL ?
	    c->opts.run :
	    &unknown;
}

bool
oformat_has_data(const dtrace_event_t *ev)
{
	for (uint32_t i = 0; i < ev->dtev_nactions; i++) {
		if (dif_act(ev->dtev_actions[i].dtac_kind)->effect ==
		    DIF_EFFECT_NONE)
			return true;
	}
	return false;
}

void
oformat_record(const struct chew *ch, const dtrace_event_t *ev)
{
	struct consumer *c = ch->c;

	if (c->opts.oformat->record != NULL)
		c->opts.oformat->record(ch, ev);
	else
		c->nunwritten += oformat_has_data(ev);
}

void
oformat_table(struct consumer *c, struct agg *const *aggs, size_t n)
{
	if (c->opts.oformat == NULL)
		return;
	c->rows_ns = consumer_now(c);
	if (c->opts.oformat->table != NULL)
		c->opts.oformat->table(c, aggs, n);
}

/* ---- documents ---------------------------------------------------------- */

static bool
write_all(int fd, const struct strbuf *text)
{
	for (size_t done = 0; done < text->len;) {
		ssize_t n = write(fd, text->s + done, text->len - done);

		if (n < 0 && errno != EINTR)
			return false;
		done += n > 0 ? (size_t)n : 0;
	}
	return true;
}

/* Returns 0 or -errno; the other file is gone. */
static int
replace_file(const char *name, mode_t mode, const struct strbuf *text)
{
	char *temp = mem_printf("%s.XXXXXX", name);
	int fd = mkostemp(temp, O_CLOEXEC), error = 0;

	if (fd < 0) {
		error = -errno;
		free(temp);
		return error;
	}
	if (!write_all(fd, text) || fchmod(fd, mode & 0777) != 0)
		error = -errno;
	if (close(fd) != 0 && error == 0)
		error = -errno;
	if (error == 0 && rename(temp, name) != 0)
		error = -errno;
	if (error != 0)
		unlink(temp);
	free(temp);
	return error;
}

/* May a rename put another file in the place of the output? */
static bool
is_replaceable(const struct consumer *c, struct stat *st)
{
	struct stat named;

	return c->opts.out_name != NULL && c->first_out != NULL &&
	    fstat(fileno(c->first_out), st) == 0 && S_ISREG(st->st_mode) &&
	    lstat(c->opts.out_name, &named) == 0 && S_ISREG(named.st_mode);
}

static struct strbuf
make_document(struct consumer *c)
{
	struct out_aside aside =
	    out_aside_begin(c, (struct strbuf){ 0 }, false);

	c->opts.oformat->write(c);
	return out_aside_end(c, &aside);
}

bool
consumer_document(struct consumer *c, struct strbuf *out)
{
	struct strbuf text;

	if (c->formatted == NULL || c->opts.oformat->write == NULL)
		return false;
	if (c->error == 0)
		consumer_error(c, aggs_print_rest(c));
	if (c->error != 0)
		return false;
	text = make_document(c);
	strbuf_add(out, text.s, text.len);
	strbuf_fini(&text);
	return true;
}

/* The file of -o is appended to, but two traces in one cannot be read. */
void
oformat_start(struct consumer *c)
{
	const struct oformat_ops *ops = c->opts.oformat;
	struct stat st;

	if (ops == NULL)
		return;
	if (ops->is_whole && is_replaceable(c, &st) &&
	    ftruncate(fileno(c->first_out), 0) != 0)
		consumer_error(c, -errno);
	if (ops->start != NULL)
		ops->start(c);
}

static void
write_document(struct consumer *c, bool is_last)
{
	struct strbuf text;
	struct stat st;
	bool replaces = is_replaceable(c, &st);

	if (c->opts.oformat == NULL || c->opts.oformat->write == NULL ||
	    c->error != 0 || (!replaces && !is_last))
		return;
	text = make_document(c);
	if (replaces)
		consumer_error(
		    c, replace_file(c->opts.out_name, st.st_mode, &text));
	else
		strbuf_add(&c->buf, text.s, text.len);
	strbuf_fini(&text);
}

void
oformat_write(struct consumer *c)
{
	write_document(c, false);
}

void
oformat_end(struct consumer *c)
{
	write_document(c, true);
	if (c->nunwritten != 0)
		consumer_warn(c,
		    "the data of %llu record%s are not in the output: "
		    "it holds %s",
		    (unsigned long long)c->nunwritten,
		    c->nunwritten == 1 ? "" : "s", c->opts.oformat->holds);
}
