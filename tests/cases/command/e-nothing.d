/*
 * -e without a program sets the options and ends.
 * @@needs: nothing
 */
BEGIN { }
