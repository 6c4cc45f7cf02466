/*
 * More speculations do not help a script that ends none, and it is reported.
 * @@args: -q
 */
BEGIN { s = speculation(); }
BEGIN { s = speculation(); }
BEGIN { s = speculation(); exit(0); }
