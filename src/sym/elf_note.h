/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SYM_ELF_NOTE_H
#define SYM_ELF_NOTE_H

#include <stddef.h>
#include <stdint.h>

#define ELF_BUILD_ID_MAX 64

/*
 * The build id in the bytes of an ELF note section.  They are hostile.  Returns
 * its length; 0: there is none.
 */
size_t elf_note_build_id(
    const uint8_t *p, size_t len, uint8_t out[ELF_BUILD_ID_MAX]);

#define ELF_BUILD_ID_TEXT (2 * ELF_BUILD_ID_MAX + 1)
/* Hexadecimal digits of an id; only the first ELF_BUILD_ID_MAX bytes count. */
void elf_build_id_format(
    const uint8_t *id, size_t len, char out[ELF_BUILD_ID_TEXT]);
/*
 * The digits of the build id of this machine's kernel, "vmlinux", or of a
 * module that is loaded; "": it is not known.
 */
void elf_build_id_of_kernel(const char *module, char out[ELF_BUILD_ID_TEXT]);

#endif
