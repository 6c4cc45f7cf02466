/*
 * There is no such event.
 */
cpc:::no_such_event-all-10000 { }
