/*
 * A speculating clause without data records its firing; commit() and discard()
 * show nothing themselves.
 */
BEGIN { a = speculation(); }
BEGIN { speculate(a); }
BEGIN { speculate(a); trace("data"); }
BEGIN { commit(a); }
BEGIN { discard(a); }
BEGIN { exit(0); }
