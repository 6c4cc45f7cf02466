/* 50.01 has no code. */
BEGIN { @ = percentile(1, "50.01"); }
