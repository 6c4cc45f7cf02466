/*
 * ERROR may end the session.
 * @@args: -q
 * @@exit: 9
 */
tick-10ms { trace(*(int *)0); }
ERROR { exit(9); }
