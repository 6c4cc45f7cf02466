/* 0 is no percent. */
BEGIN { @ = percentile(1, 0); }
