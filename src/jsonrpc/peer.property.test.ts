import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { type RecordingPeer, recordingPeer } from '../../test/kit/transport/recording-peer.ts';

type Step =
  | { do: 'request'; timeoutMs: number | undefined; signal: number | undefined }
  | { do: 'answer'; id: number; as: 'number' | 'text'; fails: boolean }
  | { do: 'abort'; signal: number }
  | { do: 'advance'; ms: number }
  | { do: 'ask'; id: number | string }
  | { do: 'settle'; id: number | string; fails: boolean }
  | { do: 'forget'; id: number | string }
  | { do: 'close' };

const maxPending = 6;
const maxInFlight = 3;
const signals = 3;

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 30,
    arbitrary: fc.record({
      do: fc.constant('request' as const),
      timeoutMs: fc.constantFrom(undefined, 1, 2, 3, 5),
      signal: fc.constantFrom(undefined, 0, 1, 2),
    }),
  },
  {
    weight: 30,
    arbitrary: fc.record({
      do: fc.constant('answer' as const),
      id: fc.integer({ min: -1, max: 12 }),
      as: fc.constantFrom('number' as const, 'text' as const),
      fails: fc.boolean(),
    }),
  },
  { weight: 5, arbitrary: fc.record({ do: fc.constant('abort' as const), signal: fc.nat(signals - 1) }) },
  { weight: 15, arbitrary: fc.record({ do: fc.constant('advance' as const), ms: fc.nat(3) }) },
  { weight: 20, arbitrary: fc.record({ do: fc.constant('ask' as const), id: fc.constantFrom(0, 1, 2, '1', '') }) },
  {
    weight: 20,
    arbitrary: fc.record({
      do: fc.constant('settle' as const),
      id: fc.constantFrom(0, 1, 2, '1', ''),
      fails: fc.boolean(),
    }),
  },
  { weight: 5, arbitrary: fc.record({ do: fc.constant('forget' as const), id: fc.constantFrom(0, 1, '1') }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('close' as const) }) },
);

/** What can be seen of a peer from outside. */
interface Seen {
  /** How each request of this side ended, in the order they were made. */
  readonly ends: string[];
  readonly sent: string[];
  readonly abandoned: string[];
  readonly counts: { late: number; unknown: number; invalid: number };
}

interface Waiting {
  readonly index: number;
  readonly due: number;
  readonly signal: number | undefined;
}

/** The plain way: every list looked through whole, nothing clever. */
class Reference {
  readonly seen: Seen = { ends: [], sent: [], abandoned: [], counts: { late: 0, unknown: 0, invalid: 0 } };
  readonly waiting = new Map<number, Waiting>();
  readonly aborted = new Set<number>();
  inFlight: Array<number | string> = [];
  open = true;
  now = 0;
  nextId = 1;

  end(id: number, how: string): void {
    this.seen.ends[this.waiting.get(id)?.index as number] = how;
    this.waiting.delete(id);
  }

  abandon(id: number, how: string): void {
    this.end(id, how);
    this.seen.abandoned.push(`${id} ${how}`);
  }

  request({ timeoutMs, signal }: Extract<Step, { do: 'request' }>): void {
    const index = this.seen.ends.push('waits') - 1;
    if (!this.open) this.seen.ends[index] = 'connection-closed';
    else if (signal !== undefined && this.aborted.has(signal)) this.seen.ends[index] = 'cancelled';
    else if (this.waiting.size >= maxPending) this.seen.ends[index] = 'queue-full';
    else {
      this.seen.sent.push(`request ${this.nextId}`);
      this.waiting.set(this.nextId++, { index, due: this.now + (timeoutMs ?? Number.POSITIVE_INFINITY), signal });
    }
  }

  answer({ id, fails }: Extract<Step, { do: 'answer' }>): void {
    if (!this.open) return;
    if (this.waiting.has(id)) this.end(id, fails ? '-1' : `result ${id}`);
    else this.seen.counts[id > 0 && id < this.nextId ? 'late' : 'unknown'] += 1;
  }

  abort(signal: number): void {
    this.aborted.add(signal);
    for (const [id, one] of this.waiting) if (one.signal === signal) this.abandon(id, 'cancelled');
  }

  advance(ms: number): void {
    this.now += ms;
    const due = [...this.waiting].filter(([, one]) => one.due <= this.now);
    for (const [id] of due) this.abandon(id, 'timeout');
  }

  ask(id: number | string): void {
    if (!this.open) return;
    if (this.inFlight.includes(id)) this.seen.counts.invalid += 1;
    else if (this.inFlight.length >= maxInFlight) {
      this.seen.counts.invalid += 1;
      this.seen.sent.push(`error ${JSON.stringify(id)}`);
    } else this.inFlight.push(id);
  }

  settle(id: number | string, fails: boolean): void {
    if (this.inFlight.includes(id)) this.seen.sent.push(`${fails ? 'error' : 'result'} ${JSON.stringify(id)}`);
    this.forget(id);
  }

  forget(id: number | string): void {
    this.inFlight = this.inFlight.filter((one) => one !== id);
  }

  close(): void {
    this.open = false;
    this.inFlight = [];
    for (const id of this.waiting.keys()) this.end(id, 'connection-closed');
  }

  take(step: Step): void {
    if (step.do === 'request') this.request(step);
    else if (step.do === 'answer') this.answer(step);
    else if (step.do === 'abort') this.abort(step.signal);
    else if (step.do === 'advance') this.advance(step.ms);
    else if (step.do === 'ask') this.ask(step.id);
    else if (step.do === 'settle') this.settle(step.id, step.fails);
    else if (step.do === 'forget') this.forget(step.id);
    else this.close();
  }
}

const failure = { code: -1, message: 'no' };

function takeReal(step: Step, side: RecordingPeer, controllers: AbortController[], ends: Promise<string>[]): void {
  const { peer } = side;
  switch (step.do) {
    case 'request': {
      const signal = step.signal === undefined ? undefined : controllers[step.signal]?.signal;
      const own = { ...(step.timeoutMs && { timeoutMs: step.timeoutMs }), ...(signal && { signal }) };
      ends.push(
        peer.request('m', {}, own).then(
          (result) => `result ${result}`,
          ({ code }) => `${code}`,
        ),
      );
      return;
    }
    case 'answer': {
      const id = step.as === 'text' && step.id >= 0 ? `${step.id}` : step.id;
      return side.deliver({ jsonrpc: '2.0', id, ...(step.fails ? { error: failure } : { result: step.id }) });
    }
    case 'abort':
      return controllers[step.signal]?.abort();
    case 'advance':
      return side.clock.advance(step.ms);
    case 'ask':
      return side.ask(step.id);
    case 'settle':
      return step.fails ? peer.refuse(step.id, failure) : peer.answer(step.id, {});
    case 'forget':
      return peer.forget(step.id);
    case 'close':
      return peer.close();
  }
}

const nameSent = (frame: string): string => {
  const message = JSON.parse(frame) as { id: unknown; method?: string; result?: unknown };
  const kind = message.method !== undefined ? 'request' : message.result !== undefined ? 'result' : 'error';
  return `${kind} ${JSON.stringify(message.id)}`;
};

test('whatever happens in whatever order, a peer does what a plain list would [S28]', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
      const reference = new Reference();
      const side = recordingPeer({ maxPending, maxInFlight });
      const controllers = Array.from({ length: signals }, () => new AbortController());
      const ends: Promise<string>[] = [];
      for (const each of steps) {
        reference.take(each);
        takeReal(each, side, controllers, ends);
        const durations = [...reference.waiting.values()].some(({ due }) => Number.isFinite(due));
        expect(side.clock.pending > 0).toBe(durations);
      }
      reference.close();
      side.peer.close();
      const abandoned = side.abandoned.map(({ id, code }) => `${id} ${code}`);
      expect(await Promise.all(ends)).toEqual(reference.seen.ends);
      expect(side.frames.map(nameSent)).toEqual(reference.seen.sent);
      expect(abandoned.toSorted()).toEqual(reference.seen.abandoned.toSorted());
      expect(side.peer.counts).toEqual(reference.seen.counts);
      expect(side.clock.pending).toBe(0);
    }),
    { seed: 7, numRuns: 1500 },
  );
});
