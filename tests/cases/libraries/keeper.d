/*
 * If several rules of a library set a variable, one that works on this kernel
 * is enough.  If none works, probes that read the variable are refused with the
 * reason, and the rest of the library works.  Rules set arrays, too.  They run
 * only if a script enables a probe that reads what they set.
 */
