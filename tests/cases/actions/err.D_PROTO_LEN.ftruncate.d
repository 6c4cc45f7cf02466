/* ftruncate() takes no argument: it always empties the file. */
BEGIN { ftruncate(0); }
