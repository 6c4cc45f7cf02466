/*
 * -64, the only data model, is accepted; -32 is refused with the reason,
 * anything else is wrong usage.
 * @@needs: nothing
 */
BEGIN { exit(0); }
