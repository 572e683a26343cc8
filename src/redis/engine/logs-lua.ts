/** How scripts read logs: a hash of what is known of the logs of a row, and a hash of their entries. */

/**
 * The first has a field ':NAME' for each log, '=' with the characters of all, and '!' with the expiry if there is no row.
 * The second has fields 'NAME\\0NUMBER' with 'CHARS:DATA'.
 */
export const logsLua = `
local function logKey(row) return base .. 'l:' .. row end
local function entryKey(row) return base .. 'e:' .. row end

local function unpackLog(name, packed)
  local p = cmsgpack.unpack(packed)
  return { name = name, count = p[1], last = p[2], stored = p[3], chars = p[4], ended = p[5], mark = p[6], note = p[7],
    followed = p[8], given = p[9], began = p[10] }
end

local function shownLog(row, log)
  local all = call('HMGET', logKey(row), '=', '!')
  local others = all[2] and 2 or 1
  return { log.name, log.count, log.stored, log.last, log.chars, log.ended, log.mark and text(log.mark), log.note,
    log.followed, log.given, tonumber(all[1]), call('HLEN', logKey(row)) - others }
end

-- With the number of the first entry, and the entries after a number.
local function shownAfter(row, log, after)
  local shown = shownLog(row, log)
  local first = math.max(log.last - log.stored, after) + 1
  shown[13] = first
  for from = first, log.stored > 0 and log.last or 0, 1000 do
    local fields = {}
    for n = from, math.min(from + 999, log.last) do fields[#fields + 1] = log.name .. '\\0' .. n end
    for _, entry in ipairs(call('HMGET', entryKey(row), unpack(fields))) do shown[#shown + 1] = entry end
  end
  return shown
end
`;
