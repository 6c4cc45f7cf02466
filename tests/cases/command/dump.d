/*
 * --dump prints every stage that is asked for.
 */
BEGIN { @[execname] = count(); exit(0); }
