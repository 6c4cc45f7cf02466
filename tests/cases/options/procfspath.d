/*
 * Option procfspath is another name of /proc, and nothing else.
 * @@needs: nothing
 */
BEGIN { }
