/*
 * -x cpu=N of a CPU that is not there is refused.
 */
BEGIN { exit(0); }
