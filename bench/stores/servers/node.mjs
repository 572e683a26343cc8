/** A node on the store of its argument. */
import { createServer, serveHttp, tool } from '../../../dist/node.js';
import { announce } from '../../http/servers/announce.mjs';
import { add, card } from '../../lib/tools.mjs';
import { openStore } from '../subjects.mjs';

const [, , , , address] = process.argv;
const progressing = {
  ...add,
  async run({ a, b }, ctx) {
    for (let n = 1; n <= 3; n++) {
      await undefined;
      ctx.reportProgress(n, 3);
    }
    return String(a + b);
  },
};
const ready = ({ description, schema, run }) => tool({ description, inputSchema: schema }, run);
const server = createServer(
  { ...card, tools: { add: ready(add), progress: ready(progressing) } },
  { secrets: ['the secret of a benchmark'] },
);
const options = { port: 0, store: await openStore(address), sessions: { maxCount: 200_000 } };
announce((await serveHttp(server, options)).port);
