/*
 * A key has a value.
 * @@needs: nothing
 */
BEGIN { m[(void)1] = 2; }
