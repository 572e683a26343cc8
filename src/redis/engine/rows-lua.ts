/** How `run` reads and deletes rows, and what they have in groups and queues. */

/**
 * A row is the hash 'r:KEY': v version, n number, c created, u updated, x expires, a alias, t taken, g groups, q queues and
 * lanes, w characters and p stamp of its data d, and '.NAME' for its fields. All groups of a partition are the sorted set 'g'
 * of 'GROUP\0NUMBER\0KEY'; 'x' has those that expire, by their moment. Where a group limits characters, the hash 'w' has
 * '=GROUP' with their sum and those of each member, and 't' is the order in which they were put.
 * A queue is the sorted set 'd:QUEUE\0LANE' of rows by the stamp at which they are due; 'q:QUEUE' has its lanes by the stamp
 * of their turn, and 'q' the queues. A turn may be too early where rows have left: 'take' corrects it.
 */
export const rowsLua = String.raw`
local rows, logs = {}, {}
local groupsChanged, hasChars

local function rowKey(key) return base .. 'r:' .. key end
local function dueKey(queue, lane) return base .. 'd:' .. queue .. '\0' .. lane end
local function memberOf(group, row) return group .. '\0' .. sortable(row.number) .. '\0' .. row.key end

local function pairsIn(list)
  local found = {}
  for queue, lane in string.gmatch(list, '([^%z]*)%z([^%z]*)%z') do found[queue] = lane end
  return found
end

local function namesIn(list)
  local found = {}
  for name in string.gmatch(list, '([^%z]*)%z') do found[#found + 1] = name end
  return found
end

local function isIn(list, name) return string.find('\0' .. list, '\0' .. name .. '\0', 1, true) ~= nil end

local function limitsChars()
  if hasChars == nil then hasChars = call('EXISTS', base .. 'w') == 1 end
  return hasChars
end

-- Forgets what the data of a member counts.
local function uncount(member)
  local counted = limitsChars() and call('HGET', base .. 'w', member)
  if not counted then return end
  local group, number, key = string.match(member, '^(.-)%z(%d+)%z(.*)$')
  local chars, put = string.match(counted, '^(%d+) (%d+)$')
  call('HDEL', base .. 'w', member)
  call('HINCRBY', base .. 'w', '=' .. group, 0 - tonumber(chars))
  call('ZREM', base .. 't', group .. '\0' .. put .. '\0' .. number .. '\0' .. key)
end

local function countChars(group, row)
  if not row.chars or not limitsChars() or call('HEXISTS', base .. 'w', '=' .. group) == 0 then return end
  local put = sortable(row.put)
  call('HSET', base .. 'w', memberOf(group, row), row.chars .. ' ' .. put)
  call('HINCRBY', base .. 'w', '=' .. group, row.chars)
  call('ZADD', base .. 't', 0, group .. '\0' .. put .. '\0' .. sortable(row.number) .. '\0' .. row.key)
end

local function size(group)
  return call('ZLEXCOUNT', base .. 'g', '[' .. group .. '\0', '(' .. group .. '\1')
end

local function membersOf(group, after, max)
  local from = after and '(' .. group .. '\0' .. sortable(after) .. '\255' or '[' .. group .. '\0'
  return call('ZRANGE', base .. 'g', from, '(' .. group .. '\1', 'BYLEX', 'LIMIT', 0, max)
end

local function removeMembers(members)
  if #members == 0 then return end
  groupsChanged = true
  call('ZREM', base .. 'g', unpack(members))
  call('ZREM', base .. 'x', unpack(members))
  for _, member in ipairs(members) do
    uncount(member)
    local group = string.match(member, '^[^%z]*')
    if limitsChars() and size(group) == 0 then call('HDEL', base .. 'w', '=' .. group) end
  end
end

local isPurged = false
-- Members whose rows have expired are not counted.
local function purge()
  if isPurged then return end
  isPurged = true
  repeat
    local expired = call('ZRANGE', base .. 'x', '-inf', now, 'BYSCORE', 'LIMIT', 0, 1000)
    removeMembers(expired)
  until #expired < 1000
end

local function unqueue(key, queue, lane)
  call('ZREM', dueKey(queue, lane), key)
  if call('EXISTS', dueKey(queue, lane)) == 0 then call('ZREM', base .. 'q:' .. queue, lane) end
end

local function dropRow(row)
  call('DEL', rowKey(row.key), logKey(row.key), entryKey(row.key))
  if row.alias and call('GET', base .. 'a:' .. row.alias) == row.key then call('DEL', base .. 'a:' .. row.alias) end
  local members = {}
  for i, group in ipairs(namesIn(row.groups)) do members[i] = memberOf(group, row) end
  removeMembers(members)
  for queue, lane in pairs(pairsIn(row.queues)) do unqueue(row.key, queue, lane) end
  rows[row.key] = false
  logs[row.key] = nil
end

-- The row, or false. What has expired is deleted: Redis does it itself unless the clock was given.
local function find(key)
  local known = rows[key]
  if known ~= nil then return known end
  rows[key] = false
  local r = call('HMGET', rowKey(key), 'v', 'n', 'c', 'x', 'a', 't', 'g', 'q', 'w', 'p')
  if not r[1] then return false end
  local row = { key = key, version = r[1], number = tonumber(r[2]), created = tonumber(r[3]),
    expires = r[4] and tonumber(r[4]), alias = r[5], taken = r[6], groups = r[7] or '', queues = r[8] or '',
    chars = r[9] and tonumber(r[9]), put = r[10] and tonumber(r[10]) }
  if row.expires and row.expires <= now then
    dropRow(row)
    return false
  end
  rows[key] = row
  return row
end

local function findByAlias(alias)
  local key = call('GET', base .. 'a:' .. alias)
  local row = key and find(key)
  return row and row.alias == alias and row
end

-- The keys of groups go with the last row that expires, unless one stays.
local function expireGroups()
  local all = call('ZCARD', base .. 'g')
  if all == 0 then return call('DEL', base .. 'w', base .. 't') end
  local names = { base .. 'g', base .. 'x', base .. 'w', base .. 't' }
  if call('ZCARD', base .. 'x') == all then
    local at = physical(tonumber(call('ZRANGE', base .. 'x', -1, -1, 'WITHSCORES')[2]))
    for _, name in ipairs(names) do call('PEXPIREAT', name, at) end
  elseif call('PERSIST', names[1]) == 1 then
    for i = 2, 4 do call('PERSIST', names[i]) end
  end
end
`;
