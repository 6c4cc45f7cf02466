/*
 * A pragma must name a provider that is defined.
 * @@needs: nothing
 */
#pragma D attributes Stable/Stable/Common provider nosuch name
BEGIN { }
