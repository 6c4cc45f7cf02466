/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Core files, as Linux writes them (fs/binfmt_elf.c, core(5)):
 *
 *	ELF header, program headers
 *	PT_NOTE		NT_PRSTATUS of the thread that had the fault,
 *			NT_PRPSINFO of the process, then other threads' notes
 *	PT_LOAD ...	its memory; p_filesz is less if parts are not dumped
 */
#include "base/core.h"

#include <elf.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/procfs.h>
#include <sys/user.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/regular.h"
#include "base/str.h"

#define NOTES_MAX 65536 /* the first thread's notes come first */
#define FRAME_MAX (1 << 20)
#define CODE_BYTES 16

/* ---- finding the file --------------------------------------------------- */

static bool
read_line(const char *path, char *line, size_t len)
{
	FILE *f = fopen(path, "re");
	bool is = f != NULL && fgets(line, (int)len, f) != NULL;

	if (f != NULL)
		fclose(f);
	if (is)
		line[strcspn(line, "\n")] = '\0';
	return is;
}

/* Expand one specifier; false: an unknown one. */
static bool
expand_one(char c, pid_t pid, int sig, struct strbuf *out)
{
	switch (c) {
	case '%':
		strbuf_adds(out, "%");
		return true;
	case 'p':
	case 'P':
		strbuf_printf(out, "%d", (int)pid);
		return true;
	case 's':
		strbuf_printf(out, "%d", sig);
		return true;
	default:
		return false;
	}
}

static bool
expand(const char *pattern, pid_t pid, int sig, struct strbuf *out)
{
	bool is = pattern[0] != '|';

	for (const char *s = pattern; is && *s != '\0'; s++) {
		if (*s != '%')
			strbuf_add(out, s, 1);
		else if (*++s == '\0' || !expand_one(*s, pid, sig, out))
			is = false;
	}
	return is;
}

int
core_open_by(
    const char *pattern, int uses_pid, pid_t pid, const char *cwd, int sig)
{
	struct strbuf path = { 0 };
	int fd = -ENOTSUP;

	if (pattern[0] != '/')
		strbuf_printf(&path, "%s/", cwd);
	if (expand(pattern, pid, sig, &path)) {
		if (uses_pid != 0 && strstr(pattern, "%p") == NULL)
			strbuf_printf(&path, ".%d", (int)pid);
		fd = regular_open_itself(path.s);
	}
	strbuf_fini(&path);
	return fd;
}

int
core_open(pid_t pid, const char *cwd, int sig)
{
	char pattern[256], uses_pid[8] = "0";

	if (!read_line(
		"/proc/sys/kernel/core_pattern", pattern, sizeof(pattern)))
		return -ENOTSUP;
	read_line("/proc/sys/kernel/core_uses_pid", uses_pid, sizeof(uses_pid));
	return core_open_by(pattern, atoi(uses_pid), pid, cwd, sig);
}

/* ---- reading memory ----------------------------------------------------- */

struct core {
	int fd;
	Elf64_Phdr *ph;
	size_t nph;
};

static bool
read_at(int fd, uint64_t off, void *buf, size_t len)
{
	return off < INT64_MAX - len &&
	    pread(fd, buf, len, (off_t)off) == (ssize_t)len;
}

static int
read_headers(struct core *c)
{
	Elf64_Ehdr eh;

	if (!read_at(c->fd, 0, &eh, sizeof(eh)) ||
	    memcmp(eh.e_ident, ELFMAG, SELFMAG) != 0 ||
	    eh.e_ident[EI_CLASS] != ELFCLASS64 || eh.e_type != ET_CORE ||
	    eh.e_machine != EM_X86_64 || eh.e_phentsize != sizeof(*c->ph) ||
	    eh.e_phnum == PN_XNUM || eh.e_phnum == 0)
		return -EINVAL;
	c->nph = eh.e_phnum;
	c->ph = mem_alloc(c->nph * sizeof(*c->ph));
	return read_at(c->fd, eh.e_phoff, c->ph, c->nph * sizeof(*c->ph)) ?
	    0 :
	    -EINVAL;
}

static bool
read_memory(const struct core *c, uint64_t at, void *buf, size_t len)
{
	for (size_t i = 0; i < c->nph; i++) {
		const Elf64_Phdr *ph = &c->ph[i];

		if (ph->p_type == PT_LOAD && at >= ph->p_vaddr &&
		    at - ph->p_vaddr < ph->p_filesz &&
		    ph->p_filesz - (at - ph->p_vaddr) >= len &&
		    ph->p_offset <= INT64_MAX)
			return read_at(
			    c->fd, ph->p_offset + (at - ph->p_vaddr), buf, len);
	}
	return false;
}

/* ---- notes -------------------------------------------------------------- */

struct notes {
	bool has_status, has_info;
	struct elf_prstatus status; /* the first one */
	struct elf_prpsinfo info;
};

static void
take_note(struct notes *out, uint32_t type, const uint8_t *desc, size_t len)
{
	if (type == NT_PRSTATUS && len >= sizeof(out->status) &&
	    !out->has_status) {
		memcpy(&out->status, desc, sizeof(out->status));
		out->has_status = true;
	} else if (type == NT_PRPSINFO && len >= sizeof(out->info) &&
	    !out->has_info) {
		memcpy(&out->info, desc, sizeof(out->info));
		out->has_info = true;
	}
}

static size_t
padded(uint32_t n)
{
	return ((size_t)n + 3) & ~(size_t)3;
}

static void
take_notes(struct notes *out, const uint8_t *buf, size_t len)
{
	size_t at = 0;

	while (len - at >= sizeof(Elf64_Nhdr)) {
		Elf64_Nhdr nh;
		size_t desc;

		memcpy(&nh, buf + at, sizeof(nh));
		at += sizeof(nh);
		if (padded(nh.n_namesz) > len - at)
			return;
		desc = at + padded(nh.n_namesz);
		if (padded(nh.n_descsz) > len - desc)
			return;
		take_note(out, nh.n_type, buf + desc, nh.n_descsz);
		at = desc + padded(nh.n_descsz);
	}
}

static void
read_notes(const struct core *c, struct notes *out)
{
	uint8_t *buf;

	for (size_t i = 0; i < c->nph; i++) {
		size_t len = c->ph[i].p_filesz < NOTES_MAX ?
		    (size_t)c->ph[i].p_filesz :
		    NOTES_MAX;

		if (c->ph[i].p_type != PT_NOTE)
			continue;
		buf = mem_alloc(len + 1);
		if (read_at(c->fd, c->ph[i].p_offset, buf, len))
			take_notes(out, buf, len);
		free(buf);
		return;
	}
}

/* ---- the place ---------------------------------------------------------- */

static void
add_return(const struct core *c, uint64_t at, struct core_place *out)
{
	uint64_t to;

	if (read_memory(c, at, &to, sizeof(to)))
		out->returns[out->nreturns++] = to;
}

static void
add_code(const struct core *c, struct core_place *out)
{
	uint8_t code[CODE_BYTES];
	size_t n = 0;

	if (!read_memory(c, out->ip, code, sizeof(code)))
		return;
	for (size_t i = 0; i < sizeof(code); i++)
		n += (size_t)snprintf(out->code + n, sizeof(out->code) - n,
		    i == 0 ? "<%02x>" : " %02x", code[i]);
}

static void
describe(const struct core *c, const struct elf_prstatus *status,
    struct core_place *out)
{
	struct user_regs_struct regs;

	_Static_assert(sizeof(regs) == sizeof(status->pr_reg), "elf_gregset_t");
	memcpy(&regs, &status->pr_reg, sizeof(regs));
	*out = (struct core_place){
		.tid = status->pr_pid, .ip = regs.rip, .sp = regs.rsp
	};
	add_return(c, regs.rsp, out);
	if (regs.rbp > regs.rsp && regs.rbp - regs.rsp < FRAME_MAX &&
	    regs.rbp % 8 == 0)
		add_return(c, regs.rbp + 8, out);
	add_code(c, out);
}

int
core_read(int fd, pid_t pid, struct core_place *out)
{
	struct core c = { .fd = fd };
	struct notes notes = { 0 };
	int rc = read_headers(&c);

	if (rc != 0)
		goto out;
	read_notes(&c, &notes);
	if (!notes.has_status || !notes.has_info)
		rc = -EINVAL;
	else if (notes.info.pr_pid != pid)
		rc = -ESRCH;
	else
		describe(&c, &notes.status, out);
out:
	free(c.ph);
	return rc;
}
