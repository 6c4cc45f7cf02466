/*
 * What Linux has no event for is refused by name.
 */
sched:::cpucaps-sleep { }
