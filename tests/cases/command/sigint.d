/*
 * SIGINT fires END and prints the aggregations.
 */
BEGIN { printf("ready\n"); @ = sum(5); }
END { printf("end\n"); }
