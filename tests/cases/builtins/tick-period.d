/*
 * A tick's period decides when it fires.
 * @@args: -q
 */
int done;

BEGIN { start = timestamp; }

tick-100ms
/!done/
{
	done = 1;
	printf("%d\n", timestamp - start >= 90000000 &&
	    timestamp - start < 3000000000);
	exit(0);
}
