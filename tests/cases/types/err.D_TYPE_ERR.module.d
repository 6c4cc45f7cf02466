/*
 * A module that the kernel has no types of is named.
 */
BEGIN { trace(sizeof (nosuchmodule`struct foo)); }
