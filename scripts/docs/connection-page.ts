/** The page on the life of a client's connection, written from its table. */

import { type EventName, type StateName } from '../../src/client/api/connection-state.ts';
import { type Effect, table as life } from '../../src/client/reconnect/table.ts';
import { defaultBackoff } from '../../src/client/retry/backoff.ts';
import { table } from './table.ts';

const states: Readonly<Record<StateName, string>> = {
  idle: 'made, and not needed yet',
  connecting: 'an attempt is under way; calls wait for it',
  ready: 'calls are sent',
  backoff: 'the next attempt waits for its time; calls wait too, unless that mends nothing',
  draining: '`close()` was called: new calls are refused, those under way may end',
  closed: 'over for good',
};

const events: Readonly<Record<EventName, string>> = {
  wanted: 'a call or `connection.ready()` needs the connection',
  opened: 'the server was discovered, or hands were shaken',
  settled: 'the connection has held for `settleMs`',
  served: 'a call was answered',
  failed: 'an attempt came to nothing',
  dropped: 'the connection broke off',
  due: 'the wait is over',
  lost: 'it broke off, or came to nothing, and `reconnect` is off',
  'given-up': 'the option `signal` was aborted',
  close: '`close()` was called',
  drained: 'no call is under way any more, or the time of `close()` is up',
};

const effects: Readonly<Record<Effect, string>> = {
  dial: 'make a connection',
  restore: 'tell the server the log level and what is watched, then let those who wait go on',
  time: 'begin to count how long the connection holds',
  untime: 'stop counting',
  wait: 'wait before the next attempt',
  unwait: 'stop waiting',
  drain: 'tell `drained` when no call is under way',
  'hang-up': 'end the connection, or the attempt to make one',
  refuse: 'tell those who wait that nothing will come',
};

const code = (name: string): string => `\`${name}\``;
const meanings = (record: Readonly<Record<string, string>>): string[][] =>
  Object.entries(record).map(([name, meaning]) => [code(name), meaning]);

const rows = (): string[][] =>
  Object.entries(life).flatMap(([state, row]) =>
    Object.entries(row).map(([event, { to, effects: done, why }]) => [
      code(state),
      code(event),
      code(to),
      done.map(code).join(', '),
      why,
    ]),
  );

export const connectionPage = (): string => `# The life of a connection

A client stays, connections come and go. \`client.connection.state\` is one of six states, \`connection.on('state', hear)\` hears every change as
\`{ from, to, by, error, waitMs }\`. This page is written from the table in the code by \`npm run docs\`; what it means for calls is in
[clients](guide/clients.md#what-survives).

## Transitions

An event that a state does not name changes nothing there: it came too late.

${table(['in', 'by', 'to', 'effects', 'because'], rows())}

## States

${table(['state', 'meaning'], meanings(states))}

## Events

${table(['event', 'meaning'], meanings(events))}

## Effects

${table(['effect', 'meaning'], meanings(effects))}

## Waits

The wait before an attempt is a random part of \`firstMs\` (${defaultBackoff.firstMs} ms), and after each further failure of twice as much, up to \`maxMs\` (${defaultBackoff.maxMs / 1000} s).
Where the server asks for patience by \`Retry-After\`, that is the least, up to five minutes. No more than \`maxPerMinute\` (${defaultBackoff.maxPerMinute}) attempts are made within any minute.
`;
