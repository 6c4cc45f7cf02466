/*
 * A script cannot do without what it depends on.
 * @@needs: nothing
 */
#pragma D depends_on library nosuch.d
BEGIN { }
