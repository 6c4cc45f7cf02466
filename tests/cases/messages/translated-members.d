/*
 * The members that a translator makes are listed where none is near.
 */
typedef struct out { int x_pid; int x_ppid; } out_t;
translator out_t < int n > { x_pid = n; x_ppid = n + 1; };
BEGIN { trace(xlate <out_t *>(1)->nosuch_member); }
