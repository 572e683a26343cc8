/** How `run` writes rows and logs. */
import { looseLogMs } from '../../store/driver.ts';

export const writeLua = String.raw`
local function dropData(row)
  for _, group in ipairs(namesIn(row.groups)) do uncount(memberOf(group, row)) end
  call('HDEL', rowKey(row.key), 'd', 'w', 'p')
  row.chars = nil
end

-- Makes room in a group for a row that has joined it.
local function limit(group, max, deletesOldest, maxChars, newest)
  if deletesOldest and max then
    purge()
    local excess = size(group) - max
    for _, member in ipairs(excess > 0 and membersOf(group, nil, excess + 1) or {}) do
      local key = string.match(member, '^.-%z%d+%z(.*)$')
      local row = key ~= newest.key and find(key)
      if excess > 0 and key ~= newest.key then
        if row then dropRow(row) else removeMembers({ member }) end
        excess = excess - 1
      end
    end
  end
  if not maxChars then return end
  purge()
  if not limitsChars() or call('HEXISTS', base .. 'w', '=' .. group) == 0 then
    hasChars = true
    call('HSET', base .. 'w', '=' .. group, 0)
    for _, member in ipairs(membersOf(group, nil, -1)) do
      local row = find(string.match(member, '^.-%z%d+%z(.*)$'))
      if row then countChars(group, row) end
    end
  end
  local excess = tonumber(call('HGET', base .. 'w', '=' .. group)) - maxChars
  local skipped = 0
  while excess > 0 do
    local oldest = call('ZRANGE', base .. 't', '[' .. group .. '\0', '(' .. group .. '\1', 'BYLEX', 'LIMIT', skipped, 1)[1]
    if not oldest then return end
    local put, number, key = string.match(oldest, '^.-%z(%d+)%z(%d+)%z(.*)$')
    local row = find(key)
    if key == newest.key then skipped = 1
    elseif row and row.chars then
      excess = excess - row.chars
      dropData(row)
    else
      uncount(group .. '\0' .. number .. '\0' .. key)
      excess = tonumber(call('HGET', base .. 'w', '=' .. group)) - maxChars
    end
  end
end

local function join(row, before, members)
  local joined, left, all = {}, {}, {}
  for _, member in ipairs(members) do
    all[#all + 1] = memberOf(member[1], row)
    if not isIn(before, member[1]) then
      joined[#joined + 1] = 0
      joined[#joined + 1] = all[#all]
    end
  end
  for _, group in ipairs(namesIn(before)) do
    if not isIn(row.groups, group) then left[#left + 1] = memberOf(group, row) end
  end
  removeMembers(left)
  if #joined > 0 then
    groupsChanged = true
    call('ZADD', base .. 'g', unpack(joined))
    for _, member in ipairs(members) do if not isIn(before, member[1]) then countChars(member[1], row) end end
  end
  return all
end

local function expireRow(row, isNew)
  local at = physical(row.expires)
  call('PEXPIREAT', rowKey(row.key), at)
  if isNew then return end
  call('PEXPIREAT', logKey(row.key), at)
  call('PEXPIREAT', entryKey(row.key), at)
  if row.alias then call('PEXPIREAT', base .. 'a:' .. row.alias, at) end
end

-- Logs that were there before their row go with it from now on.
local function adoptLogs(row)
  local expires = call('HGET', logKey(row.key), '!')
  if not expires then return end
  if tonumber(expires) <= now then
    call('DEL', logKey(row.key), entryKey(row.key))
    logs[row.key] = nil
    return
  end
  call('HDEL', logKey(row.key), '!')
  for _, name in ipairs({ logKey(row.key), entryKey(row.key) }) do
    if row.expires then call('PEXPIREAT', name, physical(row.expires)) else call('PERSIST', name) end
  end
end

local function enqueue(row, list)
  local lanes = pairsIn(row.queues)
  for _, due in ipairs(list) do
    local queue, inMs, lane = due[1], due[2], due[3]
    local before = lanes[queue]
    if not inMs then lane = nil else lane = lane or before or '' end
    if before and before ~= lane then unqueue(row.key, queue, before) end
    if lane then
      local at = nextStamp() + inMs * 1000
      call('ZADD', dueKey(queue, lane), at, row.key)
      call('ZADD', base .. 'q:' .. queue, 'LT', at, lane)
      call('ZADD', base .. 'q', 'LT', at, queue)
    end
    lanes[queue] = lane
  end
  local left = {}
  for queue, lane in pairs(lanes) do left[#left + 1] = queue .. '\0' .. lane .. '\0' end
  return table.concat(left)
end

-- key, version, when, its version, data, chars, fields, expiry, alias, groups, due
local function put(op)
  local key, data, fields, expiresIn, alias, groups, due = op[2], op[6], op[8], op[9], op[10], op[11], op[12]
  local row = find(key)
  local isNew = not row
  local set = { 'v', op[3], 'u', now }
  local function store(field, value)
    set[#set + 1] = field
    set[#set + 1] = value
  end
  if isNew then
    row = { key = key, number = nextStamp(), created = now, alias = alias, groups = '', queues = '' }
    rows[key] = row
    store('n', row.number)
    store('c', now)
    if alias then store('a', alias) end
  end
  row.version = op[3]
  local deleted = {}
  if row.taken then deleted[1] = 't' end
  row.taken = false
  for _, field in ipairs(fields or {}) do
    if field[2] then store('.' .. field[1], ARGV[field[2]]) else deleted[#deleted + 1] = '.' .. field[1] end
  end
  if expiresIn then
    row.expires = now + expiresIn
    store('x', row.expires)
  end
  if data then
    for _, group in ipairs(namesIn(row.groups)) do uncount(memberOf(group, row)) end
    row.chars, row.put = op[7], nextStamp()
    store('d', ARGV[data])
    store('w', row.chars)
    store('p', row.put)
    for _, group in ipairs(namesIn(row.groups)) do countChars(group, row) end
  end
  local before = row.groups
  if groups then
    local names = {}
    for i, member in ipairs(groups) do names[i] = member[1] .. '\0' end
    row.groups = table.concat(names)
    if row.groups ~= before then store('g', row.groups) end
  end
  if due then
    local queues = enqueue(row, due)
    if queues ~= row.queues then store('q', queues) end
    row.queues = queues
  end
  call('HSET', rowKey(key), unpack(set))
  if #deleted > 0 then call('HDEL', rowKey(key), unpack(deleted)) end
  if isNew and alias then call('SET', base .. 'a:' .. alias, key) end
  if expiresIn then expireRow(row, isNew and not alias) end
  if isNew then adoptLogs(row) end
  local members = groups and join(row, before, groups)
  if row.expires and (expiresIn or groups) and row.groups ~= '' then
    if not members then
      members = {}
      for i, group in ipairs(namesIn(row.groups)) do members[i] = memberOf(group, row) end
    end
    local expiring = {}
    for _, member in ipairs(members) do
      expiring[#expiring + 1] = row.expires
      expiring[#expiring + 1] = member
    end
    call('ZADD', base .. 'x', unpack(expiring))
    groupsChanged = true
  end
  for _, member in ipairs(groups or {}) do limit(member[1], member[2], member[3], member[4], row) end
  return { row.number, row.created, row.expires and text(row.expires) }
end

local function logOf(row, name)
  local known = logs[row] and logs[row][name]
  if known ~= nil then return known end
  local hasRow = find(row)
  local found = call('HMGET', logKey(row), ':' .. name, '!')
  if not hasRow and found[2] and tonumber(found[2]) <= now then
    call('DEL', logKey(row), entryKey(row))
    found[1] = false
  end
  logs[row] = logs[row] or {}
  logs[row][name] = found[1] and unpackLog(name, found[1])
  return logs[row][name]
end

local function saveLog(row, log)
  call('HSET', logKey(row), ':' .. log.name, cmsgpack.pack({ log.count, log.last, log.stored, log.chars, log.ended, log.mark,
    log.note, log.followed, log.given, log.began }))
end

-- Deletes the oldest entries; returns how many characters they had.
local function shorten(row, log, maxChars, spare)
  local before = log.chars
  while log.chars > maxChars and log.stored > spare do
    local field = log.name .. '\0' .. (log.last - log.stored + 1)
    log.chars = log.chars - tonumber(string.match(call('HGET', entryKey(row), field), '^%d+'))
    log.stored = log.stored - 1
    call('HDEL', entryKey(row), field)
  end
  if log.stored == 0 then log.last = 0 end
  return before - log.chars
end

-- row, log, entries, at, mark, note, followed, ends
local function append(op)
  local row, name = op[2], op[3]
  local log = logOf(row, name)
  if not log then
    log = { name = name, count = 0, last = 0, stored = 0, chars = 0, ended = 0, mark = false, note = op[7],
      followed = false, given = 0, began = nextStamp() }
    logs[row][name] = log
  end
  if op[6] then log.mark = op[6] end
  if op[8] ~= 0 then log.followed = op[8] end
  local grown = 0
  for _, index in ipairs(op[4]) do
    log.count = log.count + 1
    if index then
      if log.stored > 0 and log.last ~= log.count - 1 then grown = grown - shorten(row, log, -1, 0) end
      local chars = tonumber(string.match(ARGV[index], '^%d+'))
      call('HSET', entryKey(row), name .. '\0' .. log.count, ARGV[index])
      log.last, log.stored, log.chars, grown = log.count, log.stored + 1, log.chars + chars, grown + chars
    end
  end
  if op[9] then log.ended = nextStamp() end
  call('HINCRBY', logKey(row), '=', grown)
  saveLog(row, log)
  local owner = find(row)
  local expires = owner and owner.expires
  if not owner then
    expires = now + ${looseLogMs}
    call('HSET', logKey(row), '!', expires)
  end
  if expires then
    call('PEXPIREAT', logKey(row), physical(expires))
    call('PEXPIREAT', entryKey(row), physical(expires))
  end
  return shownLog(row, log)
end

-- log, above, and what is deleted: everything, or down to target, least and spare
local function trimLog(row, step)
  local log = logOf(row, step[1])
  local chars = log and tonumber(call('HGET', logKey(row), '='))
  if not log or chars <= step[2] then return end
  if step[3] then
    call('HINCRBY', logKey(row), '=', 0 - shorten(row, log, math.max(step[4], log.chars - (chars - step[3])), step[5]))
    return saveLog(row, log)
  end
  call('HINCRBY', logKey(row), '=', 0 - shorten(row, log, -1, 0))
  call('HDEL', logKey(row), ':' .. step[1])
  logs[row] = nil
  local left = call('HKEYS', logKey(row))
  for _, field in ipairs(left) do if string.sub(field, 1, 1) == ':' then return end end
  call('DEL', logKey(row), entryKey(row))
end
`;
