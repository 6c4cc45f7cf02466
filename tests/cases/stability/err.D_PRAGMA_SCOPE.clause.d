/*
 * A pragma about names cannot stand in a clause.
 * @@needs: nothing
 */
int x;
BEGIN {
#pragma D binding "1.0" x
}
