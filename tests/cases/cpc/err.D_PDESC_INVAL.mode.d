/*
 * What is not the name of an event, a mode and a count.
 */
cpc:::page_faults-1 { }
