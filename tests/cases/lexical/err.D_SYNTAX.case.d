/*
 * D has no loops, jumps or switches: case is reserved and refused by name.
 * @@needs: nothing
 */
BEGIN { case; }
