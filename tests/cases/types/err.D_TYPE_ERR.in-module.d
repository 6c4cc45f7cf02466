/*
 * A type that the module does not have is named with it.
 */
BEGIN { trace(sizeof (vmlinux`struct no_such_struct)); }
