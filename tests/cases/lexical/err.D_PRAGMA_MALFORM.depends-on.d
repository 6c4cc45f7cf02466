/*
 * depends_on needs a class and a name.
 * @@needs: nothing
 */
#pragma D depends_on library
BEGIN { }
