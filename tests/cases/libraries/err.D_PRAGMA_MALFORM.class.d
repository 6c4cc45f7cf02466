/*
 * A script depends on libraries, modules and providers.
 * @@needs: nothing
 */
#pragma D depends_on program nosuch
BEGIN { }
