/*
 * The faults have names in D library unistd.d, and arg4 of ERROR is one.
 * @@args: -q
 */
BEGIN { x = 0; }
BEGIN { y = 5 / x; }
BEGIN { y = *(int *)x; }
BEGIN { exit(0); }

ERROR { printf("%d %d\n", arg4 == DTRACEFLT_DIVZERO, arg4 == DTRACEFLT_BADADDR); }
END
{
	printf("%d %d %d %d %d %d %d %d\n", DTRACEFLT_UNKNOWN,
	    DTRACEFLT_BADALIGN, DTRACEFLT_ILLOP, DTRACEFLT_NOSCRATCH,
	    DTRACEFLT_KPRIV, DTRACEFLT_UPRIV, DTRACEFLT_TUPOFLOW,
	    DTRACEFLT_BADSTACK);
}
