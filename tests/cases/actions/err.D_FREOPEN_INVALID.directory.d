/* "." is no file's name. */
BEGIN { freopen("."); }
