/*
 * A script may depend on a provider.
 * @@needs: nothing
 */
#pragma D depends_on provider nosuch
BEGIN { }
