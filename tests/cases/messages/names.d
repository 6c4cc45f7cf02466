/*
 * Of macro variables, aggregations, and members behind offsetof and xlate, too,
 * the one that was meant is suggested; and only one that would do.
 * @@needs: nothing
 */
BEGIN { trace($taget); }
