/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The log's lines of faults (arch/x86/mm/fault.c, arch/x86/kernel/traps.c):
 *
 *	a.out[17]: segfault at 8 ip 0000561ac8edf14a sp 00007fff... error 6
 *	    in a.out[114a,561ac8edf000+1000] likely on CPU 1 ...
 *	Code: f3 0f 1e fa ... <c7> 04 25 08
 *	traps: a.out[18] trap invalid opcode ip:56367208315b sp:7ffe...
 *	    error:0 in a.out[563672083000+1000]
 *
 * Each fault is on one line.  /dev/kmsg gives a line per read, as
 * "priority,number,time,flags;text" (Documentation/ABI/testing/dev-kmsg).
 */
#include "base/kmsg.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/procstatus.h"
#include "base/vec.h"

#define RECORD_MAX 8192

int
kmsg_open(void)
{
	int fd;

	/* the log uses the process ids of the first PID namespace */
	if (!proc_is_first_pidns())
		return -ENOTSUP;
	fd = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	lseek(fd, 0, SEEK_END);
	return fd;
}

/* ---- lines -------------------------------------------------------------- */

static const char *
last_of(const char *s, const char *what)
{
	const char *last = NULL;

	while ((s = strstr(s, what)) != NULL)
		last = s++;
	return last;
}

/* The number behind either word. */
static bool
number_after(const char *line, const char *a, const char *b, uint64_t *out)
{
	const char *at = last_of(line, a), *word = a;
	char *end;

	if (at == NULL) {
		at = last_of(line, b);
		word = b;
	}
	if (at == NULL)
		return false;
	at += strlen(word);
	*out = strtoull(at, &end, 16);
	return end != at;
}

/*
 * The id in "NAME[TID]", which ends before `end`; names may have brackets, too.
 */
static bool
parse_tid(const char *line, const char *end, pid_t *tid)
{
	const char *open = NULL;

	for (const char *s = line; s < end; s++) {
		if (*s == '[')
			open = s;
	}
	if (open == NULL)
		return false;
	*tid = (pid_t)strtol(open + 1, NULL, 10);
	return *tid > 0;
}

/* "in FILE[OFF,START+LEN]"; old kernels omit OFF. */
static void
parse_module(const char *line, struct kmsg_fault *f)
{
	const char *in = last_of(line, " in "), *open;
	char *end;

	if (in == NULL)
		return;
	in += strlen(" in ");
	open = strrchr(in, '[');
	if (open == NULL || (size_t)(open - in) >= sizeof(f->module))
		return;
	memcpy(f->module, in, (size_t)(open - in));
	f->off = strtoull(open + 1, &end, 16);
	f->has_off = *end == ',';
}

bool
kmsg_parse(const char *line, struct kmsg_fault *f)
{
	const char *ip = last_of(line, " ip ");

	memset(f, 0, sizeof(*f));
	if (ip == NULL)
		ip = last_of(line, " ip:");
	if (ip == NULL || !parse_tid(line, ip, &f->tid) ||
	    !number_after(ip, " ip ", " ip:", &f->ip) ||
	    !number_after(ip, " sp ", " sp:", &f->sp))
		return false;
	parse_module(ip, f);
	return true;
}

/* ---- the log ------------------------------------------------------------ */

static const char code_prefix[] = "Code: ";

/* The line after a fault's: its code. */
static void
take_code(const char *text, struct kmsg_fault *f)
{
	size_t len = strlen(code_prefix);

	if (strncmp(text, code_prefix, len) == 0)
		snprintf(f->code, sizeof(f->code), "%s", text + len);
}

static void
take_record(char *record, struct kmsg_faults *out, bool *is_next)
{
	struct kmsg_fault f;
	char *text = strchr(record, ';');

	if (text == NULL)
		return;
	text[1 + strcspn(text + 1, "\n")] = '\0';
	if (*is_next)
		take_code(text + 1, &out->v.v[out->v.n - 1]);
	*is_next = kmsg_parse(text + 1, &f);
	if (*is_next)
		VEC_PUSH(&out->v, f);
}

void
kmsg_read(int fd, struct kmsg_faults *out)
{
	char *record = mem_alloc(RECORD_MAX + 1);
	bool is_next = false; /* next to a fault's line */
	ssize_t n;

	/* EPIPE: lines were overwritten before they were read */
	while ((n = read(fd, record, RECORD_MAX)) > 0 ||
	    (n < 0 && errno == EPIPE)) {
		if (n < 0)
			continue;
		record[n] = '\0';
		take_record(record, out, &is_next);
	}
	free(record);
}
