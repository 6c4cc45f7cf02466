/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Gives DOF of its own to the helper device, as libusdt does, with libusdt's
 * code: it is on a page of the heap that malloc() goes on using, and DOF names
 * other nops than the first.  argv[1]: number of rounds.  Prints how often the
 * is-enabled question was answered with yes.  argv[2]: the probe has another
 * site, out of a jump's reach.
 */
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <sys/dtrace.h>

/* An is-enabled question, and a probe that is a function. */
static const unsigned char code[] = {
	0x55,			      /* push %rbp */
	0x48, 0x89, 0xe5,	      /* mov %rsp,%rbp */
	0x48, 0x31, 0xc0,	      /* xor %rax,%rax */
	0x90, 0x90,		      /* nop nop */
	0xc9, 0xc3,		      /* leave; ret */
	0x90, 0x90, 0x90, 0x90, 0x90, /* nop ... */
	0xc3,			      /* ret */
};
#define ASKS_AT 6
#define PROBE_CODE 11
#define PROBE_AT 12

enum { SEC_STRS, SEC_PROBES, SEC_ARGS, SEC_OFFS, SEC_ENOFFS, SEC_PROV, NSECS };

static const char strs[] = "\0dofmade\0func\0it-happened\0int\0char *";
enum { STR_PROV = 1, STR_FUNC = 9, STR_NAME = 14, STR_TYPES = 26 };

static struct {
	dof_hdr_t hdr;
	dof_sec_t secs[NSECS];
	char strs[40];
	dof_probe_t probe;
	uint8_t args[4];
	uint32_t offs[2], enoff;
	dof_provider_t prov;
} image;

static dof_sec_t
section(uint32_t type, size_t at, size_t size, uint32_t entsize, uint32_t align)
{
	return (dof_sec_t){ .dofs_type = type,
		.dofs_align = align,
		.dofs_flags = DOF_SECF_LOAD,
		.dofs_entsize = entsize,
		.dofs_offset = at,
		.dofs_size = size };
}

#define SECTION(type, member, size, entsize, align)                            \
	section(type, offsetof(__typeof__(image), member), size, entsize, align)

static void
make_dof(uintptr_t at, uintptr_t distant)
{
	static const uint8_t ident[DOF_ID_SIZE] = { DOF_MAG_MAG0, DOF_MAG_MAG1,
		DOF_MAG_MAG2, DOF_MAG_MAG3, DOF_MODEL_NATIVE, DOF_ENCODE_NATIVE,
		DOF_VERSION_2, DIF_VERSION, DIF_DIR_NREGS, DIF_DTR_NREGS };
	dof_attr_t stable = DOF_ATTR(DTRACE_STABILITY_STABLE,
	    DTRACE_STABILITY_STABLE, DTRACE_STABILITY_STABLE);

	memcpy(image.hdr.dofh_ident, ident, sizeof(ident));
	image.hdr.dofh_hdrsize = sizeof(image.hdr);
	image.hdr.dofh_secsize = sizeof(image.secs[0]);
	image.hdr.dofh_secnum = NSECS;
	image.hdr.dofh_secoff = sizeof(image.hdr);
	image.hdr.dofh_loadsz = image.hdr.dofh_filesz = sizeof(image);
	image.secs[SEC_STRS] =
	    SECTION(DOF_SECT_STRTAB, strs, sizeof(strs), 0, 1);
	image.secs[SEC_PROBES] = SECTION(DOF_SECT_PROBES, probe,
	    sizeof(image.probe), sizeof(image.probe), 8);
	image.secs[SEC_ARGS] = SECTION(DOF_SECT_PRARGS, args, 2, 1, 1);
	image.secs[SEC_OFFS] = SECTION(DOF_SECT_PROFFS, offs, 8, 4, 4);
	image.secs[SEC_ENOFFS] = SECTION(DOF_SECT_PRENOFFS, enoff, 4, 4, 4);
	image.secs[SEC_PROV] =
	    SECTION(DOF_SECT_PROVIDER, prov, sizeof(image.prov), 0, 4);
	memcpy(image.strs, strs, sizeof(strs));
	image.probe = (dof_probe_t){ .dofpr_addr = at,
		.dofpr_func = STR_FUNC,
		.dofpr_name = STR_NAME,
		.dofpr_nargv = STR_TYPES,
		.dofpr_xargv = STR_TYPES,
		.dofpr_nargc = 2,
		.dofpr_xargc = 2,
		.dofpr_noffs = distant != 0 ? 2 : 1,
		.dofpr_nenoffs = 1 };
	image.args[1] = 1;
	image.offs[0] = PROBE_AT;
	image.offs[1] = (uint32_t)(distant - at) + PROBE_AT;
	image.enoff = ASKS_AT;
	image.prov = (dof_provider_t){ .dofpv_strtab = SEC_STRS,
		.dofpv_probes = SEC_PROBES,
		.dofpv_prargs = SEC_ARGS,
		.dofpv_proffs = SEC_OFFS,
		.dofpv_prenoffs = SEC_ENOFFS,
		.dofpv_name = STR_PROV,
		.dofpv_provattr = stable,
		.dofpv_modattr = stable,
		.dofpv_funcattr = stable,
		.dofpv_nameattr = stable,
		.dofpv_argsattr = stable };
}

static int
give(void)
{
	dof_helper_t dh = { .dofhp_mod = "module",
		.dofhp_addr = (uintptr_t)&image,
		.dofhp_dof = (uintptr_t)&image };
	int fd = open("/dev/dtrace/helper", O_RDWR), number;

	if (fd < 0)
		return -1;
	number = ioctl(fd, DTRACEHIOC_ADDDOF, &dh);
	close(fd);
	return number;
}

/* Code on the heap, as libusdt's: malloc() uses the rest of the page. */
static unsigned char *
make_code(void)
{
	unsigned char *at = valloc(sizeof(code));

	if (at == NULL ||
	    mprotect(at, 4096, PROT_READ | PROT_WRITE | PROT_EXEC) != 0) {
		perror("code on the heap");
		exit(1);
	}
	return memcpy(at, code, sizeof(code));
}

#define FAR (3UL << 30)

static unsigned char *
make_distant_code(const unsigned char *at)
{
	uintptr_t page = ((uintptr_t)at & -4096UL) + FAR;
	unsigned char *distant =
	    mmap((void *)page, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);

	if (distant == MAP_FAILED) {
		perror("code distant from the heap");
		exit(1);
	}
	return memcpy(distant, code, sizeof(code));
}

static void
fire(unsigned char *at, int number)
{
	((void (*)(int, const char *))(uintptr_t)(at + PROBE_CODE))(
	    number, "text");
}

/* Write to the rest of the page. */
static void
use_heap(void)
{
	char *blocks[64];

	for (size_t i = 0; i < 64; i++) {
		blocks[i] = malloc(48);
		if (blocks[i] != NULL)
			memset(blocks[i], 'x', 48);
	}
	for (size_t i = 0; i < 64; i++)
		free(blocks[i]);
}

int
main(int argc, char **argv)
{
	int rounds = argc > 1 ? atoi(argv[1]) : 1, nasked = 0, number;
	unsigned char *at = make_code();
	unsigned char *distant = argc > 2 ? make_distant_code(at) : NULL;

	make_dof((uintptr_t)at, (uintptr_t)distant);
	number = give();
	if (number < 0) {
		perror("DTRACEHIOC_ADDDOF");
		return 1;
	}
	use_heap();
	for (int i = 0; i < rounds; i++) {
		nasked += ((int (*)(void))(uintptr_t)at)() != 0;
		fire(at, -i);
		if (distant != NULL)
			fire(distant, 1000 - i);
	}
	if (ioctl(0, DTRACEHIOC_REMOVE, (void *)(intptr_t)number) != 0)
		perror("DTRACEHIOC_REMOVE");
	use_heap();
	printf("%s; traced %d times\n",
	    memcmp(at, code, sizeof(code)) == 0 &&
		    (distant == NULL ||
			memcmp(distant, code, sizeof(code)) == 0) ?
		"as before" :
		"changed",
	    nasked);
	return 0;
}
