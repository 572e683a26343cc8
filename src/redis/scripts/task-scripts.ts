/** Scripts of tasks, each on the keys of one shard. A task is a hash, its journal a list; sorted sets hold what is due. */
import { clock } from './clock.ts';

/** A task as the driver reads it: its fields, then the time. */
const row = `
local function row(key, moment)
  local r = redis.call('HMGET', key, 'id', 'owner', 'kind', 'data', 'over', 'version', 'created', 'updated', 'ends')
  if not r[1] then return false end
  r[10] = tostring(moment)
  return r
end
`;

/**
 * KEYS: the task, its journal, the tasks of its owner, those that are not over, its key, what is claimable, what ends, a counter.
 * ARGV: the clock, id, owner, kind, data, after how long it ends, the most of one owner, whether it has a key, its digest, entries.
 */
export const createTask = `${clock}${row}
local moment = now(ARGV[1])
if ARGV[8] == '1' then
  local earlier = redis.call('HMGET', KEYS[5], 'id', 'digest')
  if earlier[1] then
    if earlier[2] ~= ARGV[9] then return 'other-call' end
    return { 'earlier', earlier[1] }
  end
end
if redis.call('SCARD', KEYS[4]) >= tonumber(ARGV[7]) then return 'full' end
local ends = moment + tonumber(ARGV[6])
redis.call('HSET', KEYS[1], 'id', ARGV[2], 'owner', ARGV[3], 'kind', ARGV[4], 'data', ARGV[5], 'over', '0',
  'version', '1', 'created', moment, 'updated', moment, 'ends', ends)
for i = 10, #ARGV do redis.call('RPUSH', KEYS[2], ARGV[i]) end
redis.call('ZADD', KEYS[3], redis.call('INCR', KEYS[8]), ARGV[2])
redis.call('SADD', KEYS[4], ARGV[2])
if ARGV[8] == '1' then
  redis.call('HSET', KEYS[5], 'id', ARGV[2], 'digest', ARGV[9])
  redis.call('HSET', KEYS[1], 'key', KEYS[5])
end
redis.call('ZADD', KEYS[6], moment, ARGV[2])
redis.call('ZADD', KEYS[7], ends, ARGV[2])
return row(KEYS[1], moment)
`;

export const readTask = `${clock}${row}
return row(KEYS[1], now(ARGV[1]))
`;

/**
 * KEYS: the task, its journal, those of its owner that are not over, what is claimable, what ends, what is over.
 * ARGV: the clock, id, version, data, whether it is over, when it is claimable or '', when it ends or '', the next version, entries.
 */
export const writeTask = `${clock}
if redis.call('HGET', KEYS[1], 'version') ~= ARGV[3] then return 0 end
local moment = now(ARGV[1])
local ends = tonumber(redis.call('HGET', KEYS[1], 'ends'))
if ARGV[7] ~= '' then ends = moment + tonumber(ARGV[7]) end
redis.call('HSET', KEYS[1], 'data', ARGV[4], 'over', ARGV[5], 'version', ARGV[8], 'updated', moment, 'ends', ends)
for i = 9, #ARGV do redis.call('RPUSH', KEYS[2], ARGV[i]) end
if ARGV[6] == '' then redis.call('ZREM', KEYS[4], ARGV[2])
else redis.call('ZADD', KEYS[4], moment + tonumber(ARGV[6]), ARGV[2]) end
if ARGV[5] == '1' then
  redis.call('SREM', KEYS[3], ARGV[2])
  redis.call('ZREM', KEYS[5], ARGV[2])
  redis.call('ZADD', KEYS[6], ends, ARGV[2])
else
  redis.call('SADD', KEYS[3], ARGV[2])
  redis.call('ZREM', KEYS[6], ARGV[2])
  redis.call('ZADD', KEYS[5], ends, ARGV[2])
end
return 1
`;

/** KEYS: sorted sets of one shard. ARGV: the clock, how many, what the names of its tasks begin with. Tasks with their moment. */
export const dueTasks = `${clock}${row}
local moment = now(ARGV[1])
local found = {}
for _, key in ipairs(KEYS) do
  local due = redis.call('ZRANGE', key, '-inf', moment, 'BYSCORE', 'LIMIT', 0, ARGV[2], 'WITHSCORES')
  for i = 1, #due, 2 do
    local task = row(ARGV[3] .. due[i], moment)
    if task then
      task[11] = due[i + 1]
      found[#found + 1] = task
    else
      redis.call('ZREM', key, due[i])
    end
  end
end
return found
`;

/** KEYS: the tasks of an owner. ARGV: the clock, after which number, how many, what the names of tasks begin with. */
export const listTasks = `${clock}${row}
local moment = now(ARGV[1])
local listed = redis.call('ZRANGE', KEYS[1], '(' .. ARGV[2], '+inf', 'BYSCORE', 'LIMIT', 0, ARGV[3], 'WITHSCORES')
local found = {}
for i = 1, #listed, 2 do
  local task = row(ARGV[4] .. listed[i], moment)
  if task then
    task[11] = listed[i + 1]
    found[#found + 1] = task
  end
end
return found
`;

/** KEYS: what is over. ARGV: the clock, how many, what the names of tasks, journals and owners' tasks begin with. */
export const deleteTasks = `${clock}
local ended = redis.call('ZRANGE', KEYS[1], '-inf', now(ARGV[1]), 'BYSCORE', 'LIMIT', 0, ARGV[2])
for _, id in ipairs(ended) do
  local task = ARGV[3] .. id
  local known = redis.call('HMGET', task, 'owner', 'key')
  if known[2] then redis.call('DEL', known[2]) end
  if known[1] then redis.call('ZREM', ARGV[5] .. known[1], id) end
  redis.call('DEL', task, ARGV[4] .. id)
  redis.call('ZREM', KEYS[1], id)
end
return #ended
`;
