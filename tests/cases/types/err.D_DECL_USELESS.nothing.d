/*
 * A declaration declares something.
 * @@needs: nothing
 */
int;
BEGIN { exit(0); }
