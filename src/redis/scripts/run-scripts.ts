/** Scripts of runs that may happen once, each on the keys of one owner. */
import { clock } from './clock.ts';

/**
 * KEYS[1] a hash: "k…" of each key to its run as JSON (digest, holder, ttl, lease until it has ended, expiry, characters
 * of its text), "c" the characters of all texts, "n" a sequence; KEYS[2] the keys by expiry; KEYS[3] a hash of texts;
 * KEYS[4] the keys with a text, the oldest first. ARGV[1] is the clock, ARGV[2] the key.
 */
const runs = `${clock}
local rows, live, texts, order = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local moment, key = now(ARGV[1]), ARGV[2]

local function read(name)
  local text = redis.call('HGET', rows, 'k' .. name)
  return text and cjson.decode(text)
end

local function write(name, run) redis.call('HSET', rows, 'k' .. name, cjson.encode(run)) end

local function dropText(name, run)
  if not run.z then return end
  redis.call('HDEL', texts, name)
  redis.call('ZREM', order, name)
  redis.call('HINCRBY', rows, 'c', -run.z)
  run.z = nil
end

local function delete(name)
  local run = read(name)
  if run then dropText(name, run) end
  redis.call('HDEL', rows, 'k' .. name)
  redis.call('ZREM', live, name)
  if redis.call('ZCARD', live) == 0 then redis.call('DEL', rows) end
end

local function find()
  local run = read(key)
  if run and run.x > moment then return run end
  if run then delete(key) end
  return nil
end

local function held(holder)
  local run = find()
  return run and run.h == holder and run or nil
end

local function save(run, expires)
  run.x = expires
  write(key, run)
  redis.call('ZADD', live, expires, key)
  local last = redis.call('ZRANGE', live, -1, -1, 'WITHSCORES')
  for _, name in ipairs(KEYS) do redis.call('PEXPIREAT', name, last[2]) end
end

local function lend(run, ms)
  run.l = moment + ms
  save(run, run.l + run.t)
end
`;

/** ARGV: …, digest, holder, lease, ttl, how many keys the owner may have, or 0. */
export const beginRun = `${runs}
local digest, holder, leaseMs, ttlMs, most = ARGV[3], ARGV[4], tonumber(ARGV[5]), tonumber(ARGV[6]), tonumber(ARGV[7])
local run = find()
if not run then
  local function sweep(count)
    for _, name in ipairs(redis.call('ZRANGEBYSCORE', live, '-inf', moment, 'LIMIT', 0, count)) do delete(name) end
  end
  local function isFull() return most > 0 and redis.call('ZCARD', live) >= most end
  sweep(10)
  if isFull() then sweep(1000) end
  if isFull() then return { 'full' } end
  lend({ d = digest, h = holder, t = ttlMs }, leaseMs)
  return { 'begun' }
end
if run.d ~= digest then return { 'other' } end
if not run.l then return { 'ended', redis.call('HGET', texts, key) } end
if run.h == holder then
  lend(run, leaseMs)
  return { 'begun' }
end
if run.l > moment then return { 'running', run.l - moment } end
return { 'unknown' }
`;

/** ARGV: …, holder, its number of characters or '' for no text, the text, how many characters the owner may have, or 0. */
export const endRun = `${runs}
local run = held(ARGV[3])
if not run then return 0 end
if not run.l then return 1 end
run.l = nil
local most = tonumber(ARGV[6])
local chars = tonumber(ARGV[4])
if chars and (most == 0 or chars <= most) then
  run.z = chars
  redis.call('HSET', texts, key, ARGV[5])
  redis.call('ZADD', order, redis.call('HINCRBY', rows, 'n', 1), key)
  local all = redis.call('HINCRBY', rows, 'c', chars)
  while most > 0 and all > most do
    local oldest = redis.call('ZRANGE', order, 0, 0)[1]
    local old = read(oldest)
    dropText(oldest, old)
    write(oldest, old)
    all = tonumber(redis.call('HGET', rows, 'c'))
  end
end
save(run, moment + run.t)
return 1
`;

/** ARGV: …, holder. */
export const releaseRun = `${runs}
local run = held(ARGV[3])
if not run or not run.l then return 0 end
delete(key)
return 1
`;

/** ARGV: …, holder, lease. */
export const renewRun = `${runs}
local run = held(ARGV[3])
if not run or not run.l then return 0 end
lend(run, tonumber(ARGV[4]))
return 1
`;
