/*
 * D has no loops, jumps or switches: break is reserved and refused by name.
 * @@needs: nothing
 */
BEGIN { break; }
