/** What a peer sent, as texts of errors show it. */

const most = 100;

/** The name of something, cut where it is long: an error need not send it back whole. */
export const shown = (name: string): string => (name.length > most ? `${name.slice(0, most)}…` : name);
