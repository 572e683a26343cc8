/** The subjects, and how their server is started for a load. */
import { fileURLToPath } from 'node:url';
import { startHttpServer } from '../lib/http-server.mjs';
import { nodeCommand } from '../lib/pinning.mjs';

export const yardstick = 'bare node:http';

const both = ['session', 'exchange'];

/** `kind` selects the loads that a subject takes part in, `lifecycles` is what it supports. */
export const subjects = [
  { name: yardstick, kind: 'plain', file: 'bare', lifecycles: both },
  { name: 'bare node:http again (control)', kind: 'control', file: 'bare', lifecycles: both },
  {
    name: 'bare node:http without checks',
    kind: 'trusting',
    file: 'bare',
    lifecycles: both,
    settings: { trusting: true },
  },
  { name: 'tenon', kind: 'ours', file: 'tenon', lifecycles: both },
  { name: 'tenon, everything on', kind: 'everything', file: 'tenon-everything', lifecycles: both },
  { name: 'tmcp', kind: 'peer', file: 'tmcp', lifecycles: both },
  { name: 'official SDK v1', kind: 'peer', file: 'sdk-v1', lifecycles: ['session'] },
  { name: 'official SDK v2', kind: 'peer', file: 'sdk-v2', lifecycles: both },
  { name: 'fastmcp', kind: 'peer', file: 'fastmcp', lifecycles: ['session'] },
];

/** `settings`, if a program needs any, are its third argument. */
export function start(name, file, { sessions = 0, tools }, nodeOptions = [], settings = {}) {
  const path = fileURLToPath(new URL(`./servers/${file}.mjs`, import.meta.url));
  const mode = sessions > 0 ? 'sessions' : 'stateless';
  return startHttpServer(name, nodeCommand([...nodeOptions, path, mode, String(tools), JSON.stringify(settings)]));
}
