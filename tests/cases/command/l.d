/*
 * -l lists probes in fixed columns.
 */
BEGIN { exit(0); }
