/*
 * #pragma D attributes sets a name's stability, wherever it stands.
 * @@needs: nothing
 */
#pragma D attributes Unstable/Evolving/ISA before
int before;
int after;
#pragma D attributes Obsolete/Stable/Common after
BEGIN { trace(before); trace(after); }
