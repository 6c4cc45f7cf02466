/*
 * D has no loops, jumps or switches: continue is reserved and refused by name.
 * @@needs: nothing
 */
BEGIN { continue; }
