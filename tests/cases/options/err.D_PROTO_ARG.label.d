/*
 * The name of a label is a string constant.
 */
BEGIN { trace(label(execname)); exit(0); }
