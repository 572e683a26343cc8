/** The program of the Docker recipe: who may call, its health check, and what happens at SIGTERM. */
import { spawnSync } from 'node:child_process';
import { connect, toText } from 'tenon';
import { describe, expect, it } from 'vitest';
import { deferred } from '../kit/deferred.ts';
import { withTimeout } from '../kit/with-timeout.ts';
import { instructionsOf } from './dockerfile.ts';
import { emptyFolder, recipeFile, startProgram } from './recipe.ts';
import { writeSecrets } from './secrets.ts';

async function startServer() {
  const folder = emptyFolder();
  const headers = await writeSecrets(folder);
  const server = await startProgram('docker', 'server.ts', { SECRETS_FOLDER: folder, STORE: 'memory:' });
  return { server, target: { url: server.url.replace('127.0.0.1', 'localhost'), headers } };
}

/** What the Dockerfile runs as its health check. Returns the exit code. */
function checkHealth(port: number): number | null {
  const [, text = ''] =
    instructionsOf(recipeFile('docker', 'Dockerfile')).find(([name]) => name === 'HEALTHCHECK') ?? [];
  const [, command = ''] = /CMD (\[.*\])$/.exec(text) ?? [];
  const [, ...args] = JSON.parse(command) as string[];
  return spawnSync(process.execPath, args, { env: { PORT: String(port) } }).status;
}

describe('the program of the Docker recipe', () => {
  it('serves callers with a key, and its health check passes', async () => {
    const { server, target } = await startServer();
    const client = await connect(target);
    expect(toText(await client.tools.call('forecast', { city: 'Oslo' }))).toBe('Sunny in Oslo');
    await client.close();
    await expect(connect({ url: target.url })).rejects.toMatchObject({ code: 'unauthorized' });
    expect(checkHealth(server.port)).toBe(0);
    expect(await server.end('SIGTERM')).toBe(0);
    expect(checkHealth(server.port)).toBe(1);
  });

  it('ends at SIGTERM although a call never returns: the call is cancelled', async () => {
    const { server, target } = await startServer();
    const requested = deferred();
    const client = await connect(target, {
      protocolVersions: ['2025-11-25'],
      reconnect: false,
      handlers: {
        elicitForm() {
          requested.resolve();
          return new Promise(() => {});
        },
      },
    });
    const failure = client.tools.call('book').catch((error: { readonly code: string }) => error.code);
    await withTimeout(requested.promise, 'the elicitation');
    expect(await server.end('SIGTERM')).toBe(0);
    expect(await withTimeout(failure, 'the end of the call')).toBe('outcome-unknown');
    await client.close();
  });
});
