import * as fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { createDeadlines, type Deadline, systemClock } from './deadlines.ts';
import { createFakeClock, type FakeClock } from './fake-clock.ts';

describe('deadlines', () => {
  test('a deadline runs once, when its time has passed and not before', () => {
    const clock = createFakeClock();
    const ran: string[] = [];
    createDeadlines(clock).add(50, () => ran.push('a'));
    clock.advance(49);
    expect(ran).toEqual([]);
    clock.advance(1);
    expect(ran).toEqual(['a']);
    clock.advance(1000);
    expect(ran).toEqual(['a']);
  });

  test('a cancelled deadline never runs, and cancelling twice or late does nothing', () => {
    const clock = createFakeClock();
    const deadlines = createDeadlines(clock);
    const ran: string[] = [];
    const first = deadlines.add(10, () => ran.push('first'));
    const second = deadlines.add(10, () => ran.push('second'));
    deadlines.cancel(first);
    deadlines.cancel(first);
    clock.advance(10);
    deadlines.cancel(second);
    clock.advance(10);
    expect(ran).toEqual(['second']);
  });

  test('where timers are not shared, each deadline has its own, and leaves none behind', () => {
    const clock = createFakeClock();
    const deadlines = createDeadlines(clock, false);
    const ran: string[] = [];
    const first = deadlines.add(10, () => ran.push('first'));
    deadlines.add(10, () => ran.push('second'));
    expect(clock.pending).toBe(2);
    deadlines.cancel(first);
    expect(clock.pending).toBe(1);
    clock.advance(10);
    expect([ran, clock.pending]).toEqual([['second'], 0]);
  });

  test('a thousand deadlines of one duration share one timer, and none is left when nothing waits', () => {
    const clock = createFakeClock();
    const deadlines = createDeadlines(clock);
    const handles = Array.from({ length: 1000 }, () => deadlines.add(100, () => {}));
    expect(clock.pending).toBe(1);
    const other = deadlines.add(200, () => {});
    expect(clock.pending).toBe(2);
    for (const handle of handles) deadlines.cancel(handle);
    expect(clock.pending).toBe(1);
    deadlines.cancel(other);
    expect(clock.pending).toBe(0);
  });

  test('no timer is left after the last deadline has run', () => {
    const clock = createFakeClock();
    const deadlines = createDeadlines(clock);
    deadlines.add(5, () => {});
    deadlines.add(7, () => {});
    clock.advance(7);
    expect(clock.pending).toBe(0);
  });

  test('a run that cancels the rest and adds the same duration again keeps one timer for it', () => {
    const clock = createFakeClock();
    const deadlines = createDeadlines(clock);
    const ran: string[] = [];
    deadlines.add(10, () => {
      deadlines.cancel(later);
      deadlines.add(10, () => ran.push('added while running'));
    });
    const later = deadlines.add(10, () => ran.push('cancelled'));
    clock.advance(10);
    deadlines.add(10, () => ran.push('added afterwards'));
    expect(clock.pending).toBe(1);
    clock.advance(10);
    expect(ran).toEqual(['added while running', 'added afterwards']);
    expect(clock.pending).toBe(0);
  });

  test('a callback that throws is reported to the owner of the timer, and the later deadlines still run', () => {
    const clock = createFakeClock();
    const deadlines = createDeadlines(clock);
    const ran: string[] = [];
    deadlines.add(10, () => {
      throw new RangeError('broken');
    });
    deadlines.add(10, () => ran.push('behind'));
    expect(() => clock.advance(10)).toThrow(RangeError);
    clock.advance(1);
    expect(ran).toEqual(['behind']);
    expect(clock.pending).toBe(0);
  });

  test('a duration that is nothing, negative or not a number waits one millisecond and cannot spin', () => {
    const clock = createFakeClock();
    const deadlines = createDeadlines(clock);
    let runs = 0;
    const again = (): void => {
      runs += 1;
      deadlines.add(0, again);
    };
    deadlines.add(0, again);
    deadlines.add(-5, () => (runs += 100));
    deadlines.add(Number.NaN, () => (runs += 100));
    clock.advance(1);
    expect(runs).toBe(201);
    clock.advance(3);
    expect(runs).toBe(204);
  });

  test('a duration longer than a timer can hold still waits its whole length', () => {
    const clock = createFakeClock();
    const delays: number[] = [];
    const spied = { now: clock.now, after: (ms: number, run: () => void) => (delays.push(ms), clock.after(ms, run)) };
    let ran = false;
    createDeadlines(spied).add(2 ** 32, () => (ran = true));
    clock.advance(2 ** 32 - 1);
    expect(ran).toBe(false);
    clock.advance(1);
    expect(ran).toBe(true);
    expect(Math.max(...delays)).toBeLessThan(2 ** 31);
  });

  test('the system clock keeps a process alive while something waits, and runs what is due', async () => {
    const alive = (): number => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
    const before = alive();
    const stop = systemClock.after(60_000, () => {});
    expect(alive()).toBe(before + 1);
    stop();
    expect(alive()).toBe(before);
    const ran = await new Promise<string>((resolve) => {
      systemClock.after(1, () => resolve('ran'));
    });
    expect(ran).toBe('ran');
  });
});

type Step = { do: 'add'; ms: number } | { do: 'cancel'; which: number } | { do: 'advance'; ms: number };

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ do: fc.constant('add' as const), ms: fc.constantFrom(1, 2, 3, 5, 8, 2.5) }),
  fc.record({ do: fc.constant('cancel' as const), which: fc.nat(40) }),
  fc.record({ do: fc.constant('advance' as const), ms: fc.nat(6) }),
);

/** The plain way: one list, looked through whole each time. */
function naiveRun(steps: readonly Step[]): string[] {
  const log: string[] = [];
  const waiting: { name: number; due: number }[] = [];
  let time = 0;
  let added = 0;
  for (const each of steps) {
    if (each.do === 'add') waiting.push({ name: added++, due: time + Math.ceil(each.ms) });
    else if (each.do === 'cancel') {
      const at = waiting.findIndex((one) => one.name === each.which);
      if (at !== -1) waiting.splice(at, 1);
    } else {
      time += each.ms;
      const due = waiting.filter((one) => one.due <= time);
      for (const one of due) waiting.splice(waiting.indexOf(one), 1);
      log.push(...due.map((one) => `${one.name} at ${one.due}`));
    }
  }
  return log;
}

function realRun(steps: readonly Step[], clock: FakeClock): { log: string[]; waiting: Set<Deadline> } {
  const log: string[] = [];
  const waiting = new Set<Deadline>();
  const all: Deadline[] = [];
  const deadlines = createDeadlines(clock);
  for (const each of steps) {
    if (each.do === 'advance') clock.advance(each.ms);
    else if (each.do === 'add') {
      const name = all.length;
      const deadline = deadlines.add(each.ms, () => {
        waiting.delete(deadline);
        log.push(`${name} at ${clock.now()}`);
      });
      all.push(deadline);
      waiting.add(deadline);
    } else {
      const deadline = all[each.which];
      if (deadline === undefined) continue;
      deadlines.cancel(deadline);
      waiting.delete(deadline);
    }
  }
  return { log, waiting };
}

test('whatever is added, cancelled and waited for, the same runs at the same time as in a plain list', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 80 }), (steps) => {
      const clock = createFakeClock();
      const { log, waiting } = realRun(steps, clock);
      // Within one millisecond, durations have no order among each other: the log is compared as a set per moment.
      expect(log.toSorted()).toEqual(naiveRun(steps).toSorted());
      expect(log.map(moment)).toEqual(log.map(moment).toSorted((a, b) => a - b));
      const durations = new Set([...waiting].map((deadline) => deadline.queue?.ms));
      expect(clock.pending).toBe(durations.size);
    }),
    { seed: 7, numRuns: 500 },
  );
});

const moment = (line: string): number => Number(line.split(' at ')[1]);

test('deadlines of one duration run in the order they were added', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(5), { maxLength: 60 }), (gaps) => {
      const clock = createFakeClock();
      const deadlines = createDeadlines(clock);
      const ran: number[] = [];
      for (const [index, gap] of gaps.entries()) {
        deadlines.add(9, () => ran.push(index));
        clock.advance(gap);
      }
      clock.advance(9);
      expect(ran).toEqual(gaps.map((_, index) => index));
    }),
    { seed: 7, numRuns: 200 },
  );
});

describe('An idle queue on a clock whose timers can be unreferenced', () => {
  /** A clock that notes which of its timers hold the process. */
  function holdingClock() {
    const clock = createFakeClock();
    const held = new Set<object>();
    let set = 0;
    return {
      held,
      timersSet: () => set,
      advance: (ms: number) => clock.advance(ms),
      pending: () => clock.pending,
      now: () => clock.now(),
      after(ms: number, run: () => void) {
        const timer = {};
        held.add(timer);
        set++;
        const stop = clock.after(ms, () => {
          held.delete(timer);
          run();
        });
        return Object.assign(
          () => {
            held.delete(timer);
            stop();
          },
          { hold: (alive: boolean) => void (alive ? held.add(timer) : held.delete(timer)) },
        );
      },
    };
  }

  it('keeps its timer for the next deadline, and nothing that holds the process', () => {
    const clock = holdingClock();
    const deadlines = createDeadlines(clock);
    for (let n = 0; n < 100; n++) {
      const deadline = deadlines.add(1000, () => {});
      expect(clock.held.size).toBe(1);
      deadlines.cancel(deadline);
      expect(clock.held.size).toBe(0);
    }
    expect(clock.timersSet()).toBe(1);
  });

  it('runs a deadline that was added to it at its own time, not at that of the timer it found', () => {
    const clock = holdingClock();
    const deadlines = createDeadlines(clock);
    deadlines.cancel(deadlines.add(1000, () => {}));
    clock.advance(600);
    let ran = 0;
    deadlines.add(1000, () => ran++);
    clock.advance(999);
    expect(ran).toBe(0);
    clock.advance(1);
    expect(ran).toBe(1);
    expect(clock.pending()).toBe(0);
  });

  it('is removed when its timer finds it empty', () => {
    const clock = holdingClock();
    const deadlines = createDeadlines(clock);
    deadlines.cancel(deadlines.add(1000, () => {}));
    clock.advance(1000);
    expect(clock.pending()).toBe(0);
  });

  it('does not hold the process for a deadline without a waiting caller, even if others have the same duration', () => {
    const clock = holdingClock();
    const deadlines = createDeadlines(clock);
    const ran: string[] = [];
    deadlines.add(1000, () => ran.push('unawaited'), false);
    expect(clock.held.size).toBe(0);
    deadlines.cancel(deadlines.add(1000, () => {}));
    expect(clock.held.size).toBe(0);
    deadlines.add(1000, () => ran.push('awaited'));
    expect(clock.held.size).toBe(1);
    clock.advance(400);
    deadlines.add(1000, () => ran.push('unawaited and later'), false);
    clock.advance(600);
    expect(ran.toSorted()).toEqual(['awaited', 'unawaited']);
    expect(clock.held.size).toBe(0);
    clock.advance(400);
    expect(ran).toContain('unawaited and later');
    expect(clock.pending()).toBe(0);
  });

  it('is kept for a few durations only', () => {
    const clock = holdingClock();
    const deadlines = createDeadlines(clock);
    for (let ms = 1000; ms < 1100; ms++) deadlines.cancel(deadlines.add(ms, () => {}));
    expect(clock.pending()).toBeLessThanOrEqual(16);
  });
});

describe('Where timers run and the clock stands, a deadline', () => {
  it('runs on a clock that was there from the start, and one that it adds does not run at once', () => {
    const clock = createFakeClock();
    const deadlines = createDeadlines({ ...clock, now: () => 7 });
    let runs = 0;
    const again = (): void => {
      runs++;
      deadlines.add(1000, again);
    };
    deadlines.add(1000, again);
    clock.advance(3500);
    expect(runs).toBe(3);
  });
});
