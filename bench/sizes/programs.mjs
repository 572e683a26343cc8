/** The smallest servers and clients, ours and others', without a transport: bundled, measured, and proved to work. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { bundle } from './bundle.mjs';

const folder = new URL('../results/bundles/', import.meta.url);
const patienceMs = 10_000;

const servers = {
  'Tenon, schema by hand': 'server-tenon-bare',
  'Tenon, zod': 'server-tenon',
  'official SDK v1, zod': 'server-sdk-v1',
  'official SDK v2, zod': 'server-sdk-v2',
  'tmcp, zod': 'server-tmcp',
};

const clients = { Tenon: 'client-tenon', 'official SDK v1': 'client-sdk-v1', 'official SDK v2': 'client-sdk-v2' };

/** Each as `{ kind, name, start, later }`. Throws when a bundle does not add 2 and 3. */
export async function weighPrograms() {
  rmSync(folder, { recursive: true, force: true });
  const made = [];
  const openers = [];
  for (const [name, file] of Object.entries(servers)) {
    const { program, ...weight } = await make(file);
    await prove(name, drive, program.open);
    openers.push(program.open);
    made.push({ kind: 'server', name, ...weight });
  }
  for (const [name, file] of Object.entries(clients)) {
    const { program, ...weight } = await make(file);
    await prove(name, program.callAdd, openers[0]);
    made.push({ kind: 'client', name, ...weight });
  }
  return made;
}

async function make(file) {
  const { files, entry, start, later } = await bundle(`export * from './programs/${file}.mjs';`, { platform: 'node' });
  const place = new URL(`${file}/`, folder);
  mkdirSync(place, { recursive: true });
  for (const { name, contents } of files) writeFileSync(new URL(name, place), contents);
  return { program: await import(new URL(entry, place)), start, later };
}

/** Connects a client to a server by text, and checks the result of `add` with 2 and 3. */
async function prove(name, client, openServer) {
  let toClient;
  const toServer = openServer((text) => queueMicrotask(() => toClient(text)));
  const link = { send: (text) => queueMicrotask(() => toServer(text)), listen: (frame) => (toClient = frame) };
  const late = new Promise((_, reject) => {
    setTimeout(() => reject(new Error(`${name}: no answer in ${patienceMs} ms`)), patienceMs).unref();
  });
  const { content } = await Promise.race([client(link), late]);
  if (content?.[0]?.text !== '5') throw new Error(`${name}: 2 and 3 gave ${JSON.stringify(content)}`);
}

/** A client of a few lines, to prove a server without the client of a library. */
async function drive({ send, listen }) {
  const waiting = new Map();
  listen((text) => {
    const { id, result, error } = JSON.parse(text);
    waiting.get(id)?.(result ?? { content: error });
  });
  const request = (id, method, params) =>
    new Promise((resolve) => {
      waiting.set(id, resolve);
      send(JSON.stringify({ jsonrpc: '2.0', id, method, params }));
    });
  const clientInfo = { name: 'minimal', version: '1.0.0' };
  await request(1, 'initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo });
  send(JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' }));
  return request(2, 'tools/call', { name: 'add', arguments: { a: 2, b: 3 } });
}
