/** Credentials of the servers of a host: one for each server, from code or from the configuration. */
import type { ClientAuth } from 'tenon';
import type { AuthRequestInfo } from 'tenon/client';
import { createHost } from 'tenon/host';
import { describe, expect, it } from 'vitest';
import { scripted } from '../kit/http/scripted-server.ts';

const bearer = (token: string, asked: AuthRequestInfo[] = []): ClientAuth => ({
  forServer: () => ({
    headers: (request) => {
      asked.push(request);
      return { authorization: `Bearer ${token}` };
    },
    refused: async () => false,
  }),
});

describe('A host', () => {
  it('sends each server its own credentials', async () => {
    const [files, mail] = [await scripted(), await scripted()];
    const host = createHost({
      servers: { files: { url: files.url, auth: bearer('f') }, mail: { url: mail.url, auth: { token: '${MAIL}' } } },
      env: { MAIL: 'm' },
      auth: (server, section) => bearer(`${server}-${section?.token}`),
      consent: 'allow-all',
    });
    await host.tools.list();
    await host.close();
    const sent = ({ received }: typeof files) => [...new Set(received.map(({ headers }) => headers.authorization))];
    expect([sent(files), sent(mail)]).toEqual([['Bearer f'], ['Bearer mail-m']]);
  });

  it.each([
    ['threw', () => expect.unreachable('no keychain')],
    ['returned no credentials', async () => Promise.reject(new Error('no keychain'))],
    ['returned no credentials', () => 'token' as never],
  ] as const)('has the other servers where its option auth %s for one', async (how, auth) => {
    const files = await scripted();
    const host = createHost({
      servers: { files: { url: files.url, auth: bearer('f') }, mail: { url: 'https://mail.example/mcp', auth: {} } },
      auth: auth as never,
      consent: 'allow-all',
    });
    const { errors } = await host.tools.list();
    await host.close();
    expect(errors).toMatchObject([{ server: 'mail', error: { code: 'callback-failed' } }]);
    expect(String(errors[0]?.error)).toContain(`auth of createHost() ${how} for the server mail.`);
    expect(files.received.length).toBeGreaterThan(0);
  });

  it('refuses a section without the option auth, and names it', () => {
    const servers = { mcpServers: { mail: { url: 'https://mail.example/mcp', auth: { clientId: 'x' } } } };
    expect(() => createHost({ servers })).toThrow(/mcpServers\.mail\.auth is set.*auth: \(server, section\)/);
    const program = { mcpServers: { mail: { command: 'mail-server', auth: { clientId: 'x' } } } };
    expect(() => createHost({ servers: program as never, auth: () => undefined })).toThrow(
      /mcpServers\.mail\.auth is set for a server with a command.*mcpServers\.mail\.env/,
    );
    const wrong = { mail: { url: 'https://mail.example/mcp', auth: 'token' } };
    expect(() => createHost({ servers: wrong as never })).toThrow(/servers\.mail\.auth must be an object/);
  });
});
