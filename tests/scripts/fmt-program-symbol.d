#!/usr/sbin/dtrace -s
/*
 * fmt-program-symbol.d: an address in a program by its name: what nm(1) has at
 * it.
 *
 * @@load: prog calls counts once 2
 * @@needs: cmd:nm
 * @@truth: output
 * @@check: len(rows) == 2
 * @@check: all(r[0] == "calls`fn_lea" and r[1] == "calls`fn_lea" and int(r[2],
 *     16) == int(os.popen("nm $PROGS/calls | grep ' fn_lea$'"
 *     ).read().split()[0], 16) for r in rows)
 */

#pragma D option quiet

pid$target:a.out:fn_lea:entry
/n < 2/
{
	n++;
	printf("%A ", uregs[R_PC]);
	usym(uregs[R_PC]);
	printf(" %x\n", uregs[R_PC]);
}
