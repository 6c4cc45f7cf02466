/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef FLEET_PERMIT_PERMIT_H
#define FLEET_PERMIT_PERMIT_H

/*
 * Hold a compiled program against the policy.
 *
 * Text is not examined: macros, pragmas and DOF would hide from that.  What the
 * library has made of it is: dtrace_stmt_iter() tells which probes each
 * statement describes, dtrace_probe_iter() which ones that matches, and
 * dtrace_getopt() the options, whoever set them.  The order of calls is
 *
 *	dtrace_open
 *	fl_permit_begin		sets the request's options, in its bounds
 *	for each program:
 *		dtrace_program_strcompile or dtrace_program_fcompile
 *		fl_permit_program
 *	for each program: dtrace_program_exec
 *	dtrace_go
 *
 * A program is checked before the next one is compiled, since its pragmas
 * change how that is done.
 */
#include "base/err.h"
#include "dtrace.h"
#include "fleet/policy.h"
#include "fleet/request.h"

/*
 * The agent has set its own options before this call and sets none after it.
 * The call sets the options that the request leaves open: buffer sizes that fit
 * into the policy's memory, and the substrate if one is permitted.  NULL with
 * -EACCES: the policy or the list of options (options.def) does not permit it;
 * or -EINVAL: the library does not take an option's value.
 */
CHECKED struct fl_permit *fl_permit_begin(
    dtrace_hdl_t *h, const struct fl_request *rq, struct err *err);
void fl_permit_end(struct fl_permit *p);
/*
 * May this program run?  -EACCES with the reason.  A description whose provider
 * is a pattern needs the same pattern in the policy, or "*": it may come to
 * match programs that do not run yet.  Of a description without a provider, all
 * probes that it matches must be permitted.  BEGIN, END and ERROR are permitted
 * to all.
 */
CHECKED int fl_permit_program(
    struct fl_permit *p, dtrace_prog_t *prog, struct err *err);

/*
 * -l, instead of fl_permit_program(): may the program's options be set?  0, or
 * -EACCES.  Then fl_permit_list() calls f for the probes that the program
 * describes and the policy permits; the others are left out.  Returns 0, or f's
 * first nonzero result, or -1 with the handle's error.
 */
CHECKED int fl_permit_options(struct fl_permit *p, struct err *err);
CHECKED int fl_permit_list(
    struct fl_permit *p, dtrace_prog_t *prog, dtrace_probe_f *f, void *arg);

/* Does the policy permit the author a provider, or a pattern of them? */
bool fl_permit_provider(const struct fl_author *author, const char *provider);

#endif
