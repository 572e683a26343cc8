/** The durability of a store: logged at start, and refused where an option needs more. */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import {
  createServer,
  type HttpService,
  type Logger,
  type ServerOptions,
  serveHttp,
  serveStdio,
  toFetchHandler,
} from 'tenon';
import { openSqliteStore } from 'tenon/sqlite';
import { createMemoryStore, type Store } from 'tenon/store';
import { describe, expect, it, onTestFinished } from 'vitest';
import { secrets } from './session/two-nodes.ts';

const newServer = (options: ServerOptions = { secrets }) => createServer({ name: 'durable', version: '1' }, options);
const streams = () => ({ stdin: new PassThrough(), stdout: new PassThrough() });

/** A store in memory that calls itself another. */
const named = (name: string | undefined, durability: Store['durability']): Store => {
  const { sessions, events, bus, once } = createMemoryStore();
  return { sessions, events, bus, once, ...(name && { name }), ...(durability && { durability }) };
};

/** A logger that stores what it gets. */
function recorder() {
  const lines: unknown[] = [];
  const write = (fields: object, message: string): void => void lines.push({ ...fields, message });
  const logger: Logger = { debug: write, info: write, warn: write, error: write };
  return { lines, logger };
}

async function newFile(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'durable-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  return join(folder, 'store.db');
}

async function serving<T>(options: Parameters<typeof serveHttp>[1], use: (service: HttpService) => T): Promise<T> {
  const service = await serveHttp(newServer(), { port: 0, ...options });
  try {
    return use(service);
  } finally {
    await service.close();
  }
}

describe('[S20] the durability of a store', () => {
  it('is logged in one line when the server is served, over HTTP and on stdio, and can be read', async () => {
    const url = `sqlite:${await newFile()}`;
    const { lines, logger } = recorder();
    const attached = { store: 'sqlite', durability: 'disk', message: 'store attached' };
    await serving({ store: url, logger }, ({ store }) => expect(store?.durability).toBe('disk'));
    expect(lines.filter((line) => (line as typeof attached).message === 'store attached')).toEqual([attached]);
    lines.length = 0;
    const { stdin, stdout } = streams();
    const stdio = serveStdio(newServer(), { stdin, stdout, store: url, logger });
    stdin.end();
    await stdio.closed;
    expect(lines[0]).toEqual(attached);
    expect(stdio.store?.durability).toBe('disk');
  });

  it('is a warning where it could not be found out', async () => {
    const warnings: unknown[] = [];
    const onWarning = (error: Error): void => void warnings.push(error);
    const store = named('redis', 'unknown');
    const warning = { code: 'store-not-durable', hint: expect.stringContaining('appendonly yes') };
    await toFetchHandler(newServer(), { store, onWarning }).close();
    expect(warnings).toMatchObject([warning]);
    await serveStdio(newServer(), { ...streams(), store, onWarning }).close();
    expect(warnings).toMatchObject([warning, warning]);
  });
});

describe('[S20] an option that needs durability', () => {
  const strict = (durability: 'process' | 'disk') => newServer({ secrets, idempotency: { durability } });

  it.each([
    ['no store', undefined, 'disk', "store: 'sqlite:./tenon.db'"],
    ['a store in memory', createMemoryStore(), 'process', "store: 'sqlite:./tenon.db'"],
    ['Redis without a log', named('redis', 'memory'), 'process', '`appendonly yes`'],
    ['Redis that syncs every second', named('redis', 'process'), 'disk', '`appendfsync always`'],
    ['SQLite without syncs', named('sqlite', 'process'), 'disk', "durability: 'disk'"],
    ['a store whose durability is unknown', named('own', undefined), 'process', 'the property `durability`'],
  ] as const)('refuses %s and names the setting', async (_name, store, needed, setting) => {
    const refusal = {
      code: 'store-not-durable',
      message: expect.stringContaining(`idempotency.durability needs a store with the durability '${needed}'`),
      hint: expect.stringContaining(setting),
    };
    const given = store && { store };
    await expect(serveHttp(strict(needed), { port: 0, ...given })).rejects.toMatchObject(refusal);
    expect(() => toFetchHandler(strict(needed), { ...given })).toThrow(expect.objectContaining(refusal));
    expect(() => serveStdio(strict(needed), { ...streams(), ...given })).toThrow(expect.objectContaining(refusal));
  });

  it('accepts a store that has it', async () => {
    const handlers = [
      toFetchHandler(strict('process'), { store: named('redis', 'process') }),
      toFetchHandler(strict('disk'), { store: named('own', 'disk') }),
    ];
    expect(handlers.map((handle) => handle.stats().sessions)).toEqual([0, 0]);
    for (const handle of handlers) await handle.close();
  });

  it('is checked itself', () => {
    const idempotency = { durability: 'ram' as 'disk' };
    expect(() => newServer({ idempotency })).toThrow(expect.objectContaining({ code: 'invalid-definition' }));
  });
});

describe('[S20] openSqliteStore()', () => {
  it.each([
    [undefined, 'disk'],
    ['disk', 'disk'],
    ['process', 'process'],
  ] as const)('with durability %s has the durability %s', async (durability, found) => {
    const store = await openSqliteStore(await newFile(), durability && { durability });
    expect(store.durability).toBe(found);
    await store.close();
  });

  it('refuses another', async () => {
    const wrong = openSqliteStore('x.db', { durability: 'memory' as 'disk' });
    await expect(wrong).rejects.toMatchObject({ code: 'invalid-argument', details: { place: 'durability' } });
  });
});

describe('[S20] a store that outlives the process', () => {
  const refusal = {
    code: 'invalid-argument',
    message: expect.stringContaining('has no secrets'),
    hint: expect.stringContaining('secrets of createServer()'),
    details: { place: 'secrets' },
  };

  it.each([
    ['SQLite', named('sqlite', 'disk')],
    ['Redis without a log', named('redis', 'memory')],
    ['a driver without a name', named(undefined, undefined)],
  ])('is refused without secrets: %s', async (_name, store) => {
    const unsealed = () => newServer({});
    await expect(serveHttp(unsealed(), { port: 0, store })).rejects.toMatchObject(refusal);
    expect(() => toFetchHandler(unsealed(), { store })).toThrow(expect.objectContaining(refusal));
    expect(() => serveStdio(unsealed(), { ...streams(), store })).toThrow(expect.objectContaining(refusal));
  });

  it('is refused by its URL, too, and then closed', async () => {
    const store = `sqlite:${await newFile()}`;
    await expect(serveHttp(newServer({}), { port: 0, store })).rejects.toMatchObject(refusal);
    expect(await serveStdio(newServer({}), { ...streams(), store }).closed).toMatchObject(refusal);
  });
});
