/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The place where a -c command stops before it is traced (option evaltime).
 *
 * On entry the process is stopped by its exec, its first instruction not yet
 * run: that is `exec`.  The other places are reached by planting breakpoints,
 * running into one, and taking all of them out again:
 *
 *	preinit   the dynamic loader has mapped and relocated everything, and
 *	          no constructor has run: it calls _dl_debug_state() with
 *	          r_debug.r_state == RT_CONSISTENT (the protocol of <link.h>).
 *	          Without a loader: the entry point, which is before the
 *	          constructors of a static program
 *	postinit  constructors have run: main()
 *	main      main()
 *
 * The entry point always has a breakpoint, too: if the better place is not
 * found or not reached, the process stops there at the latest, and -v reports
 * it.  So the process always stops.
 *
 * The files read here belong to the traced program and may be malformed.
 */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"
#include "libdtrace/dt_impl.h"

/* The choices of option evaltime, in their order in options.def. */
enum evaltime { EVAL_EXEC, EVAL_PREINIT, EVAL_POSTINIT, EVAL_MAIN };

#define INT3 0xcc

struct breakpoint {
	uint64_t addr; /* 0: none */
	long saved;    /* the original word there */
};

struct stopping {
	struct dt_hdl *h;
	pid_t pid;
	int mem_fd;			   /* /proc/PID/mem */
	uint64_t entry, base, phdr, phnum; /* AT_*; 0: absent */
	uint64_t bias;			   /* of the program */
	uint64_t dynamic;		   /* its dynamic section, or 0 */
	uint64_t interp;		   /* its PT_INTERP string, or 0 */
	struct breakpoint at_entry, at_best;
};

/* ---- reading the program ------------------------------------------------ */

static bool
read_mem(const struct stopping *st, uint64_t addr, void *buf, size_t len)
{
	return pread(st->mem_fd, buf, len, (off_t)addr) == (ssize_t)len;
}

static int
proc_open(pid_t pid, const char *what)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, what);
	return open(path, O_RDONLY | O_CLOEXEC);
}

static bool
read_auxv(struct stopping *st)
{
	Elf64_auxv_t aux[64] = { 0 };
	int fd = proc_open(st->pid, "auxv");
	ssize_t len;

	if (fd < 0)
		return false;
	len = read(fd, aux, sizeof(aux));
	close(fd);
	for (ssize_t i = 0; i < len / (ssize_t)sizeof(aux[0]); i++) {
		switch (aux[i].a_type) {
		case AT_ENTRY:
			st->entry = aux[i].a_un.a_val;
			break;
		case AT_BASE:
			st->base = aux[i].a_un.a_val;
			break;
		case AT_PHDR:
			st->phdr = aux[i].a_un.a_val;
			break;
		case AT_PHNUM:
			st->phnum = aux[i].a_un.a_val;
			break;
		}
	}
	return st->entry != 0;
}

static void
read_phdrs(struct stopping *st)
{
	Elf64_Phdr ph;

	for (uint64_t i = 0; i < st->phnum; i++) {
		if (!read_mem(st, st->phdr + i * sizeof(ph), &ph, sizeof(ph)))
			return;
		if (ph.p_type == PT_DYNAMIC)
			st->dynamic = ph.p_vaddr + st->bias;
		else if (ph.p_type == PT_INTERP)
			st->interp = ph.p_vaddr + st->bias;
	}
}

static bool
is_elf64(const Elf64_Ehdr *eh)
{
	return memcmp(eh->e_ident, ELFMAG, SELFMAG) == 0 &&
	    eh->e_ident[EI_CLASS] == ELFCLASS64;
}

/*
 * Read the program's header.  Returns 1, or a negative code.  0: it is not a
 * 64-bit program, with other headers and registers, or dtrace may run it, but
 * not read it.
 */
static int
read_ehdr(pid_t pid, Elf64_Ehdr *eh)
{
	int fd = proc_open(pid, "exe"), rc;
	ssize_t n;

	if (fd < 0)
		return errno == EACCES ? 0 : -errno;
	n = read(fd, eh, sizeof(*eh));
	rc = n < 0 ? -errno : n == sizeof(*eh) && is_elf64(eh);
	close(fd);
	return rc;
}

/* ---- symbols ------------------------------------------------------------ */

struct stop_image {
	const char *data;
	size_t len;
};

/* len bytes at off, or NULL when they are not all in the file. */
static const void *
image_at(const struct stop_image *img, uint64_t off, uint64_t len)
{
	if (off > img->len || len > img->len - off)
		return NULL;
	return img->data + off;
}

static uint64_t
table_find(const struct stop_image *img, const Elf64_Shdr *symtab,
    const Elf64_Shdr *strtab, const char *name)
{
	const char *strs = image_at(img, strtab->sh_offset, strtab->sh_size);
	size_t want = strlen(name) + 1;

	if (strs == NULL)
		return 0;
	for (uint64_t i = 0; i < symtab->sh_size / sizeof(Elf64_Sym); i++) {
		const void *p =
		    image_at(img, symtab->sh_offset + i * sizeof(Elf64_Sym),
			sizeof(Elf64_Sym));
		Elf64_Sym sym;

		if (p == NULL)
			return 0;
		memcpy(&sym, p, sizeof(sym));
		if (sym.st_shndx != SHN_UNDEF &&
		    ELF64_ST_TYPE(sym.st_info) == STT_FUNC &&
		    sym.st_name <= strtab->sh_size &&
		    want <= strtab->sh_size - sym.st_name &&
		    memcmp(strs + sym.st_name, name, want) == 0)
			return sym.st_value;
	}
	return 0;
}

static bool
section_header(const struct stop_image *img, const Elf64_Ehdr *eh, uint64_t i,
    Elf64_Shdr *sh)
{
	const void *p;

	if (i >= eh->e_shnum || eh->e_shentsize != sizeof(*sh))
		return false;
	p = image_at(img, eh->e_shoff + i * sizeof(*sh), sizeof(*sh));
	if (p == NULL)
		return false;
	memcpy(sh, p, sizeof(*sh));
	return true;
}

static uint64_t
image_find(const struct stop_image *img, const char *name)
{
	const void *p = image_at(img, 0, sizeof(Elf64_Ehdr));
	Elf64_Shdr sh, strs;
	Elf64_Ehdr eh;
	uint64_t addr = 0;

	if (p == NULL)
		return 0;
	memcpy(&eh, p, sizeof(eh));
	if (!is_elf64(&eh))
		return 0;
	for (uint64_t i = 0; addr == 0 && section_header(img, &eh, i, &sh);
	     i++) {
		if ((sh.sh_type == SHT_SYMTAB || sh.sh_type == SHT_DYNSYM) &&
		    section_header(img, &eh, sh.sh_link, &strs))
			addr = table_find(img, &sh, &strs, name);
	}
	return addr;
}

/* Address of a function in a file, as linked; 0 if it is not there.  Returns 0,
 * or -errno if the file cannot be read. */
static int
file_find(int fd, const char *name, uint64_t *addr)
{
	struct stop_image img = { 0 };
	struct stat sb;
	void *p;

	if (fstat(fd, &sb) != 0)
		return -errno;
	if (sb.st_size == 0)
		return 0;
	img.len = (size_t)sb.st_size;
	errno = 0;
	p = mem_read_file(fd, img.len);
	if (p == NULL) /* errno is 0 if it has become shorter */
		return -errno;
	img.data = p;
	*addr = image_find(&img, name);
	free(p);
	return 0;
}

/*
 * Find the address of `name` in a mapped file; fd is negative if it could not
 * be opened.  A file that we may not read has no symbols for us.
 */
static int
find_in(int fd, const char *name, uint64_t bias, uint64_t *addr)
{
	int rc;

	*addr = 0;
	if (fd < 0)
		return errno == EACCES || errno == ENOENT ? 0 : -errno;
	rc = file_find(fd, name, addr);
	close(fd);
	*addr += *addr != 0 ? bias : 0;
	return rc;
}

static int
find_main(struct stopping *st)
{
	return find_in(
	    proc_open(st->pid, "exe"), "main", st->bias, &st->at_best.addr);
}

/*
 * Find the function in which the loader reports its mappings; 0 for a static
 * program.
 */
static int
find_loader_report(struct stopping *st)
{
	char path[256] = "";

	if (st->base == 0 || st->interp == 0)
		return 0;
	for (size_t i = 0; i + 1 < sizeof(path); i++) {
		if (!read_mem(st, st->interp + i, &path[i], 1))
			return 0;
		if (path[i] == '\0')
			break;
	}
	path[sizeof(path) - 1] = '\0';
	return find_in(open(path, O_RDONLY | O_CLOEXEC), "_dl_debug_state",
	    st->base, &st->at_best.addr);
}

/* Does the loader's r_debug say that the mapping is complete? */
static bool
loader_is_consistent(const struct stopping *st)
{
	struct r_debug rd;
	Elf64_Dyn dyn;

	if (st->dynamic == 0)
		return false;
	for (uint64_t at = st->dynamic;; at += sizeof(dyn)) {
		if (!read_mem(st, at, &dyn, sizeof(dyn)) ||
		    dyn.d_tag == DT_NULL)
			return false;
		if (dyn.d_tag == DT_DEBUG)
			break;
	}
	return dyn.d_un.d_ptr != 0 &&
	    read_mem(st, dyn.d_un.d_ptr, &rd, sizeof(rd)) &&
	    rd.r_state == RT_CONSISTENT;
}

/* ---- running ------------------------------------------------------------ */

static int
plant(const struct stopping *st, struct breakpoint *bp)
{
	if (bp->addr == 0)
		return 0;
	errno = 0;
	bp->saved = ptrace(PTRACE_PEEKTEXT, st->pid, bp->addr, NULL);
	if (errno != 0 ||
	    ptrace(PTRACE_POKETEXT, st->pid, bp->addr,
		(bp->saved & ~0xffL) | INT3) != 0) {
		bp->addr = 0;
		return -1;
	}
	return 0;
}

static void
unplant(const struct stopping *st, const struct breakpoint *bp)
{
	if (bp->addr != 0)
		ptrace(PTRACE_POKETEXT, st->pid, bp->addr, bp->saved);
}

/*
 * Run to the next SIGTRAP, passing on other signals.  Returns false if the
 * process has ended.
 */
static bool
resume(const struct stopping *st, int how)
{
	long sig = 0;
	int status;

	for (;;) {
		if (ptrace(how, st->pid, NULL, sig) != 0 ||
		    waitpid(st->pid, &status, __WALL) < 0 ||
		    !WIFSTOPPED(status))
			return false;
		sig = WSTOPSIG(status);
		if (sig == SIGTRAP && status >> 16 == 0)
			return true;
		if (status >> 16 != 0)
			sig = 0; /* a stop by ptrace, not a signal */
	}
}

/*
 * The breakpoint that the process has hit; its pc is set back to it.  NULL:
 * another trap.
 */
static const struct breakpoint *
hit(const struct stopping *st)
{
	const struct breakpoint *bps[] = { &st->at_best, &st->at_entry };
	struct user_regs_struct regs;

	if (ptrace(PTRACE_GETREGS, st->pid, NULL, &regs) != 0)
		return NULL;
	for (size_t i = 0; i < 2; i++) {
		if (bps[i]->addr != 0 && regs.rip == bps[i]->addr + 1) {
			regs.rip--;
			ptrace(PTRACE_SETREGS, st->pid, NULL, &regs);
			return bps[i];
		}
	}
	return NULL;
}

/*
 * Run until the best place or the entry point.  With `is_loader`, the best
 * place counts once the loader's tables are consistent.  Returns the place, or
 * NULL if the process has ended.
 */
static const struct breakpoint *
run(struct stopping *st, bool is_loader)
{
	for (;;) {
		const struct breakpoint *bp;

		if (!resume(st, PTRACE_CONT))
			return NULL;
		bp = hit(st);
		if (bp == NULL)
			continue;
		if (bp != &st->at_best || !is_loader ||
		    loader_is_consistent(st))
			return bp;
		unplant(st, bp);
		if (!resume(st, PTRACE_SINGLESTEP))
			return NULL;
		plant(st, &st->at_best);
	}
}

static int
fail_to_read(const struct stopping *st, const char *what, int rc)
{
	return dt_fail(st->h, "cannot read the %s of process %d: %s", what,
	    (int)st->pid, strerror(-rc));
}

static int
run_to(struct stopping *st, enum evaltime when)
{
	bool is_loader = when == EVAL_PREINIT && st->base != 0;
	const struct breakpoint *bp;
	int rc = 0;

	st->at_entry.addr = st->entry;
	if (is_loader)
		rc = find_loader_report(st);
	else if (when != EVAL_PREINIT)
		rc = find_main(st);
	if (rc != 0)
		return fail_to_read(st, is_loader ? "loader" : "program", rc);
	if (plant(st, &st->at_entry) != 0)
		return dt_fail(st->h,
		    "cannot stop process %d at its entry "
		    "point: %s",
		    (int)st->pid, strerror(errno));
	/* main() comes after the entry point, so no stop is made there */
	if (when != EVAL_PREINIT && st->at_best.addr != 0) {
		unplant(st, &st->at_entry);
		st->at_entry.addr = 0;
	}
	if (plant(st, &st->at_best) != 0)
		return dt_fail(st->h,
		    "cannot stop process %d where evaltime "
		    "says: %s",
		    (int)st->pid, strerror(errno));
	bp = run(st, is_loader);
	if (bp == NULL)
		return dt_fail(st->h,
		    "the command ended before it could be "
		    "traced");
	unplant(st, &st->at_best);
	unplant(st, &st->at_entry);
	if (bp == &st->at_entry && (is_loader || when != EVAL_PREINIT) &&
	    st->h->is_verbose)
		dt_notice(st->h,
		    "the command was stopped at its entry point: "
		    "%s",
		    is_loader ? "its loader does not tell when it is "
				"done" :
				"it has no symbol for main()");
	return 0;
}

int
dt_proc_run_to(struct dt_hdl *h, pid_t pid)
{
	struct stopping st = { .h = h, .pid = pid };
	enum evaltime when = (enum evaltime)dt_opt(h, DT_OPT_EVALTIME);
	Elf64_Ehdr eh;
	int rc;

	if (when == EVAL_EXEC)
		return 0;
	rc = read_ehdr(pid, &eh);
	if (rc < 0)
		return fail_to_read(&st, "program", rc);
	if (rc == 0) {
		if (h->is_verbose)
			dt_notice(h,
			    "the command was stopped at its first "
			    "instruction: it is not a 64-bit program");
		return 0;
	}
	st.mem_fd = proc_open(pid, "mem");
	if (st.mem_fd < 0 || !read_auxv(&st)) {
		rc = dt_fail(h, "cannot read the memory of process %d: %s",
		    (int)pid, strerror(errno));
	} else {
		st.bias = st.entry - eh.e_entry;
		read_phdrs(&st);
		rc = run_to(&st, when);
	}
	if (st.mem_fd >= 0)
		close(st.mem_fd);
	return rc;
}
