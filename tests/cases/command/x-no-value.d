/*
 * -x NAME sets a flag; an option that is not one says what it expects, and -x
 * alone is wrong usage.
 */
BEGIN { printf("%s", "only this"); exit(0); }
