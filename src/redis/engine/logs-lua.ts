/** How runs read and write logs: all logs of a row are one hash. */
import { looseLogMs } from '../../store/driver.ts';

/**
 * The hash 'l:ROW' has '=' with the characters of all logs and their names in the order in which they began, ':LOG' with what
 * is known of each, '#LOG\0NUMBER' with 'CHARS:DATA' for each entry, and '!' with the expiry if there is no row.
 */
const reading = String.raw`
-- The log or false, and what is known of all logs of the row.
function logs.find(row, name, hasRow)
  local all, field = known[row], ':' .. name
  if all and all[field] ~= nil then return all[field], all end
  local found = call('HMGET', base .. 'l:' .. row, '=', '!', field)
  if found[2] and not hasRow and tonumber(found[2]) <= now then
    call('DEL', base .. 'l:' .. row)
    found = { false, false, false }
  end
  if not all then
    all = found[1] and cmsgpack.unpack(found[1]) or { chars = 0, names = {} }
    all.isLoose = found[2]
    known[row] = all
  end
  all[field] = found[3] and logs.unpacked(name, found[3])
  return all[field], all
end

function logs.unpacked(name, packed)
  local p = cmsgpack.unpack(packed)
  return { name = name, count = p[1], last = p[2], stored = p[3], chars = p[4], ended = p[5], mark = p[6], note = p[7],
    followed = p[8], given = p[9] }
end

function logs.shown(log, all)
  return { log.name, log.count, log.stored, log.last, log.chars, log.ended, log.mark and format('%.17g', log.mark),
    log.note, log.followed, log.given, all.chars, #all.names }
end

-- With the number of the first entry, and the entries after a number.
function logs.shownAfter(row, log, all, after)
  local shown = logs.shown(log, all)
  local first = math.max(log.last - log.stored, after) + 1
  shown[13] = first
  for from = first, log.stored > 0 and log.last or 0, 1000 do
    local fields = {}
    for n = from, math.min(from + 999, log.last) do fields[#fields + 1] = '#' .. log.name .. '\0' .. n end
    for _, entry in ipairs(call('HMGET', base .. 'l:' .. row, unpack(fields))) do shown[#shown + 1] = entry end
  end
  return shown
end
`;

const writing = String.raw`
-- Adds what is known of a log and of all logs to the fields that are stored.
function logs.save(row, log, all, fields)
  local n = #fields
  fields[n + 1], fields[n + 2] = '=', cmsgpack.pack({ chars = all.chars, names = all.names })
  fields[n + 3], fields[n + 4] = ':' .. log.name, cmsgpack.pack({ log.count, log.last, log.stored, log.chars, log.ended,
    log.mark, log.note, log.followed, log.given })
  call('HSET', base .. 'l:' .. row, unpack(fields))
end

-- Deletes the oldest entries.
function logs.shorten(row, log, all, maxChars, spare)
  while log.chars > maxChars and log.stored > spare do
    local field = '#' .. log.name .. '\0' .. (log.last - log.stored + 1)
    local chars = tonumber(match(call('HGET', base .. 'l:' .. row, field), '^%d+'))
    log.chars, log.stored, all.chars = log.chars - chars, log.stored - 1, all.chars - chars
    call('HDEL', base .. 'l:' .. row, field)
  end
  if log.stored == 0 then log.last = 0 end
end

function logs.delete(row, log, all)
  logs.shorten(row, log, all, -1, 0)
  for i = #all.names, 1, -1 do if all.names[i] == log.name then table.remove(all.names, i) end end
  call('HSET', base .. 'l:' .. row, '=', cmsgpack.pack({ chars = all.chars, names = all.names }))
  call('HDEL', base .. 'l:' .. row, ':' .. log.name)
  all[':' .. log.name] = false
end

-- Deletes logs that have ended, the first to end first, while there are more than there is room for.
function logs.makeRoom(row, inUse, all, maxLogs, maxChars)
  if #all.names <= maxLogs and all.chars <= maxChars then return end
  local ended = {}
  for _, name in ipairs(all.names) do
    local log = logs.find(row, name, true)
    if log.ended > 0 and log ~= inUse then ended[#ended + 1] = log end
  end
  table.sort(ended, function(one, other) return one.ended < other.ended end)
  for _, log in ipairs(ended) do
    if #all.names <= maxLogs and all.chars <= maxChars then return end
    logs.delete(row, log, all)
  end
end

-- row, log, entries, at, mark, note, followed, ends, the most logs and characters
function logs.append(op, owner)
  local row, name = op[2], op[3]
  local log, all = logs.find(row, name, owner)
  local isFirst, fields = #all.names == 0, {}
  if not log then
    log = { name = name, count = 0, last = 0, stored = 0, chars = 0, ended = 0, mark = false, note = op[7],
      followed = false, given = 0 }
    all[':' .. name] = log
    all.names[#all.names + 1] = name
  end
  if op[6] then log.mark = op[6] end
  if op[8] ~= 0 then log.followed = op[8] end
  for _, index in ipairs(op[4]) do
    log.count = log.count + 1
    if index then
      local hasGap = log.stored > 0 and log.last ~= log.count - 1
      if #fields > 0 and (hasGap or #fields >= 1000) then
        call('HSET', base .. 'l:' .. row, unpack(fields))
        fields = {}
      end
      -- One between was not stored.
      if hasGap then logs.shorten(row, log, all, -1, 0) end
      local chars = tonumber(match(ARGV[index], '^%d+'))
      fields[#fields + 1] = '#' .. name .. '\0' .. log.count
      fields[#fields + 1] = ARGV[index]
      log.last, log.stored, log.chars, all.chars = log.count, log.stored + 1, log.chars + chars, all.chars + chars
    end
  end
  if op[9] then log.ended = nextStamp() end
  local expires = owner and isFirst and owner.expires
  if not owner then
    expires, all.isLoose = now + ${looseLogMs}, true
    fields[#fields + 1] = '!'
    fields[#fields + 1] = expires
  end
  logs.save(row, log, all, fields)
  if expires then call('PEXPIREAT', base .. 'l:' .. row, physical(expires)) end
  if op[10] then logs.makeRoom(row, log, all, op[10], op[11]) end
  return logs.shown(log, all)
end

-- Logs that were there before their row go with it from now on.
function logs.adopt(row)
  local all = known[row.key] or select(2, logs.find(row.key, '', false))
  if not all.isLoose then return end
  all.isLoose = false
  local key = base .. 'l:' .. row.key
  call('HDEL', key, '!')
  if row.expires then call('PEXPIREAT', key, physical(row.expires)) else call('PERSIST', key) end
end

function logs.deleteAll(row)
  call('DEL', base .. 'l:' .. row)
  known[row] = nil
end

-- log, above, and what is deleted: everything, or down to target, least and spare
function logs.trim(row, step, hasRow)
  local log, all = logs.find(row, step[1], hasRow)
  if not log or all.chars <= step[2] then return end
  if step[3] then
    logs.shorten(row, log, all, math.max(step[4], log.chars - (all.chars - step[3])), step[5])
    return logs.save(row, log, all, {})
  end
  if #all.names == 1 then logs.deleteAll(row) else logs.delete(row, log, all) end
end

function logs.list(row, hasRow)
  local found, all = {}, select(2, logs.find(row, '', hasRow))
  for i, name in ipairs(all.names) do found[i] = logs.shown(logs.find(row, name, hasRow), all) end
  return found
end
`;

export const logsLua = `local logs = {}
${reading}${writing}`;
