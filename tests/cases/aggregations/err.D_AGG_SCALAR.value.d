/*
 * An aggregating function takes integers.
 * @@needs: nothing
 */
BEGIN { @ = sum(execname); }
