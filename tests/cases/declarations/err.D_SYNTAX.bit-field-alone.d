/*
 * A bit-field is a member.
 * @@needs: nothing
 */
int x : 3;
BEGIN { }
