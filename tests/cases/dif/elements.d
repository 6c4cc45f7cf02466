/*
 * A store through an element's address changes it (doc/reference/dif.md section
 * 6), and nothing behind it or of an element that is gone.
 */
BEGIN { }
