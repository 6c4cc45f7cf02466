/*
 * A listing tells of an error in a library of -L, and of a library that makes
 * no probe why.
 */
BEGIN { exit(0); }
