/*
 * Of a library's clauses that keep a variable one that the kernel can have is
 * enough; where there is none, what reads the variable is refused with the
 * reason, and the rest of the library is there.  Arrays are kept, too, and only for
 * probes that somebody asks for.
 */
