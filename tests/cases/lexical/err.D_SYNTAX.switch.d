/*
 * D has no loops, jumps or switches: switch is reserved and refused by name.
 * @@needs: nothing
 */
BEGIN { switch; }
