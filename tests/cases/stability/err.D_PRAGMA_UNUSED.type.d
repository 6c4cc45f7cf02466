/*
 * A type that is not there has no members to be unavailable.
 * @@needs: nothing
 */
#pragma D unavailable no_such_t member it is not there
BEGIN { exit(0); }
