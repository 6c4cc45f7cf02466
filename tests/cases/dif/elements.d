/*
 * A store through an element's address changes it (doc/reference/dif.md section
 * 6), but nothing behind it, and no element that was deleted.
 */
BEGIN { }
