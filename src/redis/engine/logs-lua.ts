/** How scripts read and write logs: a hash of what is known of the logs of a row, and a hash of their entries. */
import { looseLogMs } from '../../store/driver.ts';

/**
 * The hash 'l:ROW' has a field ':LOG' for each log, '=' with characters and number of all, and '!' with the expiry if there
 * is no row. The hash 'e:ROW' has fields 'LOG\0NUMBER' with 'CHARS:DATA'.
 */
const reading = String.raw`
  local known = {}

  -- The log or false, and what is known of all logs of the row.
  function logs.find(row, name, hasRow)
    local all, field = known[base .. row], ':' .. name
    if all and all[field] ~= nil then return all[field], all end
    local found = call('HMGET', base .. 'l:' .. row, '=', '!', field)
    if found[2] and not hasRow and tonumber(found[2]) <= now then
      call('DEL', base .. 'l:' .. row, base .. 'e:' .. row)
      found = { false, false, false }
    end
    if not all then
      local chars, count = match(found[1] or '0 0', '^(%d+) (%d+)$')
      all = { ['='] = { chars = tonumber(chars), count = tonumber(count), isLoose = found[2] } }
      known[base .. row] = all
    end
    all[field] = found[3] and logs.unpacked(name, found[3])
    return all[field], all
  end

  function logs.unpacked(name, packed)
    local p = cmsgpack.unpack(packed)
    return { name = name, count = p[1], last = p[2], stored = p[3], chars = p[4], ended = p[5], mark = p[6], note = p[7],
      followed = p[8], given = p[9], began = p[10] }
  end

  function logs.shown(log, all)
    return { log.name, log.count, log.stored, log.last, log.chars, log.ended, log.mark and format('%.17g', log.mark),
      log.note, log.followed, log.given, all['='].chars, all['='].count }
  end

  -- With the number of the first entry, and the entries after a number.
  function logs.shownAfter(row, log, all, after)
    local shown = logs.shown(log, all)
    local first = math.max(log.last - log.stored, after) + 1
    shown[13] = first
    for from = first, log.stored > 0 and log.last or 0, 1000 do
      local fields = {}
      for n = from, math.min(from + 999, log.last) do fields[#fields + 1] = log.name .. '\0' .. n end
      for _, entry in ipairs(call('HMGET', base .. 'e:' .. row, unpack(fields))) do shown[#shown + 1] = entry end
    end
    return shown
  end
`;

const writing = String.raw`
  function logs.save(row, log, all)
    local sums = all['=']
    call('HSET', base .. 'l:' .. row, '=', sums.chars .. ' ' .. sums.count, ':' .. log.name,
      cmsgpack.pack({ log.count, log.last, log.stored, log.chars, log.ended, log.mark, log.note, log.followed, log.given,
        log.began }))
  end

  -- Deletes the oldest entries.
  function logs.shorten(row, log, all, maxChars, spare)
    while log.chars > maxChars and log.stored > spare do
      local field = log.name .. '\0' .. (log.last - log.stored + 1)
      local chars = tonumber(match(call('HGET', base .. 'e:' .. row, field), '^%d+'))
      log.chars, log.stored, all['='].chars = log.chars - chars, log.stored - 1, all['='].chars - chars
      call('HDEL', base .. 'e:' .. row, field)
    end
    if log.stored == 0 then log.last = 0 end
  end

  -- row, log, entries, at, mark, note, followed, ends
  function logs.append(op, owner)
    local row, name = op[2], op[3]
    local log, all = logs.find(row, name, owner)
    local sums = all['=']
    local mayBeNew = not log or log.stored == 0
    if not log then
      log = { name = name, count = 0, last = 0, stored = 0, chars = 0, ended = 0, mark = false, note = op[7],
        followed = false, given = 0, began = nextStamp() }
      all[':' .. name] = log
      sums.count = sums.count + 1
    end
    if op[6] then log.mark = op[6] end
    if op[8] ~= 0 then log.followed = op[8] end
    for _, index in ipairs(op[4]) do
      log.count = log.count + 1
      if index then
        if log.stored > 0 and log.last ~= log.count - 1 then logs.shorten(row, log, all, -1, 0) end
        local chars = tonumber(match(ARGV[index], '^%d+'))
        call('HSET', base .. 'e:' .. row, name .. '\0' .. log.count, ARGV[index])
        log.last, log.stored, log.chars, sums.chars = log.count, log.stored + 1, log.chars + chars, sums.chars + chars
      end
    end
    if op[9] then log.ended = nextStamp() end
    logs.save(row, log, all)
    local expires = owner and owner.expires
    if not owner then
      expires, sums.isLoose = now + ${looseLogMs}, true
      call('HSET', base .. 'l:' .. row, '!', expires)
    end
    if expires and (mayBeNew or not owner) then logs.expire(row, expires) end
    return logs.shown(log, all)
  end

  function logs.expire(row, expires)
    for _, key in ipairs({ base .. 'l:' .. row, base .. 'e:' .. row }) do
      if expires then call('PEXPIREAT', key, physical(expires)) else call('PERSIST', key) end
    end
  end

  -- Logs that were there before their row go with it from now on.
  function logs.adopt(row)
    local _, all = logs.find(row.key, '', false)
    if not all['='].isLoose then return end
    all['='].isLoose = false
    call('HDEL', base .. 'l:' .. row.key, '!')
    logs.expire(row.key, row.expires)
  end

  function logs.deleteAll(row)
    call('DEL', base .. 'l:' .. row, base .. 'e:' .. row)
    known[base .. row] = nil
  end

  -- log, above, and what is deleted: everything, or down to target, least and spare
  function logs.trim(row, step, hasRow)
    local log, all = logs.find(row, step[1], hasRow)
    local sums = all['=']
    if not log or sums.chars <= step[2] then return end
    if step[3] then
      logs.shorten(row, log, all, math.max(step[4], log.chars - (sums.chars - step[3])), step[5])
      return logs.save(row, log, all)
    end
    if sums.count == 1 then return logs.deleteAll(row) end
    logs.shorten(row, log, all, -1, 0)
    sums.count, all[':' .. step[1]] = sums.count - 1, false
    call('HDEL', base .. 'l:' .. row, ':' .. step[1])
    call('HSET', base .. 'l:' .. row, '=', sums.chars .. ' ' .. sums.count)
  end

  function logs.list(row, hasRow)
    local _, all = logs.find(row, '', hasRow)
    local stored, found = call('HGETALL', base .. 'l:' .. row), {}
    for i = 1, #stored, 2 do
      local name = match(stored[i], '^:(.*)$')
      if name then found[#found + 1] = logs.unpacked(name, stored[i + 1]) end
    end
    table.sort(found, function(one, other) return one.began < other.began end)
    for i, log in ipairs(found) do found[i] = logs.shown(log, all) end
    return found
  end
`;

const logsWith = (functions: string): string => `
local logsOnce
local function useLogs()
  if logsOnce then return logsOnce end
  local logs = {}
  logsOnce = logs
${functions}
  return logs
end
`;

export const readLogsLua = logsWith(reading);
export const logsLua = logsWith(reading + writing);
