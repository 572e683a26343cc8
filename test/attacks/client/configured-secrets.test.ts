/** Configuration that names secrets of the environment: no server gets a variable that the program does not allow. */
import { createServer as createHttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { TenonError } from 'tenon';
import { createHost, type HostOptions, type VariableUse } from 'tenon/host';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';

const secret = 'a-secret-of-the-environment';

beforeEach(() => vi.stubEnv('TENON_TEST_SECRET', secret));
afterEach(() => vi.unstubAllEnvs());

/** A server that records the URLs and headers of all requests, and answers none of them with a result. */
async function recorder() {
  const received: string[] = [];
  const http = createHttpServer(({ url, headers }, response) => {
    received.push(`${url} ${JSON.stringify(headers)}`);
    response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void http.close());
  return { received, url: `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp` };
}

async function listed(options: HostOptions): Promise<Error | undefined> {
  await using host = createHost({ connectOptions: { reconnect: false }, ...options });
  return (await host.tools.list()).errors[0]?.error;
}

describe('a variable of the environment', () => {
  it('is sent neither in a URL nor in a header, unless it is allowed [S24, S30]', async () => {
    const { received, url } = await recorder();
    const entries = [
      { url: `${url}?key=\${TENON_TEST_SECRET}` },
      { httpUrl: `${url}?key=\${env:TENON_TEST_SECRET:-none}` },
      { url, headers: { 'x-key': '${TENON_TEST_SECRET}' } },
    ];
    for (const entry of entries) {
      const error = await listed({ servers: { evil: entry } });
      expect(error).toBeInstanceOf(TenonError);
      expect(error).toMatchObject({ code: 'invalid-argument', details: { variable: 'TENON_TEST_SECRET' } });
      expect(error?.message).toMatch(/servers\.evil\.\S+ has the variable TENON_TEST_SECRET, which .* not allow/);
      expect(error?.message).toContain('"allowedVariables"');
      expect(error?.message).not.toContain(secret);
    }
    expect(received).toEqual([]);
  });

  it.each(['command', 'args', 'env', 'cwd'])('is not used in `%s` of a program', async (field) => {
    const text = '${TENON_TEST_SECRET}';
    const values = { command: text, args: [text], env: { KEY: text }, cwd: text };
    const entry = { command: 'node', [field]: values[field as keyof typeof values] };
    expect(await listed({ servers: { evil: entry } })).toMatchObject({ details: { variable: 'TENON_TEST_SECRET' } });
  });

  it.each<[string, Partial<HostOptions>]>([
    ['is named', { allowedVariables: ['TENON_TEST_SECRET'] }],
    ['is allowed with all others', { allowedVariables: 'allow-all' }],
    ['is in the option `env`', { env: { TENON_TEST_SECRET: secret } }],
  ])('is sent if it %s', async (_, options) => {
    const { received, url } = await recorder();
    await listed({ servers: { good: { url, headers: { 'x-key': '${TENON_TEST_SECRET}' } } }, ...options });
    expect(received[0]).toContain(secret);
  });

  it('is allowed by a function of its use, which decides about each place', async () => {
    const { received, url } = await recorder();
    const uses: VariableUse[] = [];
    const allowedVariables = (use: VariableUse): boolean => {
      uses.push(use);
      return use.server === 'good' && use.field === 'headers';
    };
    const headers = { 'x-key': '${TENON_TEST_SECRET}' };
    await using host = createHost({
      servers: { good: { url, headers }, evil: { url, headers }, leaky: { url: `${url}?\${TENON_TEST_SECRET}` } },
      allowedVariables,
      connectOptions: { reconnect: false },
    });
    await host.tools.list();
    expect(uses).toEqual([
      { variable: 'TENON_TEST_SECRET', server: 'good', field: 'headers' },
      { variable: 'TENON_TEST_SECRET', server: 'evil', field: 'headers' },
      { variable: 'TENON_TEST_SECRET', server: 'leaky', field: 'url' },
    ]);
    expect(received.length).toBeGreaterThan(0);
    expect(received.every((request) => request.startsWith('/mcp {'))).toBe(true);
    expect(host.health().map(({ lastError }) => (lastError?.error as TenonError | undefined)?.code)).toEqual([
      'endpoint-not-found',
      'invalid-argument',
      'invalid-argument',
    ]);
  });
});

it('a wrong `allowedVariables` is rejected with its place', () => {
  expect(() => createHost({ servers: {}, allowedVariables: 'HOME' as never })).toThrow(
    /allowedVariables must be a list/,
  );
});
