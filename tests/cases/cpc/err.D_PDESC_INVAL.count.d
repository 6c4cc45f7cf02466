/*
 * A clock that would leave no time for anything else.
 */
cpc:::cpu_clock-all-100 { }
