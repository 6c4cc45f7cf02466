/*
 * -n takes a description, with a clause or without.
 */
BEGIN { exit(0); }
