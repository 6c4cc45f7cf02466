/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DOF_DOF_H
#define DOF_DOF_H

/*
 * DOF: programs and probes as bytes, in files and in ELF sections.
 *
 *	[header][section headers][loadable sections][other sections]
 *	|<------------------ dofh_loadsz ---------->|
 *	|<------------------ dofh_filesz --------------------------->|
 *
 * Layouts and numbers: doc/reference/dof.md.  On-disk structures have the names
 * of the published headers; here they are always in our own byte order,
 * whatever the image has.  Two tables list the sections (dof_secs.def) and
 * their fields (dof_structs.def); byte order, checks and the printer follow
 * from them.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"
#include "base/vec.h"
#include "dif/prog.h"

enum dof_sectype {
#define DOF_SEC(val, NAME, load, form, elem, align, rule) DOF_SECT_##NAME = val,
#include "dof/dof_secs.def"
#undef DOF_SEC
};

#define DOF_HDR_SIZE 64
#define DOF_SECHDR_SIZE 32
#define DOF_SECF_LOAD 1
#define DOF_SECIDX_NONE UINT32_MAX

enum dof_model { DOF_MODEL_ILP32 = 1, DOF_MODEL_LP64 = 2 };
enum dof_encoding { DOF_ENCODE_LSB = 1, DOF_ENCODE_MSB = 2 };
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define DOF_ENCODE_NATIVE DOF_ENCODE_LSB
#else
#define DOF_ENCODE_NATIVE DOF_ENCODE_MSB
#endif
#define DOF_VERSION_1 1
#define DOF_VERSION_2 2 /* is-enabled probes */
#define DOF_VERSION_3 3 /* Oracle's calls of is-enabled probes */

/* Indices in dofh_ident. */
enum {
	DOF_ID_MAG0,
	DOF_ID_MAG1,
	DOF_ID_MAG2,
	DOF_ID_MAG3,
	DOF_ID_MODEL,
	DOF_ID_ENCODING,
	DOF_ID_VERSION,
	DOF_ID_DIFVERS,
	DOF_ID_DIFIREG,
	DOF_ID_DIFTREG,
	DOF_ID_PAD,
	DOF_ID_SIZE = 16
};
#define DOF_MAGIC "\177DOF"

struct dof_hdr {
	uint8_t dofh_ident[DOF_ID_SIZE];
	uint32_t dofh_flags;
	uint32_t dofh_hdrsize;
	uint32_t dofh_secsize;
	uint32_t dofh_secnum;
	uint64_t dofh_secoff;
	uint64_t dofh_loadsz;
	uint64_t dofh_filesz;
	uint64_t dofh_pad;
};

struct dof_sec {
	uint32_t dofs_type;
	uint32_t dofs_align;
	uint32_t dofs_flags;
	uint32_t dofs_entsize;
	uint64_t dofs_offset;
	uint64_t dofs_size;
};

struct dof_ecbdesc {
	uint32_t dofe_probes, dofe_pred, dofe_actions, dofe_pad;
	uint64_t dofe_uarg;
};
struct dof_probedesc {
	uint32_t dofp_strtab;
	uint32_t dofp_provider, dofp_mod, dofp_func, dofp_name;
	uint32_t dofp_id;
};
struct dof_actdesc {
	uint32_t dofa_difo, dofa_strtab, dofa_kind, dofa_ntuple;
	uint64_t dofa_arg, dofa_uarg;
};
/* Links to the object's sections follow. */
struct dof_difohdr {
	struct dif_type dofd_rtype;
};
struct dof_relohdr {
	uint32_t dofr_strtab, dofr_relsec, dofr_tgtsec;
};
/*
 * PERCPU is ours alone, in KRELHDRs: a per-CPU variable's number in the
 * kernel's BTF.
 */
enum {
	DOF_RELO_NONE,
	DOF_RELO_SETX,
	DOF_RELO_DOFREL,
	DOF_RELO_PERCPU = 0x4000
};
struct dof_relodesc {
	uint32_t dofr_name, dofr_type;
	uint64_t dofr_offset, dofr_data;
};
struct dof_optdesc {
	uint32_t dofo_option, dofo_strtab;
	uint64_t dofo_value;
};
#define DOF_PROVIDER_V1_SIZE 40 /* without dofpv_prenoffs */
struct dof_provider {
	uint32_t dofpv_strtab, dofpv_probes, dofpv_prargs, dofpv_proffs;
	uint32_t dofpv_name;
	uint32_t dofpv_provattr, dofpv_modattr, dofpv_funcattr;
	uint32_t dofpv_nameattr, dofpv_argsattr;
	uint32_t dofpv_prenoffs;
};
struct dof_probe {
	uint64_t dofpr_addr;
	uint32_t dofpr_func, dofpr_name, dofpr_nargv, dofpr_xargv;
	uint32_t dofpr_argidx, dofpr_offidx;
	uint8_t dofpr_nargc, dofpr_xargc;
	uint16_t dofpr_noffs;
	uint32_t dofpr_enoffidx;
	uint16_t dofpr_nenoffs, dofpr_pad1;
	uint32_t dofpr_pad2;
};
struct dof_xlator {
	uint32_t dofxl_members, dofxl_strtab, dofxl_argv, dofxl_argc;
	uint32_t dofxl_type, dofxl_attr;
};
struct dof_xlmember {
	uint32_t dofxm_difo, dofxm_name;
	struct dif_type dofxm_type;
};
struct dof_xlref {
	uint32_t dofxr_xlator, dofxr_member, dofxr_argn;
};
/* Elements of plain tables. */
struct dof_secidx {
	uint32_t idx;
};
struct dof_byte {
	uint8_t v;
};
struct dof_word {
	uint32_t v;
};
struct dof_xword {
	uint64_t v;
};

/*
 * Our own sections, with facts of a program that DOF lacks.  One X_CLAUSE per
 * clause (DOF has an ECB per probe description), one X_ACTION per action.
 */
#define DOF_XC_DEFAULT 1 /* records the EPID only */
struct dof_xclause {
	uint32_t dofxc_ecb; /* its first ECB; its others follow */
	uint32_t dofxc_necbs;
	uint32_t dofxc_source; /* number of its clause in the text */
	uint32_t dofxc_flags;
	uint32_t dofxc_attr;
};
#define DOF_CTF_NONE UINT32_MAX
#define DOF_XA_SIGNED 1
#define DOF_XA_HAS_TYPE 2
#define DOF_XA_HAS_FMT 4 /* a format that DOF has no place for */
struct dof_xaction {
	uint32_t dofxa_actdesc, dofxa_index;
	uint32_t dofxa_strtab, dofxa_type, dofxa_fmt;
	uint32_t dofxa_group;
	uint32_t dofxa_flags;
	uint32_t dofxa_ctf; /* typedef "$n" of X_TYPES, or NONE */
};
struct dof_xagg {
	uint32_t dofxg_strtab, dofxg_name, dofxg_id, dofxg_kind;
	uint32_t dofxg_nkeys, dofxg_pad;
	uint64_t dofxg_arg;
};
struct dof_xvar {
	uint32_t dofxv_strtab, dofxv_name, dofxv_type;
	struct dif_var dofxv_var;
};
struct dof_xoption {
	uint32_t dofxo_strtab, dofxo_name, dofxo_value;
};

/* ---- images ------------------------------------------------------------- */

/* An image that passed dof_decode(). Headers are in our byte order. */
struct dof {
	struct dof_hdr hdr;
	struct dof_sec *secs; /* hdr.dofh_secnum, owned */
	const uint8_t *img;   /* borrowed */
	bool is_swapped;      /* the image has the other byte order */
	uint64_t addr;	      /* the image's address in the ELF file; or 0 */
};

/* Do the bytes begin like DOF? */
bool dof_is_dof(const void *img, size_t len);

/*
 * Decode an image.  It is hostile: another process may have written it.
 * Everything that doc/reference/dof.md section 4 says of any DOF is checked
 * here, whatever its byte order, data model and version: afterwards every
 * offset, index, count and string that the tables know of may be followed.
 *
 * `img` is borrowed and must outlive the result.  Bytes after dofh_filesz are
 * ignored.  Returns 0 and sets *outp (release with dof_destroy()), or
 * -EINVAL with *err naming the section and offset at fault.
 */
CHECKED int dof_decode(
    const void *img, size_t len, struct err *err, struct dof **outp);
void dof_destroy(struct dof *d);

/*
 * Check that it may be enabled here: native byte order, no probes of its own,
 * limits.
 */
CHECKED int dof_check_enabling(const struct dof *d, struct err *err);
/* Check the stricter rules for probes of a process. */
CHECKED int dof_check_helper(const struct dof *d, struct err *err);
/* Check the rules for probes whose sites are in notes (usdt/notes.h). */
CHECKED int dof_check_types(const struct dof *d, struct err *err);

/* The number of elements of a table; 1 for other sections. */
uint32_t dof_nelems(const struct dof *d, uint32_t sec);
/*
 * Copy the i-th element, in our byte order, as the C type that dof_structs.def
 * names.  Members beyond a short element (version 1) read as 0.
 */
void dof_get(const struct dof *d, uint32_t sec, uint32_t i, void *to);
/* A string of a STRTAB section. */
const char *dof_str(const struct dof *d, uint32_t strtab, uint64_t off);
/* Links of a DIFOHDR. */
uint32_t dof_nlinks(const struct dof *d, uint32_t difohdr);
uint32_t dof_link(const struct dof *d, uint32_t difohdr, uint32_t i);
/* The DIFOHDR's section of that type, or DOF_SECIDX_NONE. */
uint32_t dof_find_link(
    const struct dof *d, uint32_t difohdr, enum dof_sectype type);

/*
 * The DIF object of a DIFOHDR, for the disassembler and the verifier: it has
 * not passed dif_verify().  Release it with dif_obj_destroy().
 */
struct dif_obj *dof_get_difo(const struct dof *d, uint32_t difohdr);

/*
 * Print the whole image. optname (may be NULL) returns the name of an option's
 * number, or NULL.
 */
typedef const char *dof_optname_f(uint32_t number);
void dof_print(const struct dof *d, dof_optname_f *optname, struct strbuf *out);
/* "ACTDESC", or NULL. */
const char *dof_sectype_name(uint32_t type);

/*
 * Convert stability to an attribute word, and back: false if the word is
 * invalid.
 */
uint32_t dof_attr_word(struct dif_attr a);
bool dof_attr_of_word(uint32_t word, struct dif_attr *a);

/* ---- writing ------------------------------------------------------------ */

/* An image under construction, in any byte order and data model. */
struct dof_writer;

struct dof_ident {
	enum dof_model model;
	enum dof_encoding encoding;
	uint8_t version;
};
struct dof_writer *dof_writer_create(const struct dof_ident *id);
void dof_writer_destroy(struct dof_writer *w);
/*
 * Append a section of n elements (or bytes, if its type has no elements).
 * Returns its index.
 */
uint32_t dof_write_sec(
    struct dof_writer *w, enum dof_sectype type, const void *elems, size_t n);
/* Append a DIFOHDR. */
uint32_t dof_write_difohdr(struct dof_writer *w, const struct dif_type *rtype,
    const uint32_t *links, uint32_t nlinks);
/* The offset of a string in the image's common string table. */
#define DOF_WRITE_STRTAB 0 /* its index */
uint32_t dof_write_str(struct dof_writer *w, const char *s);
/* dof_write_str() for strings that must be consecutive. */
uint32_t dof_write_strs(struct dof_writer *w, char *const *strs, size_t n);
/*
 * Lay out the image and append it to out; the writer cannot be used afterwards.
 */
void dof_write_finish(struct dof_writer *w, struct strbuf *out);

/* ---- programs ----------------------------------------------------------- */

/* Numbers of subroutines from 46 up, and of variables from 0x121, differ from
 * system to system: dof_abi.def. */
enum dof_abi {
	DOF_ABI_GUESS, /* from the UTSNAME section */
#define DOF_ABI_SYS(ABI, name, base) DOF_ABI_##ABI,
#define DOF_ABI_SUBR(ABI, num, name)
#define DOF_ABI_VAR(ABI, num, name)
#include "dof/dof_abi.def"
#undef DOF_ABI_SYS
#undef DOF_ABI_SUBR
#undef DOF_ABI_VAR
};

struct dof_option {
	uint32_t number; /* DTRACEOPT_* */
	int64_t value;
	const char *text; /* string options: instead of value; or NULL */
};

/* Options without a number. */
struct dof_named_option {
	const char *name, *value;
};

struct dof_prog_opts {
	bool strip; /* no COMMENTS, no UTSNAME */
	VEC(struct dof_option) options;
	VEC(struct dof_named_option) named;
	VEC(char *) texts; /* for the caller: owns the strings above */
	/*
	 * CTF with the types of the actions' values (X_TYPES), and a function
	 * that returns an action's type or DOF_CTF_NONE.  NULL: none.
	 */
	uint32_t (*ctf_of)(const struct dif_action *act, void *arg);
	void *ctf_arg;
	const struct strbuf *ctf;
};

/* Append the image of programs. */
void dof_encode_progs(const struct dif_prog *const *progs, size_t n,
    const struct dof_prog_opts *opts, struct strbuf *out);

/*
 * Make a program that can be enabled, once the caller has set the integers of
 * dif_obj.krels, which are 0, to the kernel's addresses.  The image passed
 * dof_check_enabling().  Here every object passes dif_verify_unlinked() (the
 * caller links references to translators), and every action is one of ours, in
 * a permitted place.  Returns 0, or -EINVAL with *err.
 */
CHECKED int dof_decode_prog(const struct dof *d, enum dof_abi abi,
    struct err *err, struct dif_prog **outp);
/*
 * Call f for each action whose type was saved with the program;
 * dof_decode_prog() made `p` from this image.
 */
void dof_each_type(const struct dof *d, const struct dif_prog *p,
    void (*f)(struct dif_action *act, uint32_t ctf, void *arg), void *arg);

/* ---- probes of a process ------------------------------------------------ */

struct dof_usdt_probe {
	char *func, *name;
	uint64_t addr;	      /* address of the function */
	VEC(char *) nargs;    /* C types of the native arguments */
	VEC(char *) xargs;    /* C types of the translated ones */
	VEC(uint8_t) map;     /* xargs.v[i] comes from nargs.v[map.v[i]] */
	VEC(uint32_t) offs;   /* sites, relative to addr */
	VEC(uint32_t) enoffs; /* is-enabled sites, relative to addr */
};
struct dof_usdt {
	char *name;
	uint32_t attrs[5]; /* provider, module, function, name, args */
	VEC(struct dof_usdt_probe) probes;
};
void dof_usdt_fini(struct dof_usdt *u);
/* Append a PROVIDER and its sections. Returns its index. */
uint32_t dof_write_usdt(struct dof_writer *w, const struct dof_usdt *u);
/* Read a PROVIDER of an image that passed dof_check_helper() or
 * dof_check_types(). */
void dof_get_usdt(const struct dof *d, uint32_t provider, struct dof_usdt *u);

/* ---- helpers of a process ------------------------------------------------ */

/* An object, and which of its integers are addresses in the ELF file. */
struct dof_hobj {
	struct dif_obj *difo;
	VEC(uint32_t) based;
};
/* The actions run if pred is NULL or not 0. */
struct dof_helper {
	struct dof_hobj pred;
	VEC(struct dof_hobj) actions;
};
struct dof_helpers {
	VEC(struct dof_helper) v;
};
/*
 * Append the helpers of dtrace:helper:ustack: in an image that passed
 * dof_check_helper() or dof_check_types().  Every object passes dif_verify()
 * and dif_verify_helper().  Returns 0, or -EINVAL with *err.
 */
CHECKED int dof_get_helpers(
    const struct dof *d, struct dof_helpers *out, struct err *err);
void dof_helpers_fini(struct dof_helpers *h);

/* ---- ELF ---------------------------------------------------------------- */

/*
 * Call f for every DOF in the .SUNW_dof sections of an ELF image; one section
 * may have several.  Returns their number; or what f returned, if negative; or
 * with *err: -EINVAL, it cannot be read as ELF; -ENOENT, it has no DOF;
 * -EBADMSG, its DOF is damaged.
 */
typedef int dof_elf_f(const struct dof *d, void *arg);
CHECKED int dof_elf_iter(
    const void *elf, size_t len, dof_elf_f *f, void *arg, struct err *err);
/* dof_elf_iter() for an open file. */
CHECKED int dof_elf_iter_fd(int fd, dof_elf_f *f, void *arg, struct err *err);

#endif
