/*
 * A provider that another DTrace has is named, with those that there are.
 * @@args: -e -x errtags=off
 * @@exit: 1
 */
dtmalloc::temp:malloc { trace(1); }
