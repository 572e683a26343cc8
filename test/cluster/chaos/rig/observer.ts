/** Receives the reports of the nodes' handlers and records them: effects, steps of streams, changes. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { Recorder } from '../../history/recorder.ts';

export interface Observer {
  readonly url: string;
  /** Resolves when a handler that waits for its cancellation has begun. */
  hanging(token: string): Promise<void>;
  close(): Promise<void>;
}

interface Report {
  readonly node: string;
  readonly token?: string;
  readonly principal?: string;
  readonly idempotencyKey?: string;
  readonly topic?: string;
  readonly version?: number;
  readonly fault?: string;
}

/** `onReport` is awaited before a handler gets its answer. */
export async function startObserver(recorder: Recorder, onReport: (node: string) => Promise<void>): Promise<Observer> {
  const versions = new Map<string, number>();
  const waiting = new Map<string, () => void>();
  const begun = new Set<string>();

  const answers: Readonly<Record<string, (report: Report) => object>> = {
    '/effect': ({ node, token = '', principal = '', idempotencyKey }) => {
      const key = idempotencyKey === undefined ? {} : { idempotencyKey };
      recorder.record({ type: 'effect', node, token, principal, ...key });
      return {};
    },
    '/step': () => ({}),
    '/hanging': ({ token = '' }) => {
      begun.add(token);
      waiting.get(token)?.();
      return {};
    },
    '/change': ({ topic = '' }) => {
      const version = (versions.get(topic) ?? 0) + 1;
      versions.set(topic, version);
      return { version };
    },
    // Until it is stored, it is lost with its node.
    '/changed': ({ node, topic = '', version = 0 }) => {
      recorder.record({ type: 'change', node, topic, version });
      return {};
    },
    '/store-fault': ({ node, fault = '' }) => {
      recorder.record({ type: 'store-fault', node, operation: 'unknown', fault });
      return {};
    },
    '/version': ({ topic = '' }) => ({ version: versions.get(topic) ?? 0 }),
  };

  const server = createServer(async (request, response) => {
    const report = JSON.parse(await text(request)) as Report;
    const answer = answers[request.url ?? '']?.(report);
    // A failure of the store is no step of a run.
    if (report.fault === undefined) await onReport(report.node);
    response.end(JSON.stringify(answer ?? {}));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    hanging: (token) => (begun.has(token) ? Promise.resolve() : new Promise((resolve) => waiting.set(token, resolve))),
    async close() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
