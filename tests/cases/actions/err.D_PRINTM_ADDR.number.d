/* A reference is two words in memory, not an address. */
BEGIN { printm(8, 1); }
