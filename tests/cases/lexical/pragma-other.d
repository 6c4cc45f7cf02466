/*
 * Pragmas of other compilers, and ident, are ignored.
 * @@args: -q
 */
#pragma once
#pragma weak foo = bar
#pragma ident "x"
#pragma D ident "y"
#ident "z"
BEGIN { printf("ok\n"); exit(0); }
