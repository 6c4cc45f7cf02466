/*
 * speculation() takes no argument.
 * @@args: -w
 */
BEGIN { x = speculation(1); }
