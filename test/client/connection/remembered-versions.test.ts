/** The client remembers servers without discovery for ten minutes, or until a handshake fails. */
import { TenonError } from 'tenon';
import { describe, expect, it } from 'vitest';
import type { Connection } from '../../../src/client/connection/connection.ts';
import type { Connector, OpenConnection } from '../../../src/client/connection/connector.ts';
import {
  type RememberedVersions,
  remembering,
} from '../../../src/client/connection/negotiation/remembered-versions.ts';
import { createDeadlines } from '../../../src/lib/time/deadlines.ts';
import { createFakeClock } from '../../../src/lib/time/fake-clock.ts';

const minute = 60_000;

/** A server that connects by discovery or by handshake. `begun` records what each attempt began with. */
function setUp() {
  const clock = createFakeClock();
  const deadlines = createDeadlines(clock);
  const remembered: RememberedVersions = new Map();
  const begun: Array<'discovery' | 'handshake'> = [];
  const setting = {
    clock,
    remembered,
    begun,
    fellBack: true,
    /** The error of an attempt that begins with a handshake. */
    refusal: undefined as Error | undefined,
    dial: (name = 'a', signal = new AbortController().signal): Promise<Connection> =>
      remembering(remembered, name, reach).connect(open, signal, deadlines),
  };
  const open: OpenConnection = async (_transport, own) => {
    begun.push(own?.handshake ? 'handshake' : 'discovery');
    if (own?.handshake && setting.refusal !== undefined) throw setting.refusal;
    return { fellBack: setting.fellBack } as Connection;
  };
  const reach: Connector = { reconnects: true, connect: (opening) => opening({} as never) };
  return setting;
}

describe('A server without discovery', () => {
  it('gets a handshake for ten minutes, then discovery again', async () => {
    const { dial, begun, clock } = setUp();
    await dial();
    clock.advance(10 * minute - 1);
    await dial();
    clock.advance(1);
    await dial();
    clock.advance(10 * minute - 1);
    await dial();
    expect(begun).toEqual(['discovery', 'handshake', 'discovery', 'handshake']);
  });

  it('that now has discovery gets discovery each time', async () => {
    const setting = setUp();
    await setting.dial();
    setting.clock.advance(10 * minute);
    setting.fellBack = false;
    await setting.dial();
    await setting.dial();
    expect(setting.begun).toEqual(['discovery', 'discovery', 'discovery']);
    expect(setting.remembered.size).toBe(0);
  });

  it.each([
    'endpoint-not-found',
    'unexpected-content',
    'server-exited',
    'http-error',
    'invalid-result',
    'protocol-version-mismatch',
  ] as const)('whose handshake now fails with %s gets discovery at once', async (code) => {
    const setting = setUp();
    await setting.dial();
    setting.refusal = new TenonError(code, 'No.');
    setting.fellBack = false;
    await setting.dial();
    expect(setting.begun).toEqual(['discovery', 'handshake', 'discovery']);
  });

  it.each(['timeout', 'server-unavailable', 'connection-refused'] as const)(
    'whose handshake now fails with %s gets discovery at the next attempt',
    async (code) => {
      const setting = setUp();
      await setting.dial();
      setting.refusal = new TenonError(code, 'No.');
      await expect(setting.dial()).rejects.toBe(setting.refusal);
      await setting.dial();
      expect(setting.begun).toEqual(['discovery', 'handshake', 'discovery']);
    },
  );

  it('gets no discovery from a caller that has cancelled', async () => {
    const setting = setUp();
    await setting.dial();
    setting.refusal = new TenonError('server-exited', 'No.');
    await expect(setting.dial('a', AbortSignal.abort())).rejects.toBe(setting.refusal);
    expect(setting.begun).toEqual(['discovery', 'handshake']);
  });

  it('is forgotten after a thousand others', async () => {
    const { dial, begun } = setUp();
    for (let n = 0; n <= 1000; n++) await dial(`server ${n}`);
    begun.length = 0;
    await dial('server 1');
    await dial('server 0');
    expect(begun).toEqual(['handshake', 'discovery']);
  });
});
