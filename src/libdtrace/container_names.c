/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Option container: the ids of containers by the names that people gave them.
 *
 * The path of a control group has the id alone.  The monitor of podman and
 * CRI-O, conmon, has both in its command line (-n NAME -c ID); docker keeps the
 * name in a file below the folder of the container, which has the id's name.
 *
 * The names that are read here may come from anyone: they only select one of
 * the control groups that exist, and two answers are none.
 */
#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/str.h"
#include "libdtrace/dt_impl.h"

#define DOCKER "/var/lib/docker/containers"
#define MAX_TEXT (256U << 10) /* bytes of a file that are read */
#define ID_LEN 64

/* The ids that were found; more than one is too many. */
struct ids {
	char id[ID_LEN + 1];
	size_t n;
};

static bool
is_id(const char *s)
{
	return strlen(s) == ID_LEN && strspn(s, "0123456789abcdef") == ID_LEN;
}

static void
add_id(struct ids *ids, const char *id)
{
	if (!is_id(id) || (ids->n != 0 && strcmp(ids->id, id) == 0))
		return;
	ids->n++;
	memcpy(ids->id, id, sizeof(ids->id));
}

/* The text of dir/name/file (malloced), "" if it cannot be read. */
static char *
read_text(const char *dir, const char *name, const char *file, size_t *len)
{
	char *path = mem_printf("%s/%s/%s", dir, name, file);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	char *text = mem_alloc(MAX_TEXT + 1);
	ssize_t n = 1;

	*len = 0;
	while (fd >= 0 && n > 0 && *len < MAX_TEXT) {
		n = read(fd, text + *len, MAX_TEXT - *len);
		*len += n > 0 ? (size_t)n : 0;
	}
	text[*len] = '\0';
	if (fd >= 0)
		close(fd);
	free(path);
	return text;
}

/* The word behind the first `flag` of a command line; "": there is none. */
static const char *
argument(const char *text, size_t len, const char *flag)
{
	const char *end = text + len;

	while (text < end) {
		const char *next = text + strlen(text) + 1;

		if (strcmp(text, flag) == 0)
			return next < end ? next : "";
		text = next;
	}
	return "";
}

typedef void look_f(struct ids *ids, const char *entry, const char *name);

static void
look_at_process(struct ids *ids, const char *pid, const char *name)
{
	size_t len;
	char *text;
	bool is_monitor;

	if (pid[strspn(pid, "0123456789")] != '\0')
		return;
	text = read_text("/proc", pid, "comm", &len);
	is_monitor = strcmp(text, "conmon\n") == 0;
	free(text);
	if (!is_monitor)
		return;
	text = read_text("/proc", pid, "cmdline", &len);
	if (strcmp(argument(text, len, "-n"), name) == 0)
		add_id(ids, argument(text, len, "-c"));
	free(text);
}

static void
look_at_docker(struct ids *ids, const char *id, const char *name)
{
	char *wanted, *text;
	size_t len;

	if (!is_id(id))
		return;
	wanted = mem_printf("\"Name\":\"/%s\"", name);
	text = read_text(DOCKER, id, "config.v2.json", &len);
	if (strstr(text, wanted) != NULL)
		add_id(ids, id);
	free(text);
	free(wanted);
}

static void
look_in(struct ids *ids, const char *path, look_f *look, const char *name)
{
	DIR *dir = opendir(path);
	struct dirent *d;

	while (dir != NULL && (d = readdir(dir)) != NULL)
		look(ids, d->d_name, name);
	if (dir != NULL)
		closedir(dir);
}

/* Names have letters, digits and "_.-". */
static bool
may_be_name(const char *s)
{
	return *s != '\0' && s[strcspn(s, "\"\\/ \t\n")] == '\0';
}

size_t
dt_container_named(const char *name, char **id)
{
	struct ids ids = { .n = 0 };

	*id = NULL;
	if (!may_be_name(name))
		return 0;
	look_in(&ids, "/proc", look_at_process, name);
	look_in(&ids, DOCKER, look_at_docker, name);
	if (ids.n == 1)
		*id = mem_strdup(ids.id);
	return ids.n;
}
