/* An aggregation is not a value. */
BEGIN { @a = count(); print(@a); }
