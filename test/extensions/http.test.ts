/** Extensions over HTTP: methods of undeclared extensions get 404, in both lifecycles and without sessions. */

import type { ServerExtension } from 'tenon';
import { createServer, type ServeHttpOptions, serveHttp } from 'tenon';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type SkillEntry, serveSkills } from '../../src/extensions/skills/index.ts';
import { initialize, lone, request, sessionRevisions } from '../kit/http/messages.ts';
import { send } from '../kit/http/raw-http.ts';
import { serveGreetings } from '../kit/samples/greetings-extension.ts';
import { isSince } from '../kit/version-order.ts';
import { files } from './skill-files.ts';

const capabilitiesKey = 'io.modelcontextprotocol/clientCapabilities';
async function serve(extensions: readonly ServerExtension[], options: ServeHttpOptions = {}): Promise<string> {
  const service = await serveHttp(createServer({ name: 's', version: '1', extensions }), { port: 0, ...options });
  onTestFinished(() => service.close());
  return service.url;
}

const declared = { extensions: { 'com.example/greetings': {} } };

describe('a stateless request', () => {
  it('calls a method of an extension that it declares, and gets its notifications on the same response', async () => {
    const url = await serve([serveGreetings()]);
    const { headers, body } = lone('greetings/hello', { name: 'Ada' }, { [capabilitiesKey]: declared });
    const answer = await send(url, { headers: { ...headers, 'mcp-name': 'Ada' }, body });
    expect(answer.status).toBe(200);
    expect(answer.text).toContain('notifications/greetings/waved');
    expect(answer.text).toContain('Hello, Ada');
  });

  it('gets 404 for a method of an extension that it does not declare [ext-04]', async () => {
    const url = await serve([serveGreetings()]);
    const { headers, body } = lone('greetings/hello', { name: 'Ada' });
    const answer = await send(url, { headers, body });
    expect(answer).toMatchObject({ status: 404, json: { id: 1, error: { code: -32601 } } });
  });

  it('gets the same error for a method that does not exist', async () => {
    const url = await serve([]);
    const { headers, body } = lone('greetings/hello', { name: 'Ada' }, { [capabilitiesKey]: declared });
    expect(await send(url, { headers, body })).toMatchObject({ status: 404, json: { error: { code: -32601 } } });
  });
});

describe.each(sessionRevisions)('without sessions at %s', (revision) => {
  it('skills are declared and served', async () => {
    const url = await serve([await serveSkills(files)], { sessions: false });
    const initialized = await send(url, { body: initialize(revision, {}) });
    expect(initialized.json).toMatchObject({
      result: { capabilities: { extensions: { 'io.modelcontextprotocol/skills': { directoryRead: true } } } },
    });
    const headers = isSince(revision, '2025-06-18') ? { 'mcp-protocol-version': revision } : {};
    // Without a version header the default version is assumed, which has extensions as well.
    const { json } = await send(url, { headers, body: request('skills/list', {}) });
    expect((json.result as { skills: SkillEntry[] }).skills).toHaveLength(3);
  });
});
