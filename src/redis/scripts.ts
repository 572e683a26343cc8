/** The scripts that run inside Redis: each is one operation on the keys of one slot. */

/** The time of Redis in milliseconds, unless the first argument is one: tests set it. */
const clock = `
local function now(given)
  if given ~= '' then return tonumber(given) end
  local t = redis.call('TIME')
  return t[1] * 1000 + math.floor(t[2] / 1000)
end
`;

/** The record of a session: the field x is its expiry, f:… are its fields. */
const readRecord = `${clock}
local record = redis.call('HGETALL', KEYS[1])
local fields = {}
local expires = 0
for i = 1, #record, 2 do
  if record[i] == 'x' then expires = tonumber(record[i + 1])
  else fields[#fields + 1] = string.sub(record[i], 3); fields[#fields + 1] = record[i + 1] end
end
if expires <= now(ARGV[1]) then return false end
return fields
`;

/** ARGV: the clock, expiry, then names and values. */
const createRecord = `
redis.call('DEL', KEYS[1])
redis.call('HSET', KEYS[1], 'x', ARGV[2])
for i = 3, #ARGV, 2 do redis.call('HSET', KEYS[1], 'f:' .. ARGV[i], ARGV[i + 1]) end
redis.call('PEXPIREAT', KEYS[1], ARGV[2])
return 1
`;

const deleteLogs = `
return redis.call('DEL', KEYS[2], KEYS[3], KEYS[4])
`;

const deleteRecord = `${clock}
local expires = redis.call('HGET', KEYS[1], 'x')
redis.call('DEL', KEYS[1], KEYS[2], KEYS[3], KEYS[4])
return expires and tonumber(expires) > now(ARGV[1]) and 1 or 0
`;

/** KEYS: the record, then the keys of its logs. ARGV: the clock, expiry or '', the number of deleted names, these, then names and values. */
const updateRecord = `${clock}
local expires = redis.call('HGET', KEYS[1], 'x')
if not expires or tonumber(expires) <= now(ARGV[1]) then return 0 end
local deleted = tonumber(ARGV[3])
for i = 4, 3 + deleted do redis.call('HDEL', KEYS[1], 'f:' .. ARGV[i]) end
for i = 4 + deleted, #ARGV, 2 do redis.call('HSET', KEYS[1], 'f:' .. ARGV[i], ARGV[i + 1]) end
if ARGV[2] ~= '' then
  redis.call('HSET', KEYS[1], 'x', ARGV[2])
  for _, key in ipairs(KEYS) do redis.call('PEXPIREAT', key, ARGV[2]) end
end
return 1
`;

/**
 * Event logs of a session: KEYS[1] its record; KEYS[2] a hash of streams with count, last stored number, stored, size,
 * followed, ended as JSON; KEYS[3] a hash of events, "stream number" to "size:data"; KEYS[4] a hash with the size of
 * all streams, a sequence and the awaited event.
 */
const logs = `${clock}
local streams, events, total = KEYS[2], KEYS[3], KEYS[4]
local expires = redis.call('HGET', KEYS[1], 'x')
if expires and tonumber(expires) <= now(ARGV[1]) then redis.call('DEL', KEYS[1], KEYS[2], KEYS[3], KEYS[4]) end

local function load(name)
  local text = redis.call('HGET', streams, name)
  if not text then return nil end
  local log = cjson.decode(text)
  log.name = name
  return log
end

local function save(log)
  local row = { c = log.c, l = log.l, k = log.k, z = log.z, f = log.f, e = log.e }
  redis.call('HSET', streams, log.name, cjson.encode(row))
end

local function sizeOfSession() return tonumber(redis.call('HGET', total, 'size') or '0') end
local function next() return redis.call('HINCRBY', total, 'sequence', 1) end
local function place(name, n) return name .. ' ' .. n end

local function all()
  local rows = redis.call('HGETALL', streams)
  local found = {}
  for i = 1, #rows, 2 do
    local log = cjson.decode(rows[i + 1])
    log.name = rows[i]
    found[#found + 1] = log
  end
  return found
end

local function shorten(log, maxSize, spared)
  local before = log.z
  while log.z > maxSize and log.k > spared do
    local at = place(log.name, log.l - log.k + 1)
    local event = redis.call('HGET', events, at)
    log.z = log.z - tonumber(string.match(event, '^%d+'))
    log.k = log.k - 1
    redis.call('HDEL', events, at)
  end
  if log.z == before then return end
  redis.call('HINCRBY', total, 'size', log.z - before)
  save(log)
end

local function awaited()
  local row = redis.call('HMGET', total, 'awaitedStream', 'awaitedNumber', 'awaitedUntil', 'awaitedData')
  if not row[1] then return nil end
  return { stream = row[1], n = tonumber(row[2]), till = tonumber(row[3]), data = row[4] }
end

local function deleteAwaited(log)
  redis.call('HDEL', total, 'awaitedStream', 'awaitedNumber', 'awaitedUntil', 'awaitedData')
  if log then shorten(log, -1, 0) end
end

local function deleteStream(log)
  local held = awaited()
  if held and held.stream == log.name then deleteAwaited(nil) end
  shorten(log, -1, 0)
  redis.call('HDEL', streams, log.name)
end
`;

/** ARGV: the clock, stream, data, size, maxStreamChars, maxSize, maxStreams, followed, expiry of logs without a record. */
const appendEvent = `${logs}
local name, data, size = ARGV[2], ARGV[3], tonumber(ARGV[4])
local maxStream, maxSize, maxStreams, followed = tonumber(ARGV[5]), tonumber(ARGV[6]), tonumber(ARGV[7]), ARGV[8] == '1'

local function endedFirst(inUse)
  local found = {}
  for _, log in ipairs(all()) do if log.e > 0 and log.name ~= inUse then found[#found + 1] = log end end
  table.sort(found, function(one, other) return one.e < other.e end)
  return found
end

local log = load(name)
if not log then
  if redis.call('HLEN', streams) >= maxStreams then
    for _, ended in ipairs(endedFirst(nil)) do
      if redis.call('HLEN', streams) < maxStreams then break end
      deleteStream(ended)
    end
  end
  log = { name = name, c = 0, l = 0, k = 0, z = 0, f = false, e = 0 }
end
local held = awaited()
if held and held.stream == name then deleteAwaited(log) end
log.c = log.c + 1
log.f = followed
save(log)

local function shortenOpen()
  local target = maxSize * 0.875
  local open = {}
  for _, one in ipairs(all()) do if one.z > 0 then open[#open + 1] = one.name == name and log or one end end
  table.sort(open, function(one, other)
    if one.f ~= other.f then return other.f end
    return one.z > other.z
  end)
  for _, share in ipairs({ target / #open, 0 }) do
    for _, one in ipairs(open) do
      local excess = sizeOfSession() - target
      if excess <= 0 then return end
      local isSpared = one == log or (one.f and share > 0)
      shorten(one, math.max(share, one.z - excess), isSpared and 1 or 0)
    end
  end
end

if size <= maxSize then
  redis.call('HSET', events, place(name, log.c), size .. ':' .. data)
  redis.call('HINCRBY', total, 'size', size)
  log.l = log.c
  log.k = log.k + 1
  log.z = log.z + size
  save(log)
  shorten(log, math.min(maxStream, maxSize), 1)
  if sizeOfSession() > maxSize then
    for _, ended in ipairs(endedFirst(name)) do
      if sizeOfSession() <= maxSize then break end
      deleteStream(ended)
    end
    if sizeOfSession() > maxSize then shorten(log, math.min(maxStream, maxSize), 0) end
    if sizeOfSession() > maxSize then shortenOpen() end
  end
end
if size > maxSize or log.k == 0 then
  if followed then
    held = awaited()
    if held then deleteAwaited(held.stream == name and log or load(held.stream)) end
    redis.call('HSET', total, 'awaitedStream', name, 'awaitedNumber', log.c, 'awaitedUntil', now(ARGV[1]) + 10000, 'awaitedData', data)
  else shorten(log, -1, 0) end
end

expires = redis.call('HGET', KEYS[1], 'x')
for i = 2, 4 do redis.call('PEXPIREAT', KEYS[i], expires or ARGV[9]) end
return log.c
`;

/** ARGV: the clock, stream, number. Returns the number the events follow, whether the stream has ended, and numbers and data. */
const readEvents = `${logs}
local name, n = ARGV[2], tonumber(ARGV[3])
local log = load(name)
if not log or n > log.c then return false end
local held = awaited()
if held and held.stream ~= name then held = nil end
if held and held.till <= now(ARGV[1]) then
  deleteAwaited(log)
  held = nil
end
local from = math.max(n, log.c - log.k - (held and 1 or 0))
local found = { from, log.e > 0 and 1 or 0 }
for i = math.max(from, log.l - log.k) + 1, log.k > 0 and log.l or 0 do
  local event = redis.call('HGET', events, place(name, i))
  found[#found + 1] = i
  found[#found + 1] = string.sub(event, string.find(event, ':', 1, true) + 1)
end
if held and held.n > from then
  found[#found + 1] = held.n
  found[#found + 1] = held.data
end
if held and log.e > 0 then deleteAwaited(log) end
return found
`;

/** ARGV: the clock, stream. */
const endStream = `${logs}
local log = load(ARGV[2])
if log and log.e == 0 then
  log.e = next()
  save(log)
end
return 1
`;

/** A key that may be used once. ARGV: the clock, expiry. */
const burnKey = `${clock}
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
const takeLimits = `${clock}
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
const renewLeases = `${clock}
local moment, ms = now(ARGV[1]), tonumber(ARGV[2])
for i, key in ipairs(KEYS) do
  redis.call('ZADD', key, moment + ms, ARGV[2 + i])
  redis.call('PEXPIRE', key, math.max(redis.call('PTTL', key), ms, 1))
end
return 1
`;

/** KEYS: slots. ARGV: the clock, the id of the lease. */
const releaseLease = `
for _, key in ipairs(KEYS) do redis.call('ZREM', key, ARGV[2]) end
return 1
`;

export const scripts = {
  readRecord,
  createRecord,
  deleteLogs,
  deleteRecord,
  updateRecord,
  appendEvent,
  readEvents,
  endStream,
  burnKey,
  takeLimits,
  renewLeases,
  releaseLease,
} as const;
