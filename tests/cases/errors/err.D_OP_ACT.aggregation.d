/*
 * An aggregating function has no value.
 * @@needs: nothing
 */
BEGIN { x = count(); }
