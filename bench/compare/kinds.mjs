/** What is compared: servers over stdio and HTTP, clients, and both in one process, each with the library of a checkout. */
import { fileURLToPath } from 'node:url';
import { connections, createDriver as createHttpDriver } from '../http/driver.mjs';
import { loads as httpLoads, requestsOf as httpRequests } from '../http/loads.mjs';
import { startHttpServer } from '../lib/http-server.mjs';
import { isolate } from '../lib/isolation.mjs';
import { lifecycles } from '../lib/lifecycles.mjs';
import { startLineServer } from '../lib/line-server.mjs';
import { nodeCommand } from '../lib/pinning.mjs';
import { createDriver as createLineDriver } from '../stdio/driver.mjs';
import { loads as lineLoads, requestsOf as lineRequests } from '../stdio/loads.mjs';

const urlOf = (name) => new URL(`./programs/${name}.mjs`, import.meta.url);
const pathOf = (name) => fileURLToPath(urlOf(name));
const canned = fileURLToPath(new URL('../client/canned.mjs', import.meta.url));

/** Calls in flight of a client. */
const inFlight = 64;

/** Each load once for each of our servers that takes part in it. */
const programs = { ours: 'plain', everything: 'everything' };
const serversOf = ({ kinds }) => Object.keys(programs).filter((kind) => kinds.includes(kind));

/** A kind is `{ title, open(name, root) }`, which resolves with a subject for `alternate` that has `close`. */
export const kinds = () => [...overStdio(), ...overHttp(), ...clients(), ...inProcess()];

const overStdio = () =>
  lineLoads.flatMap((load) =>
    serversOf(load).flatMap((kind) =>
      Object.values(lifecycles).map((lifecycle) => ({
        title: `stdio, ${load.title}, ${kind}, ${lifecycle.revision}`,
        async open(name, root) {
          const server = startLineServer(name, nodeCommand([pathOf('stdio-server'), root, programs[kind]]));
          const { close } = server;
          return orClose(close, async () => {
            await lifecycle.open(server);
            return { name, close, slice: createLineDriver(server, lineRequests(load, lifecycle), load.inFlight) };
          });
        },
      })),
    ),
  );

const overHttp = () =>
  httpLoads.flatMap((load) =>
    serversOf(load).map((kind) => ({
      title: `HTTP, ${load.title}, ${kind}, ${lifecycles[load.lifecycle].revision}`,
      async open(name, root) {
        const mode = (load.sessions ?? 0) > 0 ? 'sessions' : 'stateless';
        const args = [pathOf('http-server'), mode, String(load.tools), root, programs[kind]];
        const server = await startHttpServer(name, nodeCommand(args));
        const { close } = server;
        return orClose(close, async () => ({
          name,
          close,
          slice: createHttpDriver(server, await httpRequests(load, server), connections),
        }));
      },
    })),
  );

/** Each client has a canned server of its own. */
const clients = () =>
  Object.keys(lifecycles).map((lifecycle) => ({
    title: `client over HTTP, ${lifecycles[lifecycle].revision}`,
    async open(name, root) {
      const server = await startHttpServer('canned', nodeCommand([canned, lifecycle]));
      return orClose(server.close, async () => {
        const client = await isolate(name, urlOf('client'), { root, lifecycle, port: server.port, inFlight });
        const close = () => {
          client.close();
          server.close();
        };
        return { ...client, close };
      });
    },
  }));

const inProcess = () =>
  Object.keys(lifecycles).flatMap((lifecycle) =>
    [1, inFlight].map((atOnce) => ({
      title: `in process, ${atOnce} in flight, ${lifecycles[lifecycle].revision}`,
      open: (name, root) => isolate(name, urlOf('in-process'), { root, lifecycle, inFlight: atOnce }),
    })),
  );

/** What `open` resolves with; closes the server if it fails. */
async function orClose(close, open) {
  try {
    return await open();
  } catch (error) {
    close();
    throw error;
  }
}
