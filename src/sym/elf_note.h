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

#endif
