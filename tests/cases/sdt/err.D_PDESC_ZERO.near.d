/*
 * A misspelt event: the nearest is named.
 */
sdt:sched::sched_swich { }
