/** One message of every kind, as the wire of each revision writes it. To update the goldens: UPDATE_PINS=1 npx vitest run test/protocol/wire */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { rpcErrorReasons } from '../../../src/protocol/error-meanings.ts';
import { type RpcErrorReason, rpcError } from '../../../src/protocol/errors.ts';
import type { Reading } from '../../../src/protocol/neutral.ts';
import type { Revision } from '../../../src/protocol/revision.ts';
import { revisions } from '../../../src/protocol/revisions/revisions.ts';
import { implementation, inputRequests, params, results } from './rich-messages.ts';

const by = { name: 'rich', version: '1.0.0' };
const introduction = {
  client: { name: 'rich', version: '1.0.0' },
  capabilities: { elicitation: { form: {}, url: {} }, roots: { listChanged: true }, tasks: { list: {} } },
  logLevel: 'info' as const,
};

const plain = <T>(reading: Reading<T>): unknown =>
  reading.ok ? (reading.value ?? 'no params') : `refused: ${reading.refusal.reason}`;

function written(revision: Revision): unknown {
  const { wire } = revision;
  const result = (method: string): unknown => {
    const requester = revision.client.requests.has(method) ? 'client' : 'server';
    return plain(
      wire.writeResult(revision, requester, method, { resultType: 'complete', result: results[method] ?? {} }, by),
    );
  };
  const sent = (from: 'client' | 'server', method: string): unknown => {
    const given = { method, params: params[from][method] ?? {} };
    if (method.startsWith('notifications/')) return plain(wire.writeNotification(revision, from, given));
    return plain(wire.writeRequest(revision, from, { ...given, introduction }));
  };
  const inputRequired = { resultType: 'input_required', inputRequests, state: 'sealed' } as const;
  return {
    results: Object.fromEntries(Object.keys(results).map((method) => [method, result(method)])),
    client: Object.fromEntries(Object.keys(params.client).map((method) => [method, sent('client', method)])),
    server: Object.fromEntries(Object.keys(params.server).map((method) => [method, sent('server', method)])),
    'input-required': plain(wire.writeResult(revision, 'client', 'tools/call', inputRequired, by)),
    'a listening notification': plain(
      wire.writeNotification(revision, 'server', { method: 'notifications/tools/list_changed', subscription: 7 }),
    ),
    errors: Object.fromEntries(
      Object.keys(rpcErrorReasons).map((name) => [
        name,
        wire.writeError(revision, rpcError(name as RpcErrorReason, '', urlElicitations)).code,
      ]),
    ),
  };
}

function golden(id: string, current: unknown): unknown {
  const file = new URL(`goldens/${id}.json`, import.meta.url);
  if (process.env['UPDATE_PINS'] === '1' && !process.env['CI'])
    writeFileSync(file, `${JSON.stringify(current, null, 2)}\n`);
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined;
}

describe.each(revisions)('the wire of $id', (revision) => {
  it('writes every kind of message as in its golden file [S34]', () => {
    const now = JSON.parse(JSON.stringify(written(revision)));
    expect(now).toEqual(golden(revision.id, now));
  });

  it('writes results that are valid in that revision, without newer fields', () => {
    for (const [method, result] of Object.entries(results)) {
      const requester = revision.client.requests.has(method) ? 'client' : 'server';
      if (!revision[requester].requests.has(method)) continue;
      const reading = revision.wire.writeResult(revision, requester, method, { resultType: 'complete', result }, by);
      expect([method, reading.ok]).toEqual([method, true]);
    }
  });

  it('preserves fields that no revision defines [S05]', () => {
    const reading = revision.wire.writeResult(revision, 'client', 'tools/list', {
      resultType: 'complete',
      result: results['tools/list'] ?? {},
    });
    expect(JSON.stringify(plain(reading))).toContain('"ours":"kept"');
  });

  it('preserves content of an unknown kind [S08]', () => {
    const result = { content: [{ type: 'hologram', depth: 3 }] };
    const reading = revision.wire.writeResult(revision, 'client', 'tools/call', { resultType: 'complete', result });
    expect(plain(reading)).toMatchObject(result);
  });
});

/** The data of url-elicitation-required, the one error that is recognized by its data. */
const urlElicitations = {
  elicitations: [{ mode: 'url', message: '', url: 'https://example.com', elicitationId: 'a' }],
};

describe('fields newer than a revision', () => {
  const textOf = (id: string): string => readFileSync(new URL(`goldens/${id}.json`, import.meta.url), 'utf8');

  it.each([
    [
      '2024-11-05',
      [
        'icons',
        '"title"',
        'structuredContent',
        'outputSchema',
        '"audio"',
        'resource_link',
        'tool_use',
        'completions',
        'lastModified',
        '"execution"',
        'resultType',
        'ttlMs',
        'extensions',
        'readOnlyHint',
        'websiteUrl',
      ],
    ],
    [
      '2025-03-26',
      [
        'icons',
        'structuredContent',
        'outputSchema',
        'resource_link',
        'tool_use',
        'lastModified',
        '"execution"',
        'resultType',
        'ttlMs',
        'extensions',
        'websiteUrl',
      ],
    ],
    [
      '2025-06-18',
      ['icons', 'tool_use', '"execution"', 'resultType', 'ttlMs', 'extensions', 'websiteUrl', 'oneOf', '"tasks"'],
    ],
    ['2025-11-25', ['resultType', 'ttlMs', 'cacheScope', 'extensions', 'io.modelcontextprotocol/']],
    ['2026-07-28', ['"execution"', '"tasks"', 'elicitationId']],
  ])('are never written: %s', (id, words) => {
    for (const word of words) expect([word, textOf(id).includes(word)]).toEqual([word, false]);
  });

  it('do not include those of serverInfo in a revision that has them', () => {
    const newest = JSON.parse(textOf('2025-11-25'));
    expect(newest.results.initialize.serverInfo).toEqual(implementation);
  });
});
