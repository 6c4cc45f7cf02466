/*
 * Where /sys is not mounted it is not known how many CPUs there are: that is
 * told, and nothing is traced.
 */
