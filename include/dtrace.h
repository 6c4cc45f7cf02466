/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DTRACE_H
#define DTRACE_H

/*
 * libdtrace: compile D programs, run them, and consume their data.
 *
 * Names, numbers and layouts are those of DTrace's published consumer API.
 * libdtrace(3) tells how to use it, and where it differs.
 *
 *	dtrace_open -> dtrace_setopt -> dtrace_program_*compile
 *	    -> dtrace_program_exec -> dtrace_go
 *	    -> { dtrace_sleep -> dtrace_work } -> dtrace_close
 *
 * Functions return a pointer or NULL, 0 or -1, unless said otherwise; the code
 * of a failure is dtrace_errno(), its text dtrace_errmsg().  A handle belongs
 * to one thread at a time; handles are independent of each other.
 */
#include <elf.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

#define DTRACE_API __attribute__((visibility("default")))

#define DTRACE_VERSION 3 /* version of this interface: dtrace_open() */

typedef struct dtrace_hdl dtrace_hdl_t;
typedef struct dtrace_prog dtrace_prog_t;

typedef uint32_t dtrace_id_t;	/* number of a probe */
typedef uint32_t dtrace_epid_t; /* number of a clause on a probe */
typedef uint32_t dtrace_aggid_t;
typedef int64_t dtrace_aggvarid_t;
typedef uint16_t dtrace_actkind_t;
typedef int64_t dtrace_optval_t;
typedef uint8_t dtrace_stability_t;
typedef uint8_t dtrace_class_t;

#define DTRACE_CPUALL (-1)
#define DTRACE_ARGNONE (-1)
#define DTRACE_IDNONE 0
#define DTRACE_EPIDNONE 0
#define DTRACE_AGGIDNONE 0
#define DTRACE_AGGVARIDNONE 0

/* ---- descriptions ------------------------------------------------------- */

#define DTRACE_PROVNAMELEN 64 /* with the NUL, like those below */
#define DTRACE_MODNAMELEN 64
#define DTRACE_FUNCNAMELEN 192
#define DTRACE_NAMELEN 64
#define DTRACE_FULLNAMELEN                                                     \
	(DTRACE_PROVNAMELEN + DTRACE_MODNAMELEN + DTRACE_FUNCNAMELEN +         \
	    DTRACE_NAMELEN + 4)
#define DTRACE_ATTR2STR_MAX 64

typedef struct dtrace_probedesc {
	dtrace_id_t dtpd_id;
	char dtpd_provider[DTRACE_PROVNAMELEN];
	char dtpd_mod[DTRACE_MODNAMELEN];
	char dtpd_func[DTRACE_FUNCNAMELEN];
	char dtpd_name[DTRACE_NAMELEN];
} dtrace_probedesc_t;

/* The field that a bare word in a program is. */
typedef enum dtrace_probespec {
	DTRACE_PROBESPEC_NONE = -1,
	DTRACE_PROBESPEC_PROVIDER = 0,
	DTRACE_PROBESPEC_MOD = 1,
	DTRACE_PROBESPEC_FUNC = 2,
	DTRACE_PROBESPEC_NAME = 3
} dtrace_probespec_t;

typedef struct dtrace_attribute {
	dtrace_stability_t dtat_name;
	dtrace_stability_t dtat_data;
	dtrace_class_t dtat_class;
} dtrace_attribute_t;

/* Kinds of actions: dtrd_action. */
#define DTRACEACT_NONE 0
#define DTRACEACT_DIFEXPR 1
#define DTRACEACT_EXIT 2
#define DTRACEACT_PRINTF 3
#define DTRACEACT_PRINTA 4
#define DTRACEACT_LIBACT 5
#define DTRACEACT_TRACEMEM 6
#define DTRACEACT_TRACEMEM_DYNSIZE 7
#define DTRACEACT_PRINTM 8
#define DTRACEACT_USTACK 0x101
#define DTRACEACT_JSTACK 0x102
#define DTRACEACT_USYM 0x103
#define DTRACEACT_UMOD 0x104
#define DTRACEACT_UADDR 0x105
#define DTRACEACT_STOP 0x201
#define DTRACEACT_RAISE 0x202
#define DTRACEACT_SYSTEM 0x203
#define DTRACEACT_FREOPEN 0x204
#define DTRACEACT_STACK 0x401
#define DTRACEACT_SYM 0x402
#define DTRACEACT_MOD 0x403
#define DTRACEACT_CHILL 0x503
#define DTRACEACT_SPECULATE 0x601
#define DTRACEACT_COMMIT 0x602
#define DTRACEACT_DISCARD 0x603
#define DTRACEACT_PCAP 0x4001 /* only on Linux */
#define DTRACEAGG_COUNT 0x701
#define DTRACEAGG_MIN 0x702
#define DTRACEAGG_MAX 0x703
#define DTRACEAGG_AVG 0x704
#define DTRACEAGG_SUM 0x705
#define DTRACEAGG_STDDEV 0x706
#define DTRACEAGG_QUANTIZE 0x707
#define DTRACEAGG_LQUANTIZE 0x708
#define DTRACEAGG_LLQUANTIZE 0x709
#define DTRACEAGG_PERCENTILE 0x70a

#define DTRACE_TRACEMEM_STATIC 1
#define DTRACE_TRACEMEM_DYNAMIC 2
#define DTRACE_TRACEMEM_SIZE 3
#define DTRACE_TRACEMEM_SSIZE 4

/* quantize(): bucket i counts values from this bound on, away from zero. */
#define DTRACE_QUANTIZE_NBUCKETS 127
#define DTRACE_QUANTIZE_ZEROBUCKET 63
#define DTRACE_QUANTIZE_BUCKETVAL(i)                                           \
	((int64_t)((i) < DTRACE_QUANTIZE_ZEROBUCKET ?                          \
		-(INT64_C(1) << (DTRACE_QUANTIZE_ZEROBUCKET - 1 - (i))) :      \
		(i) == DTRACE_QUANTIZE_ZEROBUCKET ?                            \
		0 :                                                            \
		INT64_C(1) << ((i)-DTRACE_QUANTIZE_ZEROBUCKET - 1)))
/* Parts of the word before the buckets of lquantize(). */
#define DTRACE_LQUANTIZE_STEP(x) ((uint16_t)((uint64_t)(x) >> 48))
#define DTRACE_LQUANTIZE_LEVELS(x) ((uint16_t)((uint64_t)(x) >> 32))
#define DTRACE_LQUANTIZE_BASE(x) ((int32_t)(uint32_t)(x))
/* Parts of the word before the buckets of llquantize(). */
#define DTRACE_LLQUANTIZE_FACTOR(x) ((uint16_t)((uint64_t)(x) >> 48))
#define DTRACE_LLQUANTIZE_LOW(x) ((uint16_t)((uint64_t)(x) >> 32))
#define DTRACE_LLQUANTIZE_HIGH(x) ((uint16_t)((uint64_t)(x) >> 16))
#define DTRACE_LLQUANTIZE_NSTEP(x) ((uint16_t)(x))
/*
 * percentile(): bucket 0 counts what is below 0, bucket 1 + v the value v below
 * 64.  Behind them, each power of two from 64 on has 64 buckets of equal width.
 */
#define DTRACE_PERCENTILE_NBUCKETS 3713

/* One datum of a record. */
typedef struct dtrace_recdesc {
	dtrace_actkind_t dtrd_action;
	uint32_t dtrd_size;
	uint32_t dtrd_offset; /* from the start of the data */
	uint16_t dtrd_alignment;
	uint16_t dtrd_format; /* 0: none */
	uint64_t dtrd_arg;
	uint64_t dtrd_uarg;
} dtrace_recdesc_t;

/* The number of data is known at run time: dtepd_rec[dtepd_nrecs]. */
typedef struct dtrace_eprobedesc {
	dtrace_epid_t dtepd_epid;
	dtrace_id_t dtepd_probeid;
	uint64_t dtepd_uarg;
	uint32_t dtepd_size; /* of the data, with their header */
	int32_t dtepd_nrecs;
	dtrace_recdesc_t dtepd_rec[1];
} dtrace_eprobedesc_t;

#define DTRACE_AGD_PRINTED 1

/* Records: the variable's id, the keys, and then the value. */
typedef struct dtrace_aggdesc {
	char *dtagd_name; /* without the @ */
	dtrace_aggvarid_t dtagd_varid;
	int32_t dtagd_flags;
	dtrace_aggid_t dtagd_id;
	dtrace_epid_t dtagd_epid; /* of the first clause that updates it */
	uint32_t dtagd_size;
	int32_t dtagd_nrecs;
	uint32_t dtagd_pad;
	dtrace_recdesc_t dtagd_rec[1];
} dtrace_aggdesc_t;

/* ---- the handle --------------------------------------------------------- */

#define DTRACE_O_NODEV 1 /* compile only: dtrace_go() will fail */
#define DTRACE_O_NOSYS 2 /* the same, without reading the kernel */
#define DTRACE_O_LP64 4	 /* the data model: the only one */
#define DTRACE_O_ILP32 8 /* refused */
#define DTRACE_O_MASK 0xf

DTRACE_API dtrace_hdl_t *dtrace_open(int version, int flags, int *errp);

struct dtrace_syminfo;
/*
 * Callbacks of the program that replace those of the library.  Only names of
 * kernel addresses can be replaced; the other members must be NULL, as there is
 * no device and the CPUs are those of the running kernel.
 */
typedef struct dtrace_vector {
	int (*dtv_ioctl)(void *arg, int request, void *data);
	/* Returns 0; or -1: the library looks up the address itself. The
	 * library does not free the names. */
	int (*dtv_lookup_by_addr)(void *arg, uint64_t addr, Elf64_Sym *sym,
	    struct dtrace_syminfo *si);
	int (*dtv_status)(void *arg, int cpu);
	long (*dtv_sysconf)(void *arg, int name);
} dtrace_vector_t;
/* EOPNOTSUPP: a member that must be NULL is not. */
DTRACE_API dtrace_hdl_t *dtrace_vopen(int version, int flags, int *errp,
    const dtrace_vector_t *vector, void *arg);
/*
 * A descriptor for poll(2): readable when dtrace_sleep() would return at once.
 * The handle owns it; do not read it.
 */
DTRACE_API int dtrace_ctlfd(dtrace_hdl_t *h);
/*
 * Kernel modules may have been loaded or unloaded: forget their symbols.  Names
 * in a dtrace_syminfo_t become invalid.
 */
DTRACE_API void dtrace_update(dtrace_hdl_t *h);

/* Nonzero: handles opened from now on log to stderr, as with option debug. */
DTRACE_API extern int _dtrace_debug;
/*
 * End tracing; kill the processes that dtrace_proc_create() started and that
 * still run.
 */
DTRACE_API void dtrace_close(dtrace_hdl_t *h);

/* Codes of dtrace_errno() from 1000 on; lower ones are the system's. */
#define EDT_BASE 1000
enum {
	EDT_VERSION = EDT_BASE,
	EDT_VERSINVAL,
	EDT_VERSUNDEF,
	EDT_VERSREDUCED,
	EDT_CTF,
	EDT_COMPILER,
	EDT_NOTUPREG,
	EDT_NOMEM,
	EDT_INT2BIG,
	EDT_STR2BIG,
	EDT_NOMOD,
	EDT_NOPROV,
	EDT_NOPROBE,
	EDT_NOSYM,
	EDT_NOSYMADDR,
	EDT_NOTYPE,
	EDT_NOVAR,
	EDT_NOAGG,
	EDT_BADSCOPE,
	EDT_BADSPEC,
	EDT_BADSPCV,
	EDT_BADID,
	EDT_NOTLOADED,
	EDT_NOCTF,
	EDT_DATAMODEL,
	EDT_DIFVERS,
	EDT_BADAGG,
	EDT_FIO,
	EDT_DIFINVAL,
	EDT_DIFSIZE,
	EDT_DIFFAULT,
	EDT_BADPROBE,
	EDT_BADPGLOB,
	EDT_NOSCOPE,
	EDT_NODECL,
	EDT_DMISMATCH,
	EDT_DOFFSET,
	EDT_DALIGN,
	EDT_BADOPTNAME,
	EDT_BADOPTVAL,
	EDT_BADOPTCTX,
	EDT_CPPFORK,
	EDT_CPPEXEC,
	EDT_CPPENT,
	EDT_CPPERR,
	EDT_SYMOFLOW,
	EDT_ACTIVE,
	EDT_DESTRUCTIVE,
	EDT_NOANON,
	EDT_ISANON,
	EDT_ENDTOOBIG,
	EDT_NOCONV,
	EDT_BADCONV,
	EDT_BADERROR,
	EDT_ERRABORT,
	EDT_DROPABORT,
	EDT_DIRABORT,
	EDT_BADRVAL,
	EDT_BADNORMAL,
	EDT_BUFTOOSMALL,
	EDT_BADTRUNC,
	EDT_BUSY,
	EDT_ACCESS,
	EDT_NOENT,
	EDT_BRICKED,
	EDT_HARDWIRE,
	EDT_ELFVERSION,
	EDT_NOBUFFERED,
	EDT_UNSTABLE,
	EDT_BADSETOPT,
	EDT_BADSTACKPC,
	EDT_BADAGGVAR,
	EDT_OVERSION,
	EDT_ENABLING_ERR,
	EDT_NOPROBES,
	EDT_CANTLOAD
};

DTRACE_API int dtrace_errno(const dtrace_hdl_t *h);
/*
 * The text of a code; for the last failure, with all details.  Valid until the
 * next call on the handle, which may be NULL.
 */
DTRACE_API const char *dtrace_errmsg(const dtrace_hdl_t *h, int error);
DTRACE_API const char *dtrace_faultstr(const dtrace_hdl_t *h, int fault);

/* Up to now all messages are errors. */
typedef enum dtrace_severity {
	DTRACE_DIAG_ERROR = 0,
	DTRACE_DIAG_WARNING = 1,
	DTRACE_DIAG_NOTE = 2
} dtrace_severity_t;

/* A message of the compiler. */
typedef struct dtrace_diag {
	dtrace_severity_t dtdg_severity;
	const char *dtdg_tag;  /* "D_IDENT_UNDEF"; or NULL */
	const char *dtdg_file; /* NULL: the text that was compiled */
	uint32_t dtdg_line;    /* 0: no place in a text */
	uint32_t dtdg_column;  /* in bytes, from 1 */
	uint32_t dtdg_length;
	const char *dtdg_message;
	const char *dtdg_hint; /* or NULL */
} dtrace_diag_t;
typedef int dtrace_diag_f(
    dtrace_hdl_t *h, const dtrace_diag_t *diag, void *arg);
/*
 * Call f for each message of the last failure, if that was EDT_COMPILER, until
 * it returns nonzero, which is then returned.
 */
DTRACE_API int dtrace_diag_iter(dtrace_hdl_t *h, dtrace_diag_f *f, void *arg);
/*
 * Messages besides errors since the last call: warnings of the compiler, or
 * that a signal ended a traced process.  Whole lines; "": none. Valid until the
 * next call.
 */
DTRACE_API const char *dtrace_notices(dtrace_hdl_t *h);

/* The name of a D subroutine; NULL: the number is unknown. */
DTRACE_API const char *dtrace_subrstr(const dtrace_hdl_t *h, int subr);

#define DTRACEOPT_UNSET ((dtrace_optval_t)-2)
/* NULL as value sets a flag. */
DTRACE_API int dtrace_setopt(
    dtrace_hdl_t *h, const char *name, const char *value);
DTRACE_API int dtrace_getopt(
    dtrace_hdl_t *h, const char *name, dtrace_optval_t *value);

DTRACE_API extern const char _dtrace_version[];

/* The options that are set, as DOF: dtrace_program_fcompile() sets them. */
DTRACE_API void *dtrace_getopt_dof(dtrace_hdl_t *h);
/*
 * A program, as DOF, that records arg1 to arg5 of each ERROR, if there is a
 * handler of errors; else NULL, and dtrace_errno() is 0.  The library itself
 * does not need it.
 */
DTRACE_API void *dtrace_geterr_dof(dtrace_hdl_t *h);

/* ---- programs ----------------------------------------------------------- */

/* Other flags are refused, so that none is ignored. */
#define DTRACE_C_EMPTY 0x2     /* a program may be empty */
#define DTRACE_C_ZDEFS 0x4     /* descriptions may match no probe */
#define DTRACE_C_CPP 0x10      /* run the C preprocessor */
#define DTRACE_C_PSPEC 0x80    /* a description's meaning may depend on it */
#define DTRACE_C_ETAGS 0x100   /* prefix messages with their tags */
#define DTRACE_C_ARGREF 0x200  /* arguments need not be used */
#define DTRACE_C_DEFARG 0x800  /* missing arguments are 0 or "" */
#define DTRACE_C_NOLIBS 0x1000 /* do not load the D libraries */

/* The handle owns programs. argv[0] is $0. */
DTRACE_API dtrace_prog_t *dtrace_program_strcompile(dtrace_hdl_t *h,
    const char *text, dtrace_probespec_t spec, unsigned int cflags, int argc,
    char *const argv[]);
DTRACE_API dtrace_prog_t *dtrace_program_fcompile(dtrace_hdl_t *h, FILE *fp,
    unsigned int cflags, int argc, char *const argv[]);

typedef struct dtrace_proginfo {
	dtrace_attribute_t dpi_descattr; /* minimum of the descriptions */
	dtrace_attribute_t dpi_stmtattr; /* minimum of the statements */
	unsigned int dpi_aggregates;	 /* aggregating actions */
	unsigned int dpi_recgens;	 /* actions that record */
	unsigned int dpi_matches;	 /* probes matched */
	unsigned int dpi_speculations;	 /* speculate(), commit(), discard() */
} dtrace_proginfo_t;

/* info may be NULL. */
DTRACE_API int dtrace_program_exec(
    dtrace_hdl_t *h, dtrace_prog_t *prog, dtrace_proginfo_t *info);
DTRACE_API void dtrace_program_info(
    dtrace_hdl_t *h, dtrace_prog_t *prog, dtrace_proginfo_t *info);

#define DTRACE_D_STRIP 1  /* without text for people */
#define DTRACE_D_PROBES 2 /* for dtrace_program_link(), which implies it */
/*
 * The program as DOF for dtrace_program_fcompile(); the header has its length.
 * NULL: DOF cannot express it.
 */
DTRACE_API void *dtrace_dof_create(
    dtrace_hdl_t *h, dtrace_prog_t *prog, unsigned int dflags);
DTRACE_API void dtrace_dof_destroy(dtrace_hdl_t *h, void *dof);
/*
 * Write the object of the probes that all compiled programs define, as
 * dtrace -G does; dtrace_program_header() writes their header, as dtrace -h
 * does.  `objv` are the program's objects, which are only read.
 */
DTRACE_API int dtrace_program_link(dtrace_hdl_t *h, dtrace_prog_t *prog,
    unsigned int dflags, const char *file, int objc, char *const objv[]);
DTRACE_API int dtrace_program_header(
    dtrace_hdl_t *h, FILE *fp, const char *name);

/* ---- statements, the parts of a program ---------------------------------- */

typedef struct dtrace_diftype {
	uint8_t dtdt_kind; /* 0: by its C type, 1: a string */
	uint8_t dtdt_ckind;
	uint8_t dtdt_flags; /* 1: by reference, 2: to memory of the process */
	uint8_t dtdt_pad;
	uint32_t dtdt_size;
} dtrace_diftype_t;

typedef struct dtrace_difv {
	uint32_t dtdv_name; /* in dtdo_strtab */
	uint32_t dtdv_id;
	uint8_t dtdv_kind;  /* 0: array, 1: scalar */
	uint8_t dtdv_scope; /* 0: global, 1: thread, 2: clause */
	uint16_t dtdv_flags;
	dtrace_diftype_t dtdv_type;
} dtrace_difv_t;

typedef struct dtrace_difo {
	uint32_t *dtdo_buf;
	uint64_t *dtdo_inttab;
	char *dtdo_strtab;
	dtrace_difv_t *dtdo_vartab;
	unsigned int dtdo_len; /* instructions; others: entries, bytes */
	unsigned int dtdo_intlen;
	unsigned int dtdo_strlen;
	unsigned int dtdo_varlen;
	dtrace_diftype_t dtdo_rtype;
	unsigned int dtdo_destructive;
	/* integers that are kernel addresses: to be passed on */
	const struct dtrace_krel *dtdo_kreltab;
	unsigned int dtdo_krelen;
} dtrace_difo_t;

typedef struct dtrace_actdesc {
	dtrace_difo_t *dtad_difo; /* or NULL */
	struct dtrace_actdesc *dtad_next;
	dtrace_actkind_t dtad_kind;
	uint32_t dtad_ntuple; /* aggregation: number of actions for its keys */
	uint64_t dtad_arg;
	uint64_t dtad_uarg; /* dtrace_stmt_iter(): the statement, if unset */
} dtrace_actdesc_t;

typedef struct dtrace_preddesc {
	dtrace_difo_t *dtpdd_difo; /* or NULL */
} dtrace_preddesc_t;

typedef struct dtrace_ecbdesc {
	dtrace_actdesc_t *dted_action; /* the first one, of all statements */
	dtrace_preddesc_t dted_pred;
	dtrace_probedesc_t dted_probe;
	uint64_t dted_uarg;
} dtrace_ecbdesc_t;

/* One statement of a clause, on one of its probe descriptions. */
typedef struct dtrace_stmtdesc {
	dtrace_ecbdesc_t *dtsd_ecbdesc;
	dtrace_actdesc_t *dtsd_action; /* NULL: the clause is empty */
	dtrace_actdesc_t *dtsd_action_last;
	void *dtsd_aggdata; /* an aggregation's name, const char *; or NULL */
	void *dtsd_fmtdata; /* a printf()'s or printa()'s format; or NULL */
	void *dtsd_data;    /* for the caller */
	dtrace_attribute_t dtsd_descattr;
	dtrace_attribute_t dtsd_stmtattr;
} dtrace_stmtdesc_t;

typedef int dtrace_stmt_f(
    dtrace_hdl_t *h, dtrace_prog_t *prog, dtrace_stmtdesc_t *stmt, void *arg);
/*
 * Call f for each statement until it returns nonzero, which is then returned.
 * Statements are copies, valid as long as the handle.
 */
DTRACE_API int dtrace_stmt_iter(
    dtrace_hdl_t *h, dtrace_prog_t *prog, dtrace_stmt_f *f, void *arg);
/*
 * Create a statement.  The caller owns `ecb`, and must keep it until
 * dtrace_stmt_add().
 */
DTRACE_API dtrace_stmtdesc_t *dtrace_stmt_create(
    dtrace_hdl_t *h, dtrace_ecbdesc_t *ecb);
/* Append an empty action, for the caller to fill in. */
DTRACE_API dtrace_actdesc_t *dtrace_stmt_action(
    dtrace_hdl_t *h, dtrace_stmtdesc_t *stmt);
/*
 * Add a copy of the statement to a program that is not enabled yet: as a clause
 * of its own or, after a statement with the same `ecb`, to that one's clause.
 * Its contents are checked like foreign DOF.
 */
DTRACE_API int dtrace_stmt_add(
    dtrace_hdl_t *h, dtrace_prog_t *prog, dtrace_stmtdesc_t *stmt);
DTRACE_API void dtrace_stmt_destroy(dtrace_hdl_t *h, dtrace_stmtdesc_t *stmt);

/* ---- running ------------------------------------------------------------ */

DTRACE_API int dtrace_go(dtrace_hdl_t *h);
/* The next dtrace_work() or dtrace_consume() gets END's data. */
DTRACE_API int dtrace_stop(dtrace_hdl_t *h);
/* Sleep until there is work to do. */
DTRACE_API void dtrace_sleep(dtrace_hdl_t *h);

typedef enum dtrace_workstatus {
	DTRACE_WORKSTATUS_ERROR = -1,
	DTRACE_WORKSTATUS_OKAY = 0,
	DTRACE_WORKSTATUS_DONE = 1
} dtrace_workstatus_t;

#define DTRACE_STATUS_NONE 0 /* too early to look again */
#define DTRACE_STATUS_OKAY 1
#define DTRACE_STATUS_EXITED 2	/* exit() has run, or the processes ended */
#define DTRACE_STATUS_FILLED 3	/* a buffer of policy fill is full */
#define DTRACE_STATUS_STOPPED 4 /* dtrace_stop() was called */
DTRACE_API int dtrace_status(dtrace_hdl_t *h);

typedef enum dtrace_flowkind {
	DTRACEFLOW_ENTRY = 0,
	DTRACEFLOW_RETURN = 1,
	DTRACEFLOW_NONE = 2
} dtrace_flowkind_t;

/* A record; strings in it have `strsize` bytes, not always with a NUL. */
typedef struct dtrace_probedata {
	dtrace_hdl_t *dtpda_handle;
	dtrace_eprobedesc_t *dtpda_edesc;
	dtrace_probedesc_t *dtpda_pdesc;
	int dtpda_cpu;
	char *dtpda_data;
	dtrace_flowkind_t dtpda_flow; /* for option flowindent, these three */
	const char *dtpda_prefix;
	int dtpda_indent;
	uint64_t dtpda_timestamp; /* ns, like the variable timestamp */
} dtrace_probedata_t;

/*
 * Results of the callbacks.  For a record, THIS goes on to its data and NEXT
 * skips them; for a datum (and for NULL after the last one), THIS prints it,
 * and NEXT does not.  A NULL callback means THIS for records, NEXT for data.
 */
#define DTRACE_CONSUME_ERROR (-1)
#define DTRACE_CONSUME_THIS 0
#define DTRACE_CONSUME_NEXT 1
#define DTRACE_CONSUME_ABORT 2
typedef int dtrace_consume_probe_f(const dtrace_probedata_t *data, void *arg);
typedef int dtrace_consume_rec_f(
    const dtrace_probedata_t *data, const dtrace_recdesc_t *rec, void *arg);

/* fp NULL: output goes to the handler of dtrace_handle_buffered(). */
DTRACE_API int dtrace_consume(dtrace_hdl_t *h, FILE *fp,
    dtrace_consume_probe_f *pf, dtrace_consume_rec_f *rf, void *arg);
/*
 * Consume, and check for drops and the end; DONE once END's data are consumed.
 */
DTRACE_API dtrace_workstatus_t dtrace_work(dtrace_hdl_t *h, FILE *fp,
    dtrace_consume_probe_f *pf, dtrace_consume_rec_f *rf, void *arg);

/* ---- handlers ----------------------------------------------------------- */

#define DTRACE_HANDLE_ABORT (-1)
#define DTRACE_HANDLE_OK 0

/*
 * Values of dteda_fault from here on: a failure in the library, not in a probe.
 */
#define DTRACEFLT_LIBRARY 1000

/* A probe's program failed.  Without a handler, consuming ends. */
typedef struct dtrace_errdata {
	dtrace_hdl_t *dteda_handle;
	dtrace_eprobedesc_t *dteda_edesc;
	dtrace_probedesc_t *dteda_pdesc;
	int dteda_cpu;
	int dteda_action; /* 0: in the predicate */
	int dteda_offset; /* in the DIF, or -1 */
	int dteda_fault;
	uint64_t dteda_addr;
	const char *dteda_msg;
} dtrace_errdata_t;
typedef int dtrace_handle_err_f(const dtrace_errdata_t *data, void *arg);

typedef enum dtrace_dropkind {
	DTRACEDROP_PRINCIPAL = 0,
	DTRACEDROP_AGGREGATION = 1,
	DTRACEDROP_DYNAMIC = 2,
	DTRACEDROP_DYNRINSE = 3,
	DTRACEDROP_DYNDIRTY = 4,
	DTRACEDROP_SPEC = 5,
	DTRACEDROP_SPECBUSY = 6,
	DTRACEDROP_SPECUNAVAIL = 7,
	DTRACEDROP_STKSTROVERFLOW = 8,
	DTRACEDROP_DBLERROR = 9,
	/* Only on Linux. */
	DTRACEDROP_SCRATCH = 10, /* no memory to run a firing in */
	DTRACEDROP_SKIPPED = 11, /* a firing inside of another probe's */
	DTRACEDROP_MISSED = 12,	 /* a profile probe fired too late */
	DTRACEDROP_FILLED = 13,	 /* a buffer, with bufpolicy=fill */
	DTRACEDROP_HELPER = 14,	 /* a helper that names frames failed */
	DTRACEDROP_STACK = 15,	 /* the thread had too little stack left */
	DTRACEDROP_UNWIND = 16,	 /* no room for unwinding data of some stacks */
	DTRACEDROP_THREADS = 17, /* no room for that many threads at a time */
	DTRACEDROP_LOADS = 18,	 /* loaded code was seen too late */
	DTRACEDROP_CUT = 19,	 /* the rest of a firing split into programs */
	DTRACEDROP_AGGMEM = 20	 /* no memory was ready for a new key */
} dtrace_dropkind_t;

/* Data were lost.  Without a handler, consuming ends. */
typedef struct dtrace_dropdata {
	dtrace_hdl_t *dtdda_handle;
	int dtdda_cpu; /* or DTRACE_CPUALL */
	dtrace_dropkind_t dtdda_kind;
	uint64_t dtdda_drops; /* since the last call */
	uint64_t dtdda_total;
	const char *dtdda_msg;
} dtrace_dropdata_t;
typedef int dtrace_handle_drop_f(const dtrace_dropdata_t *data, void *arg);

/* setopt() in a program has set an option. */
typedef struct dtrace_setoptdata {
	dtrace_hdl_t *dtsda_handle;
	const dtrace_probedata_t *dtsda_probe;
	const char *dtsda_option;
	dtrace_optval_t dtsda_oldval;
	dtrace_optval_t dtsda_newval;
} dtrace_setoptdata_t;
typedef int dtrace_handle_setopt_f(const dtrace_setoptdata_t *data, void *arg);

/* Output text, passed piece by piece instead of written. */
#define DTRACE_BUFDATA_AGGKEY 1	   /* a key of an aggregation */
#define DTRACE_BUFDATA_AGGVAL 2	   /* a value */
#define DTRACE_BUFDATA_AGGFORMAT 4 /* the text between them */
#define DTRACE_BUFDATA_AGGLAST 8   /* the last piece of its row */
struct dtrace_aggdata;
typedef struct dtrace_bufdata {
	dtrace_hdl_t *dtbda_handle;
	const char *dtbda_buffered;
	const dtrace_probedata_t *dtbda_probe;
	const dtrace_recdesc_t *dtbda_recdesc;
	const struct dtrace_aggdata *dtbda_aggdata;
	uint32_t dtbda_flags;
} dtrace_bufdata_t;
typedef int dtrace_handle_buffered_f(const dtrace_bufdata_t *data, void *arg);

struct ps_prochandle;
/*
 * dtrace_sleep() calls this when a process of dtrace_proc_create() or
 * dtrace_proc_grab() has ended.  dtrace_proc_status() gives its status.  msg is
 * NULL, or an error with the process.
 */
typedef void dtrace_handle_proc_f(
    struct ps_prochandle *p, const char *msg, void *arg);

/* Each handler may be set once. */
DTRACE_API int dtrace_handle_err(
    dtrace_hdl_t *h, dtrace_handle_err_f *f, void *arg);
DTRACE_API int dtrace_handle_drop(
    dtrace_hdl_t *h, dtrace_handle_drop_f *f, void *arg);
DTRACE_API int dtrace_handle_proc(
    dtrace_hdl_t *h, dtrace_handle_proc_f *f, void *arg);
DTRACE_API int dtrace_handle_setopt(
    dtrace_hdl_t *h, dtrace_handle_setopt_f *f, void *arg);
DTRACE_API int dtrace_handle_buffered(
    dtrace_hdl_t *h, dtrace_handle_buffered_f *f, void *arg);

/* ---- aggregations ------------------------------------------------------- */

/* Optional contents of a row: dtrace_aggregate_keep(), dtada_flags. */
#define DTRACE_A_PERCPU 0x1    /* values of each CPU; also: option aggpercpu */
#define DTRACE_A_KEEPDELTA 0x2 /* what the last snapshot added */
#define DTRACE_A_ANONYMOUS 0x4
#define DTRACE_A_TOTAL 0x8	/* dtada_total; also: agghist, aggpack */
#define DTRACE_A_MINMAXBIN 0x10 /* used buckets; also: aggzoom */
#define DTRACE_A_HASNEGATIVES 0x20
#define DTRACE_A_HASPOSITIVES 0x40

/*
 * A row.  The arrays beside the data have values only; a missing row counts as
 * one without values.
 */
typedef struct dtrace_aggdata {
	dtrace_hdl_t *dtada_handle;
	dtrace_aggdesc_t *dtada_desc;
	dtrace_eprobedesc_t *dtada_edesc; /* NULL: no single probe */
	dtrace_probedesc_t *dtada_pdesc;  /* NULL */
	char *dtada_data;
	uint64_t dtada_normal; /* factor of normalize(); else 1 */
	size_t dtada_size;
	char *dtada_delta;	   /* KEEPDELTA */
	char **dtada_percpu;	   /* PERCPU: by CPU */
	char **dtada_percpu_delta; /* both */
	int64_t dtada_total;	   /* TOTAL: sum of all rows' absolute counts */
	uint16_t dtada_minbin; /* MINMAXBIN: first used bucket of all rows */
	uint16_t dtada_maxbin; /* MINMAXBIN: last used bucket of all rows */
	uint32_t dtada_flags;  /* DTRACE_A_*: which are set; signs of counts */
} dtrace_aggdata_t;

/* Select the contents to keep; call it before dtrace_go(). */
DTRACE_API int dtrace_aggregate_keep(dtrace_hdl_t *h, uint32_t flags);

/*
 * Results of a walk's callback.  CLEAR and REMOVE apply to the row.  NORMALIZE
 * takes the factor from dtada_normal and applies to the whole aggregation, like
 * DENORMALIZE.  Changes take effect after the walk.
 */
#define DTRACE_AGGWALK_ERROR (-1)
#define DTRACE_AGGWALK_NEXT 0
#define DTRACE_AGGWALK_ABORT 1
#define DTRACE_AGGWALK_CLEAR 2
#define DTRACE_AGGWALK_NORMALIZE 3
#define DTRACE_AGGWALK_DENORMALIZE 4
#define DTRACE_AGGWALK_REMOVE 5
typedef int dtrace_aggregate_f(const dtrace_aggdata_t *data, void *arg);
typedef int dtrace_aggregate_walk_f(
    dtrace_hdl_t *h, dtrace_aggregate_f *f, void *arg);
/*
 * For one variable, data[0] is the row.  For several, data[0] has the keys and
 * data[1] to data[ndata - 1] the values; a variable without these keys has
 * zero.  The callback returns NEXT, ABORT or ERROR.
 */
typedef int dtrace_aggregate_walk_joined_f(
    const dtrace_aggdata_t **data, const int ndata, void *arg);

/* Take a snapshot of the aggregations; walks use the last one. */
DTRACE_API int dtrace_aggregate_snap(dtrace_hdl_t *h);
/* Set every value to zero; the keys stay. */
DTRACE_API void dtrace_aggregate_clear(dtrace_hdl_t *h);
/*
 * Print the aggregations that no printa() has printed, as dtrace(8) does at its
 * end.  `walk` gives the order; NULL: by the options.
 */
DTRACE_API int dtrace_aggregate_print(
    dtrace_hdl_t *h, FILE *fp, dtrace_aggregate_walk_f *walk);
DTRACE_API dtrace_aggregate_walk_f dtrace_aggregate_walk;
/* Order by the options aggsortkey, aggsortrev, aggsortkeypos. */
DTRACE_API dtrace_aggregate_walk_f dtrace_aggregate_walk_sorted;
/* Variable by variable, each in order. */
DTRACE_API dtrace_aggregate_walk_f dtrace_aggregate_walk_keysorted;
DTRACE_API dtrace_aggregate_walk_f dtrace_aggregate_walk_valsorted;
DTRACE_API dtrace_aggregate_walk_f dtrace_aggregate_walk_keyrevsorted;
DTRACE_API dtrace_aggregate_walk_f dtrace_aggregate_walk_valrevsorted;
/* All variables in one order; equal rows by variable. */
DTRACE_API dtrace_aggregate_walk_f dtrace_aggregate_walk_keyvarsorted;
DTRACE_API dtrace_aggregate_walk_f dtrace_aggregate_walk_valvarsorted;
DTRACE_API dtrace_aggregate_walk_f dtrace_aggregate_walk_keyvarrevsorted;
DTRACE_API dtrace_aggregate_walk_f dtrace_aggregate_walk_valvarrevsorted;
DTRACE_API int dtrace_aggregate_walk_joined(dtrace_hdl_t *h,
    dtrace_aggvarid_t *varids, int nvarids, dtrace_aggregate_walk_joined_f *f,
    void *arg);

/* ---- events ------------------------------------------------------------- */

/*
 * Records and rows as typed values, for programs that want no text.  They are
 * what dtrace(8) writes with option oformat=json, and in the same order; the
 * texts of doc/json.md hold here, too.  One datum becomes at most 65,536
 * values: an array of more elements than may still follow is
 * DTRACE_VALUE_BYTES, and any other value beyond them DTRACE_VALUE_NONE.
 */
typedef enum dtrace_valuekind {
	DTRACE_VALUE_NONE = 0,	  /* not recorded, or of an incomplete type */
	DTRACE_VALUE_INT = 1,	  /* dtva_int; its bytes in dtva_size, or 0 */
	DTRACE_VALUE_UINT = 2,	  /* dtva_uint; the same; pointers, too */
	DTRACE_VALUE_BOOL = 3,	  /* dtva_uint is 0 or 1 */
	DTRACE_VALUE_ENUM = 4,	  /* dtva_int; its name in dtva_data, or NULL */
	DTRACE_VALUE_FLOAT = 5,	  /* dtva_float; exactly: dtva_data */
	DTRACE_VALUE_STRING = 6,  /* dtva_data, with a NUL after dtva_size */
	DTRACE_VALUE_BYTES = 7,	  /* dtva_data, dtva_size */
	DTRACE_VALUE_ARRAY = 8,	  /* dtva_elems */
	DTRACE_VALUE_STRUCT = 9,  /* dtva_elems, each with a dtva_name */
	DTRACE_VALUE_STACK = 10,  /* dtva_frames: of the kernel */
	DTRACE_VALUE_USTACK = 11, /* dtva_frames: of process dtva_pid */
	DTRACE_VALUE_ADDRESS = 12, /* one frame: sym(), mod() */
	DTRACE_VALUE_UADDRESS = 13 /* the same of process dtva_pid */
} dtrace_valuekind_t;

/* An address, and its known names. */
typedef struct dtrace_frame {
	uint64_t dtfr_address;
	const char *dtfr_module; /* NULL: unknown, as the names below */
	const char *dtfr_symbol;
	uint64_t dtfr_offset; /* from the symbol's start, or the module's */
	const char *dtfr_helper;
	const char *dtfr_annotation; /* a remark of a helper */
} dtrace_frame_t;

/* A value, read by its D type.  Members that its kind does not name are 0. */
typedef struct dtrace_value {
	dtrace_valuekind_t dtva_kind;
	uint32_t dtva_count;   /* number of dtva_elems or dtva_frames */
	const char *dtva_type; /* of a whole datum, as D writes it; or NULL */
	const char *dtva_name; /* of a member or an operand; or NULL */
	int64_t dtva_int;
	uint64_t dtva_uint;
	double dtva_float;
	const char *dtva_data;
	size_t dtva_size;
	const struct dtrace_value *dtva_elems;
	const dtrace_frame_t *dtva_frames;
	uint64_t dtva_pid;
	const char *dtva_limit; /* the option but for which a stack may have
				 * had more frames; or NULL */
} dtrace_value_t;

/*
 * An action and its data.  Of printf(), system() and freopen(), these are the
 * arguments; dtac_text is the text made of them.
 */
typedef struct dtrace_action {
	const char *dtac_name; /* "trace", "printf", ... */
	dtrace_actkind_t dtac_kind;
	uint32_t dtac_count;
	const dtrace_value_t *dtac_values;
	const char *dtac_format; /* NULL: none, and no text */
	const char *dtac_text;	 /* with a NUL after dtac_size */
	size_t dtac_size;
} dtrace_action_t;

/* A bucket that is not empty; both bounds belong to it. */
typedef struct dtrace_bucket {
	int64_t dtbu_min;
	int64_t dtbu_max;
	int64_t dtbu_count;
	uint8_t dtbu_has_min; /* 0: the bucket is open on that side */
	uint8_t dtbu_has_max;
} dtrace_bucket_t;

/* A percentile of percentile(); it is divided by dtav_normal. */
typedef struct dtrace_percentile {
	uint32_t dtpc_percent; /* in thousandths: 99900 is 99.9 */
	int8_t dtpc_known;     /* 0; or the value is at least (1) or at most
				* (-1) this */
	int64_t dtpc_value;
} dtrace_percentile_t;

/* The value of an aggregation; amounts are divided by dtav_normal. */
typedef struct dtrace_aggvalue {
	const char *dtav_name;	   /* without the @ */
	const char *dtav_function; /* "count", "quantize", ... */
	dtrace_actkind_t dtav_kind;
	int dtav_cpu; /* of an element of dtav_percpu; or DTRACE_CPUALL */
	uint64_t dtav_normal;
	dtrace_value_t dtav_value; /* DTRACE_VALUE_NONE: it has buckets */
	uint32_t dtav_nbuckets;
	uint32_t dtav_npercpu; /* option aggpercpu */
	const dtrace_bucket_t *dtav_buckets;
	const struct dtrace_aggvalue *dtav_percpu;
	const dtrace_percentile_t *dtav_percentiles; /* of percentile() */
	uint32_t dtav_npercentiles;
} dtrace_aggvalue_t;

typedef enum dtrace_eventkind {
	DTRACE_EVENT_RECORD = 1,
	DTRACE_EVENT_ROW = 2
} dtrace_eventkind_t;

/* A record, or a row of one aggregation or several.  Valid during the call. */
typedef struct dtrace_event {
	dtrace_hdl_t *dtev_handle;
	dtrace_eventkind_t dtev_kind;
	/* The record; of a row, the record of its printa(), or NULL. */
	const dtrace_probedata_t *dtev_probe;
	uint32_t dtev_nactions; /* of a record */
	uint32_t dtev_nkeys;	/* of a row, as all below */
	uint32_t dtev_nvalues;
	const dtrace_action_t *dtev_actions;
	const dtrace_value_t *dtev_keys;
	const dtrace_aggvalue_t *dtev_values;
	const char *dtev_text; /* of a printa() with a format; or NULL */
	size_t dtev_size;
} dtrace_event_t;
typedef int dtrace_handle_event_f(const dtrace_event_t *data, void *arg);

/*
 * Call f for each record and row, instead of making text: the callback of data
 * is not called, and fp may be NULL.  The callback of records is, and may skip
 * a record.  Actions take effect.  Call this before dtrace_go().
 */
DTRACE_API int dtrace_handle_event(
    dtrace_hdl_t *h, dtrace_handle_event_f *f, void *arg);
/*
 * In the callback of a walk: call the handler of events with this row, whether
 * or not a printa() has printed it.  EINVAL: there is no handler, or the row is
 * not the current one of a walk.
 */
DTRACE_API int dtrace_aggregate_event(const dtrace_aggdata_t *row);

/* ---- processes ---------------------------------------------------------- */

/* Tracing ends with the last of these processes; the first is $target. */
DTRACE_API struct ps_prochandle *dtrace_proc_create(
    dtrace_hdl_t *h, const char *file, char *const argv[]);
/* flags must be 0. */
DTRACE_API struct ps_prochandle *dtrace_proc_grab(
    dtrace_hdl_t *h, pid_t pid, int flags);
DTRACE_API pid_t dtrace_proc_pid(dtrace_hdl_t *h, struct ps_prochandle *p);
/*
 * Returns 1 if the process has ended: *status is as from wait(2), or -1 if it
 * is unknown (a grabbed process is no child of ours).  Returns 0 if it has not.
 */
DTRACE_API int dtrace_proc_status(
    dtrace_hdl_t *h, struct ps_prochandle *p, int *status);
/* A created process waits for this call. */
DTRACE_API void dtrace_proc_continue(dtrace_hdl_t *h, struct ps_prochandle *p);
/*
 * Let the process run on: it outlives the handle, its end does not end tracing
 * and is not reported. $target is unchanged.
 */
DTRACE_API void dtrace_proc_release(dtrace_hdl_t *h, struct ps_prochandle *p);

/* ---- probes, symbols ---------------------------------------------------- */

typedef int dtrace_probe_f(
    dtrace_hdl_t *h, const dtrace_probedesc_t *pdesc, void *arg);
/*
 * Call f for each probe that the description selects (NULL: all), until it
 * returns nonzero, which is then returned.
 */
DTRACE_API int dtrace_probe_iter(dtrace_hdl_t *h,
    const dtrace_probedesc_t *pdesc, dtrace_probe_f *f, void *arg);

/*
 * Get up to n names of providers (names may be NULL).  Returns the number of
 * providers.
 */
DTRACE_API int dtrace_provider_modules(
    dtrace_hdl_t *h, const char **names, int n);

#define DTRACE_ARGTYPELEN 128
typedef struct dtrace_argdesc {
	dtrace_id_t dtargd_id; /* of the probe */
	int32_t dtargd_ndx;
	int32_t dtargd_mapping; /* number of the native argument */
	char dtargd_native[DTRACE_ARGTYPELEN];
	char dtargd_xlate[DTRACE_ARGTYPELEN]; /* "": same as native */
} dtrace_argdesc_t;

#define DTRACE_PROBEARGS_MAX 32
typedef struct dtrace_probeinfo {
	dtrace_attribute_t dtp_attr; /* of the description */
	dtrace_attribute_t dtp_arga; /* of the arguments */
	int dtp_argc;
	dtrace_argdesc_t dtp_argv[DTRACE_PROBEARGS_MAX];
} dtrace_probeinfo_t;
/* Information about the only probe that the description selects. */
DTRACE_API int dtrace_probe_info(
    dtrace_hdl_t *h, const dtrace_probedesc_t *pdesc, dtrace_probeinfo_t *info);

#define DTRACE_OBJ_EXEC ((const char *)0L)
#define DTRACE_OBJ_RTLD ((const char *)1L)  /* the dynamic linker */
#define DTRACE_OBJ_CDEFS ((const char *)2L) /* types of C and of scripts */
#define DTRACE_OBJ_DDEFS ((const char *)3L) /* the same */
#define DTRACE_OBJ_EVERY ((const char *)-1L)
#define DTRACE_OBJ_KMODS ((const char *)-2L)
#define DTRACE_OBJ_UMODS ((const char *)-3L)

typedef struct dtrace_syminfo {
	const char *dts_object; /* the handle owns these two */
	const char *dts_name;
	unsigned long dts_id; /* always 0 */
} dtrace_syminfo_t;
/* Symbols of the kernel. sym and si may be NULL. */
DTRACE_API int dtrace_lookup_by_addr(
    dtrace_hdl_t *h, uint64_t addr, Elf64_Sym *sym, dtrace_syminfo_t *si);
DTRACE_API int dtrace_lookup_by_name(dtrace_hdl_t *h, const char *object,
    const char *name, Elf64_Sym *sym, dtrace_syminfo_t *si);

/* "vmlinux`vfs_read+0x10". Returns the needed length, like snprintf(). */
DTRACE_API int dtrace_addr2str(
    dtrace_hdl_t *h, uint64_t addr, char *buf, int size);

/* dtrace_addr2str() for an address of a process: "libc.so.6`malloc+0x4". */
DTRACE_API int dtrace_uaddr2str(
    dtrace_hdl_t *h, pid_t pid, uint64_t addr, char *buf, int size);

/* Objects: the kernel, its modules, and the files of the handle's processes. */
#define DTRACE_OBJ_F_KERNEL 0x1
#define DTRACE_OBJ_F_PRIMARY 0x2 /* the kernel itself; a process's program */
typedef struct dtrace_objinfo {
	const char *dto_name; /* the handle owns these two */
	const char *dto_file; /* file of its types, or its own; "" */
	int dto_id;	      /* rank in dtrace_object_iter() */
	unsigned int dto_flags;
	uint64_t dto_text_va, dto_text_size;
	uint64_t dto_data_va, dto_data_size; /* 0: unknown */
	uint64_t dto_bss_va, dto_bss_size;
} dtrace_objinfo_t;
typedef int dtrace_obj_f(
    dtrace_hdl_t *h, const dtrace_objinfo_t *info, void *arg);
/*
 * Call f until it returns nonzero, which is then returned; or -1: the objects
 * of the kernel or of a process cannot be listed.
 */
DTRACE_API int dtrace_object_iter(dtrace_hdl_t *h, dtrace_obj_f *f, void *arg);
DTRACE_API int dtrace_object_info(
    dtrace_hdl_t *h, const char *object, dtrace_objinfo_t *info);

/* Types. dtt_ctfp and dtt_type are opaque: use the functions below. */
#define DTT_FL_USER 0x1
typedef struct dtrace_typeinfo {
	const char *dtt_object; /* "vmlinux", "D", ...; owned by the handle */
	struct ctf_graph *dtt_ctfp;
	uintptr_t dtt_type;
	unsigned int dtt_flags;
} dtrace_typeinfo_t;
/* Find "struct stat", "pid_t", "const char *", in an object or DTRACE_OBJ_*. */
DTRACE_API int dtrace_lookup_by_type(dtrace_hdl_t *h, const char *object,
    const char *name, dtrace_typeinfo_t *ti);
/* The type of a symbol that was looked up. */
DTRACE_API int dtrace_symbol_type(dtrace_hdl_t *h, const Elf64_Sym *sym,
    const dtrace_syminfo_t *si, dtrace_typeinfo_t *ti);
/* Find any type name of D: "vmlinux`struct file *[4]". */
DTRACE_API int dtrace_type_strcompile(
    dtrace_hdl_t *h, const char *text, dtrace_typeinfo_t *ti);
DTRACE_API int dtrace_type_fcompile(
    dtrace_hdl_t *h, FILE *fp, dtrace_typeinfo_t *ti);
/*
 * dtrace_type_name() gives its text, like snprintf(); dtrace_type_size() its
 * size in bytes.
 */
DTRACE_API int dtrace_type_name(
    dtrace_hdl_t *h, const dtrace_typeinfo_t *ti, char *buf, int size);
DTRACE_API size_t dtrace_type_size(
    dtrace_hdl_t *h, const dtrace_typeinfo_t *ti);
/* A member's type and offset; EDT_NOTYPE: there is no such member. */
DTRACE_API int dtrace_type_member(dtrace_hdl_t *h, const dtrace_typeinfo_t *ti,
    const char *member, dtrace_typeinfo_t *mi, uint64_t *bit_offset);

/* ---- formats ------------------------------------------------------------ */

/*
 * Compile a format of printf() or printa(); the handle owns it.  NULL:
 * malformed, see dtrace_errmsg().
 */
DTRACE_API void *dtrace_printf_create(dtrace_hdl_t *h, const char *format);
DTRACE_API void *dtrace_printa_create(dtrace_hdl_t *h, const char *format);
/* The format's text, like snprintf(). */
DTRACE_API size_t dtrace_printf_format(
    dtrace_hdl_t *h, void *format, char *buf, size_t size);

/*
 * Act like the action of that name, with the format in place of its own. recs[]
 * describe the data in buf, beginning with the action's first.  Returns the
 * number of used records, or -1. fp NULL: output goes to the handler of
 * dtrace_handle_buffered().
 */
typedef int dtrace_format_f(dtrace_hdl_t *h, FILE *fp, void *format,
    const dtrace_probedata_t *data, const dtrace_recdesc_t *recs,
    unsigned int nrecs, const void *buf, size_t len);
DTRACE_API dtrace_format_f dtrace_fprintf;
/* Prints the present aggregations; needs dtrace_go(). */
DTRACE_API dtrace_format_f dtrace_fprinta;
/* Runs a command; needs option destructive. */
DTRACE_API dtrace_format_f dtrace_system;
/*
 * fp becomes another file, or with "." the original one; needs option
 * destructive.
 */
DTRACE_API dtrace_format_f dtrace_freopen;
/* Print a value of that type like print() does; returns 1. */
DTRACE_API int dtrace_print(
    dtrace_hdl_t *h, FILE *fp, const char *type, const void *addr, size_t len);

/* ---- text --------------------------------------------------------------- */

/* Parse "syscall::read:entry"; a bare word is the field given by spec. */
DTRACE_API int dtrace_str2desc(dtrace_hdl_t *h, dtrace_probespec_t spec,
    const char *text, dtrace_probedesc_t *pdesc);
/* dtrace_str2desc(), with $0, $1, ... and $target replaced by their values. */
DTRACE_API int dtrace_xstr2desc(dtrace_hdl_t *h, dtrace_probespec_t spec,
    const char *text, int argc, char *const argv[], dtrace_probedesc_t *pdesc);
DTRACE_API int dtrace_id2desc(
    dtrace_hdl_t *h, dtrace_id_t id, dtrace_probedesc_t *pdesc);
/* These two return buf. */
DTRACE_API char *dtrace_desc2str(
    const dtrace_probedesc_t *pdesc, char *buf, size_t size);
DTRACE_API char *dtrace_attr2str(
    dtrace_attribute_t attr, char *buf, size_t size);
DTRACE_API int dtrace_str2attr(const char *text, dtrace_attribute_t *attr);
/* NULL: the number is unknown. */
DTRACE_API const char *dtrace_stability_name(dtrace_stability_t stability);
DTRACE_API const char *dtrace_class_name(dtrace_class_t class_);

#ifdef __cplusplus
}
#endif

#endif
