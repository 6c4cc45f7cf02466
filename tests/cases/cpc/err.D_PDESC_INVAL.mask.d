/*
 * Events of the kernel have no units that a mask could choose.
 */
cpc:::page_faults-all-03-1 { }
