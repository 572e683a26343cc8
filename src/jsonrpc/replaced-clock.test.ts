import { describe, expect, it } from 'vitest';
import { type Clock, createDeadlines } from './deadlines.ts';
import { createFakeClock } from './fake-clock.ts';

/** A clock with another in its place while a test wants it so; the stopwatch of that one may stand. */
function replaceable({ stands = false } = {}) {
  const before = createFakeClock();
  const meanwhile = createFakeClock();
  const replacement: Clock = { ...meanwhile, now: stands ? () => 7 : () => meanwhile.now() };
  const state = { isReplaced: false };
  const clock: Clock = { ...before, replacement: () => (state.isReplaced ? replacement : undefined) };
  const ran: string[] = [];
  const deadlines = createDeadlines(clock);
  const add = (ms: number, name: string) => deadlines.add(ms, () => ran.push(name));
  return { before, meanwhile, state, deadlines, add, ran };
}

describe('A deadline', () => {
  it('runs by the clock it was added on, and holds up none of the other', () => {
    const { before, meanwhile, state, add, ran } = replaceable();
    before.advance(5000);
    add(1000, 'before');
    state.isReplaced = true;
    add(1000, 'meanwhile');
    meanwhile.advance(1000);
    expect(ran).toEqual(['meanwhile']);
    before.advance(1000);
    expect(ran).toEqual(['meanwhile', 'before']);
  });

  it('runs although its clock was replaced for a while, also where another of its duration waits behind it', () => {
    const { before, state, add, ran } = replaceable();
    before.advance(5000);
    add(500, 'first');
    before.advance(50);
    add(500, 'second');
    state.isReplaced = true;
    before.advance(800);
    state.isReplaced = false;
    expect(ran).toEqual(['first', 'second']);
    expect(before.pending).toBe(0);
  });

  it('that is left over from a clock that is gone holds up nothing', () => {
    const { before, meanwhile, state, add, ran } = replaceable();
    state.isReplaced = true;
    meanwhile.advance(3_600_000);
    add(700, 'left over');
    state.isReplaced = false;
    add(700, 'after');
    before.advance(700);
    expect(ran).toEqual(['after']);
  });

  it('of a clock that is gone can be cancelled, and leaves no timer there', () => {
    const { before, meanwhile, state, deadlines, add } = replaceable();
    state.isReplaced = true;
    const left = add(700, 'left over');
    state.isReplaced = false;
    deadlines.cancel(left);
    expect([before.pending, meanwhile.pending]).toEqual([0, 0]);
  });
});

describe('Where timers run and the stopwatch stands, a deadline', () => {
  it('has its whole time and no more, whatever was there before it', () => {
    const { meanwhile, state, deadlines, add, ran } = replaceable({ stands: true });
    state.isReplaced = true;
    deadlines.cancel(add(3000, 'cancelled'));
    add(3000, 'first');
    meanwhile.advance(2000);
    add(3000, 'second');
    meanwhile.advance(999);
    expect(ran).toEqual([]);
    meanwhile.advance(1);
    expect(ran).toEqual(['first']);
    meanwhile.advance(1999);
    expect(ran).toEqual(['first']);
    meanwhile.advance(1);
    expect(ran).toEqual(['first', 'second']);
    expect(meanwhile.pending).toBe(0);
  });

  it('waits its whole length also where that is more than a timer can hold', () => {
    const { meanwhile, state, add, ran } = replaceable({ stands: true });
    state.isReplaced = true;
    add(2 ** 32, 'long');
    meanwhile.advance(2 ** 32 - 1);
    expect(ran).toEqual([]);
    meanwhile.advance(1);
    expect(ran).toEqual(['long']);
  });

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
