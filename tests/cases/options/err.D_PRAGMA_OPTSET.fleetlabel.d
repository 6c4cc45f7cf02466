/*
 * A label has a name and a value.
 */
#pragma D option fleetlabel=role
BEGIN { exit(0); }
