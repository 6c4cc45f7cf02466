/* SPDX-License-Identifier: BSD-2-Clause */
#include "sym/elf_note.h"

#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"

/* Notes: name size, descriptor size, type, name, descriptor; each padded to 4
 * (ELF specification, "Note Section"). */
size_t
elf_note_build_id(const uint8_t *p, size_t len, uint8_t out[ELF_BUILD_ID_MAX])
{
	Elf64_Nhdr nh;

	while (len >= sizeof(nh)) {
		size_t name, desc;

		memcpy(&nh, p, sizeof(nh));
		name = ((size_t)nh.n_namesz + 3) & ~(size_t)3;
		desc = ((size_t)nh.n_descsz + 3) & ~(size_t)3;
		p += sizeof(nh);
		len -= sizeof(nh);
		if (name > len || nh.n_descsz > len - name)
			return 0;
		if (nh.n_type == NT_GNU_BUILD_ID && nh.n_namesz == 4 &&
		    memcmp(p, "GNU", 4) == 0) {
			if (nh.n_descsz > ELF_BUILD_ID_MAX)
				return 0;
			memcpy(out, p + name, nh.n_descsz);
			return nh.n_descsz;
		}
		if (desc > len - name)
			return 0;
		p += name + desc;
		len -= name + desc;
	}
	return 0;
}

void
elf_build_id_format(const uint8_t *id, size_t len, char out[ELF_BUILD_ID_TEXT])
{
	out[0] = '\0';
	for (size_t i = 0; i < len && i < ELF_BUILD_ID_MAX; i++)
		snprintf(out + 2 * i, 3, "%02x", id[i]);
}

/* The kernel publishes the notes of its own files. */
void
elf_build_id_of_kernel(const char *module, char out[ELF_BUILD_ID_TEXT])
{
	char *path = strcmp(module, "vmlinux") == 0 ?
	    mem_strdup("/sys/kernel/notes") :
	    mem_printf("/sys/module/%s/notes/.note.gnu.build-id", module);
	uint8_t notes[4096], id[ELF_BUILD_ID_MAX];
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd >= 0 ? read(fd, notes, sizeof(notes)) : 0;
	size_t len = n > 0 ? elf_note_build_id(notes, (size_t)n, id) : 0;

	if (fd >= 0)
		close(fd);
	free(path);
	elf_build_id_format(id, len, out);
}
