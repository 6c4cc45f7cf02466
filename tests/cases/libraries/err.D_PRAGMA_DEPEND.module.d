/*
 * A script may depend on a module of the kernel.
 * @@needs: nothing
 */
#pragma D depends_on module nosuch
BEGIN { }
