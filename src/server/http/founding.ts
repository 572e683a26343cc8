/** Where clients of the founding documents listen: at an address of its own, and they want events named. */

export const foundingEvent = 'notification';

/** Whether a target or an address is that one. */
export const isEvents = (address: string): boolean => /^[^?]*\/events(\?|$)/.test(address);
