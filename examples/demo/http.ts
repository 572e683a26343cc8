/** The demo over HTTP, with a plain page that says what is served. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { revisionIds, serveHttp } from 'tenon';
import { createDemo } from './server.ts';

const demo = createDemo();
const port = Number(process.env.PORT ?? 3000);
const service = await serveHttp(demo, { port, otherwise: showStatus, signals: true });
console.log(`ready ${service.url}`);

function showStatus({ method, url = '' }: IncomingMessage, response: ServerResponse): void {
  if (method !== 'GET' || url.split('?')[0] !== '/') {
    response.writeHead(404, { 'content-type': 'text/plain' });
    return void response.end('Not found\n');
  }
  const { sessions, streams } = service.counts();
  const tools = Object.keys(demo.offer.tools ?? {}).join(', ');
  const lines = [
    `${demo.name} ${demo.version} is served at ${service.url}`,
    `Revisions: ${revisionIds.join(', ')}`,
    `Tools: ${tools}`,
    `Sessions: ${sessions}, open streams: ${streams}`,
  ];
  response.writeHead(200, { 'content-type': 'text/plain; charset=utf-8' });
  response.end(`${lines.join('\n')}\n`);
}
