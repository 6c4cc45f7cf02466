/*
 * A symbol that the kernel does not have.
 */
BEGIN { trace(&`no_such_symbol_at_all); }
