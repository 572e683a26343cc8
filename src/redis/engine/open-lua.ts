/** The function that opens a store in Redis. */

/**
 * A store gets its epoch once, so that one that has lost its contents gets another.
 * KEYS: the store. ARGV: an epoch for a new store, the version of this code, whether a new one may be made. Returns epoch and
 * version that the store has: '' and 0 if there is none. One of a newer version is not changed.
 */
export const openLua = `
local function open(keys, args)
  local found = redis.call('HMGET', keys[1], 'epoch', 'version')
  if not found[1] then
    if args[3] ~= '1' then return { '', 0 } end
    redis.call('HSET', keys[1], 'epoch', args[1], 'version', args[2])
    return { args[1], tonumber(args[2]) }
  end
  local version = tonumber(found[2])
  if version < tonumber(args[2]) then redis.call('HSET', keys[1], 'version', args[2]) end
  return { found[1], math.max(version, tonumber(args[2])) }
end
`;
