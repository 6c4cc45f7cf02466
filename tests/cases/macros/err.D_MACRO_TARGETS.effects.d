/*
 * An expression with an effect is not evaluated once for each process.
 * @@args: -c true -c true
 */
BEGIN /x++ == $target/ { exit(0); }
