/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DOF_DOF_PROG_READ_IMPL_H
#define DOF_DOF_PROG_READ_IMPL_H

/*
 * Shared by the files that read a program: dof_prog_read.c, dof_prog_difo.c and
 * dof_prog_acts.c.
 */
#include "dof/dof_prog_impl.h"

#define COPY_PER_BYTE 16
#define NAME_MAX_LEN 255 /* of a variable's name */

#define REFUSE(de, sec, i, ...)                                                \
	dof_refuse((de)->d, (sec), dof_elem_off((de)->d, (sec), (i)),          \
	    (de)->err, __VA_ARGS__)

/* Take bytes from the budget; refuses the program if there are too few left. */
int dec_spend(struct dec *de, uint32_t sec, uint64_t bytes);
/* Replace *to by a copy of a string. */
int dec_copy_str(struct dec *de, uint32_t strtab, uint64_t off, char **to);
/* Check the relocations, and note those of each object. */
int dec_index_relocations(struct dec *de);
/* The object of a DIFOHDR, verified: the caller owns it. */
int dec_difo(struct dec *de, uint32_t sec, struct dif_obj **outp);
/* Add the actions of an ACTDESC to the clause, and check them. */
int dec_actions(struct dec *de, uint32_t sec, struct dif_clause *cl);

#endif
