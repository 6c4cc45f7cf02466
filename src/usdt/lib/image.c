/* SPDX-License-Identifier: BSD-2-Clause */
#include "usdt/lib/image.h"

#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/str.h"
#include "base/vec.h"

#ifndef MFD_EXEC
#define MFD_EXEC 0x10 /* <linux/memfd.h>, Linux 6.3 */
#endif
#define SHT_SUNW_dof 0x6ffffff4
#define PAGE 4096
#define CLASS USDT_CLASS_64

enum {
	SEC_NULL,
	SEC_TEXT,
	SEC_FRAMES,
	SEC_DOF,
	SEC_PROBES,
	SEC_NOTES,
	SEC_SYMTAB,
	SEC_STRTAB,
	SEC_SHSTRTAB,
	NSECS
};

struct image {
	const struct usdt_stubs *stubs;
	const char *const *functions;
	struct usdt_code code;
	struct strbuf out, strtab, shstrtab;
	Elf64_Shdr secs[NSECS];
	uint64_t rx_len, rw_off, rw_len;
};

/* ---- sections ------------------------------------------------------------ */

static void
pad_to(struct image *m, size_t align)
{
	while (m->out.len % align != 0)
		strbuf_addc(&m->out, '\0');
}

/* Append a section; a loaded one has the same address as offset in the file. */
static void
add_section(struct image *m, int sec, const char *name, uint32_t type,
    uint64_t flags, uint64_t align, const struct strbuf *bytes)
{
	pad_to(m, align);
	m->secs[sec] = (Elf64_Shdr){ .sh_name = (uint32_t)m->shstrtab.len,
		.sh_type = type,
		.sh_flags = flags,
		.sh_addr = flags & SHF_ALLOC ? m->out.len : 0,
		.sh_offset = m->out.len,
		.sh_size = bytes->len,
		.sh_addralign = align };
	strbuf_add(&m->shstrtab, name, strlen(name) + 1);
	strbuf_add(&m->out, bytes->s, bytes->len);
}

/* Apply the relocations, as a linker would. */
static void
relocate(struct image *m, int sec, const struct usdt_part *part)
{
	VEC_FOREACH(&part->relocs, r) {
		uint64_t place = m->secs[sec].sh_offset + r->at, value = 0;
		char *at = m->out.s + place;

		if (r->ref == USDT_REF_TEXT)
			value = m->secs[SEC_TEXT].sh_addr;
		else if (r->ref == USDT_REF_SEMAPHORE)
			value = m->secs[SEC_PROBES].sh_addr + 2 * r->number;
		value += (uint64_t)(int64_t)r->addend;
		if (r->kind == USDT_RELOC_PC32)
			value -= place;
		if (r->kind != USDT_RELOC_NONE)
			memcpy(at, &value, r->kind == USDT_RELOC_PC32 ? 4 : 8);
	}
}

static void
add_symbols(struct image *m)
{
	struct strbuf symtab = { 0 };

	strbuf_add(&symtab, &(Elf64_Sym){ 0 }, sizeof(Elf64_Sym));
	strbuf_addc(&m->strtab, '\0');
	for (size_t i = 0; i < m->stubs->v.n; i++) {
		uint32_t from = m->code.offsets.v[i];
		uint32_t to = i + 1 < m->stubs->v.n ?
		    m->code.offsets.v[i + 1] :
		    (uint32_t)m->code.text.bytes.len;
		Elf64_Sym sym = { .st_name = (Elf64_Word)m->strtab.len,
			.st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC),
			.st_shndx = SEC_TEXT,
			.st_value = m->secs[SEC_TEXT].sh_addr + from,
			.st_size = to - from };

		strbuf_add(&symtab, &sym, sizeof(sym));
		strbuf_add(
		    &m->strtab, m->functions[i], strlen(m->functions[i]) + 1);
	}
	add_section(m, SEC_SYMTAB, ".symtab", SHT_SYMTAB, 0, 8, &symtab);
	m->secs[SEC_SYMTAB].sh_link = SEC_STRTAB;
	m->secs[SEC_SYMTAB].sh_info = 1;
	m->secs[SEC_SYMTAB].sh_entsize = sizeof(Elf64_Sym);
	strbuf_fini(&symtab);
	add_section(m, SEC_STRTAB, ".strtab", SHT_STRTAB, 0, 1, &m->strtab);
}

/* Add the section of section names, which has its own name too. */
static void
add_names(struct image *m)
{
	static const char name[] = ".shstrtab";
	uint32_t at = (uint32_t)m->shstrtab.len;

	strbuf_add(&m->shstrtab, name, sizeof(name));
	add_section(m, SEC_SHSTRTAB, name, SHT_STRTAB, 0, 1, &m->shstrtab);
	m->secs[SEC_SHSTRTAB].sh_name = at;
}

static void
add_headers(struct image *m)
{
	Elf64_Phdr ph[] = { { .p_type = PT_LOAD,
				.p_flags = PF_R | PF_X,
				.p_filesz = m->rx_len,
				.p_memsz = m->rx_len,
				.p_align = PAGE },
		{ .p_type = PT_LOAD,
		    .p_flags = PF_R | PF_W,
		    .p_offset = m->rw_off,
		    .p_vaddr = m->rw_off,
		    .p_paddr = m->rw_off,
		    .p_filesz = m->rw_len,
		    .p_memsz = m->rw_len,
		    .p_align = PAGE } };
	Elf64_Ehdr eh = { .e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS64,
			      ELFDATA2LSB, EV_CURRENT },
		.e_type = ET_DYN,
		.e_machine = EM_X86_64,
		.e_version = EV_CURRENT,
		.e_phoff = sizeof(eh),
		.e_ehsize = sizeof(eh),
		.e_phentsize = sizeof(ph[0]),
		.e_phnum = sizeof(ph) / sizeof(ph[0]),
		.e_shentsize = sizeof(Elf64_Shdr),
		.e_shnum = NSECS,
		.e_shstrndx = SEC_SHSTRTAB };

	pad_to(m, 8);
	eh.e_shoff = m->out.len;
	strbuf_add(&m->out, m->secs, sizeof(m->secs));
	memcpy(m->out.s, &eh, sizeof(eh));
	memcpy(m->out.s + sizeof(eh), ph, sizeof(ph));
}

static void
build(struct image *m, const struct usdt_defs *defs)
{
	struct strbuf none = { 0 }, dof = { 0 }, semaphores = { 0 };
	size_t nprobes = 0;

	usdt_stubs_code(defs, m->stubs, CLASS, &m->code);
	strbuf_add(&m->code.frames.bytes, "\0\0\0\0", 4); /* the end */
	usdt_dof(defs, &none, CLASS, &dof);
	VEC_FOREACH(&defs->providers, p)
		nprobes += (*p)->probes.n;
	memset(strbuf_room(&semaphores, 2 * nprobes), 0, 2 * nprobes);
	semaphores.len = 2 * nprobes;

	memset(strbuf_room(&m->out, 256), 0, 256); /* room for the headers */
	m->out.len = 256;
	strbuf_addc(&m->shstrtab, '\0');
	add_section(m, SEC_TEXT, ".text", SHT_PROGBITS,
	    SHF_ALLOC | SHF_EXECINSTR, 16, &m->code.text.bytes);
	add_section(m, SEC_FRAMES, ".eh_frame", SHT_PROGBITS, SHF_ALLOC, 8,
	    &m->code.frames.bytes);
	add_section(m, SEC_DOF, ".SUNW_dof", SHT_SUNW_dof, SHF_ALLOC, 8, &dof);
	m->rx_len = m->out.len;
	add_section(m, SEC_PROBES, ".probes", SHT_PROGBITS,
	    SHF_ALLOC | SHF_WRITE, PAGE, &semaphores);
	m->rw_off = m->secs[SEC_PROBES].sh_offset;
	m->rw_len = semaphores.len;
	pad_to(m, PAGE);
	add_section(m, SEC_NOTES, ".note.stapsdt", SHT_NOTE, 0, 4,
	    &m->code.notes.bytes);
	add_symbols(m);
	add_names(m);
	add_headers(m);
	relocate(m, SEC_TEXT, &m->code.text);
	relocate(m, SEC_FRAMES, &m->code.frames);
	relocate(m, SEC_NOTES, &m->code.notes);
	strbuf_fini(&dof);
	strbuf_fini(&semaphores);
}

static void
image_fini(struct image *m)
{
	usdt_code_fini(&m->code);
	strbuf_fini(&m->out);
	strbuf_fini(&m->strtab);
	strbuf_fini(&m->shstrtab);
}

/* ---- mapping ------------------------------------------------------------- */

/*
 * A rule may forbid executing files in memory (vm.memfd_noexec); then try a
 * file without a name in a directory.
 */
static int
open_file(const char *module, int attempt)
{
	static const char *const folders[] = { "/tmp", "/var/tmp", "/dev/shm",
		"." };
	size_t i = (size_t)attempt;

	if (i == 0) {
		int fd = memfd_create(module, MFD_CLOEXEC | MFD_EXEC);

		return fd >= 0 || errno != EINVAL ?
		    fd :
		    memfd_create(module, MFD_CLOEXEC);
	}
	if (i > sizeof(folders) / sizeof(folders[0]))
		return -1;
	return open(folders[i - 1], O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
}

static bool
write_file(int fd, const struct strbuf *bytes)
{
	for (size_t at = 0; at < bytes->len;) {
		ssize_t n =
		    pwrite(fd, bytes->s + at, bytes->len - at, (off_t)at);

		if (n <= 0)
			return false;
		at += (size_t)n;
	}
	return true;
}

#define REACH (2000ULL << 20) /* reach of a jump, with some margin */
#define STEP (1ULL << 20)

/* Map a part of the file over the reserved pages. */
static bool
map_part(uint8_t *base, uint64_t from, uint64_t to, int prot, int fd)
{
	return mmap(base + from, to - from, prot, MAP_PRIVATE | MAP_FIXED, fd,
		   (off_t)from) != MAP_FAILED;
}

/*
 * Map the code last: dtrace reads the file when code is mapped, and needs the
 * semaphores by then.
 */
static uint8_t *
map_at(const struct image *m, int fd, uint64_t at)
{
	size_t len = m->out.len;
	uint8_t *p = mmap((void *)(uintptr_t)at, len, PROT_READ,
	    MAP_PRIVATE | (at != 0 ? MAP_FIXED_NOREPLACE : 0), fd, 0);
	int err;

	if (p == MAP_FAILED)
		return NULL;
	if ((at == 0 || (uintptr_t)p == at) &&
	    map_part(p, m->rw_off, m->rw_off + m->rw_len,
		PROT_READ | PROT_WRITE, fd) &&
	    map_part(p, 0, m->rw_off, PROT_READ | PROT_EXEC, fd))
		return p;
	err = errno;
	munmap(p, len);
	errno = err;
	return NULL;
}

/* Find free pages by trying, upwards and downwards in turn. */
static uint8_t *
map_near(const struct image *m, int fd, uint64_t near)
{
	uint64_t page = near & -(uint64_t)PAGE;

	if (near == 0)
		return map_at(m, fd, 0);
	for (uint64_t far = STEP; far < REACH; far += STEP) {
		uint8_t *p = map_at(m, fd, page + far);

		if (p == NULL && errno == EEXIST && page > far + STEP)
			p = map_at(m, fd, page - far);
		if (p != NULL || (errno != EEXIST && errno != ENOMEM))
			return p;
	}
	errno = ENOMEM;
	return NULL;
}

static uint8_t *
map_file(const struct image *m, const char *module, uint64_t near, int *file)
{
	uint8_t *base = NULL;
	int err = ENOMEM;

	for (int i = 0; base == NULL; i++) {
		int fd = open_file(module, i);

		if (fd < 0 && i > 4)
			break;
		if (fd >= 0 && write_file(fd, &m->out))
			base = map_near(m, fd, near);
		if (base == NULL && i == 0)
			err = errno;
		if (base != NULL)
			*file = fd;
		else if (fd >= 0)
			close(fd);
	}
	errno = err;
	return base;
}

/* ---- notifying dtrace ---------------------------------------------------- */

extern struct r_debug _r_debug __attribute__((weak)); /* <link.h> */

/*
 * The dynamic linker calls an empty function when it has loaded code, for
 * debuggers. dtrace then looks for new code while the thread waits.  It checks
 * programs without a dynamic linker from time to time.
 */
static void
report(void)
{
	if (&_r_debug != NULL && _r_debug.r_brk != 0)
		((void (*)(void))_r_debug.r_brk)();
}

/* -------------------------------------------------------------------------- */

/* 0: the descriptor is closed. */
static uint64_t
inode(int fd)
{
	struct stat st;

	return fd >= 0 && fstat(fd, &st) == 0 ? st.st_ino : 0;
}

int
usdt_image_map(struct usdt_image *img, const char *module,
    const struct usdt_defs *defs, const struct usdt_stubs *stubs,
    const char *const *functions, uint64_t near)
{
	struct image m = { .stubs = stubs, .functions = functions };

	build(&m, defs);
	*img = (struct usdt_image){ .fd = -1,
		.len = m.out.len,
		.text = m.secs[SEC_TEXT].sh_offset,
		.semaphores = m.rw_off };
	img->base = map_file(&m, module, near, &img->fd);
	img->ino = inode(img->fd);
	VEC_COPY(&img->offsets, &m.code.offsets);
	image_fini(&m);
	if (img->base != NULL) {
		report();
		return 0;
	}
	VEC_FREE(&img->offsets);
	return -1;
}

void
usdt_image_unmap(struct usdt_image *img)
{
	if (img->base != NULL)
		munmap(img->base, img->len);
	/* a daemon may have closed the descriptor, and reused its number */
	if (img->ino != 0 && inode(img->fd) == img->ino)
		close(img->fd);
	VEC_FREE(&img->offsets);
	*img = (struct usdt_image){ 0 };
}
