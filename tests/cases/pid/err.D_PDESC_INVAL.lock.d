/*
 * One probe that is named alone cannot be left out.
 * @@needs: prog:unprobed
 * @@run: $PROGS/unprobed
 */
pid$target:a.out:whole:entry { }
