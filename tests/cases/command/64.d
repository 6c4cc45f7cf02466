/*
 * -64 is the only data model and accepted; -32 is refused with the
 * reason, anything else is wrong usage.
 * @@needs: nothing
 */
BEGIN { exit(0); }
