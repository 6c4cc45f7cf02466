/*
 * -f names a function, with or without provider and module.
 */
BEGIN { exit(0); }
