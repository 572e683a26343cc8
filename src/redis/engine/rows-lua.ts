/** How runs read, write and delete rows. */

/**
 * A row is the hash 'r:KEY': m with what is known of it, d with its data, '.NAME' for its fields; 'a:ALIAS' has its key.
 * A queue is the sorted set 'd:QUEUE\0LANE' of rows by the stamp at which they are due; 'q:QUEUE' has its lanes by the stamp
 * of their turn, and 'q' the queues. A turn may be too early where rows have left: 'take' corrects it.
 */
const reading = String.raw`
local function unpackedRow(key, packed)
  local p = cmsgpack.unpack(packed)
  return { key = key, version = p[1], number = p[2], created = p[3], updated = p[4], expires = p[5], alias = p[6], taken = p[7],
    groups = p[8], queues = p[9], chars = p[10], put = p[11] }
end

function packedRow(row)
  return cmsgpack.pack({ row.version, row.number, row.created, row.updated, row.expires, row.alias, row.taken, row.groups,
    row.queues, row.chars, row.put })
end

-- With its hash, of which data and fields are read.
local function shown(row, hash)
  return { row.key, row.version, row.number, row.created, row.updated, row.expires and format('%.17g', row.expires),
    row.taken, hash }
end

-- The row or false, with its hash.
local function read(key)
  local hash = call('HGETALL', base .. 'r:' .. key)
  for i = 1, #hash, 2 do
    if hash[i] == 'm' then
      local row = unpackedRow(key, hash[i + 1])
      return not (row.expires and row.expires <= now) and row, hash
    end
  end
  return false
end
`;

const finding = String.raw`
-- The row, or false. What has expired is deleted: Redis does it itself unless the clock was given.
function find(key)
  local known = rows[key]
  if known ~= nil then return known end
  local packed = call('HGET', base .. 'r:' .. key, 'm')
  local row = packed and unpackedRow(key, packed)
  rows[key] = row
  if row and row.expires and row.expires <= now then dropRow(row) end
  return rows[key]
end

function dropRow(row)
  call('DEL', base .. 'r:' .. row.key)
  logs.deleteAll(row.key)
  if row.alias and call('GET', base .. 'a:' .. row.alias) == row.key then call('DEL', base .. 'a:' .. row.alias) end
  if #row.groups > 0 then groups.remove(groups.membersOf(row)) end
  -- Its lanes stay, until 'take' meets them.
  for queue, lane in pairs(row.queues) do call('ZREM', base .. 'd:' .. queue .. '\0' .. lane, row.key) end
  rows[row.key] = false
end
`;

const writing = String.raw`
local function enqueue(row, list)
  for _, due in ipairs(list) do
    local queue, inMs, lane = due[1], due[2], due[3]
    local before = row.queues[queue]
    if not inMs then lane = nil else lane = lane or before or '' end
    if before and before ~= lane then call('ZREM', base .. 'd:' .. queue .. '\0' .. before, row.key) end
    if lane then
      local at = nextStamp() + inMs * 1000
      call('ZADD', base .. 'd:' .. queue .. '\0' .. lane, at, row.key)
      if call('ZADD', base .. 'q:' .. queue, 'LT', 'CH', at, lane) == 1 then call('ZADD', base .. 'q', 'LT', at, queue) end
    end
    row.queues[queue] = lane
  end
end

-- key, version, when, its version, data, chars, fields, expiry, alias, groups, due
local function put(op)
  local key, data, fields, expiresIn, joined = op[2], op[6], op[8], op[9], op[11]
  local row = find(key)
  local isNew = not row
  if isNew then
    row = { key = key, number = nextStamp(), created = now, expires = false, alias = op[10], groups = {}, queues = {},
      chars = false, put = false }
    rows[key] = row
  end
  row.version, row.updated, row.taken = op[3], now, false
  local stayed, before = not row.expires, row.groups
  if expiresIn then row.expires = now + expiresIn end
  if data then
    local members = #before > 0 and chars.areLimited() and groups.membersOf(row) or {}
    for _, member in ipairs(members) do chars.remove(member) end
    row.chars, row.put = op[7], nextStamp()
    for _, member in ipairs(members) do chars.add(member, row) end
  end
  if joined then
    row.groups = {}
    for i, member in ipairs(joined) do row.groups[i] = member[1] end
  end
  if op[12] then enqueue(row, op[12]) end
  local set, deleted = { 'm', packedRow(row) }, {}
  if data then set[3], set[4] = 'd', ARGV[data] end
  for i = 1, fields and #fields or 0, 2 do
    if fields[i + 1] then
      set[#set + 1] = fields[i]
      set[#set + 1] = ARGV[fields[i + 1]]
    else deleted[#deleted + 1] = fields[i] end
  end
  call('HSET', base .. 'r:' .. key, unpack(set))
  if #deleted > 0 then call('HDEL', base .. 'r:' .. key, unpack(deleted)) end
  if isNew then
    if row.alias then call('SET', base .. 'a:' .. row.alias, key) end
    logs.adopt(row)
  end
  if expiresIn then
    call('PEXPIREAT', base .. 'r:' .. key, physical(row.expires))
    if row.alias then call('PEXPIREAT', base .. 'a:' .. row.alias, physical(row.expires)) end
    if not isNew then call('PEXPIREAT', base .. 'l:' .. key, physical(row.expires)) end
  end
  if joined then groups.join(row, before, joined, stayed) end
  if row.expires and (expiresIn or joined) and #row.groups > 0 then groups.expire(row) end
  for _, member in ipairs(joined or {}) do
    if member[3] or member[4] then groups.limit(member[1], member[2], member[3], member[4], row) end
  end
  return { row.number, row.created, row.expires and format('%.17g', row.expires) }
end
`;

export const rowsLua = reading + finding + writing;
