/** A program whose option an editor explains. */
import { createServer, serveHttp } from 'tenon';

const server = createServer({ name: 'hovered', version: '1.0.0' });
await serveHttp(server, { timeouts: { requestMs: 30_000 } });
