/* printm() takes a size and a reference. */
BEGIN { printm(8); }
