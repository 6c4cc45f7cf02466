/*
 * What is no id of a probe is told in one line.
 * @@needs: nothing
 */
BEGIN { }
