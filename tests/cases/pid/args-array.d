/*
 * args[] with an index that is not known before (array 0 of DIF, which the
 * compiler does not write) is arg0 to arg9, and 0 beyond these.
 */
