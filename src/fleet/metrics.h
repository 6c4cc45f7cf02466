/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef FLEET_METRICS_H
#define FLEET_METRICS_H

/*
 * The metrics of many scripts in one document for Prometheus.  The metric of
 * @execs in process-ends.d is dtrace_process_ends_execs.
 */
#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"

#define FL_METRICS_FILE_MAX 64 /* characters of a script's file name */
/* The agent's own metrics are dtrace_script_up and the like. */
#define FL_METRICS_OWN "script"

/*
 * The name that a script has in its metrics: "process_ends" of "process-ends.d"
 * (malloced).  NULL: the file's name is not a letter, then letters, digits, `-`
 * and `_`, then ".d".
 */
char *fl_metrics_name(const char *file);
/* Could scripts of these names have a metric of one name? */
bool fl_metrics_clash(const char *a, const char *b);
/*
 * Append a script's document (option oformat=prometheus) with its metrics named
 * after the script.  Lines that are not Prometheus's are left out.
 */
void fl_metrics_add(
    struct strbuf *out, const char *document, size_t len, const char *name);

#endif
