/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The pid provider: pidN:module:function:entry|return|offset, in process N.
 *
 *	pid1234:libc.so.6:malloc:entry		a function is entered
 *	pid1234:libc:malloc:return		left: arg0 where, arg1 the value
 *	pid1234:a.out:main:1f			comes to main+0x1f
 *	pid1234:libc:mtx_lock:exit		goes back to its caller
 *	pid1234:a.out:-:401136			comes to that address
 *
 * A module is called by its file's name, with or without what follows ".so",
 * by the file's whole path, or `a.out` for the program itself.  Names are those
 * of doc/reference/providers.md section 7.
 *
 * An entry probe has the function's first instruction as its site.  A return
 * probe has every instruction that leaves the function, although the kernel's
 * uretprobes cost a tenth (0.8 us against 12 for a single step): uretprobes
 * replace return addresses, which ends programs in C++ and Go whose unwinders
 * meet them, and do not know where the function was left.
 */
#include <ctype.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bounds.h"
#include "base/err.h"
#include "base/glob.h"
#include "base/mem.h"
#include "base/near.h"
#include "base/ownfailure.h"
#include "base/procstatus.h"
#include "base/str.h"
#include "base/vec.h"
#include "provider/provider.h"
#include "provider/provider_impl.h"
#include "provider/ufiles.h"
#include "provider/usdt_files.h"
#include "x86/entry.h"

#define MAX_PROBES 250000    /* as fasttrap-max-probes; and as many refusals */
#define MAX_FUNC (16U << 20) /* bytes of code that are looked at */
/* Names of probes that patterns do not select. */
#define EXIT "exit"
#define PAUSE "pause"

/* The match that is running. */
struct pm {
	struct dt_registry *r;
	const struct dif_pdesc *desc;
	struct dt_ufiles *files;
	struct proc_maps maps;
	pid_t pid;
	int mem_fd;	      /* of /proc/PID/mem, if a debugger is
					 * attached; -1 */
	uint64_t program_ino; /* of the file that the process runs */
	char prov[16];
	const char *mod, *func, *name; /* never NULL */
	char *what;		       /* "func:name" */
	int rc;
	size_t nmods, nfuncs, nprobes; /* that the description selects */
	size_t nleft;		       /* selected, but not probeable */
	size_t nrefused;     /* modules of which no code can be traced, ... */
	const char *refused; /* ... the last of them, ... */
	struct err why_refused; /* ... and why */

	/* the module at hand */
	const struct proc_module *m;
	const struct proc_map *text; /* a mapping with its code */
	const struct dt_ufile *file;
	const struct dt_usdt_file *brings; /* probes of its own; or NULL */
	struct elf_syms *es;
	uint64_t bias; /* from its addresses to the process's */
	bool has_bias, is_program, is_32;
	bool has_ifunc;
	uint64_t unread; /* bytes of functions' code that may still be read */

	/* the function at hand, the code of which is read on first use */
	const struct elf_sym *sym;
	const char *sym_name;
	struct x86_code code;
	uint8_t *bytes;
	size_t bytes_cap;
};

/* ---- names -------------------------------------------------------------- */

static bool
is_field_pattern(const char *field)
{
	return dt_field_is_empty(field) || glob_is_pattern(field);
}

/* The number in "pid123"; 0 if it is not of that form. */
static pid_t
pid_of(const char *prov)
{
	unsigned long n;
	char *end;

	if (prov == NULL || strncmp(prov, "pid", 3) != 0 ||
	    !isdigit((unsigned char)prov[3]))
		return 0;
	errno = 0;
	n = strtoul(prov + 3, &end, 10);
	return *end == '\0' && errno == 0 && n <= INT32_MAX ? (pid_t)n : 0;
}

/* The process of a pattern with its number at the end: "p*d123" is pid123. */
static pid_t
pid_of_pattern(const char *pattern)
{
	size_t n = strlen(pattern), end = n;
	char name[16];
	pid_t pid;

	if (pattern[0] != 'p' || !glob_is_pattern(pattern))
		return 0;
	while (n > 0 && isdigit((unsigned char)pattern[n - 1]))
		n--;
	if (n == end || end - n >= sizeof(name) - 3)
		return 0;
	snprintf(name, sizeof(name), "pid%s", pattern + n);
	pid = pid_of(name);
	return pid > 0 && glob_match(pattern, name) ? pid : 0;
}

static bool
pid_answers(const char *pattern)
{
	if (pattern != NULL && pid_of_pattern(pattern) != 0)
		return true;
	return pattern != NULL && strncmp(pattern, "pid", 3) == 0 &&
	    (isdigit((unsigned char)pattern[3]) || pattern[3] == '*' ||
		pattern[3] == '?' || pattern[3] == '[' || pattern[3] == '\0');
}

/* Is it the name of a library without its version: "libc" of "libc.so.6"? */
static bool
is_unversioned(const char *pattern, const char *name)
{
	size_t n = strlen(pattern);

	if (n == 0 || strncmp(pattern, name, n) != 0)
		return false;
	if (strncmp(name + n, ".so", 3) == 0)
		return true;
	if (name[n] == '-')
		return isdigit((unsigned char)name[n + 1]);
	return name[n] == '.' && strstr(pattern, ".so") != NULL;
}

/* "LM0`libc.so.6": the first link map is the only one with a number. */
static const char *
skip_link_map(const char *mod)
{
	return strncmp(mod, "LM0`", 4) == 0 ? mod + 4 : mod;
}

/*
 * Where /lib is a link to usr/lib, the kernel says /usr/lib/... and programs say
 * /lib/... (ld.so(8), ldd(1)).
 */
static bool
selects_path(const char *pattern, const char *path)
{
	return glob_match(pattern, path) ||
	    (strncmp(path, "/usr/", 5) == 0 && glob_match(pattern, path + 4));
}

static bool
selects_module(const char *pattern, const struct proc_module *m, bool is_prog)
{
	pattern = skip_link_map(pattern);
	if (dt_field_is_empty(pattern) ||
	    (is_prog && glob_match(pattern, "a.out")))
		return true;
	if (strchr(pattern, '/') != NULL)
		return selects_path(pattern, m->path);
	return glob_match(pattern, m->name) || is_unversioned(pattern, m->name);
}

/* The number of "1f" or "0x1F"; false: it is none. */
static bool
offset_parse(const char *name, uint64_t *off)
{
	char *end;

	if (!isxdigit((unsigned char)*name))
		return false;
	errno = 0;
	*off = strtoull(name, &end, 16);
	return *end == '\0' && errno == 0;
}

static bool
selects_name(const char *pattern, const char *name)
{
	uint64_t a, b;

	if (dt_field_match(pattern, name))
		return true;
	return pattern != NULL && offset_parse(pattern, &a) &&
	    offset_parse(name, &b) && a == b;
}

/* For the registry, about probes that exist already. */
static bool
is_special(const char *name)
{
	return strcmp(name, EXIT) == 0 || strcmp(name, PAUSE) == 0;
}

static bool
pid_selects(const struct dif_pdesc *desc, const struct dt_probe *p)
{
	struct proc_module m = { .name = p->mod,
		.path = p->up->sites.v[0].file->path };

	return dt_field_match(desc->prov, p->prov) &&
	    dt_field_match(desc->func, p->func) &&
	    (!is_special(p->name) || dt_field_is(desc->name, p->name)) &&
	    selects_name(desc->name, p->name) &&
	    selects_module(
		desc->mod != NULL ? desc->mod : "", &m, p->up->is_program);
}

/* ---- code --------------------------------------------------------------- */

/* Where the next function begins, or the section ends. */
static uint64_t
symbol_end(const struct pm *pm, const struct elf_sym *sym)
{
	const struct elf_sect *sect = elf_syms_sect(pm->es, sym->shndx);
	const struct elf_sym *next = elf_syms_next_code(pm->es, sym->value);

	if (next != NULL)
		return next->value;
	return sect != NULL ? sect->vaddr + sect->size : sym->value;
}

static uint64_t
symbol_size(const struct pm *pm, const struct elf_sym *sym)
{
	return sym->size != 0 ? sym->size : symbol_end(pm, sym) - sym->value;
}

/* Functions may share bytes: names of one, or parts of another.  Those of which
 * all share all would be read for ever. */
static bool
may_read(struct pm *pm, uint64_t size)
{
	char *why;

	if (size <= pm->unread) {
		pm->unread -= size;
		return true;
	}
	why = bounds_refusal(LIMIT_OVERLAP);
	pm->rc = dt_registry_refuse(
	    pm->r, DT_REFUSE_LIB, -E2BIG, "%s: %s", pm->m->path, why);
	free(why);
	return false;
}

/* Read the code of a function.  False: it is not in the file. */
static bool
read_code(struct pm *pm, const struct elf_sym *sym)
{
	uint64_t size = symbol_size(pm, sym), off;
	ssize_t n;

	if (size == 0 || size > MAX_FUNC ||
	    !elf_syms_offset(pm->es, sym->value, &off) || !may_read(pm, size))
		return false;
	if (size > pm->bytes_cap) {
		pm->bytes_cap = size;
		pm->bytes = mem_realloc(pm->bytes, size);
	}
	n = pread(pm->file->fd, pm->bytes, size, (off_t)off);
	if (n < 0)
		pm->rc = dt_registry_fail(pm->r, -errno,
		    "cannot read the code of %s in %s: %s", pm->sym_name,
		    pm->m->path, strerror(errno));
	if (n != (ssize_t)size)
		return false;
	pm->code = (struct x86_code){ pm->bytes, size, pm->is_32 };
	return true;
}

/* ---- probes of a function ----------------------------------------------- */

static void
add_probe(struct pm *pm, const char *name, enum dt_probe_kind kind,
    const struct dt_usite *sites, size_t n)
{
	struct dt_usites up = {
		.pid = pm->pid, .is_program = pm->is_program, .is_32 = pm->is_32
	};
	struct dt_probe p = { .ops = &dt_provider_pid,
		.prov = pm->prov,
		.mod = pm->m->name,
		.func = pm->sym_name,
		.name = name,
		.kind = kind,
		.group = DT_GROUP(PID,
		    2 * (uint32_t)pm->pid + (kind == DT_PROBE_FUNC_RETURN)),
		.up = &up };

	dt_registry_add_sites(pm->r, &p, sites, n);
	pm->nprobes += n;
	if (pm->nprobes > MAX_PROBES && pm->rc == 0)
		pm->rc = dt_registry_fail(pm->r, -E2BIG,
		    "more than %u places "
		    "in process %d; name modules, functions or offsets",
		    MAX_PROBES, (int)pm->pid);
}

/*
 * The program's own probe at a place in the file counts its tracers.  To the
 * kernel a place has one such counter, so ours is the same; 0 where none is.
 */
static uint64_t
semaphore_at(const struct pm *pm, uint64_t off)
{
	return pm->brings != NULL ? dt_usdt_semaphore(pm->brings, off) : 0;
}

/* The site at an offset of the function at hand. */
static struct dt_usite
site_at(const struct pm *pm, uint64_t off)
{
	struct dt_usite site = { .file = pm->file, .is_first = off == 0 };

	elf_syms_offset(pm->es, pm->sym->value + off, &site.off);
	site.semaphore = semaphore_at(pm, site.off);
	return site;
}

/* Where the next name begins within the function, or its end. */
static uint64_t
names_end(const struct pm *pm)
{
	uint64_t end = symbol_end(pm, pm->sym) - pm->sym->value;

	return end < pm->code.len ? end : pm->code.len;
}

/* Is it one probe that the description names?  Then it is that or an error;
 * patterns leave out what cannot be probed. */
static bool
is_alone(const struct pm *pm)
{
	return !is_field_pattern(pm->func) && !is_field_pattern(pm->name);
}

static void __attribute__((format(printf, 3, 4)))
leave_out(struct pm *pm, const char *name, const char *fmt, ...)
{
	struct strbuf why = { 0 };
	va_list ap;

	if (pm->nleft == MAX_PROBES) {
		if (pm->rc == 0)
			pm->rc = dt_registry_fail(pm->r, -E2BIG,
			    "more than %u places in process %d cannot be "
			    "probed; name modules, functions or offsets",
			    MAX_PROBES, (int)pm->pid);
		return;
	}
	va_start(ap, fmt);
	strbuf_vprintf(&why, fmt, ap);
	va_end(ap);
	pm->nleft++;
	dt_registry_leave_out(pm->r,
	    mem_printf(
		"%s:%s:%s:%s", pm->prov, pm->m->name, pm->sym_name, name),
	    strbuf_steal(&why));
}

/* A debugger's breakpoint: a uprobe on it would hide it from the debugger. */
static bool
has_breakpoint(const struct pm *pm, uint64_t off)
{
	uint8_t now;

	return pm->mem_fd >= 0 && pm->has_bias && off < pm->code.len &&
	    pm->code.bytes[off] != 0xcc &&
	    pread(pm->mem_fd, &now, 1,
		(off_t)(pm->sym->value + pm->bias + off)) == 1 &&
	    now == 0xcc;
}

static void
refuse_breakpoint(struct pm *pm, const char *name)
{
	if (!is_alone(pm))
		leave_out(pm, name, "a debugger has a breakpoint there");
	else
		pm->rc = dt_registry_fail(pm->r, -EBUSY,
		    "a debugger has a "
		    "breakpoint where the probe of %s would be",
		    pm->sym_name);
}

/* May a probe of that name be at an offset of the function? */
static bool
can_probe(struct pm *pm, const char *name, uint64_t off)
{
	const struct dt_code_place at = { .code = &pm->code, .off = off };

	if (has_breakpoint(pm, off)) {
		refuse_breakpoint(pm, name);
		return false;
	}
	if (dt_registry_can_arm(pm->r, DT_PROBE_FUNC_OFFSET, &at))
		return true;
	if (!is_alone(pm))
		leave_out(pm, name,
		    "no probe can be on such an instruction (a "
		    "lock prefix, VEX, SYSCALL, HLT, ...)");
	else
		pm->rc = dt_registry_fail(pm->r, -ENOTSUP,
		    "the kernel puts no "
		    "probe on the instruction at %s+0x%" PRIx64,
		    pm->sym_name, off);
	return false;
}

/* Where a debugger has breakpoints in the function's first bytes: a bit for
 * each. */
static uint64_t
breakpoints(const struct pm *pm)
{
	uint8_t now[X86_ENTRY_MAX];
	uint64_t bits = 0;
	size_t n = pm->code.len < sizeof(now) ? pm->code.len : sizeof(now);

	if (pm->mem_fd < 0 || !pm->has_bias ||
	    pread(pm->mem_fd, now, n, (off_t)(pm->sym->value + pm->bias)) !=
		(ssize_t)n)
		return 0;
	for (size_t i = 0; i < n; i++) {
		if (now[i] == 0xcc && pm->code.bytes[i] != 0xcc)
			bits |= 1ULL << i;
	}
	return bits;
}

static const struct elf_sect *
section_of(const struct elf_syms *es, uint64_t vaddr)
{
	for (size_t i = 0; i < elf_syms_nsects(es); i++) {
		const struct elf_sect *s = elf_syms_sect(es, i);

		if (s != NULL && s->is_exec && s->type == SHT_PROGBITS &&
		    vaddr - s->vaddr < s->size)
			return s;
	}
	return NULL;
}

/* The function at hand, which lives as long as the registry if it is copied. */
static struct dt_ufunc
describe_function(const struct pm *pm)
{
	struct dt_ufunc func = { .len = pm->code.len,
		.own_len = names_end(pm),
		.taken = breakpoints(pm) };
	const struct elf_sect *s = section_of(pm->es, pm->sym->value);

	elf_syms_offset(pm->es, pm->sym->value, &func.off);
	if (s != NULL && elf_syms_offset(pm->es, s->vaddr, &func.text_off))
		func.text_len = s->size;
	return func;
}

static const struct dt_ufunc *
keep_function(const struct pm *pm, const struct dt_ufunc *func)
{
	struct dt_ufunc *kept =
	    ARENA_NEW(dt_registry_arena(pm->r), struct dt_ufunc);

	*kept = *func;
	return kept;
}

static void
add_entry(struct pm *pm)
{
	const struct dt_ufunc func = describe_function(pm);
	const struct dt_code_place at = { .code = &pm->code, .func = &func };
	struct dt_usite site = site_at(pm, 0);

	if (dt_registry_can_arm(pm->r, DT_PROBE_FUNC_ENTRY, &at)) {
		site.func = keep_function(pm, &func);
		add_probe(pm, "entry", DT_PROBE_FUNC_ENTRY, &site, 1);
	} else if (can_probe(pm, "entry", 0)) {
		refuse_breakpoint(pm, "entry"); /* in front of it */
	}
}

/* Is it the name of a part of the function that the compiler has moved away? */
static bool
is_cold_part(const struct pm *pm, const struct elf_sym *sym)
{
	const char *name = elf_sym_name(pm->es, sym);
	size_t n = strlen(pm->sym_name);

	return strncmp(name, pm->sym_name, n) == 0 &&
	    strncmp(name + n, ".cold", 5) == 0;
}

/* For x86_find_exits(). */
static enum x86_outside
outside(void *arg, int64_t off)
{
	const struct pm *pm = arg;
	uint64_t addr = pm->sym->value + (uint64_t)off;
	const struct elf_sym *sym = elf_syms_by_addr(pm->es, addr);

	if (sym == NULL || !elf_sym_is_code(sym))
		return X86_OUT_UNKNOWN;
	if (is_cold_part(pm, sym))
		return X86_OUT_PART;
	return sym->value == addr ? X86_OUT_FUNCTION : X86_OUT_UNKNOWN;
}

static struct dt_usite
return_at(const struct pm *pm, uint64_t off, uint8_t cond)
{
	struct dt_usite site = site_at(pm, off);

	site.func_off = (int32_t)off;
	site.cond = cond;
	return site;
}

static void
add_returns(struct pm *pm)
{
	VEC(struct dt_usite) sites = { 0 };
	struct x86_exits exits = { 0 };

	x86_find_exits(&pm->code, outside, pm, &exits);
	VEC_FOREACH(&exits.v, e) {
		if (can_probe(pm, "return", e->off))
			VEC_PUSH(&sites, return_at(pm, e->off, e->cond));
	}
	/* some exits without the others would be wrong */
	if (sites.n != 0 && sites.n == exits.v.n)
		add_probe(pm, "return", DT_PROBE_FUNC_RETURN, sites.v, sites.n);
	VEC_FREE(&sites);
	VEC_FREE(&exits.v);
}

/* ---- where a function's callers go on ------------------------------------ */

/*
 * `exit` is where `ret` goes back to the caller, also if it is that of another
 * function, which this one ends in a jump to (a tail call): there `return` is
 * the jump, and there is no value yet.  What is jumped to need not have a name:
 * its code is taken to go on up to the next symbol, so in a stripped file there
 * may be returns of functions behind it, too.
 */
struct prov_pid_exit_walk {
	struct pm *pm;
	VEC(struct code_range {
		uint64_t start, end; /* as the file's symbols have it */
	})
	ranges; /* the first is the function */
	VEC(struct dt_usite) sites;
	bool is_lost; /* one jumps to an unknown place */
};

/* Where the next function after an address begins that has a name, or the
 * section of the function at hand ends. */
static uint64_t
next_name(const struct pm *pm, uint64_t addr)
{
	const struct elf_sect *sect = elf_syms_sect(pm->es, pm->sym->shndx);
	const struct elf_sym *next = elf_syms_next_code(pm->es, addr);

	if (next != NULL)
		return next->value;
	return sect != NULL ? sect->vaddr + sect->size : addr;
}

static struct code_range
range_around(const struct pm *pm, uint64_t addr)
{
	const struct elf_sym *sym = elf_syms_by_addr(pm->es, addr);

	if (sym == NULL || !elf_sym_is_code(sym) ||
	    addr - sym->value >= symbol_size(pm, sym))
		return (struct code_range){ addr, next_name(pm, addr) };
	return (
	    struct code_range){ sym->value, sym->value + symbol_size(pm, sym) };
}

static void
walk_to(struct prov_pid_exit_walk *w, uint64_t addr)
{
	VEC_FOREACH(&w->ranges, r) {
		if (addr >= r->start && addr < r->end)
			return;
	}
	VEC_PUSH(&w->ranges, range_around(w->pm, addr));
}

static void
add_ret(struct prov_pid_exit_walk *w, uint64_t addr)
{
	uint64_t off = addr - w->pm->sym->value;

	VEC_PUSH(&w->sites, return_at(w->pm, off, X86_ALWAYS));
}

static void
walk_insn(struct prov_pid_exit_walk *w, const struct x86_code *code,
    struct code_range r, uint64_t off, const struct x86_insn *insn)
{
	const struct dt_code_place at = { .code = code, .off = off };

	if (insn->kind == X86_RET &&
	    dt_registry_can_arm(w->pm->r, DT_PROBE_FUNC_RETURN, &at))
		add_ret(w, r.start + off);
	else if (insn->kind == X86_RET)
		w->is_lost = true;
	else if ((insn->kind == X86_JMP || insn->kind == X86_JCC) &&
	    insn->target >= r.end - r.start)
		walk_to(w, r.start + insn->target);
}

static void
walk_range(struct prov_pid_exit_walk *w, struct code_range r)
{
	uint64_t size = r.end - r.start, at;
	struct x86_code code = { NULL, size, w->pm->is_32 };
	struct x86_insn insn;
	uint8_t *bytes;

	if (size == 0 || size > MAX_FUNC ||
	    !elf_syms_offset(w->pm->es, r.start, &at)) {
		w->is_lost = true;
		return;
	}
	code.bytes = bytes = mem_alloc(size);
	if (pread(w->pm->file->fd, bytes, size, (off_t)at) != (ssize_t)size)
		w->is_lost = true;
	for (uint64_t off = 0; !w->is_lost && x86_decode(&code, off, &insn);
	     off += insn.len)
		walk_insn(w, &code, r, off, &insn);
	free(bytes);
}

/* Does the function end in a jump to an address that is not in the code? */
static bool
ends_unknown(struct pm *pm)
{
	struct x86_exits exits = { 0 };
	struct x86_insn insn;
	bool is_unknown = false;

	x86_find_exits(&pm->code, outside, pm, &exits);
	VEC_FOREACH(&exits.v, e) {
		if (x86_decode(&pm->code, e->off, &insn))
			is_unknown |= insn.kind == X86_JMP_REG ||
			    insn.kind == X86_JMP_MEM;
	}
	VEC_FREE(&exits.v);
	return is_unknown;
}

#define MAX_TAILS 64 /* more tail calls than any real function has */

static void
add_exits(struct pm *pm)
{
	struct prov_pid_exit_walk w = { .pm = pm, .is_lost = ends_unknown(pm) };

	VEC_PUSH(&w.ranges,
	    ((struct code_range){
		pm->sym->value, pm->sym->value + pm->code.len }));
	for (size_t i = 0; i < w.ranges.n && !w.is_lost; i++) {
		walk_range(&w, w.ranges.v[i]);
		w.is_lost |= w.ranges.n > MAX_TAILS;
	}
	if (w.is_lost && !is_alone(pm))
		leave_out(pm, EXIT,
		    "it ends in a jump to an address that is "
		    "computed");
	else if (w.is_lost)
		pm->rc = dt_registry_fail(pm->r, -ENOTSUP,
		    "dtrace cannot find out where %s returns to its callers: "
		    "it ends in a jump to a computed address",
		    pm->sym_name);
	else if (w.sites.n != 0)
		add_probe(pm, EXIT, DT_PROBE_FUNC_RETURN, w.sites.v, w.sites.n);
	VEC_FREE(&w.ranges);
	VEC_FREE(&w.sites);
}

/* PAUSE (F3 90) is where code waits for another CPU. */
static void
add_pauses(struct pm *pm)
{
	VEC(struct dt_usite) sites = { 0 };
	struct x86_insn insn;

	for (size_t off = 0; x86_decode(&pm->code, off, &insn);
	     off += insn.len) {
		const uint8_t *b = pm->code.bytes + off;

		if (insn.len == 2 && b[0] == 0xf3 && b[1] == 0x90 &&
		    can_probe(pm, PAUSE, off))
			VEC_PUSH(&sites, site_at(pm, off));
	}
	if (sites.n != 0)
		add_probe(pm, PAUSE, DT_PROBE_FUNC_OFFSET, sites.v, sites.n);
	VEC_FREE(&sites);
}

static void
add_offset(struct pm *pm, uint64_t off)
{
	struct dt_usite site = site_at(pm, off);
	char name[20];

	snprintf(name, sizeof(name), "%" PRIx64, off);
	add_probe(pm, name, DT_PROBE_FUNC_OFFSET, &site, 1);
}

static void
add_matching_offsets(struct pm *pm)
{
	struct x86_insn insn;

	size_t steps = 0;

	for (uint64_t off = 0; x86_decode(&pm->code, off, &insn) &&
	     pm->rc == 0 && !BOUNDS_POLL(steps);
	     off += insn.len) {
		char name[20];

		snprintf(name, sizeof(name), "%" PRIx64, off);
		if (dt_field_match(pm->name, name) && can_probe(pm, name, off))
			add_offset(pm, off);
	}
}

/* A name that is no pattern: an offset. */
static void
add_named_offset(struct pm *pm)
{
	uint64_t off;

	if (!offset_parse(pm->name, &off))
		pm->rc = dt_registry_refuse(pm->r, DT_REFUSE_NAME, -EINVAL,
		    "'%s' is neither entry, return, exit, pause nor an offset "
		    "in the function (in hexadecimal)",
		    pm->name);
	else if (off >= pm->code.len)
		pm->rc = dt_registry_refuse(pm->r, DT_REFUSE_OFF, -EINVAL,
		    "offset 0x%" PRIx64 " is outside of %s, which has 0x%zx "
		    "bytes",
		    off, pm->sym_name, pm->code.len);
	else if (!x86_is_boundary(&pm->code, off))
		pm->rc = dt_registry_refuse(pm->r, DT_REFUSE_ALIGN, -EINVAL,
		    "no instruction of %s begins at offset 0x%" PRIx64,
		    pm->sym_name, off);
	else if (can_probe(pm, pm->name, off))
		add_offset(pm, off);
}

/* ---- functions of a module ---------------------------------------------- */

/* Do patterns select the symbol?  Only functions that are called. */
static bool
is_for_patterns(const struct elf_sym *sym, const char *name)
{
	return sym->kind == ELF_SYM_FUNC && sym->size != 0 &&
	    strcmp(name, "_init") != 0 && strcmp(name, "_fini") != 0;
}

/*
 * Of several names for an address a pattern means one: the first of those that
 * it matches, in the order of elf_syms_get(): global, weak, local, then by
 * leading underscores.
 */
static bool
is_alias(
    const struct pm *pm, const struct elf_syms *es, const struct elf_sym *sym)
{
	size_t i = (size_t)(sym - elf_syms_get(es, 0));

	while (i-- > 0) {
		const struct elf_sym *better = elf_syms_get(es, i);
		const char *name = elf_sym_name(es, better);

		if (better->value != sym->value)
			return false;
		if (is_for_patterns(better, name) &&
		    dt_field_match(pm->func, name))
			return true;
	}
	return false;
}

static int
match_function(void *arg, const struct elf_syms *es, const struct elf_sym *sym)
{
	struct pm *pm = arg;
	const char *name = elf_sym_name(es, sym);

	if (!elf_sym_is_code(sym) ||
	    (is_field_pattern(pm->func) &&
		(!is_for_patterns(sym, name) || is_alias(pm, es, sym))))
		return 0;
	/* its code runs once, to choose the function's */
	if (sym->kind == ELF_SYM_IFUNC) {
		pm->has_ifunc = true;
		return 0;
	}
	pm->sym = sym;
	pm->sym_name = name;
	if (!read_code(pm, sym))
		return pm->rc;
	pm->nfuncs++;
	if (dt_field_match(pm->name, "entry"))
		add_entry(pm);
	if (dt_field_match(pm->name, "return"))
		add_returns(pm);
	if (is_field_pattern(pm->name))
		add_matching_offsets(pm);
	else if (strcmp(pm->name, EXIT) == 0)
		add_exits(pm);
	else if (strcmp(pm->name, PAUSE) == 0)
		add_pauses(pm);
	else if (strcmp(pm->name, "entry") != 0 &&
	    strcmp(pm->name, "return") != 0)
		add_named_offset(pm);
	return pm->rc;
}

/* `-`: the name is an address in the process. */
static void
match_address(struct pm *pm, uint64_t addr)
{
	const struct proc_map *map = proc_maps_find(&pm->maps, addr);
	struct dt_usite site = { .file = pm->file };
	char name[20];

	if (map == NULL || !map->is_exec || map < pm->m->maps ||
	    map >= pm->m->maps + pm->m->nmaps)
		return;
	pm->nfuncs++;
	site.off = map->off + (addr - map->start);
	site.semaphore = semaphore_at(pm, site.off);
	pm->sym_name = "-";
	snprintf(name, sizeof(name), "%" PRIx64, addr);
	add_probe(pm, name, DT_PROBE_FUNC_OFFSET, &site, 1);
}

static void
match_functions(struct pm *pm)
{
	uint64_t addr;

	if (strcmp(pm->func, "-") != 0)
		elf_syms_each(pm->es,
		    dt_field_is_empty(pm->func) ? "*" : pm->func,
		    match_function, pm);
	else if (offset_parse(pm->name, &addr))
		match_address(pm, addr);
	else
		pm->rc = dt_registry_refuse(pm->r, DT_REFUSE_NAME, -EINVAL,
		    "with the function '-' the name is an address, in "
		    "hexadecimal, not '%s'",
		    pm->name);
}

/* ---- modules of a process ----------------------------------------------- */

static const struct proc_map *
text_of(const struct proc_module *m)
{
	for (size_t i = 0; i < m->nmaps; i++) {
		if (m->maps[i].is_exec)
			return &m->maps[i];
	}
	return NULL;
}

static uint64_t
code_size(const struct elf_syms *es)
{
	uint64_t size = 0;

	for (size_t i = 0; i < elf_syms_nsegs(es); i++) {
		const struct elf_seg *s = elf_syms_seg(es, i);

		if (s->is_exec && s->filesz <= UINT32_MAX)
			size += s->filesz;
	}
	return size;
}

/* Open the code of the module at hand; -errno with *err: it cannot be traced. */
CHECKED static int
open_module(struct pm *pm, struct err *err)
{
	pm->file = dt_ufiles_open(pm->files, pm->pid, pm->text, err);
	if (pm->file == NULL)
		return err->code;
	pm->es =
	    proc_map_syms(dt_ufiles_syms(pm->files), pm->pid, pm->text, err);
	if (pm->es == NULL)
		return err->code;
	pm->brings = dt_usdt_file(dt_usdt_of(pm->r), pm->pid, pm->text);
	pm->has_bias = proc_map_bias(pm->text, pm->es, &pm->bias);
	pm->unread = LIMIT_OVERLAP * code_size(pm->es);
	pm->is_32 = elf_syms_machine(pm->es) == EM_386;
	return pm->is_32 || elf_syms_machine(pm->es) == EM_X86_64 ?
	    0 :
	    err_set(err, -ENOEXEC, "it is not code of x86");
}

/* Were the module's probes made before?  Then the match skips the module. */
static bool
has_been_matched(struct pm *pm)
{
	const struct dt_ufile *file = dt_ufiles_known(pm->files, pm->text);
	const struct dt_ufound *found = NULL;

	if (file != NULL)
		found = dt_ufiles_found(pm->files, file, pm->pid, pm->what);
	if (found == NULL)
		return false;
	pm->nfuncs += found->nfuncs;
	pm->nprobes += found->nprobes;
	return true;
}

/* Its probes are there once they were made, unless where they are depends on a
 * debugger's breakpoints, or on where it is mapped. */
static void
match_functions_once(struct pm *pm)
{
	size_t nfuncs = pm->nfuncs, nprobes = pm->nprobes;

	match_functions(pm);
	if (bounds_is_stopped())
		return;
	/* explain_none() names a function that has no probe */
	if (pm->nfuncs != nfuncs && pm->nprobes == nprobes)
		return;
	if (pm->rc == 0 && pm->mem_fd < 0 && strcmp(pm->func, "-") != 0)
		dt_ufiles_note_found(pm->files, pm->file, pm->pid, pm->what,
		    (struct dt_ufound){
			pm->nfuncs - nfuncs, pm->nprobes - nprobes });
}

/* Code that a dtrace has brought in: it has no functions that have names. */
static bool
is_of_dtrace(const struct proc_module *m)
{
	return m->maps->is_deleted &&
	    strncmp(m->path, "/memfd:dtrace", 13) == 0;
}

static void
match_module(struct pm *pm, const struct proc_module *m)
{
	struct err err = { 0 };

	pm->m = m;
	pm->text = text_of(m);
	if (pm->text == NULL)
		return;
	if (is_of_dtrace(m))
		return;
	pm->nmods++;
	if (has_been_matched(pm))
		return;
	if (open_module(pm, &err) == 0) {
		match_functions_once(pm);
		return;
	}
	if (bounds_is_stopped()) {
		err_clear(&err);
		return;
	}
	pm->nrefused++;
	pm->refused = m->path;
	/* every process has this module; no description means it */
	if (m->path[0] != '[')
		dt_registry_leave_out(pm->r,
		    mem_printf("%s:%s", pm->prov, m->name),
		    mem_strdup(err_text(&err)));
	err_move(&pm->why_refused, &err);
}

static bool
is_program(const struct pm *pm, const struct proc_module *m)
{
	return m->maps->ino != 0 && m->maps->ino == pm->program_ino;
}

static void
match_modules(struct pm *pm)
{
	VEC_FOREACH(&pm->maps.modules, m) {
		pm->is_program = is_program(pm, m);
		if (pm->rc == 0 && selects_module(pm->mod, m, pm->is_program))
			match_module(pm, m);
	}
}

/* ---- a process ---------------------------------------------------------- */

/* ---- why nothing was found ---------------------------------------------- */

/* The names that the modules have, and the one most like what was asked for. */
struct likeness {
	struct near near;
	char *best; /* malloced: the tables may go */
	bool has_functions;
};

static int
compare_name(void *arg, const struct elf_syms *es, const struct elf_sym *sym)
{
	struct likeness *like = arg;
	const char *before = like->near.name;

	if (sym->kind == ELF_SYM_PLT || sym->kind == ELF_SYM_OBJECT)
		return 0;
	like->has_functions = true;
	near_try(&like->near, elf_sym_name(es, sym));
	if (like->near.name != before) {
		free(like->best);
		like->best = mem_strdup(like->near.name);
	}
	return 0;
}

static struct likeness
look_for_like(struct pm *pm)
{
	struct likeness like = { .near = near_start(pm->func) };
	struct err err = { 0 };

	VEC_FOREACH(&pm->maps.modules, m) {
		pm->m = m;
		pm->text = text_of(m);
		pm->is_program = is_program(pm, m);
		if (selects_module(pm->mod, m, pm->is_program) &&
		    pm->text != NULL && open_module(pm, &err) == 0)
			elf_syms_each(pm->es, "*", compare_name, &like);
	}
	err_clear(&err);
	return like;
}

static int
explain_function(struct pm *pm)
{
	struct likeness like = look_for_like(pm);
	const char *in = *pm->mod ? " in module " : "";
	int rc;

	if (!like.has_functions)
		rc = dt_registry_refuse(pm->r, DT_REFUSE_FUNC, 0,
		    "process %d has no names of functions%s%s: it is stripped, "
		    "or its file is damaged. Install its debug symbols, or "
		    "name an address (pid%d:%s:-:401136)",
		    (int)pm->pid, in, pm->mod, (int)pm->pid, pm->mod);
	else if (like.best != NULL && !is_field_pattern(pm->func))
		rc = dt_registry_refuse(pm->r, DT_REFUSE_FUNC, 0,
		    "process %d has no function '%s'%s%s; did you mean '%s'?",
		    (int)pm->pid, pm->func, in, pm->mod, like.best);
	else
		rc = dt_registry_refuse(pm->r, DT_REFUSE_FUNC, 0,
		    "process %d has no function '%s'%s%s", (int)pm->pid,
		    pm->func, in, pm->mod);
	free(like.best);
	return rc;
}

/* Say why nothing matched; that need not be an error. */
static int
explain_none(struct pm *pm)
{
	if (pm->nmods == 0)
		return dt_registry_refuse(pm->r, DT_REFUSE_LIB, 0,
		    "process %d has not loaded any module '%s' (-Z permits "
		    "this, and traces it when it is loaded)",
		    (int)pm->pid, pm->mod);
	/* the vdso is in every process: it is no reason where there are more */
	if (pm->nfuncs == 0 && pm->nrefused == pm->nmods)
		return dt_registry_refuse(pm->r, DT_REFUSE_LIB, 0,
		    "the code of %s cannot be traced: %s", pm->refused,
		    err_text(&pm->why_refused));
	if (pm->nfuncs == 0 && strcmp(pm->func, "-") == 0)
		return dt_registry_refuse(pm->r, DT_REFUSE_OFF, 0,
		    "there is no code at address %s of process %d%s%s",
		    pm->name, (int)pm->pid, *pm->mod ? " in module " : "",
		    pm->mod);
	if (pm->nfuncs == 0 && pm->has_ifunc)
		return dt_registry_refuse(pm->r, DT_REFUSE_FUNC, 0,
		    "%s is a choice of functions (IFUNC), made when the "
		    "program starts: name the one that is chosen",
		    pm->func);
	if (pm->nfuncs == 0)
		return explain_function(pm);
	if (pm->nprobes == 0 && pm->nleft != 0)
		return dt_registry_refuse(pm->r, DT_REFUSE_FUNC, 0,
		    "%zu places are selected, and none of them can be probed; "
		    "the last is in %s",
		    pm->nleft, pm->sym_name);
	if (pm->nprobes == 0)
		return dt_registry_refuse(pm->r, DT_REFUSE_FUNC, 0, "%s %s",
		    pm->sym_name,
		    strcmp(pm->name, PAUSE) == 0 ? "has no PAUSE instruction" :
						   "never returns");
	return 0;
}

/* The inode of the file that the process runs; 0: it has none.  Who may see
 * mappings (CAP_PERFMON) may still be refused here. */
static int
find_program(struct pm *pm, struct err *err)
{
	char path[32];
	struct stat sb;

	snprintf(path, sizeof(path), "/proc/%d/exe", (int)pm->pid);
	if (stat(path, &sb) == 0)
		pm->program_ino = sb.st_ino;
	else if (errno == EACCES || errno == EPERM)
		return err_take(err, -EPERM, proc_why_denied(pm->pid));
	return 0;
}

static int
grab(struct pm *pm)
{
	struct err err = { 0 };
	int rc = 0;

	if (proc_maps_read(&pm->maps, pm->pid, &err) != 0 ||
	    find_program(pm, &err) != 0)
		rc = dt_registry_refuse(
		    pm->r, DT_REFUSE_GRAB, -ESRCH, "%s", err_text(&err));
	else if (pm->maps.modules.n == 0)
		rc = dt_registry_refuse(pm->r, DT_REFUSE_GRAB, -ESRCH,
		    "process %d runs no program: it is a thread of the kernel, "
		    "or has ended",
		    (int)pm->pid);
	else if (x86_init(&err) != 0)
		rc = dt_registry_refuse(
		    pm->r, DT_REFUSE_PDESC, -ENOENT, "%s", err_text(&err));
	err_clear(&err);
	return rc;
}

/* Does another process trace it?  (We do, until a command is released.) */
static bool
has_debugger(pid_t pid)
{
	long tracer = proc_status_number(pid, "TracerPid");

	return tracer > 0 && tracer != getpid();
}

static int
mem_open(pid_t pid)
{
	char path[32];

	snprintf(path, sizeof(path), "/proc/%d/mem", (int)pid);
	return open(path, O_RDONLY | O_CLOEXEC);
}

static const char *
field(const char *s)
{
	return s != NULL ? s : "";
}

static int
match_process(struct dt_registry *r, const struct dif_pdesc *desc, pid_t pid)
{
	struct pm pm = { .r = r,
		.desc = desc,
		.pid = pid,
		.files = dt_registry_ufiles(r),
		.mod = field(desc->mod),
		.func = field(desc->func),
		.name = field(desc->name) };

	snprintf(pm.prov, sizeof(pm.prov), "pid%d", (int)pid);
	pm.what = mem_printf("%s:%s", pm.func, pm.name);
	pm.rc = grab(&pm);
	pm.mem_fd = has_debugger(pid) ? mem_open(pid) : -1;
	if (pm.rc == 0)
		match_modules(&pm);
	if (pm.rc == 0 && bounds_is_stopped())
		pm.rc = dt_registry_fail(r, -EINTR, BOUNDS_STOPPED);
	if (pm.rc == 0)
		pm.rc = explain_none(&pm);
	proc_maps_fini(&pm.maps);
	free(pm.bytes);
	free(pm.what);
	err_clear(&pm.why_refused);
	if (pm.mem_fd >= 0)
		close(pm.mem_fd);
	return pm.rc;
}

static int
pid_match(struct dt_registry *r, const struct dif_pdesc *desc, uint32_t id_base)
{
	pid_t pid;

	(void)id_base;
	if (desc->id != 0)
		return 0;
	pid = pid_of(desc->prov);
	if (pid > 0 && dt_registry_is_seen(r, pid))
		return 0;
	if (pid > 0)
		return match_process(r, desc, pid);
	pid = pid_of_pattern(desc->prov);
	/* what fails may be meant for the probes that a program brings */
	if (pid > 0 && !dt_registry_is_seen(r, pid))
		match_process(r, desc, pid);
	if (pid > 0)
		return 0;
	if (glob_is_pattern(desc->prov) && dt_registry_has(r, &dt_provider_pid))
		return 0;
	return dt_registry_refuse(r, DT_REFUSE_BADPID, -EINVAL,
	    "a process is named by its number, as in pid1234 or pid$target; "
	    "patterns select only probes that other descriptions have made");
}

/* The function by which dynamic linkers tell debuggers what they did (<link.h>,
 * struct r_debug). */
#define LOADER_REPORT "_dl_debug_state"
#define LOADER_STATE "_r_debug"

/* How far it is from the report to struct r_debug, if that is of 64 bits; or 0. */
static int32_t
state_distance(struct elf_syms *es, const struct elf_sym *report)
{
	const struct elf_sym *state = elf_syms_by_name(es, LOADER_STATE);

	return state != NULL && elf_syms_machine(es) == EM_X86_64 ?
	    (int32_t)(state->value - report->value) :
	    0;
}

/* Does the module at hand have the report?  Then *site is where. */
static bool
has_report(struct pm *pm, struct dt_usite *site)
{
	const struct elf_sym *sym = elf_syms_by_name(pm->es, LOADER_REPORT);

	if (sym == NULL || !elf_syms_offset(pm->es, sym->value, &site->off))
		return false;
	site->file = pm->file;
	site->r_debug = state_distance(pm->es, sym);
	return true;
}

/* site->file stays NULL if no module has the report. */
static int
find_report(struct pm *pm, struct dt_usite *site, struct err *err)
{
	VEC_FOREACH(&pm->maps.modules, m) {
		int rc;

		pm->m = m;
		pm->text = text_of(m);
		if (pm->text == NULL || strncmp(m->name, "ld", 2) != 0)
			continue;
		rc = open_module(pm, err);
		if (is_own_failure(-rc))
			return rc;
		if (rc == 0 && has_report(pm, site))
			break;
	}
	return 0;
}

int
dt_pid_loader(struct dt_registry *r, pid_t pid, const struct dt_probe **loader,
    struct err *err)
{
	struct pm pm = { .r = r,
		.pid = pid,
		.mem_fd = -1,
		.files = dt_registry_ufiles(r),
		.func = LOADER_REPORT };
	struct dt_usite site = { 0 };
	int rc = proc_maps_read(&pm.maps, pid, err);

	*loader = NULL;
	if (rc == 0)
		rc = find_report(&pm, &site, err);
	proc_maps_fini(&pm.maps);
	if (is_own_failure(-rc))
		return rc;
	err_clear(err);
	if (site.file != NULL)
		*loader = dt_registry_loader(r, pid, LOADER_REPORT, &site);
	return 0;
}

/* All probes are on demand. */
static uint32_t
pid_nids(struct dt_registry *r)
{
	(void)r;
	return 0;
}

static const char *const pid_attrs[] = {
	"Evolving/Evolving/ISA",
	"Private/Private/Unknown",
	"Private/Private/Unknown",
	"Evolving/Evolving/ISA",
	"Private/Private/Unknown",
};

const struct dt_provider_ops dt_provider_pid = {
	.name = "pid",
	.answers = pid_answers,
	.nids = pid_nids,
	.match = pid_match,
	.selects = pid_selects,
	.grows = true,
	.privilege = DT_PRIV_PROC,
	.attrs = pid_attrs,
};
