/*
 * Destructive actions need -w.
 * @@args: -q
 * @@exit: 1
 */
BEGIN { system("echo no"); exit(0); }
