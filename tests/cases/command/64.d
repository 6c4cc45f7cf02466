/*
 * -64 is the only data model and accepted; -32 is refused by name.
 * @@needs: nothing
 */
BEGIN { exit(0); }
