/** Our client with the rich server in three implementations, as processes: every primitive under every revision. */
import type { ProtocolVersion } from 'tenon';

import { protocolVersions } from 'tenon/protocol';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { tryRichServer } from '../../../kit/peers/client-suite.ts';
import { type Conversation, converse, startedBy } from '../../../kit/peers/conversation.ts';
import { ourServer, type Program, v1Server, v2Server } from '../../../kit/peers/programs.ts';
import { isRunning } from '../../../kit/process/is-running.ts';
import { sessionVersions } from '../../../kit/version-order.ts';
import { withTimeout } from '../../../kit/with-timeout.ts';

interface Cell {
  readonly name: string;
  readonly server: () => Program | Promise<Program>;
  readonly revision: ProtocolVersion;
  /** Whether the client discovers the protocol version itself. */
  readonly open?: boolean;
  readonly strict: boolean;
}

const alone = '2026-07-28';
const sessions = sessionVersions;
const under = (
  name: string,
  server: Cell['server'],
  strict: boolean,
  ids: readonly ProtocolVersion[] = protocolVersions,
): Cell[] => ids.map((revision) => ({ name, server, revision, strict }));

const cells: Cell[] = [
  ...under('our strict server', () => ourServer('--strict'), true),
  ...under('our tolerant server', () => ourServer(), false, [alone, '2025-11-25']),
  ...under('SDK v1', v1Server, true, sessions),
  ...under('SDK v2', v2Server, true),
  {
    name: 'SDK v1, by version discovery,',
    server: v1Server,
    revision: '2025-11-25',
    open: true,
    strict: false,
  },
  { name: 'SDK v2, by version discovery,', server: v2Server, revision: alone, open: true, strict: false },
];

describe.each(cells)('$name at $revision', ({ server, revision, open, strict }) => {
  let talk: Conversation;

  beforeAll(async () => {
    talk = await converse(await server(), { strict, ...(!open && { protocolVersions: [revision] }) });
  });
  afterAll(() => talk.client.close());

  it('speaks its revision in one process, whose standard error output is not a failure [e-stdio-04, e-stdio-19, e-stdio-21, s-stdio-04, s-stdio-05]', async () => {
    expect(talk.client).toMatchObject({
      protocolVersion: revision,
      serverInfo: { name: 'rich' },
      instructions: 'Try everything.',
    });
    await vi.waitFor(() => expect(startedBy(talk.stderr)).toHaveLength(1));
  });

  tryRichServer(revision, () => talk, { tools: ' [e-stdio-01, s-stdio-02]', cancelling: ' [e-stdio-10, e-stdio-11]' });

  it('sends nothing that is dropped, closes on no message, and has exited once the client is closed [e-stdio-05, e-stdio-06, S19, s-stdio-06, s-stdio-07]', async () => {
    expect(talk.warnings).toEqual([]);
    expect(talk.client.stats().dropped).toEqual({ late: 0, unknown: 0, invalid: 0 });
    await withTimeout(talk.client.close(), 'the client to close');
    expect(startedBy(talk.stderr).filter(isRunning)).toEqual([]);
  });
});

it('a client of exchanges only refuses a server of sessions only, without a warning', async () => {
  const warnings: string[] = [];
  const refusal = converse(v1Server(), {
    protocolVersions: [alone],
    onWarning: (error) => warnings.push(error.message),
  });
  await expect(refusal).rejects.toMatchObject({ code: 'protocol-version-mismatch' });
  expect(warnings).toEqual([]);
});
