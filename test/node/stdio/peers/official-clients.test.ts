/** Clients of the official SDKs with our server as a process: every primitive, both lifecycles. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type OfficialClient, openV1, openV2 } from '../../../kit/peers/official-clients.ts';
import { tryEverything } from '../../../kit/peers/official-suite.ts';
import { ourServer, type Program } from '../../../kit/peers/programs.ts';
import { isRunning } from '../../../kit/process/is-running.ts';
import { withTimeout } from '../../../kit/with-timeout.ts';

interface Cell {
  readonly name: string;
  readonly revision: string;
  readonly open: (program: Program) => Promise<OfficialClient>;
}

const alone = '2026-07-28';
const cells: Cell[] = [
  { name: 'SDK v1', revision: '2025-11-25', open: openV1 },
  { name: 'SDK v2 with the handshake', revision: '2025-11-25', open: (program) => openV2(program, 'legacy') },
  { name: 'SDK v2 with version discovery', revision: alone, open: (program) => openV2(program, 'auto') },
  { name: 'SDK v2 pinned to 2026-07-28', revision: alone, open: (program) => openV2(program, { pin: alone }) },
];

describe.each(cells)('our server and a client of $name', ({ revision, open }) => {
  let client: OfficialClient;
  beforeAll(async () => {
    client = await open(await ourServer('--strict'));
  });
  afterAll(() => client.close());

  tryEverything(revision, () => client, { serverRequests: ' [e-stdio-09]', cancelling: ' [e-stdio-12]' });

  it('exchange only valid messages and leave no process [S19]', async () => {
    expect(client.errors).toEqual([]);
    const { pid } = client;
    expect(isRunning(pid)).toBe(true);
    await withTimeout(client.close(), 'the client to close');
    expect(isRunning(pid)).toBe(false);
  });
});
