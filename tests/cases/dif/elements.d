/*
 * Stores through the address of an array's element change the element, as
 * dif.md section 6 allows, and nothing behind it or of an element that is gone.
 */
BEGIN { }
