/*
 * A pragma cannot set an option to nonsense.
 */
#pragma D option bufsize=much
BEGIN { exit(0); }
