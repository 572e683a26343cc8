/** Scripts of what a store is known by: its epoch, and the marker of an encrypted one. */

/**
 * KEYS: the epoch, the marker. ARGV: the clock, an epoch and a marker for a new store, the marker '' without encryption.
 * Returns those that the store has. A store that has data gets no marker.
 */
export const prepareStore = `
if redis.call('SET', KEYS[1], ARGV[2], 'NX') and ARGV[3] ~= '' then redis.call('SET', KEYS[2], ARGV[3], 'NX') end
return { redis.call('GET', KEYS[1]), redis.call('GET', KEYS[2]) or '' }
`;

/** KEYS: the epoch, the marker. ARGV: the clock, the marker it must have, the one that replaces it. */
export const replaceMarker = `
if redis.call('GET', KEYS[2]) == ARGV[2] then redis.call('SET', KEYS[2], ARGV[3]) end
return 1
`;
