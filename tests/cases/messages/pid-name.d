/*
 * A name that no process has, and ids that are none.
 * @@needs: nothing
 */
BEGIN { exit(0); }
