/*
 * -w permits destructive actions.
 */
BEGIN { exit(0); }
