/*
 * An argument of -i that is no id is told in one line.
 * @@needs: nothing
 */
BEGIN { }
