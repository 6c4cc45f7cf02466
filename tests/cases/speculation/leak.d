/*
 * More speculations do not help a script that never ends one, and it is told.
 * @@args: -q
 */
BEGIN { s = speculation(); }
BEGIN { s = speculation(); }
BEGIN { s = speculation(); exit(0); }
