/*
 * A pattern selects listed probes only.
 */
cpc:::no_such_event-* { }
