/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A program as another system's dtrace -G leaves it (doc/reference/dof.md
 * sections 3 and 5): calls of probes are nops, DOF says where they were, and
 * there are no notes.  By -DRELOCATION the address of a function is
 *
 *	1 (SETX)	what the linker put there
 *	2 (DOFREL)	as far as it is from there
 *
 * Provider "other":
 *	step-done(int, char *, int, int, int, int, int, int) in work(), whose
 *		args[] are (int = the third, char * = the second, int = the last)
 *	leave(int) of last(), a tail call
 *	asked(int) in asks(), an is-enabled question only
 */
#if RELOCATION == 2
#define FUNCTION(f) .quad f - .
#else
#define FUNCTION(f) .quad f
#endif

	.text
	.globl	work
	.type	work, @function
/* work(n, text) */
work:
	push	%rbx
	mov	%edi, %ebx
	push	$8
	push	$7
	lea	(%rbx,%rbx), %edx
	mov	$4, %ecx
	mov	$5, %r8d
	mov	$6, %r9d
.Lprobe:
	.byte	0x90, 0x90, 0x90, 0x90, 0x90
	add	$16, %rsp
	pop	%rbx
	ret
	.size	work, . - work

	.globl	last
	.type	last, @function
last:
.Llast:
	.byte	0xc3, 0x90, 0x90, 0x90, 0x90
	.size	last, . - last

	.globl	asks
	.type	asks, @function
/* Return whether asked is enabled; a jump calls the question. */
asks:
.Lasks:
	.byte	0x48, 0x31, 0xc0, 0xc3, 0x90
	.size	asks, . - asks

/* ---- DOF ----------------------------------------------------------------- */

#define SEC(type, align, entsize, start, end) \
	.long type, align, 1, entsize; .quad start - .Ldof, end - start

	.section .SUNW_dof, FLAGS
	.balign	8
.Ldof:
	.byte	0x7f, 'D', 'O', 'F', 2, 1, 2, 2, 8, 8, 0, 0, 0, 0, 0, 0
	.long	0, 64, 32, 8
	.quad	64, .Lend - .Ldof, .Lend - .Ldof, 0
	SEC(8, 1, 0, .Lstr, .Lstr_end)
	SEC(16, 8, 48, .Lprobes, .Lprobes_end)
	SEC(17, 1, 1, .Lprargs, .Lprargs_end)
	SEC(18, 4, 4, .Lproffs, .Lproffs_end)
	SEC(26, 4, 4, .Lprenoffs, .Lprenoffs_end)
	SEC(15, 4, 0, .Lprov, .Lprov_end)
	SEC(10, 8, 24, .Lrel, .Lrel_end)
	SEC(12, 4, 0, .Lrelhdr, .Lrelhdr_end)
.Lstr:	.byte	0
.Lother:	.asciz	"other"
.Lwork:	.asciz	"work"
.Lstep:	.asciz	"step-done"
.Lnargs:	.asciz	"int", "char *", "int", "int", "int", "int", "int", "int"
.Lxargs:	.asciz	"int", "char *", "int"
.Llastn:	.asciz	"last"
.Lleave:	.asciz	"leave"
.Lasksn:	.asciz	"asks"
.Lasked:	.asciz	"asked"
.Lstr_end:
	.balign	8
.Lprobes:
	FUNCTION(work)
	.long	.Lwork - .Lstr, .Lstep - .Lstr, .Lnargs - .Lstr, .Lxargs - .Lstr
	.long	0, 0
	.byte	8, 3
	.short	1
	.long	0
	.short	0, 0
	.long	0
.Lprobe2:
	FUNCTION(last)
	.long	.Llastn - .Lstr, .Lleave - .Lstr, .Lnargs - .Lstr, .Lnargs - .Lstr
	.long	3, 1
	.byte	1, 1
	.short	1
	.long	1
	.short	0, 0
	.long	0
.Lprobe3:
	FUNCTION(asks)
	.long	.Lasksn - .Lstr, .Lasked - .Lstr, .Lnargs - .Lstr, .Lnargs - .Lstr
	.long	3, 2
	.byte	1, 1
	.short	0
	.long	0
	.short	1, 0
	.long	0
.Lprobes_end:
.Lprargs:
	.byte	2, 1, 7, 0
.Lprargs_end:
	.balign	4
.Lproffs:
	.long	.Lprobe - work, .Llast - last
.Lproffs_end:
.Lprenoffs:
	.long	.Lasks - asks + ASKS_AT
.Lprenoffs_end:
.Lprov:
	.long	0, 1, 2, 3, .Lother - .Lstr
	.long	0x04040500, 0x01010000, 0x01010000, 0x04040500, 0x04040500, 4
.Lprov_end:
	.balign	8
.Lrel:
	.long	0, RELOCATION
	.quad	0, 0
	.long	0, RELOCATION
	.quad	.Lprobe2 - .Lprobes, 0
	.long	0, RELOCATION
	.quad	.Lprobe3 - .Lprobes, 0
.Lrel_end:
.Lrelhdr:
	.long	0, 6, 1
.Lrelhdr_end:
	.balign	8
.Lend:
	.section .note.GNU-stack, "", @progbits
