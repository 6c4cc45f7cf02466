/*
 * Options of other DTraces that do not act here are refused, each by its name
 * and with the reason.
 * @@needs: nothing
 */
BEGIN { }
