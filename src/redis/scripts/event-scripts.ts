/** Scripts of event logs, each on the keys of one session. */
import { maxAwaited } from '../../store/events/event-store.ts';
import { clock } from './clock.ts';

/**
 * Event logs of a session: KEYS[1] its record; KEYS[2] a hash of streams with count, last stored number, stored, size,
 * followed, ended, note, last change, last given as JSON; KEYS[3] a hash of events, "stream number" to "size:data"; KEYS[4] a hash with the size of
 * all streams, a sequence, the awaited events and the names of their streams, the oldest first.
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
  local row = { c = log.c, l = log.l, k = log.k, z = log.z, f = log.f, e = log.e, o = log.o, h = log.h, g = log.g }
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

local function awaited(name)
  local row = redis.call('HMGET', total, 'n:' .. name, 'until:' .. name, 'data:' .. name)
  if not row[1] then return nil end
  return { n = tonumber(row[1]), till = tonumber(row[2]), data = row[3] }
end

local function awaiting()
  local text = redis.call('HGET', total, 'awaiting')
  return text and cjson.decode(text) or {}
end

local function saveAwaiting(names)
  if #names == 0 then redis.call('HDEL', total, 'awaiting')
  else redis.call('HSET', total, 'awaiting', cjson.encode(names)) end
end

local function deleteAwaited(log)
  local left = {}
  for _, name in ipairs(awaiting()) do if name ~= log.name then left[#left + 1] = name end end
  saveAwaiting(left)
  redis.call('HDEL', total, 'n:' .. log.name, 'until:' .. log.name, 'data:' .. log.name)
  shorten(log, -1, 0)
end

local function deleteStream(log)
  if awaited(log.name) then deleteAwaited(log) end
  shorten(log, -1, 0)
  redis.call('HDEL', streams, log.name)
end
`;

/** Adds events to one stream. ARGV: the clock, stream, maxStreamChars, maxSize, maxStreams, followed, expiry of logs without a record. */
const adding = `${logs}
local name, followed = ARGV[2], ARGV[6] == '1'
local maxStream, maxSize, maxStreams = tonumber(ARGV[3]), tonumber(ARGV[4]), tonumber(ARGV[5])
local log = load(name)

local function endedFirst(inUse)
  local found = {}
  for _, one in ipairs(all()) do if one.e > 0 and one.name ~= inUse then found[#found + 1] = one end end
  table.sort(found, function(one, other) return one.e < other.e end)
  return found
end

local function begin(note)
  if redis.call('HLEN', streams) >= maxStreams then
    for _, ended in ipairs(endedFirst(nil)) do
      if redis.call('HLEN', streams) < maxStreams then break end
      deleteStream(ended)
    end
  end
  log = { name = name, c = 0, l = 0, k = 0, z = 0, f = false, e = 0 }
  if note ~= '' then log.o = note end
end

-- Also those that a reader elsewhere was not given stay, until the session has twice its size.
local function sparedOf(one, least)
  if one.f and sizeOfSession() <= maxSize * 2 then return math.max(least, one.c - (one.g or 0)) end
  return least
end

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
      shorten(one, math.max(share, one.z - excess), sparedOf(one, isSpared and 1 or 0))
    end
  end
end

local function add(data, size)
  if awaited(name) then deleteAwaited(log) end
  log.c = log.c + 1
  log.f = followed
  save(log)
  if size <= maxSize then
    redis.call('HSET', events, place(name, log.c), size .. ':' .. data)
    redis.call('HINCRBY', total, 'size', size)
    log.l = log.c
    log.k = log.k + 1
    log.z = log.z + size
    save(log)
    shorten(log, math.min(maxStream, maxSize), sparedOf(log, 1))
    if sizeOfSession() > maxSize then
      for _, ended in ipairs(endedFirst(name)) do
        if sizeOfSession() <= maxSize then break end
        deleteStream(ended)
      end
      if sizeOfSession() > maxSize then shorten(log, math.min(maxStream, maxSize), sparedOf(log, 0)) end
      if sizeOfSession() > maxSize then shortenOpen() end
    end
  end
  if size > maxSize or log.k == 0 then
    if followed then
      redis.call('HSET', total, 'n:' .. name, log.c, 'until:' .. name, now(ARGV[1]) + 10000, 'data:' .. name, data)
      local names = awaiting()
      names[#names + 1] = name
      saveAwaiting(names)
      if #names > ${maxAwaited} then deleteAwaited(load(names[1])) end
    else shorten(log, -1, 0) end
  end
end

-- What an event with a number gets that is not added: its number if it is there, 0 if one before it is missing.
local function notAdded(at)
  local count = log and log.c or 0
  if at == '' or tonumber(at) == count + 1 then return nil end
  return tonumber(at) <= count and tonumber(at) or 0
end

local function expire()
  local expires = redis.call('HGET', KEYS[1], 'x')
  for i = 2, 4 do redis.call('PEXPIREAT', KEYS[i], expires or ARGV[7]) end
end
`;

/** ARGV: then data, size, note, number of the change, number of the event. Returns the number of the event; 0 if the stream has the change or lacks an event before it; nothing if it has ended. */
export const appendEvent = `${adding}
if log and log.e > 0 then return false end
if ARGV[11] ~= '' and log and log.h and tonumber(ARGV[11]) <= tonumber(log.h) then return 0 end
local held = notAdded(ARGV[12])
if held then return held end
if not log then begin(ARGV[10]) end
-- A text: numbers in JSON would be rounded.
if ARGV[11] ~= '' then log.h = ARGV[11] end
add(ARGV[8], tonumber(ARGV[9]))
expire()
return log.c
`;

/** ARGV: then the number of the next event, data and size of each last event. Returns the number of the last event; 0 if one before is missing; nothing if the stream has ended, or has none. */
export const endStream = `${adding}
if log and log.e > 0 then return false end
if notAdded(ARGV[8]) == 0 then return 0 end
if not log then
  if #ARGV < 10 then return false end
  begin('')
end
for i = 9, #ARGV, 2 do add(ARGV[i], tonumber(ARGV[i + 1])) end
log.e = next()
save(log)
if #ARGV > 8 then expire() end
return log.c
`;

/** ARGV: the clock, stream, number. Returns the number the events follow, whether the stream has ended, its note, its last change, and numbers and data. */
export const readEvents = `${logs}
local name, n = ARGV[2], tonumber(ARGV[3])
local log = load(name)
if not log or n > log.c then return false end
if n > (log.g or 0) then
  log.g = n
  save(log)
end
local held = awaited(name)
if held and held.till <= now(ARGV[1]) then
  deleteAwaited(log)
  held = nil
end
local from = math.max(n, log.c - log.k - (held and 1 or 0))
local found = { from, log.e > 0 and 1 or 0, log.o or '', log.h or '' }
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
