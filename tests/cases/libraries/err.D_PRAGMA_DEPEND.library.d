/*
 * A script cannot depend on a library that does not exist.
 * @@needs: nothing
 */
#pragma D depends_on library nosuch.d
BEGIN { }
