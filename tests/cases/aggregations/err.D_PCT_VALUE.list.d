/* A string is one percent. */
BEGIN { @ = percentile(1, "50,90"); }
