/*
 * An option that does not act yet is refused by name, with the reason.
 * @@needs: nothing
 */
BEGIN { exit(0); }
