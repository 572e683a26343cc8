/** Attacks on what people read: names and texts that forge a line of a log, drive a terminal, or hide what they are. */
import { call, request } from '../../../kit/http/messages.ts';
import type { Attack, Json, Refusal } from '../attack.ts';

/** The runner fails if anything that the server writes has a line that begins with `forged`, or another control character. */
const forged = 'x\r\nforged: all is well\u001b[2J\u0007\u202e\u2028forged';

type Row = readonly [id: string, does: string, message: Json | string, gets: Refusal];

const rows: readonly Row[] = [
  ['log-01', 'forges a line of the log by the name of a tool', call(forged, {}, 'attack'), { code: -32602 }],
  ['log-02', 'forges a line by the name of a method', request(forged, {}, 'attack'), { code: -32601 }],
  ['log-03', 'forges a line by a URI', request('resources/read', { uri: forged }, 'attack'), { code: -32601 }],
  [
    'log-04',
    'forges a line by an argument',
    call('echo', { text: 7, [forged]: forged }, 'attack'),
    { code: 'tool-error' },
  ],
  [
    'log-05',
    'forges a line by a text that is no JSON',
    `{"jsonrpc":"2.0","id":"attack","method":${forged.replace(/[\r\n]/g, '')}`,
    { code: -32700 },
  ],
  [
    'log-06',
    'forges a line by its own name',
    request(
      'initialize',
      { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: forged, version: forged } },
      'attack',
    ),
    { code: -32600 },
  ],
  [
    'log-07',
    'sends a name of a million characters, to fill the log',
    call('x'.repeat(1_000_000), {}, 'attack'),
    { code: -32602 },
  ],
];

export const logs: readonly Attack[] = rows.map(([id, does, message, gets]) => ({
  id,
  attacker: 'a caller',
  does,
  sends: { lines: [message] },
  gets,
}));
