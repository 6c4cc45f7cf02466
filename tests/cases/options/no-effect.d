/*
 * Options of other DTraces that could change nothing here are taken, and -v
 * says why they have no effect; zone would change the answer and is refused.
 * @@needs: nothing
 */
#pragma D option sysslice=1
BEGIN { }
