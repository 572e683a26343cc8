/** Scripts of living nodes: KEYS[1] is a sorted set of their names by the time until which they live. */
import { clock } from './clock.ts';

/** ARGV: the clock, the node, how long it lives. Returns the living nodes. */
export const beatNode = `${clock}
local moment, ms = now(ARGV[1]), tonumber(ARGV[3])
redis.call('ZADD', KEYS[1], moment + ms, ARGV[2])
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', moment)
redis.call('PEXPIRE', KEYS[1], math.ceil(math.max(redis.call('PTTL', KEYS[1]), ms, 1)))
return redis.call('ZRANGE', KEYS[1], 0, -1)
`;

/** ARGV: the clock, the node. */
export const leaveNode = `
return redis.call('ZREM', KEYS[1], ARGV[2])
`;
