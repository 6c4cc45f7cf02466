/*
 * Offset probes and a program's own probe are at one instruction, and the
 * offset probes are found first.
 * @@args: -q
 * @@run: $PROGS/usdtapp 7
 */
pid$target:a.out:serve:
/probename != "entry" && probename != "return"/
{
	n++;
}
usdtapp$target:::enabled
{
	@own = count();
}
END
{
	printa("%@d\n", @own);
	printf("%d\n", n > 7 && n % 7 == 0);
}
