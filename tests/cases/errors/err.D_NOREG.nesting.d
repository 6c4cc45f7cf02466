/*
 * An expression needs no more registers than there are.
 * @@needs: nothing
 */
BEGIN { x = 1; trace(x+(x+(x+(x+(x+(x+(x+(x+x)))))))); }
