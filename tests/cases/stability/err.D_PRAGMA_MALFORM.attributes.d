/*
 * Attributes are three words that exist.
 * @@needs: nothing
 */
int x;
#pragma D attributes Stable/Solid/Common x
BEGIN { }
