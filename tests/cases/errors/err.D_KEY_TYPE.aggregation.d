/*
 * A key of an aggregation has a value.
 * @@needs: nothing
 */
BEGIN { @a[(void)1] = count(); }
