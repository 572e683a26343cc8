/** What the settings of Redis say about the durability of its data. */
import type { Redis } from 'ioredis';
import type { Durability } from '../store/durability.ts';
import { failed } from './connection.ts';

/** Reads the settings. Many services of Redis forbid it: then the durability is unknown. */
export async function readDurability(redis: Redis): Promise<Durability> {
  try {
    const settings = settingsIn(await redis.config('GET', 'append*', 'no-append*', 'maxmemory*'));
    return durabilityOf(settings, await hasReplicas(redis));
  } catch (cause) {
    if (isForbidden(cause)) return 'unknown';
    throw failed(cause);
  }
}

/**
 * Snapshots do not count: they lose minutes. Nor does a log where Redis drops keys for room: a used key could be used again.
 * Replicas get a write after it was acknowledged: one that takes over lacks the last moment, whatever is on the disk of the first.
 */
function durabilityOf(settings: Readonly<Record<string, string>>, isReplicated: boolean): Durability {
  const { appendonly, appendfsync, 'no-appendfsync-on-rewrite': pauses } = settings;
  const { maxmemory = '0', 'maxmemory-policy': policy } = settings;
  if (appendonly === undefined) return 'unknown';
  const dropsKeys = maxmemory !== '0' && policy !== 'noeviction';
  if (appendonly !== 'yes' || dropsKeys) return 'memory';
  return appendfsync === 'always' && pauses !== 'yes' && !isReplicated ? 'disk' : 'process';
}

/** Whether another Redis follows this one now, or this one follows another. */
async function hasReplicas(redis: Redis): Promise<boolean> {
  const facts = await redis.info('replication');
  return /^role:(slave|replica)/m.test(facts) || !/^connected_slaves:0\b/m.test(facts);
}

/** The answer is a list of names and values. */
function settingsIn(answer: unknown): Record<string, string> {
  const settings: Record<string, string> = {};
  if (!Array.isArray(answer)) return settings;
  for (let at = 0; at + 1 < answer.length; at += 2) settings[String(answer[at])] = String(answer[at + 1]);
  return settings;
}

/** By the rights of the user, or because the command is disabled or renamed. */
const isForbidden = (cause: unknown): boolean =>
  cause instanceof Error && /^(NOPERM|ERR unknown command|ERR .*not allowed)/i.test(cause.message);
