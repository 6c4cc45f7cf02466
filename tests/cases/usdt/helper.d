/*
 * Clauses that name frames go into the object, where -S shows them.
 * @@needs: nothing
 */
dtrace:helper:ustack:
/arg0 > 0x1000/
{
	"@frame";
}
