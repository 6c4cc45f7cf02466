/*
 * D has no loops, jumps or switches: goto is reserved and refused by name.
 * @@needs: nothing
 */
BEGIN { goto; }
