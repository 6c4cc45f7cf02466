/* SPDX-License-Identifier: BSD-2-Clause */
#include "sym/elf_note.h"

#include <elf.h>
#include <string.h>

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
