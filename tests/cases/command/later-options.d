/*
 * Options of other DTraces that are not there yet are refused by name.
 * @@needs: nothing
 */
BEGIN { exit(0); }
