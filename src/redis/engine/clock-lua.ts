/** The start of every run in Redis: the time of the store, which never goes back, and stamps that only grow. */

/**
 * KEYS[1]: the clock. ARGV: the time, or '' for that of Redis; the furthest time that the caller has seen.
 * A stamp is a time in thousandths of a millisecond, so that things of one millisecond have an order.
 *
 * Functions are defined once, when Redis loads them: what belongs to one run is set by `begin`.
 */
export const clockLua = `
local call, KEYS, ARGV, base, format, match
local real, seen, stamp, later, stands, now
-- What the run has read of rows and logs, and done with groups.
local rows, known, stays, isChanged, hasChars

local function begin(keys, args)
  call, format, match, KEYS, ARGV = redis.call, string.format, string.match, keys, args
  rows, known, stays, isChanged, hasChars = {}, {}, false, false, nil
  local time = call('TIME')
  real = time[1] * 1000 + math.floor(time[2] / 1000)
  seen = tonumber(call('GET', KEYS[1]) or '0')
  stamp, later = time[1] * 1000000 + time[2], 0
  local furthest = ARGV[2] * 1000
  if ARGV[1] ~= '' then
    stamp = ARGV[1] * 1000
    -- Redis must not delete what has not expired by the given time.
    later = math.max(0, real - ARGV[1]) + 3600000
  end
  -- A clock that was set back, or is given, may stand still: then stamps go on after the last one.
  stands = ARGV[1] ~= '' or stamp <= seen or stamp < furthest
  stamp = math.max(stamp, seen + 1, furthest)
  now = math.floor(stamp / 1000)
end

-- A script that runs later has a later stamp: it takes longer than a microsecond to use one.
local function nextStamp()
  stamp = stamp + 1
  return stamp
end

-- The time is stored ten times in a second at most, and by what writes: reading must not wait for a disk.
local function saveClock()
  if not stands and stamp - seen < 100000 then return end
  -- Clocks of partitions go by themselves.
  if match(KEYS[1], '}clock$') then call('SET', KEYS[1], stamp, 'PX', 86400000) else call('SET', KEYS[1], stamp) end
end

-- When Redis deletes a key; never at once, since the script still uses it.
local function physical(at) return math.min(math.max(math.ceil(at) + later, real + 1), 9e15) end
`;
