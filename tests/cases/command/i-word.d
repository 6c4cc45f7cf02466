/*
 * An argument of -i that is no id is reported in one line.
 * @@needs: nothing
 */
BEGIN { }
