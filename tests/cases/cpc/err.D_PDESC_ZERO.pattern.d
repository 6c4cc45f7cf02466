/*
 * A pattern selects of those that are listed.
 */
cpc:::no_such_event-* { }
