/* All uses of an aggregation have the same percents. */
BEGIN { @ = percentile(1, 50); @ = percentile(1, 90); }
