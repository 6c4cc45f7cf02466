/*
 * No probe can be on HLT.
 * @@needs: prog:unprobed
 * @@run: $PROGS/unprobed
 */
pid$target:a.out:_start:15 { }
