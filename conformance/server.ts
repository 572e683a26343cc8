/** Serves the fixture over HTTP at `PORT`, or at a free port, until SIGINT or SIGTERM. */
import { serveHttp } from 'tenon';
import { createFixture } from './fixture.ts';

const service = await serveHttp(await createFixture(), { port: Number(process.env.PORT ?? 0) });
console.log(`ready ${service.url}`);

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => void service.close().then(() => process.exit(0)));
}
