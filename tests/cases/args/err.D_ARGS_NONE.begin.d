/*
 * A probe without arguments.
 */
BEGIN { trace(args[0]); }
