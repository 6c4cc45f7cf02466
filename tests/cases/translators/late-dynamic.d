/*
 * Option late=dynamic is refused by name.
 * @@args: -q
 * @@exit: 1
 */
BEGIN { exit(0); }
