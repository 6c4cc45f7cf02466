/*
 * sum() adds integers.
 * @@needs: nothing
 */
BEGIN { @a = sum("x"); }
