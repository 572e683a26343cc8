/** How `run` counts and limits the rows of groups. */

/** Redis does nothing else during a script: it removes only so many members. */
const purgedAtOnce = 500;

/**
 * All groups of a partition are the sorted set 'g' of 'GROUP\0NUMBER\0KEY'; 'x' has those that expire, by their moment. Where
 * characters of a group are limited, the hash 'w' has '=GROUP' with their sum, and those of each member with the stamp of its
 * put; 't' is the order in which they were put, as 'GROUP\0STAMP\0NUMBER\0KEY'.
 */
const counting = String.raw`
function groups.member(group, row)
  row.place = row.place or '\0' .. format('%016.0f', row.number) .. '\0' .. row.key
  return group .. row.place
end
function groups.has(list, name)
  for _, each in ipairs(list) do if each == name then return true end end
  return false
end
function groups.size(group) return call('ZLEXCOUNT', base .. 'g', '[' .. group .. '\0', '(' .. group .. '\1') end

function groups.list(group, after, max)
  local from = after and '(' .. group .. '\0' .. format('%016.0f', after) .. '\255' or '[' .. group .. '\0'
  return call('ZRANGE', base .. 'g', from, '(' .. group .. '\1', 'BYLEX', 'LIMIT', 0, max)
end

function groups.membersOf(row)
  local found = {}
  for i, name in ipairs(row.groups) do found[i] = groups.member(name, row) end
  return found
end

function groups.remove(members, stayed)
  if #members == 0 then return end
  isChanged = true
  call('ZREM', base .. 'g', unpack(members))
  if not stayed then call('ZREM', base .. 'x', unpack(members)) end
  if not chars.areLimited() then return end
  for _, member in ipairs(members) do
    chars.remove(member)
    local group = match(member, '^[^%z]*')
    if groups.size(group) == 0 then call('HDEL', base .. 'w', '=' .. group) end
  end
end

-- Members whose rows have expired are not counted. False if there are more of them than one script removes.
function groups.purge()
  local expired = call('ZRANGE', base .. 'x', '-inf', now, 'BYSCORE', 'LIMIT', 0, ${purgedAtOnce})
  groups.remove(expired)
  return #expired < ${purgedAtOnce}
end

-- A row has other groups than before.
function groups.join(row, before, members, stayed)
  local joined, left = {}, {}
  for _, member in ipairs(members) do
    if not groups.has(before, member[1]) then
      joined[#joined + 1] = 0
      joined[#joined + 1] = groups.member(member[1], row)
    end
  end
  for _, name in ipairs(before) do
    if not groups.has(row.groups, name) then left[#left + 1] = groups.member(name, row) end
  end
  groups.remove(left, stayed)
  if #joined == 0 then return end
  isChanged, stays = true, stays or not row.expires
  call('ZADD', base .. 'g', unpack(joined))
  if not row.chars or not chars.areLimited() then return end
  for i = 2, #joined, 2 do chars.add(joined[i], row) end
end

function groups.expire(row)
  local expiring = {}
  for _, member in ipairs(groups.membersOf(row)) do
    expiring[#expiring + 1] = row.expires
    expiring[#expiring + 1] = member
  end
  if #expiring == 0 then return end
  call('ZADD', base .. 'x', unpack(expiring))
  isChanged = true
end

-- Makes room for a row that has joined.
function groups.limit(group, max, deletesOldest, maxChars, newest)
  local excess = deletesOldest and max and groups.size(group) - max or 0
  for _, member in ipairs(excess > 0 and groups.list(group, nil, excess + 1) or {}) do
    local key = match(member, '^.-%z%d+%z(.*)$')
    if excess > 0 and key ~= newest.key then
      local row = find(key)
      if row then dropRow(row) else groups.remove({ member }) end
      excess = excess - 1
    end
  end
  if maxChars then chars.limit(group, maxChars, newest) end
end

-- The keys of groups go with the last row that expires, unless one stays.
function groups.settle()
  if not isChanged then return end
  if stays then
    if call('PERSIST', base .. 'g') == 1 then for _, name in ipairs({ 'x', 'w', 't' }) do call('PERSIST', base .. name) end end
    return
  end
  local all = call('ZCARD', base .. 'g')
  if all == 0 then return call('DEL', base .. 'w', base .. 't') end
  if call('ZCARD', base .. 'x') < all then return end
  local at = physical(tonumber(call('ZRANGE', base .. 'x', -1, -1, 'WITHSCORES')[2]))
  for _, name in ipairs({ 'g', 'x', 'w', 't' }) do call('PEXPIREAT', base .. name, at) end
end
`;

const chars = String.raw`
-- Whether a group of the partition limits characters.
function chars.areLimited()
  if hasChars == nil then hasChars = call('EXISTS', base .. 'w') == 1 end
  return hasChars
end

function chars.add(member, row)
  local group = match(member, '^[^%z]*')
  if call('HEXISTS', base .. 'w', '=' .. group) == 0 then return end
  local put = format('%016.0f', row.put)
  call('HSET', base .. 'w', member, row.chars .. ' ' .. put)
  call('HINCRBY', base .. 'w', '=' .. group, row.chars)
  call('ZADD', base .. 't', 0, group .. '\0' .. put .. string.sub(member, #group + 1))
end

function chars.remove(member)
  local counted = call('HGET', base .. 'w', member)
  if not counted then return end
  local group, size, put = match(member, '^[^%z]*'), match(counted, '^(%d+) (%d+)$')
  call('HDEL', base .. 'w', member)
  call('HINCRBY', base .. 'w', '=' .. group, 0 - tonumber(size))
  call('ZREM', base .. 't', group .. '\0' .. put .. string.sub(member, #group + 1))
end

-- Rows that were put before a group had a limit are counted when it gets one.
function chars.count(group)
  if call('HEXISTS', base .. 'w', '=' .. group) == 1 then return end
  isChanged = true
  call('HSET', base .. 'w', '=' .. group, 0)
  for _, member in ipairs(groups.list(group, nil, -1)) do
    local row = find(match(member, '^.-%z%d+%z(.*)$'))
    if row and row.chars then chars.add(member, row) end
  end
end

function chars.areBelow(group, max)
  -- A group without members leaves nothing behind.
  if groups.size(group) == 0 then return true end
  hasChars = true
  chars.count(group)
  return tonumber(call('HGET', base .. 'w', '=' .. group) or 0) < max
end

function chars.limit(group, max, newest)
  hasChars = true
  chars.count(group)
  local skipped = 0
  while tonumber(call('HGET', base .. 'w', '=' .. group)) > max do
    local oldest = call('ZRANGE', base .. 't', '[' .. group .. '\0', '(' .. group .. '\1', 'BYLEX', 'LIMIT', skipped, 1)[1]
    if not oldest then return end
    local number, key = match(oldest, '^.-%z%d+%z(%d+)%z(.*)$')
    local row = key ~= newest.key and find(key)
    if key == newest.key then skipped = 1
    elseif not row then chars.remove(group .. '\0' .. number .. '\0' .. key)
    else
      for _, member in ipairs(groups.membersOf(row)) do chars.remove(member) end
      row.chars, row.put = false, false
      call('HDEL', base .. 'r:' .. key, 'd')
      call('HSET', base .. 'r:' .. key, 'm', packedRow(row))
    end
  end
end
`;

export const groupsLua = `
local find, dropRow, packedRow
local groups, chars = {}, {}
${counting}${chars}`;
