/*
 * -c knows quotes.
 */
BEGIN { exit(0); }
