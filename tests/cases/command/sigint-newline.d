/*
 * A signal prints a newline at once, the end of tracing another, and then come
 * the aggregations, which one blank line precedes; JSON has none.
 */
BEGIN { printf("ready\n"); @a = count(); @b = count(); }
END { printf("end"); }
