/*
 * Destructive actions are told to be allowed, by -w and by a pragma, unless
 * with -q.
 */
#pragma D option destructive
BEGIN { exit(0); }
