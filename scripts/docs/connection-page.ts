/** Generates the page on the states of a client's connection from the state table. */

import { type ConnectionEvent, type ConnectionState } from '../../src/client/api/connection-state.ts';
import { reconnectOptions } from '../../src/client/api/reconnect-options.table.ts';
import { table as life } from '../../src/client/reconnect/table.ts';
import { defaultsOf } from '../../src/lib/options/read-options.ts';
import { table } from './table.ts';

const { initialDelayMs, maxDelayMs, maxAttemptsPerMinute, resetAfterMs } = defaultsOf(reconnectOptions);

const states: Readonly<Record<ConnectionState, string>> = {
  idle: 'created, not needed yet',
  connecting: 'an attempt is running; calls wait for it',
  ready: 'calls are sent',
  backoff: 'waiting for the next attempt; calls wait too, unless waiting cannot help',
  draining: '`close()` was called: new calls are rejected, running calls may finish',
  closed: 'closed for good',
};

const events: Readonly<Record<ConnectionEvent, string>> = {
  requested: 'a call or `connection.ready()` needs the connection',
  opened: 'discovery or the handshake succeeded',
  stable: `the connection has been open for ${resetAfterMs / 1000} s`,
  answered: 'a call got its response',
  failed: 'an attempt failed',
  dropped: 'the connection dropped',
  retry: 'the delay has passed',
  lost: 'the connection dropped, or an attempt failed, and is not repeated: `reconnect` is off, or `strict` closed it',
  aborted: 'the option `signal` was aborted',
  close: '`close()` was called',
  drained: 'no call is running, or the time limit of `close()` has passed',
};

const code = (name: string): string => `\`${name}\``;
const meanings = (record: Readonly<Record<string, string>>): string[][] =>
  Object.entries(record).map(([name, meaning]) => [code(name), meaning]);

const rows = (): string[][] =>
  Object.entries(life).flatMap(([state, row]) =>
    Object.entries(row).map(([event, { to, why }]) => [code(state), code(event), code(to), why]),
  );

export const connectionPage = (): string => `# The life of a connection

A client outlives its connections. \`client.connection.state\` is one of six states. \`connection.on('state', listener)\` is called with every change,
\`{ from, to, event, error, retryDelayMs }\`. \`npm run docs\` generates this page from the table in the code; what it means for calls is in
[clients](guide/reconnecting.md#what-survives).

## Transitions

An event that a state does not list changes nothing: it came too late.

${table(['state', 'event', 'to', 'reason'], rows())}

## States

${table(['state', 'meaning'], meanings(states))}

## Events

${table(['event', 'meaning'], meanings(events))}

## Delays

The delay before an attempt is a random part of \`initialDelayMs\` (${initialDelayMs} ms), and after each further failure of twice as much, up to \`maxDelayMs\` (${maxDelayMs / 1000} s).
If the server sends \`Retry-After\`, that is the minimum, up to five minutes. No more than ${maxAttemptsPerMinute} attempts are made in any minute.
`;
