/** Scripts of session records, each on the keys of one session. */
import { clock } from './clock.ts';

/** The record of a session: the field x is its expiry, f:… are its fields. */
export const readRecord = `${clock}
local record = redis.call('HGETALL', KEYS[1])
local fields = {}
local expires = 0
for i = 1, #record, 2 do
  if record[i] == 'x' then expires = tonumber(record[i + 1])
  else fields[#fields + 1] = string.sub(record[i], 3); fields[#fields + 1] = record[i + 1] end
end
if expires <= now(ARGV[1]) then return false end
return fields
`;

/** ARGV: the clock, expiry, then names and values. */
export const createRecord = `
redis.call('DEL', KEYS[1])
redis.call('HSET', KEYS[1], 'x', ARGV[2])
for i = 3, #ARGV, 2 do redis.call('HSET', KEYS[1], 'f:' .. ARGV[i], ARGV[i + 1]) end
redis.call('PEXPIREAT', KEYS[1], ARGV[2])
return 1
`;

export const deleteLogs = `
return redis.call('DEL', KEYS[2], KEYS[3], KEYS[4])
`;

export const deleteRecord = `${clock}
local expires = redis.call('HGET', KEYS[1], 'x')
redis.call('DEL', KEYS[1], KEYS[2], KEYS[3], KEYS[4])
return expires and tonumber(expires) > now(ARGV[1]) and 1 or 0
`;

/** KEYS: the record, then the keys of its logs. ARGV: the clock, expiry or '', the number of deleted names, these, then names and values. */
export const updateRecord = `${clock}
local expires = redis.call('HGET', KEYS[1], 'x')
if not expires or tonumber(expires) <= now(ARGV[1]) then return 0 end
local deleted = tonumber(ARGV[3])
for i = 4, 3 + deleted do redis.call('HDEL', KEYS[1], 'f:' .. ARGV[i]) end
for i = 4 + deleted, #ARGV, 2 do redis.call('HSET', KEYS[1], 'f:' .. ARGV[i], ARGV[i + 1]) end
if ARGV[2] ~= '' then
  redis.call('HSET', KEYS[1], 'x', ARGV[2])
  for _, key in ipairs(KEYS) do redis.call('PEXPIREAT', key, ARGV[2]) end
end
return 1
`;
