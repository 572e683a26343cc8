/** Scripts of credentials, their locks, and answers of users. All credentials are in one slot of a cluster, all answers in another. */
import { clock } from './clock.ts';

/**
 * KEYS: a hash of names to "version text". ARGV: the clock, name, the version it must have or '', the new version or ''
 * to delete, the text, and how many there may be. Returns 1, 0 for another version, -1 without room.
 */
export const swapCredential = `
local stored = redis.call('HGET', KEYS[1], ARGV[2])
local version = stored and string.match(stored, '^%S+') or ''
if version ~= ARGV[3] then return 0 end
if ARGV[4] == '' then
  redis.call('HDEL', KEYS[1], ARGV[2])
  return 1
end
if not stored and redis.call('HLEN', KEYS[1]) >= tonumber(ARGV[6]) then return -1 end
redis.call('HSET', KEYS[1], ARGV[2], ARGV[4] .. ' ' .. ARGV[5])
return 1
`;

/** KEYS: a lock, "until holder". ARGV: the clock, holder, how long. */
export const holdLock = `${clock}
local moment = now(ARGV[1])
local till, holder = string.match(redis.call('GET', KEYS[1]) or '', '^(%d+) (.*)$')
if till and tonumber(till) > moment and holder ~= ARGV[2] then return 0 end
local ms = math.ceil(tonumber(ARGV[3]))
redis.call('SET', KEYS[1], string.format('%.0f %s', moment + ms, ARGV[2]), 'PX', ms)
return 1
`;

/** KEYS: a lock. ARGV: the clock, holder. */
export const releaseLock = `
local holder = string.match(redis.call('GET', KEYS[1]) or '', '^%d+ (.*)$')
if holder == ARGV[2] then redis.call('DEL', KEYS[1]) end
return 1
`;

/**
 * KEYS: a hash of names to texts, and their expiry as a sorted set. ARGV: the clock, name, text or '' to delete, expiry,
 * and how many there may be. Each write deletes some that have expired. Returns -1 without room.
 */
export const writeConsent = `${clock}
redis.call('HDEL', KEYS[1], ARGV[2])
redis.call('ZREM', KEYS[2], ARGV[2])
if ARGV[3] == '' then return 1 end
local expired = redis.call('ZRANGEBYSCORE', KEYS[2], '-inf', now(ARGV[1]), 'LIMIT', 0, 10)
for _, name in ipairs(expired) do
  redis.call('HDEL', KEYS[1], name)
  redis.call('ZREM', KEYS[2], name)
end
if redis.call('HLEN', KEYS[1]) >= tonumber(ARGV[5]) then return -1 end
redis.call('HSET', KEYS[1], ARGV[2], ARGV[3])
redis.call('ZADD', KEYS[2], ARGV[4], ARGV[2])
return 1
`;
