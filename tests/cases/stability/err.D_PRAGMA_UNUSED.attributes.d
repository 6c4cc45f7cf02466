/*
 * A pragma must name something that is declared.
 * @@needs: nothing
 */
#pragma D attributes Stable/Stable/Common nosuch
BEGIN { }
