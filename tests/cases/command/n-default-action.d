/*
 * A bare description enables the default action.
 */
BEGIN { exit(0); }
