/** The function of `take`: rows that are due, of the queues of several partitions. */

/**
 * KEYS: the clock, the partitions. ARGV: the time, the furthest time seen, and as JSON how many, the holder, the lease, the
 * log or false, the queues. Returns the time, then for each row the index of its partition, the row and its log.
 */
export const takeLua = String.raw`
local max, holder, lease, logName, isDue

local function dueKey(lane) return base .. 'd:' .. lane.queue .. '\0' .. lane.name end

-- The lanes whose turn has come, of all queues, in the order of their turns.
local function lanesOf(due)
  local lanes = {}
  for _, queue in ipairs(due) do
    local names = call('ZRANGE', queue.base .. 'q:' .. queue.name, '-inf', isDue, 'BYSCORE', 'LIMIT', 0, max, 'WITHSCORES')
    for i = 1, #names, 2 do
      lanes[#lanes + 1] = { base = queue.base, index = queue.index, queue = queue.name, name = names[i],
        turn = tonumber(names[i + 1]), keys = {}, at = 1, leased = {} }
    end
    queue.isMore = #names == max * 2
  end
  table.sort(lanes, function(one, other) return one.turn < other.turn end)
  return lanes
end

-- Gives a row to the holder. Not one that has expired, or a new one of its key that is not in this queue.
local function leaseRow(lane, key)
  local row, hash = read(key)
  if not row or row.queues[lane.queue] ~= lane.name then return end
  local before = row.taken and row.taken[1] == lane.queue and row.taken[2] or 0
  row.version, row.taken = holder, { lane.queue, before + 1, now }
  call('HSET', base .. 'r:' .. key, 'm', packedRow(row))
  lane.leased[#lane.leased + 1] = nextStamp() + lease * 1000
  lane.leased[#lane.leased + 1] = key
  if not logName then return { lane.index, shown(row, hash), false } end
  -- Another partition may have a row with this key.
  known = {}
  local log, all = logs.find(key, logName, true)
  return { lane.index, shown(row, hash), log and logs.shownAfter(key, log, all, 0) }
end

-- Rows that were leased are due again later.
local function saveLeases(lane)
  for from = 1, #lane.leased, 1000 do
    call('ZADD', dueKey(lane), unpack(lane.leased, from, math.min(from + 999, #lane.leased)))
  end
  lane.leased = {}
end

-- One row of a lane, if it has one.
local function takeOf(lane, share)
  base = lane.base
  while true do
    local key = lane.keys[lane.at]
    lane.at = lane.at + 1
    if not key then
      saveLeases(lane)
      lane.keys, lane.at = call('ZRANGE', dueKey(lane), '-inf', isDue, 'BYSCORE', 'LIMIT', 0, share), 2
      key = lane.keys[1]
    end
    if not key then return false end
    local row = leaseRow(lane, key)
    if row then
      lane.turn = nextStamp()
      return row
    end
    call('ZREM', dueKey(lane), key)
  end
end

-- A lane waits for its next row, or goes.
local function settleLane(lane)
  base = lane.base
  saveLeases(lane)
  local first = call('ZRANGE', dueKey(lane), 0, 0, 'WITHSCORES')
  local name = base .. 'q:' .. lane.queue
  if first[1] then call('ZADD', name, math.max(lane.turn, tonumber(first[2])), lane.name)
  else call('ZREM', name, lane.name) end
end

local function settleQueue(queue)
  local first = call('ZRANGE', queue.base .. 'q:' .. queue.name, 0, 0, 'WITHSCORES')
  if first[1] then call('ZADD', queue.base .. 'q', first[2], queue.name)
  else call('ZREM', queue.base .. 'q', queue.name) end
end

local function take(keys, args)
  begin(keys, args)
  local queues
  max, holder, lease, logName, queues = unpack(cjson.decode(ARGV[3]))
  isDue = '(' .. format('%.17g', (now + 1) * 1000)
  local wanted, found = {}, { now }
  for _, queue in ipairs(queues) do wanted[queue] = true end
  local due = {}
  for i = 2, #KEYS do
    for _, queue in ipairs(call('ZRANGE', KEYS[i] .. 'q', '-inf', isDue, 'BYSCORE')) do
      if wanted[queue] then due[#due + 1] = { base = KEYS[i], index = i - 2, name = queue } end
    end
  end
  while #due > 0 and #found <= max do
    local lanes = lanesOf(due)
    local share = math.ceil(max / math.max(#lanes, 1))
    local used, turn = {}, 1
    -- A lane that has had its turn is last.
    while #found <= max and lanes[turn] do
      local lane = lanes[turn]
      turn = turn + 1
      used[lane] = true
      local row = takeOf(lane, share)
      if row then
        found[#found + 1] = row
        lanes[#lanes + 1] = lane
      end
    end
    for lane in pairs(used) do settleLane(lane) end
    local more = {}
    for _, queue in ipairs(due) do
      settleQueue(queue)
      if queue.isMore then more[#more + 1] = queue end
    end
    due = more
  end
  if #found > 1 then saveClock() end
  return found
end
`;
