/* Percents are constants. */
BEGIN { x = 50; @ = percentile(1, x); }
