/* A percent is at most 100. */
BEGIN { @ = percentile(1, 50, 101); }
