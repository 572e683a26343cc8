/** Scripts of what a store is known by: its epoch, and the marker of an encrypted one. */

/**
 * KEYS: the epoch, the marker, the version. ARGV: the clock, an epoch and a marker for a new store, the marker '' without
 * encryption, the version of this code. Returns those that the store has. A store that has data gets no marker. One of a
 * newer version is not changed.
 */
export const prepareStore = `
local version = tonumber(redis.call('GET', KEYS[3]) or '0')
if version > tonumber(ARGV[4]) then return { '', '', version } end
if version < tonumber(ARGV[4]) then redis.call('SET', KEYS[3], ARGV[4]) end
if redis.call('SET', KEYS[1], ARGV[2], 'NX') and ARGV[3] ~= '' then redis.call('SET', KEYS[2], ARGV[3], 'NX') end
return { redis.call('GET', KEYS[1]), redis.call('GET', KEYS[2]) or '', tonumber(ARGV[4]) }
`;

/** KEYS: the epoch, the marker. ARGV: the clock, the marker it must have, the one that replaces it. */
export const replaceMarker = `
if redis.call('GET', KEYS[2]) == ARGV[2] then redis.call('SET', KEYS[2], ARGV[3]) end
return 1
`;
