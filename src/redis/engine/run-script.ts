/** The script of `run`: the ops of one partition, all or nothing. */
import { roundingMs } from '../../store/driver.ts';
import { clockLua } from './clock-lua.ts';
import { logsLua } from './logs-lua.ts';
import { rowsLua } from './rows-lua.ts';
import { writeLua } from './write-lua.ts';

/** What each op needs before anything is changed: returns the reason why not, with what was found. */
const conditions = String.raw`
local function holds(when, version, row)
  if when == 'absent' then return not row end
  if when == 'present' then return row end
  if when == 'version' then return row and row.version == version end
  return not row or row.version == version
end

local function shownRow(row) return row and { row.key, call('HGETALL', rowKey(row.key)) } end

local conditions = {}

function conditions.put(op)
  local row = find(op[2])
  if op[4] and not holds(op[4], op[5], row) then return 'condition', shownRow(row) end
  local namesake = op[10] and findByAlias(op[10])
  if namesake and namesake ~= row then return 'alias', shownRow(namesake) end
  for _, member in ipairs(op[11] or {}) do
    local isRefusing = member[2] and not member[3] and not (row and isIn(row.groups, member[1]))
    if isRefusing then
      purge()
      if size(member[1]) >= member[2] then return 'full', member[1] end
    end
  end
end

function conditions.delete(op)
  local row = op[3] and find(op[2])
  if op[3] and not holds(op[3], op[4], row) then return 'condition', shownRow(row) end
end

function conditions.append(op)
  local log = logOf(op[2], op[3])
  local at, mark, count = op[5], op[6], log and log.count or 0
  local why
  if log and log.ended > 0 then why = 'ended'
  elseif mark and log and log.mark and mark <= log.mark then why = 'mark'
  elseif at and at > count + 1 then why = 'gap'
  elseif at and at <= count then why = 'repeated'
  elseif not log and #op[4] == 0 then why = 'absent' end
  if why then return why, log and shownLog(op[2], log) end
end

local function fill(key, at) call('SET', base .. 'b:' .. key, at, 'PXAT', physical(at)) end

-- When a bucket is full again after tokens were taken.
local function fullAt(op)
  local own = tonumber(call('GET', base .. 'b:' .. op[2]) or '0')
  -- Later than an empty one takes: the limit was lowered.
  if own > now + op[4] then
    own = now + op[4]
    fill(op[2], own)
  end
  return math.max(own, now) + op[3]
end
`;

/** What each op does; `false` where it has no result. */
const effects = String.raw`
local effects = { put = put, append = append }

function effects.delete(op)
  local row = find(op[2])
  if row then dropRow(row) end
  return row and 1 or 0
end

function effects.get(op) return shownRow(find(op[2])) end

function effects.list(op)
  purge()
  local found, after = {}, op[3]
  while #found < op[4] do
    local wanted = op[4] - #found
    local members = membersOf(op[2], after, wanted)
    for _, member in ipairs(members) do
      local number, key = string.match(member, '^.-%z(%d+)%z(.*)$')
      local row = find(key)
      after = tonumber(number)
      if row and row.number == after then found[#found + 1] = shownRow(row)
      -- Redis had no room for it.
      else removeMembers({ member }) end
    end
    if #members < wanted then break end
  end
  return found
end

function effects.entries(op)
  local log = logOf(op[2], op[3])
  if not log then return false end
  local given = math.min(op[4], log.count)
  if given > log.given then
    log.given = given
    saveLog(op[2], log)
  end
  return shownAfter(op[2], log, op[4])
end

function effects.logs(op)
  local row = find(op[2])
  local all = call('HGETALL', logKey(op[2]))
  local found = {}
  for i = 1, #all, 2 do
    if all[i] == '!' and not row and tonumber(all[i + 1]) <= now then return {} end
    if string.sub(all[i], 1, 1) == ':' then found[#found + 1] = unpackLog(string.sub(all[i], 2), all[i + 1]) end
  end
  table.sort(found, function(one, other) return one.began < other.began end)
  for i, log in ipairs(found) do found[i] = shownLog(op[2], log) end
  return found
end

function effects.trim(op)
  if op[3] then
    for _, step in ipairs(op[3]) do trimLog(op[2], step) end
  else
    call('DEL', logKey(op[2]), entryKey(op[2]))
    logs[op[2]] = nil
  end
  return false
end

function effects.tokens(op)
  local at = fullAt(op)
  if at > now then fill(op[2], at) end
  return false
end

function effects.publish(op)
  call('PUBLISH', op[2], ARGV[op[3]])
  return false
end
`;

/**
 * KEYS: the clock, the partition. ARGV: the time, the furthest time seen, the ops as JSON, then the texts that they have
 * the indexes of. Returns the time and the results; or the time, the index of the op that failed, why, and what was found.
 */
export const runScript = `${clockLua}${logsLua}${rowsLua}${writeLua}${conditions}${effects}
base = KEYS[2]
local ops = cjson.decode(ARGV[3])
local reads = { get = true, list = true, entries = true, logs = true, publish = true }
local wait, waiting, writes = 0, nil, false
for i, op in ipairs(ops) do
  local kind = op[1]
  if not reads[kind] then writes = true end
  if kind == 'tokens' then
    local missing = fullAt(op) - now - op[4]
    if missing > wait + ${roundingMs} then wait, waiting = missing, i end
  -- Further buckets may take longer.
  elseif conditions[kind] and not waiting then
    local why, found = conditions[kind](op)
    if why then return { now, i - 1, why, found or false } end
  end
end
if waiting then return { now, waiting - 1, 'tokens', math.ceil(wait) } end
local results = {}
for i, op in ipairs(ops) do results[i] = effects[op[1]](op) end
if groupsChanged then expireGroups() end
if writes then saveClock() end
return { now, results }
`;
