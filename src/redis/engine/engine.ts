/** What an engine in Redis does with one connection: it prepares it, and calls the functions of `run` and `take`. */

import type { Redis } from 'ioredis';
import { Preparation } from '../../driver/preparation.ts';
import { encodeText } from '../../driver/unfit-texts.ts';
import { TenonError } from '../../lib/errors/tenon-error.ts';
import { risingClock, SeenClock } from '../../lib/time/rising-clock.ts';
import { checkOps } from '../../store/check-ops.ts';
import { type Op, type Ran, type StoreDriver, type Taken, type TakeRequest } from '../../store/driver.ts';
import { type Durability, requireDurability } from '../../store/durability.ts';
import { named } from '../connection.ts';
import { readDurability } from '../durability.ts';
import { decodeRun, decodeTaken, isUnfinished } from './answers.ts';
import { dataVersion, type EngineKeys, engineKeys } from './keys.ts';
import { callLibrary, type FunctionName, loadLibrary } from './library.ts';
import { encodeOps } from './ops.ts';

/** Options of `openRedisDriver`. */
export interface RedisDriverOptions {
  /** The start of all keys and channels, so that several servers can share one Redis. Default none. */
  readonly prefix?: string;
  /**
   * What Redis must give: `process` needs `appendonly yes`, `disk` also `appendfsync always`. With less, opening fails with
   * `store-not-durable`. Default: whatever Redis is set to; `durability` of the engine is that.
   */
  readonly durability?: 'process' | 'disk';
  /** How long Redis may take, in milliseconds: for a command, after which it fails with `store-timeout`, default 2000; for connecting, default 5000. */
  readonly timeouts?: { readonly commandMs?: number; readonly connectMs?: number };
  /** Whether to begin a new store where Redis has one of an earlier Tenon, which stays as it is. Default false. */
  readonly fresh?: boolean;
  /** Called with what fails in the background, such as the loss of the connection, which is made again. */
  readonly onError?: (error: unknown) => void;
  /** Called with every connection, before anything else runs. */
  readonly prepare?: (run: StoreDriver['run']) => Promise<void> | void;
  /** The clock, in milliseconds since the Unix epoch. Default the time of Redis, which all nodes share. */
  readonly now?: () => number;
}

export class RedisEngine {
  readonly keys: EngineKeys;
  readonly #redis: Redis;
  readonly #options: RedisDriverOptions;
  epoch = '';
  durability: Durability = 'unknown';
  #isCluster = false;
  /** What time it is in Redis at least: its clock may be set back. */
  readonly #seen = new SeenClock();
  readonly #now: (() => number) | undefined;
  readonly #preparation = new Preparation(() => this.#prepare());

  constructor(redis: Redis, options: RedisDriverOptions) {
    this.#redis = redis;
    this.#options = options;
    this.#now = options.now && risingClock(options.now);
    this.keys = engineKeys(options.prefix ?? '', () => this.#isCluster);
  }

  ready(): Promise<void> {
    return this.#preparation.ready();
  }

  lost(): void {
    this.#preparation.lost();
  }

  async run(partition: string, ops: readonly Op[]): Promise<Ran> {
    checkOps(ops);
    const { json, texts } = encodeOps(ops, this.keys.topic);
    const keys = [this.keys.clock(partition), this.keys.partition(partition)];
    const name = functionFor(ops);
    let answer: unknown;
    // Each script removes some of what has expired, so that it is short.
    do answer = await callLibrary(this.#redis, name, keys, [...this.#clock(), json, ...texts]);
    while (isUnfinished(answer));
    const ran = decodeRun(answer, ops);
    this.#seen.saw(ran.now);
    return ran;
  }

  async take(request: TakeRequest): Promise<readonly Taken[]> {
    const { max } = request;
    const partitions = [...new Set(request.partitions)];
    if (!this.#isCluster) return this.#takeOf(partitions, request, max);
    // A script can use one slot only. All are asked at once for a share, then those that may have more for the rest.
    const share = Math.ceil(max / partitions.length);
    const shares = await Promise.all(partitions.map((partition) => this.#takeOf([partition], request, share)));
    const taken = shares.flat();
    for (const [index, partition] of partitions.entries()) {
      if (taken.length >= max) break;
      if (shares[index]?.length === share)
        taken.push(...(await this.#takeOf([partition], request, max - taken.length)));
    }
    return taken;
  }

  async #takeOf(partitions: readonly string[], request: TakeRequest, max: number): Promise<Taken[]> {
    const { holder, leaseMs, log } = request;
    const queues = [...new Set(request.queues)];
    const [first] = partitions;
    if (first === undefined || max <= 0) return [];
    const keys = [this.keys.clock(first), ...partitions.map(this.keys.partition)];
    const named = log !== undefined && encodeText(log);
    const json = JSON.stringify([max, encodeText(holder), leaseMs, named, queues.map(encodeText)]);
    const answer = await callLibrary(this.#redis, 'take', keys, [...this.#clock(), json]);
    const [now, taken] = decodeTaken(answer, partitions);
    this.#seen.saw(now);
    return taken;
  }

  async #prepare(): Promise<void> {
    await loadLibrary(this.#redis);
    this.#isCluster = await isCluster(this.#redis, this.keys);
    const { durability: needed, fresh = false, prepare } = this.#options;
    const hasEarlier = !fresh && (await named(this.#redis.exists(this.keys.earlier))) === 1;
    const values = [crypto.randomUUID(), dataVersion, hasEarlier ? '0' : '1'];
    const [epoch, version] = (await callLibrary(this.#redis, 'open', [this.keys.store], values)) as [string, number];
    if (version === 0) throw tooOld();
    if (version > dataVersion) throw tooNew(version);
    this.durability = await readDurability(this.#redis);
    if (needed !== undefined)
      requireDurability({ name: 'redis', durability: this.durability }, { option: 'durability', durability: needed });
    await prepare?.((partition, ops) => this.run(partition, ops));
    this.epoch = epoch;
  }

  #clock(): readonly [given: number | '', furthest: number] {
    return this.#now === undefined ? ['', this.#seen.least()] : [Math.floor(this.#now()), 0];
  }
}

const freeing: ReadonlySet<Op['op']> = new Set(['get', 'publish', 'delete', 'trim']);

/** What a run may do when the memory of Redis is full. */
function functionFor(ops: readonly Op[]): FunctionName {
  if (ops.every(({ op }) => op === 'get')) return 'read';
  return ops.every(({ op }) => freeing.has(op)) ? 'free' : 'run';
}

/** A cluster refuses keys of two slots in one command. Not every user may ask for the settings. */
async function isCluster(redis: Redis, keys: EngineKeys): Promise<boolean> {
  try {
    await redis.exists(keys.partition('a'), keys.partition('b'));
    return false;
  } catch (cause) {
    if (cause instanceof Error && cause.message.startsWith('CROSSSLOT')) return true;
    return named(Promise.reject(cause));
  }
}

const tooNew = (version: number): TenonError =>
  new TenonError('store-too-new', `The store in Redis has version ${version}; this Tenon knows ${dataVersion}.`, {
    hint: 'Update Tenon, or use another prefix.',
    details: { version, known: dataVersion },
  });

const tooOld = (): TenonError =>
  new TenonError(
    'store-too-old',
    'The store in Redis was written by an earlier Tenon, which stores data in another way.',
    {
      hint: 'Use another prefix, delete its keys, which begin with the prefix and `tn1:`, or set fresh: true to begin a new store beside them.',
      details: { version: 1, known: dataVersion },
    },
  );
