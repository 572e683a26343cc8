/** Serves a gateway in front of the fixture, which is `UPSTREAM_PROGRAM` or at a URL, and which it speaks `UPSTREAM_VERSION` to, until SIGINT or SIGTERM. */
import { connect, type ProtocolVersion, serveHttp } from 'tenon';
import { createGateway } from 'tenon/gateway';
import { createFixture } from './fixture.ts';

const { UPSTREAM_PROGRAM: program, UPSTREAM_VERSION, PORT = '0' } = process.env;

const behind = program === undefined ? await serveHttp(await createFixture(), { port: 0 }) : undefined;
const target = behind === undefined ? { command: process.execPath, args: [program as string] } : { url: behind.url };
const protocolVersions = [UPSTREAM_VERSION as ProtocolVersion];

const gateway = createGateway({
  // The suite leaves calls open that wait for its answers; each keeps a process.
  upstreams: { fixture: { ...target, protocolVersions, limits: { maxConnectionsPerOwner: 50 } } },
  // As the fixture itself: the suite sends answers with a first call.
  server: { requestState: { required: false }, secrets: ['the conformance fixture has no secrets'] },
});
// The suite is one user: the gateway must not start a process for each of its calls.
const service = await serveHttp(gateway.server, { port: Number(PORT), authenticate: () => 'suite' });
// The suite gives its first call with forms 600 ms, in which a process would have to start.
const first = await connect(service.url, { handlers: { elicitForm: () => ({ action: 'cancel' }) } });
await first.tools.call('test_simple_text');
await first.close();
console.log(`ready ${service.url}`);

for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => {
    void service
      .close()
      .then(() => gateway.close())
      .then(() => behind?.close())
      .then(() => process.exit(0));
  });
