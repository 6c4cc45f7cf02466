/*
 * dtrace -l of a description that matches nothing says what may have been
 * meant.
 * @@exit: 1
 */
BEGIN { }
