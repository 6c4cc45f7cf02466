/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Names from other systems' D that have an equivalent here.
 */
typedef enum boolean { B_FALSE, B_TRUE } boolean_t;

inline psetid_t pset = 0;	/* Linux has no processor sets */
inline uint64_t vinstr = vinstrs;
