/** A client of Tenon in a run: makes its calls through the balancer, and watches its topics. */
import { type Client, createClient, TenonError, toText } from 'tenon';
import { withFixed } from '../../../kit/fixed-limits.ts';
import type { ChaosClient, Surroundings } from '../run.ts';
import type { Operation, PlannedClient } from '../schedule.ts';
import { codeOf, createCallRecorder, type ToolResult } from './recorded-calls.ts';

export async function startTenonClient(planned: PlannedClient, around: Surroundings): Promise<ChaosClient> {
  const { name, principal, revision } = planned;
  const { recorder, observer } = around;
  const calls = createCallRecorder(around, planned);
  const asked = new Map<string, string>();
  const client = createClient(
    { url: around.url, headers: { authorization: `Bearer ${principal}` } },
    {
      protocolVersions: [revision],
      timeoutMs: around.patienceMs,
      timeouts: withFixed({}, { refreshIntervalMs: 1 }),
      reconnect: withFixed(
        { initialDelayMs: 20, maxDelayMs: 100, maxConsecutiveFailures: 3 },
        { maxAttemptsPerMinute: 10_000 },
      ),
      onWarning: () => undefined,
      handlers: {
        elicitForm({ message }) {
          const [token = '', owner = ''] = message.split(' ');
          const request = asked.get(token) ?? '';
          // Where every request stands alone, a question may come again.
          recorder.record({ type: 'server-request', request, question: `${request}?`, owner });
          return { action: 'accept', content: { answer: `answer to ${token}` } };
        },
      },
    },
  );
  const stops = await Promise.all(planned.topics.map((topic) => watch(client, topic)));

  async function watch(watching: Client, topic: string) {
    const listener = `${name}:${topic}`;
    const onRead = (contents: Parameters<Parameters<Client['resources']['watch']>[1]>[0]): void => {
      const version = Number(toText({ contents }));
      recorder.record({ type: 'change-received', listener, topic, version });
    };
    const watcher = await watching.resources.watch(`topic://${topic}`, onRead);
    recorder.record({ type: 'listening', listener, principal, topics: [topic] });
    return watcher;
  }

  async function call(tool: string, args: Record<string, unknown>, options: object = {}): Promise<ToolResult> {
    const result = await client.tools.call(tool, args, options);
    if (result.isError === true) throw new Error(toText(result));
    return JSON.parse(toText(result)) as ToolResult;
  }

  async function stream(count: number): Promise<void> {
    const token = calls.newToken();
    const record = calls.begin({ token });
    const name = `${record.request} stream`;
    recorder.record({ type: 'stream-opened', stream: name, principal });
    const onProgress = ({ progress: n, message: owner = '' }: { progress: number; message?: string }): void =>
      recorder.record({ type: 'stream-event', stream: name, n, owner });
    const code = await record.outcome(() => call('stream', { token, count }, { onProgress }));
    recorder.record({ type: 'stream-closed', stream: name, ...(code === undefined ? { count } : { code }) });
  }

  /** Repeats a call with its key until it has a result or an error that a repeat cannot change. */
  async function keyed(): Promise<void> {
    const token = calls.newToken();
    const idempotencyKey = `key of ${token}`;
    for (let attempt = 0; attempt < 5; attempt++) {
      const record = calls.begin({ token, idempotencyKey, hasEffect: true });
      const args = { token, key: idempotencyKey };
      if ((await record.outcome(() => call('effect', args, { idempotencyKey }))) === undefined) return;
    }
  }

  async function ask(): Promise<void> {
    const token = calls.newToken();
    const record = calls.begin({ token });
    asked.set(token, record.request);
    await record.outcome(async () => {
      const { answers = [], ...result } = await call('ask', { token });
      // Only a raw client knows when a node has accepted its answer.
      if (answers[0] !== `answer to ${token}`) throw new Error(`Another answer arrived: ${answers[0]}`);
      return result;
    });
  }

  async function hang(): Promise<void> {
    const token = calls.newToken();
    const cancelling = new AbortController();
    const running = calls.begin({ token }).outcome(() => call('hang', { token }, { signal: cancelling.signal }));
    await Promise.race([observer.hanging(token), running]);
    cancelling.abort();
    await running;
  }

  return {
    name,
    async run(operation: Operation) {
      const token = calls.newToken();
      if (operation.kind === 'stream') return stream(operation.count);
      if (operation.kind === 'keyed') return keyed();
      if (operation.kind === 'ask') return ask();
      if (operation.kind === 'hang') return hang();
      const args = operation.kind === 'change' ? { token, topic: operation.topic } : { token };
      const record = calls.begin({ token, ...(operation.kind === 'effect' && { hasEffect: true }) });
      await record.outcome(() => call(operation.kind, args));
    },
    async close() {
      for (const stop of stops) await stop.close().catch(ignoreClosed);
      await client.close();
    },
  };
}

function ignoreClosed(error: unknown): void {
  if (!(error instanceof TenonError)) throw new Error(codeOf(error), { cause: error });
}
