/** The table of the states of a connection. */
import { describe, expect, it } from 'vitest';
import { type ConnectionEvent, type ConnectionState } from '../api/connection-state.ts';
import { type Event, type State, table, transition } from './table.ts';

const error = new Error('broken');
const states: readonly State[] = [
  { is: 'idle' },
  { is: 'connecting', attempt: 3, unserved: 2 },
  { is: 'ready', attempt: 3, unserved: 2 },
  { is: 'backoff', attempt: 3, unserved: 2, error },
  { is: 'draining' },
  { is: 'closed', reason: undefined, by: 'close' },
];
const events: readonly Event[] = [
  { kind: 'requested' },
  { kind: 'opened' },
  { kind: 'stable' },
  { kind: 'answered' },
  { kind: 'failed', error },
  { kind: 'dropped', error },
  { kind: 'retry' },
  { kind: 'lost', error },
  { kind: 'aborted', error },
  { kind: 'close' },
  { kind: 'drained' },
];

/** Written by hand, so that a change of the table needs a change here as well. */
const expected: Readonly<Record<ConnectionState, Partial<Record<ConnectionEvent, ConnectionState>>>> = {
  idle: { requested: 'connecting', lost: 'closed', aborted: 'closed', close: 'closed' },
  connecting: { opened: 'ready', failed: 'backoff', lost: 'closed', aborted: 'closed', close: 'closed' },
  ready: { stable: 'ready', answered: 'ready', dropped: 'backoff', lost: 'closed', close: 'draining' },
  backoff: { retry: 'connecting', lost: 'closed', aborted: 'closed', close: 'closed' },
  draining: { drained: 'closed', dropped: 'closed', lost: 'closed' },
  closed: {},
};

const pairs = states.flatMap((state) => events.map((event) => [state, event] as const));

describe('the states of a connection', () => {
  it.each(pairs.map(([state, event]) => [state.is, event.kind, state, event] as const))(
    'in %s the event %s leads to the state in the table [S27]',
    (is, kind, state, event) => {
      const to = expected[is][kind];
      const next = transition(state, event);
      expect([next.state.is, next.effects]).toEqual([to ?? is, table[is][kind]?.effects ?? []]);
      // An ignored event returns the same object.
      expect(next.state === state).toBe(to === undefined);
    },
  );

  it('reject waiting calls at every transition to closed', () => {
    const steps = Object.values(table).flatMap((row) => Object.values(row));
    const without = steps.filter(({ to, effects }) => to === 'closed' && !effects.includes('reject-waiting'));
    expect(without).toEqual([]);
  });

  it('close connections, attempts and timers of the state that they leave', () => {
    const effects = (state: ConnectionState, event: ConnectionEvent): readonly string[] =>
      table[state][event]?.effects ?? [];
    for (const event of ['close', 'aborted'] as const) expect(effects('connecting', event)).toContain('disconnect');
    expect(effects('draining', 'drained')).toContain('disconnect');
    for (const event of ['close', 'lost', 'aborted'] as const)
      expect(effects('backoff', event)).toContain('stop-backoff');
    for (const event of ['close', 'lost', 'dropped'] as const)
      expect(effects('ready', event)).toContain('stop-stable-timer');
  });

  it('count failures in a row, until a connection was open for a while', () => {
    const failed: Event = { kind: 'failed', error };
    let { state } = transition({ is: 'idle' }, { kind: 'requested' });
    const path: Event[] = [failed, { kind: 'retry' }, failed, { kind: 'retry' }, { kind: 'opened' }];
    for (const event of path) state = transition(state, event).state;
    expect(state).toEqual({ is: 'ready', attempt: 2, unserved: 2 });
    const dropped: Event = { kind: 'dropped', error };
    expect(transition(state, dropped).state).toEqual({ is: 'backoff', attempt: 3, unserved: 3, error });
    const held = transition(state, { kind: 'stable' }).state;
    expect(transition(held, dropped).state).toEqual({ is: 'backoff', attempt: 1, unserved: 1, error });
  });

  it('count failures from zero after an answered call, but not for the backoff', () => {
    const { state } = transition({ is: 'ready', attempt: 4, unserved: 4 }, { kind: 'answered' });
    expect(transition(state, { kind: 'dropped', error }).state).toMatchObject({ attempt: 5, unserved: 1 });
  });

  it('have the error of a lost connection, and no error if the user closed it', () => {
    expect(transition({ is: 'ready', attempt: 0, unserved: 0 }, { kind: 'lost', error }).state).toEqual({
      is: 'closed',
      reason: error,
      by: 'lost',
    });
    expect(transition({ is: 'draining' }, { kind: 'drained' }).state).toEqual({
      is: 'closed',
      reason: undefined,
      by: 'drained',
    });
  });
});
