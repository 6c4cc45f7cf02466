/*
 * extern declares, and defines nothing.
 */
extern int no_such_symbol_at_all;
BEGIN { trace(no_such_symbol_at_all); }
