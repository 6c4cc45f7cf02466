/*
 * A pragma cannot set an option that does not exist.
 */
#pragma D option nosuchoption
BEGIN { exit(0); }
