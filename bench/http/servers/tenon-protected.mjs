/** Ours with authentication, as the settings say: access tokens, with DPoP or without, or API keys. */
import { protect, protectWithApiKeys } from '../../../dist/auth.js';
import { createServer, serveHttp, tool } from '../../../dist/node.js';
import { createMemoryStore } from '../../../dist/store.js';
import { card } from '../../lib/tools.mjs';
import { announce, tools } from './announce.mjs';

const { keys, issuer, resource, dpop } = JSON.parse(process.argv[4]);

/** The driver sends its proofs again and again: each use is stored as one of its own, so that storing it costs what it does. */
function reusable() {
  const store = createMemoryStore();
  let uses = 0;
  return {
    burn(key, expiresAt, owner) {
      // Fewer than one owner may have.
      if (++uses % 40_000 === 0) store.clear();
      return store.once.burn(`${key} ${uses}`, expiresAt, owner);
    },
  };
}

const authenticate =
  keys !== undefined
    ? protectWithApiKeys({ keys })
    : protect({ issuer, resource, ...(dpop && { dpop: { mode: 'required', once: reusable() } }) });

const ready = ({ name, description, schema, run }) => [name, tool({ description, inputSchema: schema }, run)];
const server = createServer({ ...card, tools: Object.fromEntries(tools.map(ready)) });
announce((await serveHttp(server, { port: 0, sessions: false, authenticate })).port);
