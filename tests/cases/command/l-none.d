/*
 * -l of what does not exist is an error.
 */
BEGIN { exit(0); }
