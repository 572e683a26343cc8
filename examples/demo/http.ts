/** The demo over HTTP, with the inspector, and a plain status page for programs. With `--auth` it needs a token, for which users sign in at a development server, with `--guarded` it has a policy and an audit log. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { argv } from 'node:process';
import { fileURLToPath } from 'node:url';
import { serveHttp } from 'tenon';
import type { Inspector } from 'tenon/inspector';
import { protocolVersions } from 'tenon/protocol';
import { createDemo } from './server.ts';
import { secretsOf, store, taskMemoryOf } from './store.ts';
import { demoTour } from './tour.ts';

const guarded = argv.includes('--guarded') ? await (await import('./guarded/guard.ts')).guardDemo() : undefined;
const demo = await createDemo(
  { ...(guarded && { guard: guarded.guard }), ...(store && { secrets: secretsOf(store) }) },
  guarded?.resources,
);
const isProtected = argv.includes('--auth');
const wanted = Number(process.env.PORT ?? 3000);
const { port, authenticate } = isProtected
  ? await (await import('./auth.ts')).protectDemo(wanted)
  : { port: wanted, authenticate: guarded?.authenticate };
/** Set as soon as the inspector is loaded. */
let showPage: Inspector['handle'] = () => false;
const service = await serveHttp(demo, {
  port,
  notFound: showStatus,
  closeOnSignals: true,
  ...(store && { store }),
  ...(authenticate && { authenticate }),
});
guarded?.servedAt(service.url);
console.log(`ready ${service.url}`);
// Loaded only now: the server does not wait for it.
const { createInspector } = await import('tenon/inspector');
const [, , older = ''] = protocolVersions.toReversed();
const taskMemory = store && taskMemoryOf(store);
const inspector = createInspector({
  servers: { demo: service.url },
  start: {
    server: 'demo',
    call: { tool: 'weather', arguments: { city: 'Oslo' } },
    tour:
      guarded === undefined
        ? demoTour(taskMemory !== undefined, older)
        : (await import('./guarded/tour.ts')).guardedTour,
  },
  stats: () => service.stats(),
  // Open tabs find the demo again when it was restarted.
  tabsFile: fileURLToPath(new URL('../../.tenon/inspector.json', import.meta.url)),
  ...(taskMemory && { taskMemory }),
  ...(guarded && { approvals: guarded.approvals }),
});
showPage = inspector.handle;
console.log(`inspector ${inspector.link(service.url)}`);
console.log(`npx tenon call ${service.url} weather city=Oslo`);
if (service.store !== undefined) {
  console.log(`Store: ${service.store.name}, durability: ${service.store.durability}`);
  console.log(`A report that survives kill -9 ${process.pid}: node --import tsx examples/demo/order.ts ${service.url}`);
}
if (isProtected) console.log(`Sign in and call it: node --import tsx examples/demo/sign-in.ts ${service.url}`);
if (guarded !== undefined) {
  console.log(`Audit log: ${guarded.folder}`);
  console.log(`A refused call: node --import tsx examples/demo/guarded/refused.ts ${service.url} ${guarded.folder}`);
  const { origin } = new URL(service.url);
  console.log(`Approvals: ${origin}/approvals (user grace, password ${guarded.password})`);
  const approved = `node --import tsx examples/demo/guarded/approved.ts ${service.url} ${guarded.folder}`;
  console.log(`A call that a second person approves: PASSWORD=${guarded.password} ${approved}`);
  if (store !== undefined) console.log(`Or: npx tenon approvals list --store ${store}`);
}
// `npm start` builds the page of the inspector now.
process.send?.('ready');

function showStatus(request: IncomingMessage, response: ServerResponse): void {
  const { method, url = '', headers } = request;
  if (!isOwn(headers.host)) return refuse(response, 403, 'Host not allowed');
  if (guarded?.answer(request, response) === true) return;
  if (isForPage(request) && showPage(request, response)) return;
  if (method !== 'GET' || url.split('?')[0] !== '/') return refuse(response, 404, 'Not found');
  const { sessions, streams } = service.stats();
  const tools = Object.keys(demo.features.tools ?? {}).join(', ');
  const lines = [
    `${demo.name} ${demo.version} is served at ${service.url}`,
    `Revisions: ${protocolVersions.join(', ')}`,
    `Tools: ${tools}`,
    `Sessions: ${sessions}, open streams: ${streams}`,
  ];
  response.writeHead(200, { 'content-type': 'text/plain; charset=utf-8' });
  response.end(`${lines.join('\n')}\n`);
}

/** `/` is a page for browsers, and text for everything else. */
function isForPage({ url = '', headers: { accept = '' } }: IncomingMessage): boolean {
  return url.split('?')[0] !== '/' || accept.includes('text/html');
}

/** Prevents DNS rebinding: a web page whose host name points here must not read the status page. */
function isOwn(host = ''): boolean {
  return ['localhost', '127.0.0.1', '[::1]'].includes(host.toLowerCase().replace(/:\d+$/, ''));
}

function refuse(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { 'content-type': 'text/plain' });
  response.end(`${text}\n`);
}
