/*
 * Option verbose prints each DIF object, tree the syntax trees, disasm chooses
 * what -S prints.
 */
#pragma D option verbose
BEGIN { trace(1); }
