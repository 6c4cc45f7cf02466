/*
 * A name where -p takes a number: the ids of what runs by that name.
 * @@needs: nothing
 */
BEGIN { exit(0); }
