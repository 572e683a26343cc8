/** The script that opens a store: it gets its epoch once, so that one that has lost its contents gets another. */

/**
 * KEYS: the store. ARGV: an epoch for a new store, the version of this code, whether a new one may be made. Returns epoch and
 * version that the store has: '' and 0 if there is none. One of a newer version is not changed.
 */
export const prepareScript = `
local found = redis.call('HMGET', KEYS[1], 'epoch', 'version')
if not found[1] then
  if ARGV[3] ~= '1' then return { '', 0 } end
  redis.call('HSET', KEYS[1], 'epoch', ARGV[1], 'version', ARGV[2])
  return { ARGV[1], tonumber(ARGV[2]) }
end
local version = tonumber(found[2])
if version < tonumber(ARGV[2]) then redis.call('HSET', KEYS[1], 'version', ARGV[2]) end
return { found[1], math.max(version, tonumber(ARGV[2])) }
`;
