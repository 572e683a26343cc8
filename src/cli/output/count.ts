/** A number of things: `1 call`, `4 calls`. */
export const count = (amount: number, name: string): string => `${amount} ${name}${amount === 1 ? '' : 's'}`;
