/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef FLEET_POLICY_H
#define FLEET_POLICY_H

/*
 * The policy of a host: what each author may run here.  dtrace-fleet-policy(5)
 * describes the file.  What it does not permit is refused.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "fleet/key.h"

enum fl_substrate {
	FL_KERNEL = 1,
	FL_PROCESS = 2,
};

/* Lists end with NULL and are owned by the policy. */
struct fl_author {
	const char *name;
	uint8_t key[FL_PUBLIC_SIZE];
	bool has_key;
	bool is_destructive;	/* destructive actions are permitted */
	const char **hosts;	/* patterns */
	const char **providers; /* patterns */
	unsigned substrates;	/* bits of enum fl_substrate */
	uint64_t duration_ns;
	uint64_t detach_ns; /* of a detached run; 0: none */
	bool stops_others;  /* detached runs of other authors, too */
	uint64_t memory;    /* bytes */
	/* Thousandths of one CPU: 10 is one percent. */
	uint64_t cpu_permille;
	uint64_t until_ns; /* the key's end; 0: none */
};

#define FL_POLICY_MAX (1U << 20) /* bytes of a file */

/*
 * Parse a policy.  `name` is for messages: "fleet.policy:3:10: ...".  NULL with
 * *err (-EINVAL), which has the first mistake.
 */
CHECKED struct fl_policy *fl_policy_parse(
    const char *name, const char *text, size_t len, struct err *err);
/*
 * Read a file.  -EACCES: others than its owner may write it, or the owner is
 * neither root nor this user.
 */
CHECKED struct fl_policy *fl_policy_read(const char *path, struct err *err);
void fl_policy_destroy(struct fl_policy *p);

size_t fl_policy_nauthors(const struct fl_policy *p);
const struct fl_author *fl_policy_author(const struct fl_policy *p, size_t i);
/* The author with a key, or NULL. */
const struct fl_author *fl_policy_find(
    const struct fl_policy *p, const uint8_t key[FL_PUBLIC_SIZE]);

/* Does one of the patterns match the name? */
bool fl_policy_matches(const char *const patterns[], const char *name);

#endif
