/** How `run` reads, writes and deletes rows. */

/**
 * A row is the hash 'r:KEY': v version, n number, c created, u updated, x expires, a alias, t taken, g groups, q queues and
 * lanes, w characters and p stamp of its data d, and '.NAME' for its fields; 'a:ALIAS' has its key.
 * A queue is the sorted set 'd:QUEUE\0LANE' of rows by the stamp at which they are due; 'q:QUEUE' has its lanes by the stamp
 * of their turn, and 'q' the queues. A turn may be too early where rows have left: 'take' corrects it.
 */
const reading = String.raw`
local rows = {}

-- The row, or false. What has expired is deleted: Redis does it itself unless the clock was given.
function find(key)
  local known = rows[key]
  if known ~= nil then return known end
  rows[key] = false
  local r = call('HMGET', base .. 'r:' .. key, 'v', 'n', 'c', 'x', 'a', 't', 'g', 'q', 'w', 'p')
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

-- The lane stays, until 'take' meets it.
local function unqueue(key, queue, lane) call('ZREM', base .. 'd:' .. queue .. '\0' .. lane, key) end

local function lanesOf(row)
  local found = {}
  for queue, lane in string.gmatch(row.queues, '([^%z]*)%z([^%z]*)%z') do found[queue] = lane end
  return found
end

function dropRow(row)
  call('DEL', base .. 'r:' .. row.key)
  useLogs().deleteAll(row.key)
  if row.alias and call('GET', base .. 'a:' .. row.alias) == row.key then call('DEL', base .. 'a:' .. row.alias) end
  if row.groups ~= '' then useGroups().remove(useGroups().membersOf(row)) end
  for queue, lane in pairs(lanesOf(row)) do unqueue(row.key, queue, lane) end
  rows[row.key] = false
end
`;

const writing = String.raw`
local function enqueue(row, list)
  local lanes = lanesOf(row)
  for _, due in ipairs(list) do
    local queue, inMs, lane = due[1], due[2], due[3]
    local before = lanes[queue]
    if not inMs then lane = nil else lane = lane or before or '' end
    if before and before ~= lane then unqueue(row.key, queue, before) end
    if lane then
      local at = nextStamp() + inMs * 1000
      call('ZADD', base .. 'd:' .. queue .. '\0' .. lane, at, row.key)
      if call('ZADD', base .. 'q:' .. queue, 'LT', 'CH', at, lane) == 1 then call('ZADD', base .. 'q', 'LT', at, queue) end
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
  local set, deleted = { 'v', op[3], 'u', now }, {}
  if isNew then
    row = { key = key, number = nextStamp(), created = now, alias = alias, groups = '', queues = '' }
    rows[key] = row
    set = { 'v', op[3], 'u', now, 'n', row.number, 'c', now }
  end
  row.version = op[3]
  local function store(field, value)
    set[#set + 1] = field
    set[#set + 1] = value
  end
  if isNew and alias then store('a', alias) end
  if row.taken and row.taken ~= '' then store('t', '') end
  row.taken = ''
  for _, field in ipairs(fields or {}) do
    if field[2] then store('.' .. field[1], ARGV[field[2]]) else deleted[#deleted + 1] = '.' .. field[1] end
  end
  local stayed = not row.expires
  if expiresIn then
    row.expires = now + expiresIn
    store('x', row.expires)
  end
  local before = row.groups
  local chars = data and before ~= '' and useGroups().chars()
  for _, member in ipairs(chars and useGroups().membersOf(row) or {}) do chars.remove(member) end
  if data then
    row.chars, row.put = op[7], nextStamp()
    store('d', ARGV[data])
    store('w', row.chars)
    store('p', row.put)
  end
  for _, member in ipairs(chars and useGroups().membersOf(row) or {}) do chars.add(member, row) end
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
  call('HSET', base .. 'r:' .. key, unpack(set))
  if #deleted > 0 then call('HDEL', base .. 'r:' .. key, unpack(deleted)) end
  if isNew then
    if alias then call('SET', base .. 'a:' .. alias, key) end
    useLogs().adopt(row)
  end
  if expiresIn then
    call('PEXPIREAT', base .. 'r:' .. key, physical(row.expires))
    if row.alias then call('PEXPIREAT', base .. 'a:' .. row.alias, physical(row.expires)) end
    if not isNew then call('PEXPIREAT', base .. 'l:' .. key, physical(row.expires)) end
  end
  if groups then useGroups().join(row, before, groups, stayed) end
  if row.expires and (expiresIn or groups) and row.groups ~= '' then useGroups().expire(row) end
  for _, member in ipairs(groups or {}) do useGroups().limit(member[1], member[2], member[3], member[4], row) end
  return { row.number, row.created, row.expires and format('%.17g', row.expires) or false }
end
`;

export const rowsLua = reading + writing;
