/** The recipe of systemd and nginx: its program behind a real nginx with its configuration; systemd reads its unit. */
import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { connect, toText } from 'tenon';
import { Agent, fetch } from 'undici';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  freePort,
  missingPrograms,
  type Program,
  startProgram as startUntil,
} from '../../examples/cluster/programs.ts';
import { deferred } from '../kit/deferred.ts';
import { initialize, request } from '../kit/http/messages.ts';
import { requires } from '../kit/requires.ts';
import { withTimeout } from '../kit/with-timeout.ts';
import { emptyFolder, recipeFile, replaced, startProgram } from './recipe.ts';
import { writeSecrets } from './secrets.ts';

const recipe = 'systemd-nginx';
const found = (program: string, argument: string): boolean => spawnSync(program, [argument]).error === undefined;
const missing = missingPrograms(['nginx']) ?? (found('openssl', 'version') ? undefined : 'openssl is not installed');
const noSystemd = found('systemd-analyze', '--version') ? undefined : 'systemd-analyze is not installed';

function certificate(folder: string): string {
  const [key, cert] = [join(folder, 'privkey.pem'), join(folder, 'fullchain.pem')];
  const names = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1'];
  const kind = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'];
  execFileSync('openssl', [...kind, '-keyout', key, '-out', cert, ...names], { stdio: 'ignore' });
  return readFileSync(cert, 'utf8');
}

/** nginx with the file of the recipe, as a distribution includes it in its own configuration. */
function startNginx(folder: string, port: number, serverPort: number): Promise<Program> {
  const site = replaced(recipeFile(recipe, 'nginx.conf'), {
    'server 127.0.0.1:3000;': `server 127.0.0.1:${serverPort};`,
    'listen 443 ssl;': `listen 127.0.0.1:${port} ssl;`,
    '/etc/letsencrypt/live/mcp.example.com': folder,
    'server_name mcp.example.com;': 'server_name localhost;',
  });
  const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${name};`);
  const around = `error_log stderr notice;\npid nginx.pid;\nevents {}\nhttp {\naccess_log off;\n${paths.join('\n')}\n${site}}\n`;
  writeFileSync(join(folder, 'nginx.conf'), around);
  const args = ['-p', folder, '-c', join(folder, 'nginx.conf'), '-e', 'stderr', '-g', 'daemon off;'];
  return startUntil('nginx', { args, ready: /start worker process / });
}

async function startAll() {
  const folder = emptyFolder();
  // nginx that is started by root runs its workers as another user.
  chmodSync(folder, 0o755);
  const state = join(folder, 'state');
  mkdirSync(state);
  const headers = await writeSecrets(folder);
  const ca = certificate(folder);
  const env = { CREDENTIALS_DIRECTORY: folder, STATE_DIRECTORY: state };
  const [serverPort, port] = [await freePort(), await freePort()];
  const startServer = () => startProgram(recipe, 'server.ts', { ...env, PORT: String(serverPort) });
  let nginx = await startNginx(folder, port, serverPort);
  onTestFinished(() => nginx.end('SIGKILL'));
  return {
    server: await startServer(),
    startServer,
    target: { url: `https://localhost:${port}/mcp`, ca, headers },
    /** Cuts every connection. */
    async restartNginx() {
      await nginx.end('SIGTERM');
      nginx = await startNginx(folder, port, serverPort);
    },
  };
}

describe('the recipe of systemd and nginx', () => {
  it('passes a server request on before its call ends, and refuses callers without a key', async (context) => {
    requires(context, missing);
    const { target } = await startAll();
    const client = await connect(target, {
      protocolVersions: ['2025-11-25'],
      handlers: { elicitForm: () => ({ action: 'accept', content: { day: 'Friday' } }) },
    });
    expect(toText(await client.tools.call('forecast', { city: 'Oslo' }))).toBe('Sunny in Oslo');
    // It would wait for ever if nginx held back what the server sends on the stream of the call.
    expect(toText(await client.tools.call('book'))).toBe('Booked for Friday');
    await client.close();
    await expect(connect({ ...target, headers: {} })).rejects.toMatchObject({ code: 'unauthorized' });
  });

  it('resumes the stream of a call through an nginx that was restarted', async (context) => {
    requires(context, missing);
    const { target, restartNginx } = await startAll();
    const requested = deferred();
    const answer = deferred();
    const client = await connect(target, {
      protocolVersions: ['2025-11-25'],
      handlers: {
        async elicitForm() {
          requested.resolve();
          await answer.promise;
          return { action: 'accept', content: { day: 'Friday' } };
        },
      },
    });
    const booking = client.tools.call('book');
    await withTimeout(requested.promise, 'the elicitation');
    await restartNginx();
    answer.resolve();
    expect(toText(await withTimeout(booking, 'the result'))).toBe('Booked for Friday');
    await client.close();
  });

  it('continues sessions after a restart of the server', async (context) => {
    requires(context, missing);
    const { target, server, startServer } = await startAll();
    const dispatcher = new Agent({ connect: { ca: target.ca } });
    onTestFinished(() => dispatcher.close());
    const accept = 'application/json, text/event-stream';
    const post = (body: object, headers: Record<string, string> = {}) =>
      fetch(target.url, {
        method: 'POST',
        dispatcher,
        headers: { ...target.headers, 'content-type': 'application/json', accept, ...headers },
        body: JSON.stringify(body),
      });
    const session = (await post(initialize('2025-11-25'))).headers.get('mcp-session-id') ?? '';
    expect(await server.end('SIGTERM')).toBe(0);
    await startServer();
    const answer = await post(request('ping'), { 'mcp-session-id': session });
    expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining('"result":{}')]);
  });

  it('has a unit that systemd accepts, and that stops later than the server', (context) => {
    requires(context, noSystemd);
    const folder = emptyFolder();
    const unit = join(folder, 'weather.service');
    writeFileSync(unit, replaced(recipeFile(recipe, 'weather.service'), { '/usr/bin/node': process.execPath }));
    const { status, stderr } = spawnSync('systemd-analyze', ['verify', '--man=no', unit], { encoding: 'utf8' });
    expect([status, stderr]).toEqual([0, '']);
    const arguments_ = ['security', '--offline=true', '--threshold=20', '--no-pager', unit];
    expect(spawnSync('systemd-analyze', arguments_, { encoding: 'utf8' })).toMatchObject({ status: 0 });
  });
});
