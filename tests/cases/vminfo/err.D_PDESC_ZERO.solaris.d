/*
 * What Linux has no event for is refused by name.
 */
vminfo:::rev { }
