/** The function of `run`: the ops of one partition, all or nothing. */
import { roundingMs } from '../../store/driver.ts';

const buckets = String.raw`
local function fill(key, at) call('SET', base .. 'b:' .. key, format('%.17g', at), 'PXAT', physical(at)) end

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

/** What an op needs before anything is changed: the reason why it fails, with what was found. */
const conditions = String.raw`
local function shownRow(row) return row and shown(row, call('HGETALL', base .. 'r:' .. row.key)) end

local function rowFails(when, version, row)
  local holds
  if when == 'absent' then holds = not row
  elseif when == 'present' then holds = row
  elseif when == 'version' then holds = row and row.version == version
  else holds = not row or row.version == version end
  if not holds then return 'condition', shownRow(row) end
end

local function putFails(op)
  local row = find(op[2])
  local alias, joined = op[10], op[11]
  if op[4] then
    local why, found = rowFails(op[4], op[5], row)
    if why then return why, found end
  end
  if alias then
    local key = call('GET', base .. 'a:' .. alias)
    local other = key and find(key)
    if other and other ~= row and other.alias == alias then return 'alias', shownRow(other) end
  end
  for _, member in ipairs(joined or {}) do
    local max, deletesOldest = member[2], member[3]
    if max and not deletesOldest and not (row and groups.has(row.groups, member[1])) then
      if groups.size(member[1]) >= max then return 'full', member[1] end
    end
  end
  for _, limited in ipairs(op[13] or {}) do
    if limited[2] and not chars.areBelow(limited[1], limited[2]) then return 'full', limited[1] end
  end
end

local function appendFails(op)
  local log, all = logs.find(op[2], op[3], find(op[2]))
  local at, mark, count = op[5], op[6], log and log.count or 0
  local why
  if log and log.ended > 0 then why = 'ended'
  elseif mark and log and log.mark and mark <= log.mark then why = 'mark'
  elseif at and at > count + 1 then why = 'gap'
  elseif at and at <= count then why = 'repeated'
  elseif not log and #op[4] == 0 then why = 'absent' end
  if why then return why, log and logs.shown(log, all) end
end
`;

/** What an op does; `false` where it has no result. */
const effects = String.raw`
local function list(op)
  local found, after = {}, op[3]
  while #found < op[4] do
    local wanted = op[4] - #found
    local members = groups.list(op[2], after, wanted)
    for _, member in ipairs(members) do
      local number, key = match(member, '^.-%z(%d+)%z(.*)$')
      local row = find(key)
      after = tonumber(number)
      if row and row.number == after then found[#found + 1] = shownRow(row)
      -- Redis had no room for it.
      else groups.remove({ member }) end
    end
    if #members < wanted then break end
  end
  return found
end

local function entries(op)
  local log, all = logs.find(op[2], op[3], find(op[2]))
  if not log then return false end
  local given = math.min(op[4], log.count)
  if given > log.given then
    log.given = given
    logs.save(op[2], log, all, {})
  end
  return logs.shownAfter(op[2], log, all, op[4])
end

local function apply(op)
  local kind, name = op[1], op[2]
  if kind == 'put' then return put(op)
  elseif kind == 'append' then return logs.append(op, find(name))
  elseif kind == 'get' and rows[name] == nil then
    local row, hash = read(name)
    return row and shown(row, hash)
  elseif kind == 'get' then return shownRow(rows[name])
  elseif kind == 'list' then return list(op)
  elseif kind == 'entries' then return entries(op)
  elseif kind == 'logs' then return logs.list(name, find(name))
  elseif kind == 'publish' then call('PUBLISH', name, ARGV[op[3]])
  elseif kind == 'delete' then
    local row = find(name)
    if row then dropRow(row) end
    return row and 1 or 0
  elseif kind == 'tokens' then
    local at = fullAt(op)
    if at > now then fill(name, at) end
  elseif kind == 'trim' then
    for _, step in ipairs(op[3] or {}) do logs.trim(name, step, find(name)) end
    if not op[3] then logs.deleteAll(name) end
  end
  return false
end
`;

/**
 * KEYS: the clock, the partition. ARGV: the time, the furthest time seen, the ops as JSON, then the texts that they have
 * the indexes of. Returns the time and the results; or the time, the index of the op that failed, why, and what was found;
 * or the time and -1: it has only removed members that have expired, and is called again.
 */
const main = `
local function countsGroups(ops)
  for _, op in ipairs(ops) do
    if op[1] == 'list' or op[1] == 'put' and (op[11] or op[13]) then return true end
  end
  return false
end

local function run(keys, args)
  begin(keys, args)
  base = KEYS[2]
  local ops = cjson.decode(ARGV[3])
  if countsGroups(ops) and not groups.purge() then return { now, -1 } end
  local wait, waiting, writes = 0, nil, false
  for i, op in ipairs(ops) do
    local kind, why, found = op[1], nil, nil
    if kind == 'tokens' then
      local missing = fullAt(op) - now - op[4]
      if missing > wait + ${roundingMs} then wait, waiting = missing, i end
    -- Further buckets may take longer.
    elseif waiting then why = nil
    elseif kind == 'put' then why, found = putFails(op)
    elseif kind == 'append' then why, found = appendFails(op)
    elseif kind == 'delete' and op[3] then why, found = rowFails(op[3], op[4], find(op[2])) end
    if why then return { now, i - 1, why, found or false } end
    writes = writes or kind == 'put' or kind == 'append' or kind == 'delete' or kind == 'tokens' or kind == 'trim'
  end
  if waiting then return { now, waiting - 1, 'tokens', math.ceil(wait) } end
  local results = {}
  for i, op in ipairs(ops) do results[i] = apply(op) end
  groups.settle()
  if writes then saveClock() end
  return { now, results }
end
`;

/** Defines `run`. */
export const runLua = buckets + conditions + effects + main;
