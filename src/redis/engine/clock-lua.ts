/** The start of every script: the time of the store, which never goes back, and stamps that only grow. */

/**
 * KEYS[1]: the clock. ARGV: the time, or '' for that of Redis; the furthest time that the caller has seen.
 * A stamp is a time in thousandths of a millisecond, so that things of one millisecond have an order.
 *
 * Redis runs all of a script each time, and every function that is defined costs it 0.3 µs: what only some runs need is
 * defined inside a function that they call.
 */
export const clockLua = `
local call, format, match = redis.call, string.format, string.match
local base

local time = call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local real, later = now, 0
if ARGV[1] ~= '' then
  now = tonumber(ARGV[1])
  -- Redis must not delete what has not expired by the given time.
  later = math.max(0, real - now) + 3600000
end
local seen = tonumber(call('GET', KEYS[1]) or '0')
now = math.max(now, tonumber(ARGV[2]), math.floor(seen / 1000))
local stamp = seen

local function nextStamp()
  stamp = math.max(stamp + 1, now * 1000)
  return stamp
end

-- Only what writes stores the time: reading must not wait for a disk. Clocks of partitions go by themselves.
local function saveClock()
  stamp = math.max(stamp, now * 1000)
  if stamp == seen then return end
  if match(KEYS[1], '}clock$') then call('SET', KEYS[1], stamp, 'PX', 86400000) else call('SET', KEYS[1], stamp) end
end

-- When Redis deletes a key; never at once, since the script still uses it.
local function physical(at) return math.min(math.max(math.ceil(at) + later, real + 1), 9e15) end
`;
