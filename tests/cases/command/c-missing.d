/*
 * A command that does not exist is named.
 */
BEGIN { exit(0); }
