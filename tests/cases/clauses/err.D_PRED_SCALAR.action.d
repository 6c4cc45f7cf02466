/*
 * An action has no value that a predicate could test.
 * @@needs: nothing
 */
BEGIN /trace(1)/ { }
