/*
 * D has no loops, jumps or switches: default is reserved and refused by name.
 * @@needs: nothing
 */
BEGIN { default; }
