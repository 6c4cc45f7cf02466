/*
 * Offset probes and a program's own probe are at one instruction.
 * @@args: -q
 * @@run: $PROGS/usdtapp 7
 */
usdtapp$target:::enabled
{
	@own = count();
}
pid$target:a.out:serve:
/probename != "entry" && probename != "return"/
{
	n++;
}
END
{
	printa("%@d\n", @own);
	printf("%d\n", n > 7 && n % 7 == 0);
}
