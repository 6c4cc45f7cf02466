/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SYS_DTRACE_H
#define SYS_DTRACE_H

/*
 * DOF for programs that make their own probes: libusdt and others compile with
 * this header unchanged.  The layouts and numbers are those of the DTrace
 * Object Format, which doc/formats.md describes.
 *
 * Such a program gives its DOF to a device of the kernel.  Linux has none:
 *
 *	cc -DDTRACE_USDT_HELPER ... -ldtrace-usdt
 *
 * gives it to libdtrace-usdt instead (<libdtrace-usdt.h>), by replacing open()
 * and ioctl() in the files that include this header.
 */
#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef uint32_t dof_secidx_t;
typedef uint32_t dof_stridx_t;
typedef uint32_t dof_attr_t;

/* ---- header -------------------------------------------------------------- */

#define DOF_ID_SIZE 16
#define DOF_ID_MAG0 0
#define DOF_ID_MAG1 1
#define DOF_ID_MAG2 2
#define DOF_ID_MAG3 3
#define DOF_ID_MODEL 4
#define DOF_ID_ENCODING 5
#define DOF_ID_VERSION 6
#define DOF_ID_DIFVERS 7
#define DOF_ID_DIFIREG 8
#define DOF_ID_DIFTREG 9
#define DOF_ID_PAD 10

#define DOF_MAG_MAG0 0x7f
#define DOF_MAG_MAG1 'D'
#define DOF_MAG_MAG2 'O'
#define DOF_MAG_MAG3 'F'
#define DOF_MAG_STRING "\177DOF"
#define DOF_MAG_STRLEN 4

#define DOF_MODEL_NONE 0
#define DOF_MODEL_ILP32 1
#define DOF_MODEL_LP64 2
#ifdef __LP64__
#define DOF_MODEL_NATIVE DOF_MODEL_LP64
#else
#define DOF_MODEL_NATIVE DOF_MODEL_ILP32
#endif

#define DOF_ENCODE_NONE 0
#define DOF_ENCODE_LSB 1
#define DOF_ENCODE_MSB 2
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define DOF_ENCODE_NATIVE DOF_ENCODE_LSB
#else
#define DOF_ENCODE_NATIVE DOF_ENCODE_MSB
#endif

#define DOF_VERSION_1 1
#define DOF_VERSION_2 2
#define DOF_VERSION DOF_VERSION_2

#define DIF_VERSION 2
#define DIF_DIR_NREGS 8
#define DIF_DTR_NREGS 8

#define DOF_FL_VALID 0

typedef struct dof_hdr {
	uint8_t dofh_ident[DOF_ID_SIZE];
	uint32_t dofh_flags;
	uint32_t dofh_hdrsize, dofh_secsize, dofh_secnum;
	uint64_t dofh_secoff, dofh_loadsz, dofh_filesz;
	uint64_t dofh_pad;
} dof_hdr_t;

/* ---- sections ------------------------------------------------------------ */

#define DOF_STRIDX_NONE 0
#define DOF_SECIDX_NONE (~0U)

typedef struct dof_sec {
	uint32_t dofs_type, dofs_align, dofs_flags, dofs_entsize;
	uint64_t dofs_offset, dofs_size;
} dof_sec_t;

#define DOF_SECF_LOAD 1

#define DOF_SECT_NONE 0
#define DOF_SECT_COMMENTS 1
#define DOF_SECT_SOURCE 2
#define DOF_SECT_ECBDESC 3
#define DOF_SECT_PROBEDESC 4
#define DOF_SECT_ACTDESC 5
#define DOF_SECT_DIFOHDR 6
#define DOF_SECT_DIF 7
#define DOF_SECT_STRTAB 8
#define DOF_SECT_VARTAB 9
#define DOF_SECT_RELTAB 10
#define DOF_SECT_TYPTAB 11
#define DOF_SECT_URELHDR 12
#define DOF_SECT_KRELHDR 13
#define DOF_SECT_OPTDESC 14
#define DOF_SECT_PROVIDER 15
#define DOF_SECT_PROBES 16
#define DOF_SECT_PRARGS 17
#define DOF_SECT_PROFFS 18
#define DOF_SECT_INTTAB 19
#define DOF_SECT_UTSNAME 20
#define DOF_SECT_XLTAB 21
#define DOF_SECT_XLMEMBERS 22
#define DOF_SECT_XLIMPORT 23
#define DOF_SECT_XLEXPORT 24
#define DOF_SECT_PREXPORT 25
#define DOF_SECT_PRENOFFS 26

typedef struct dof_relohdr {
	dof_secidx_t dofr_strtab, dofr_relsec, dofr_tgtsec;
} dof_relohdr_t;

typedef struct dof_relodesc {
	dof_stridx_t dofr_name;
	uint32_t dofr_type;
	uint64_t dofr_offset, dofr_data;
} dof_relodesc_t;

#define DOF_RELO_NONE 0
#define DOF_RELO_SETX 1
#define DOF_RELO_DOFREL 2

typedef struct dof_provider {
	dof_secidx_t dofpv_strtab, dofpv_probes, dofpv_prargs, dofpv_proffs;
	dof_stridx_t dofpv_name;
	dof_attr_t dofpv_provattr, dofpv_modattr, dofpv_funcattr;
	dof_attr_t dofpv_nameattr, dofpv_argsattr;
	dof_secidx_t dofpv_prenoffs;
} dof_provider_t;

typedef struct dof_probe {
	uint64_t dofpr_addr;
	dof_stridx_t dofpr_func, dofpr_name, dofpr_nargv, dofpr_xargv;
	uint32_t dofpr_argidx, dofpr_offidx;
	uint8_t dofpr_nargc, dofpr_xargc;
	uint16_t dofpr_noffs;
	uint32_t dofpr_enoffidx;
	uint16_t dofpr_nenoffs, dofpr_pad1;
	uint32_t dofpr_pad2;
} dof_probe_t;

/* ---- stability ----------------------------------------------------------- */

#define DOF_ATTR(n, d, c) (((n) << 24) | ((d) << 16) | ((c) << 8))
#define DOF_ATTR_NAME(a) (((a) >> 24) & 0xff)
#define DOF_ATTR_DATA(a) (((a) >> 16) & 0xff)
#define DOF_ATTR_CLASS(a) (((a) >> 8) & 0xff)

#define DTRACE_STABILITY_INTERNAL 0
#define DTRACE_STABILITY_PRIVATE 1
#define DTRACE_STABILITY_OBSOLETE 2
#define DTRACE_STABILITY_EXTERNAL 3
#define DTRACE_STABILITY_UNSTABLE 4
#define DTRACE_STABILITY_EVOLVING 5
#define DTRACE_STABILITY_STABLE 6
#define DTRACE_STABILITY_STANDARD 7

#define DTRACE_CLASS_UNKNOWN 0
#define DTRACE_CLASS_CPU 1
#define DTRACE_CLASS_PLATFORM 2
#define DTRACE_CLASS_GROUP 3
#define DTRACE_CLASS_ISA 4
#define DTRACE_CLASS_COMMON 5

/* ---- the helper's device ------------------------------------------------- */

#define DTRACE_MODNAMELEN 64

typedef struct dof_helper {
	char dofhp_mod[DTRACE_MODNAMELEN];
	uint64_t dofhp_addr; /* load address of the object */
	uint64_t dofhp_dof;  /* address of its DOF */
} dof_helper_t;

#define DTRACEHIOC ('d' << 24 | 't' << 16 | 'h' << 8)
#define DTRACEHIOC_REMOVE (DTRACEHIOC | 2)
#define DTRACEHIOC_ADDDOF (DTRACEHIOC | 3)

int dtrace_usdt_helper_open(const char *path, int flags, ...);
int dtrace_usdt_helper_ioctl(int fd, unsigned long request, ...);

#ifdef DTRACE_USDT_HELPER
#define open dtrace_usdt_helper_open
#define ioctl dtrace_usdt_helper_ioctl
#endif

#ifdef __cplusplus
}
#endif

#endif
