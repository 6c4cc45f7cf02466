/*
 * A message names a program of several lines in one line: its probes, without
 * the control lines before them.
 */
BEGIN { }
