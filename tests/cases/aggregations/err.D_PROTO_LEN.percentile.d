/* At most five percents. */
BEGIN { @ = percentile(1, 1, 2, 3, 4, 5, 6); }
