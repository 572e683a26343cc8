/** Scripts of used keys, rates and slots. */
import { clock } from './clock.ts';

/** A key that may be used once. ARGV: the clock, expiry. */
export const burnKey = `${clock}
local moment = now(ARGV[1])
local expires = tonumber(redis.call('GET', KEYS[1]) or '0')
if expires > moment then return 0 end
if tonumber(ARGV[2]) > moment then redis.call('SET', KEYS[1], ARGV[2], 'PXAT', ARGV[2]) end
return 1
`;

/**
 * Tokens and slots. KEYS: buckets, then slots. ARGV: the clock, then as JSON the claims with their tolerance and how much
 * longer they take to fill, the maximum of each slot, the id and the duration of the lease. Returns the place of the
 * refused key, from 1, and how long to wait in microseconds.
 */
export const takeLimits = `${clock}
local moment = now(ARGV[1])
local asked = cjson.decode(ARGV[2])
local longest, refused = 0, 0
local after = {}
for i, claim in ipairs(asked.claims) do
  local fullAt = tonumber(redis.call('GET', KEYS[i]) or moment)
  -- Later than an empty bucket takes: the clock was set back, or the limit lowered.
  if fullAt > moment + claim.tolerance then
    fullAt = moment + claim.tolerance
    redis.call('SET', KEYS[i], string.format('%.6f', fullAt), 'PX', math.ceil(math.max(claim.tolerance, 1)))
  end
  after[i] = math.max(math.min(fullAt, moment + claim.tolerance), moment) + claim.ms
  local wait = after[i] - moment - claim.tolerance
  if wait > longest + 1e-6 then longest, refused = wait, i end
end
if refused > 0 then return { refused, math.ceil(longest) } end
local first = #asked.claims
for i, max in ipairs(asked.slots) do
  local key = KEYS[first + i]
  redis.call('ZREMRANGEBYSCORE', key, '-inf', moment)
  local holders = redis.call('ZCARD', key)
  if holders >= max and not redis.call('ZSCORE', key, asked.lease) then return { first + i, 0 } end
end
for i, time in ipairs(after) do
  redis.call('SET', KEYS[i], string.format('%.6f', time), 'PX', math.ceil(math.max(time - moment, 1)))
end
for i = 1, #asked.slots do
  local key = KEYS[first + i]
  redis.call('ZADD', key, moment + asked.leaseMs, asked.lease)
  redis.call('PEXPIRE', key, math.max(redis.call('PTTL', key), asked.leaseMs, 1))
end
return { 0, 0 }
`;

/** KEYS: slots. ARGV: the clock, the duration, then the id of the lease of each slot. */
export const renewLeases = `${clock}
local moment, ms = now(ARGV[1]), tonumber(ARGV[2])
for i, key in ipairs(KEYS) do
  redis.call('ZADD', key, moment + ms, ARGV[2 + i])
  redis.call('PEXPIRE', key, math.max(redis.call('PTTL', key), ms, 1))
end
return 1
`;

/** KEYS: slots. ARGV: the clock, the id of the lease. */
export const releaseLease = `
for _, key in ipairs(KEYS) do redis.call('ZREM', key, ARGV[2]) end
return 1
`;
