/*
 * Probes that are not traced do not make the program believe that they are.
 * @@args: -q
 * @@run: $PROGS/usdtapp 5
 */
usdtapp$target:::request-start
{
	@ = count();
}
