/*
 * Instructions that the compiler seldom or never writes do what they should
 * (doc/reference/dif.md section 3), or are refused by name.
 */
BEGIN { }
