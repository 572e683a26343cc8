/** A server process that records its calls in a file and kills itself before it answers one of them. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CommandTarget, ProtocolVersion } from 'tenon';
import { onTestFinished } from 'vitest';

export interface Program {
  readonly command: CommandTarget;
  /** The calls that ran, in order, as `pid:name`. */
  done(): string[];
  /** All received messages, in order. */
  received(): { readonly pid: number; readonly message: { readonly method: string; readonly params?: unknown } }[];
}

/**
 * Runs calls in the order they arrive and answers with its process id. The first process kills itself after it ran
 * `dieAfter` calls, before it answers the last of them.
 */
export function program(revision: ProtocolVersion, dieAfter: number): Program {
  const folder = mkdtempSync(join(tmpdir(), 'tenon-life-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const files = { done: join(folder, 'done'), received: join(folder, 'received'), died: join(folder, 'died') };
  for (const file of [files.done, files.received]) writeFileSync(file, '');
  const lines = (file: string): string[] => readFileSync(file, 'utf8').split('\n').slice(0, -1);
  const config = JSON.stringify({ revision, dieAfter, files });
  return {
    command: { command: process.execPath, args: ['-e', script, '--', config], stderr: 'ignore' },
    done: () => lines(files.done),
    received: () => lines(files.received).map((line) => JSON.parse(line)),
  };
}

const script = `
  const fs = require('node:fs');
  const { revision, dieAfter, files } = JSON.parse(process.argv[1]);
  const isExchange = revision === '2026-07-28';
  const capabilities = { tools: {}, logging: {}, resources: { subscribe: true } };
  const complete = isExchange ? { resultType: 'complete' } : {};
  let calls = 0;
  require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
    const message = JSON.parse(line);
    fs.appendFileSync(files.received, JSON.stringify({ pid: process.pid, message }) + '\\n');
    const send = (body) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', ...body }) + '\\n');
    const answer = (result) => send({ id: message.id, result: { ...result, ...complete } });
    if (message.id === undefined) return;
    switch (message.method) {
      case 'server/discover':
        if (!isExchange) return send({ id: message.id, error: { code: -32601, message: 'Unknown method' } });
        return answer({ supportedVersions: [revision], capabilities, ttlMs: 0, cacheScope: 'private' });
      case 'initialize':
        return answer({ protocolVersion: revision, capabilities, serverInfo: { name: 'mortal', version: '1' } });
      case 'tools/call':
        fs.appendFileSync(files.done, process.pid + ':' + message.params.name + '\\n');
        if (++calls === dieAfter && !fs.existsSync(files.died)) {
          fs.writeFileSync(files.died, '');
          process.kill(process.pid, 'SIGKILL');
        }
        return answer({ content: [{ type: 'text', text: String(process.pid) }] });
      case 'subscriptions/listen': {
        const _meta = { 'io.modelcontextprotocol/subscriptionId': message.id };
        const { notifications } = message.params;
        return send({ method: 'notifications/subscriptions/acknowledged', params: { notifications, _meta } });
      }
      default:
        return answer({});
    }
  });
`;
