/** User callbacks that are async and reject: the error is passed to `onWarning`, and no rejection is unhandled. */
import { connect, createClient, createServer, tool } from 'tenon';
import { describe, expect, it, vi } from 'vitest';
import { deferred } from '../../kit/deferred.ts';

const server = createServer({
  name: 's',
  version: '1',
  tools: {
    chatter: tool({}, (_given, context) => {
      context.log('info', 'hello');
      context.reportProgress(1);
      return 'done';
    }),
  },
});
const mine = new Error('mine');
const reject = async (): Promise<never> => {
  throw mine;
};

/** Resolves with the first warning. */
function firstWarning() {
  const { promise, resolve } = deferred<Error>();
  return { first: promise, onWarning: resolve };
}

const failed = { code: 'callback-failed', cause: mine };

describe('A callback that rejects causes a warning', () => {
  it.each(['reject', 'throw'])('as onProgress: %s', async (how) => {
    const { first, onWarning } = firstWarning();
    const fail = (): never => {
      throw mine;
    };
    await using client = await connect(server, { onWarning });
    const result = await client.tools.call('chatter', {}, { onProgress: how === 'throw' ? fail : reject });
    expect(result.content).toMatchObject([{ text: 'done' }]);
    expect(await first).toMatchObject(failed);
  });

  it('as onLog', async () => {
    const { first, onWarning } = firstWarning();
    await using client = await connect(server, { onWarning, logLevel: 'debug', onLog: reject });
    await client.tools.call('chatter');
    expect(await first).toMatchObject(failed);
  });

  it('as onClose', async () => {
    const { first, onWarning } = firstWarning();
    const client = await connect(server, { onWarning, onClose: reject });
    await client.close();
    expect(await first).toMatchObject(failed);
  });

  it('as listener of the connection state', async () => {
    const { first, onWarning } = firstWarning();
    await using client = createClient(server, { onWarning });
    client.connection.on('state', reject);
    await client.connection.ready();
    expect(await first).toMatchObject(failed);
  });

  it("as stderr callback of a server's process", async () => {
    const { first, onWarning } = firstWarning();
    const args = ['-e', 'console.error("hello")'];
    const options = { onWarning, reconnect: false };
    await connect({ command: process.execPath, args, stderr: reject }, options).catch(() => {});
    expect(await first).toMatchObject(failed);
  });

  it('but as onWarning is ignored: the call continues', async () => {
    const handled = deferred();
    const rejected = Promise.reject(mine);
    const then = rejected.then.bind(rejected);
    vi.spyOn(rejected, 'then').mockImplementation((...settling) => {
      handled.resolve();
      return then(...settling);
    });
    await using client = await connect(server, { onWarning: () => rejected as never });
    const result = await client.tools.call('chatter', {}, { onProgress: reject });
    expect(result.content).toMatchObject([{ text: 'done' }]);
    await handled.promise;
  });
});
