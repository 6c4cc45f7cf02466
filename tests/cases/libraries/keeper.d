/*
 * If several clauses of a library keep a variable, one that the kernel can have
 * is enough.  Without one, probes that read the variable are refused with the
 * reason, and the rest of the library is there.  Arrays are kept, too, and only
 * for probes that a script uses.
 */
