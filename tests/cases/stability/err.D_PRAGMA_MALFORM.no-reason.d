/*
 * The pragma that makes a member unavailable gives a reason.
 * @@needs: nothing
 */
typedef struct { int a; } mine;
#pragma D unavailable mine b
BEGIN { exit(0); }
