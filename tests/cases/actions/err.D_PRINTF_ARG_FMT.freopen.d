/* The name is a format: a constant. */
BEGIN { freopen(execname); }
