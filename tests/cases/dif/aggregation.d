/*
 * An aggregation has its id, its keys and its value.
 */
BEGIN { @a[execname, pid] = sum(arg0); @b = count(); }
