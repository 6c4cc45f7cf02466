/*
 * A name that is not an event, a mode and a count.
 */
cpc:::page_faults-1 { }
