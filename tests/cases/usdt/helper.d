/*
 * Clauses that annotate frames go into the object, where -S shows them; that
 * nobody runs them is told.
 * @@needs: nothing
 */
dtrace:helper:ustack:
/arg0 > 0x1000/
{
	"@frame";
}
