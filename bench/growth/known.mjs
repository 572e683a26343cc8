/** What grows more than 1.2 times over its range, by its title, each with the reason. Everything else that does fails. */
export const known = {};
