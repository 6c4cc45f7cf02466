/*
 * That a member is unavailable has a reason.
 * @@needs: nothing
 */
typedef struct { int a; } mine;
#pragma D unavailable mine b
BEGIN { exit(0); }
