/*
 * If the kernel's types lack an argument of fire(), only scripts that use it
 * are refused, by name; if another clause has the argument, that clause is
 * used.
 */
