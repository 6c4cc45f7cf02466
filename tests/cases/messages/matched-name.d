/*
 * What is told of a description of several lines is one line: its probes,
 * without what stands before them in control lines.
 */
BEGIN { }
