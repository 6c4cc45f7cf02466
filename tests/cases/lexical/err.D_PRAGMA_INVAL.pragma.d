/*
 * A D pragma that does not exist is refused.
 */
#pragma D nosuchpragma x
BEGIN { exit(0); }
