/** A flood of tasks of one caller: the slots go round the callers, so that others run next. */
import { createServer, type ServeHttpOptions, serveHttp, tool } from 'tenon';
import { describe, expect, it, onTestFinished } from 'vitest';
import { deferred } from '../../kit/deferred.ts';
import { loneCall } from '../../kit/http/messages.ts';
import { send } from '../../kit/http/raw-http.ts';
import { withTimeout } from '../../kit/with-timeout.ts';

const follows = {
  'io.modelcontextprotocol/clientCapabilities': { extensions: { 'io.modelcontextprotocol/tasks': {} } },
};

/** A server with two slots for tasks, each of which is held until the test ends it. */
async function start() {
  const runs: { readonly by: string; readonly held: ReturnType<typeof deferred<void>> }[] = [];
  let began = deferred();
  const server = createServer(
    {
      name: 'shop',
      version: '1',
      tools: {
        held: tool({ task: { support: 'required', answerWithinMs: 0 } }, async (_given, { caller }) => {
          const held = deferred();
          runs.push({ by: caller.principal?.subject ?? 'an address', held });
          began.resolve();
          await held.promise;
          return 'done';
        }),
      },
    },
    { secrets: ['at least sixteen characters'], tasks: { maxConcurrent: 2 } },
  );
  const authenticate: ServeHttpOptions['authenticate'] = ({ header }) =>
    header('authorization')?.slice(7) ?? { anonymous: true };
  const service = await serveHttp(server, { port: 0, authenticate, timeouts: { shutdownMs: 100 } });
  onTestFinished(async () => {
    for (const { held } of runs) held.resolve();
    await service.close();
  });
  async function call(token?: string): Promise<void> {
    const sent = loneCall('held', {}, follows);
    const headers = { ...sent.headers, ...(token !== undefined && { authorization: `Bearer ${token}` }) };
    expect((await send(service.url, { ...sent, headers })).status).toBe(200);
  }
  async function untilRuns(count: number): Promise<void> {
    while (runs.length < count) {
      began = deferred();
      if (runs.length < count) await withTimeout(began.promise, `run ${count}`);
    }
  }
  return { runs, call, untilRuns };
}

describe('a flood of tasks of one principal', () => {
  it('does not keep those of others waiting for more than one turn [S24, S36]', async () => {
    const { runs, call, untilRuns } = await start();
    for (let n = 0; n < 20; n++) await call('eve');
    await untilRuns(2);
    for (const token of ['ann', undefined]) await call(token);
    for (let ended = 0; ended < 3; ended++) {
      runs[ended]?.held.resolve();
      await untilRuns(3 + ended);
    }
    const next = runs.slice(2, 5).map(({ by }) => by);
    expect(next.toSorted()).toEqual(['an address', 'ann', 'eve']);
  });
});
