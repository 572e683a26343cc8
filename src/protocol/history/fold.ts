/** The pure fold of a recording: a state and an event give the next state. */

import { foldMessage } from './fold-message.ts';
import type { ConnectionHistory, History, HistoryEvent } from './state.ts';

/**
 * Connections of the state at a moment.
 * @limit inspector
 * @beyond the newest are shown
 */
const maxConnections = 200;

/** The state before the first event. */
export const emptyHistory: History = { seq: 0, connections: {} };

const begun: ConnectionHistory = {
  transport: 'other',
  peer: '',
  state: 'open',
  openRequests: [],
  subscriptions: [],
  tasks: {},
  counts: { messages: 0, requests: 0, responses: 0, notifications: 0, errors: 0, invalid: 0 },
};

/** The state after an event. Neither argument is changed. */
export function foldEvent(history: History, event: HistoryEvent): History {
  const before = history.connections[event.connection];
  const after = foldConnection(before ?? begun, event);
  if (after === before) return { ...history, seq: event.seq };
  const connections = { ...history.connections, [event.connection]: after };
  return { seq: event.seq, connections: before === undefined ? newest(connections) : connections };
}

function foldConnection(connection: ConnectionHistory, event: HistoryEvent): ConnectionHistory {
  switch (event.kind) {
    case 'open':
      return { ...connection, transport: event.transport, peer: event.peer };
    case 'state':
      return { ...connection, state: event.text };
    case 'close':
      // Open requests get no response any more.
      return { ...connection, state: 'closed', openRequests: [] };
    case 'message':
      return foldMessage(connection, event);
    default:
      return connection;
  }
}

function newest(connections: History['connections']): History['connections'] {
  const numbers = Object.keys(connections);
  if (numbers.length <= maxConnections) return connections;
  const { [Number(numbers[0])]: _, ...rest } = connections;
  return rest;
}
