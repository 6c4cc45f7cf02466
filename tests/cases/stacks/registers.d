/*
 * ucaller is what the stack pointer of uregs[] points to where a function
 * begins and returns; there they hold its arguments and its result.
 * @@args: -q
 * @@needs: prog:calls
 * @@run: $PROGS/calls counts once 1
 */
pid$target:a.out:fn_endbr:entry
{
	self->sp = uregs[R_RSP];
	self->pc = uregs[R_RIP];
	printf("entry: arg0 %d caller %d\n", uregs[R_RDI] == arg0,
	    ucaller == *(uint64_t *)copyin(self->sp, 8));
}

pid$target:a.out:fn_endbr:return
{
	printf("return: arg1 %d caller %d sp %d pc %d cs %x ss %x if %d\n",
	    uregs[R_RAX] == arg1, ucaller == *(uint64_t *)copyin(self->sp, 8),
	    uregs[R_RSP] == self->sp, uregs[R_RIP] - self->pc == arg0,
	    uregs[R_CS], uregs[R_SS], uregs[R_RFL] >> 9 & 1);
}
