/** Each template of `tenon init`: typed, tested, built without its tests, and started without tsx. */
import { startDevAuthServer } from 'tenon/dev-auth';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { templates } from '../../src/cli/commands/build/templates.ts';
import { requires } from '../kit/requires.ts';
import { type EmptyFolder, packInto } from './new-project.ts';
import { answer, connectTo, whyNoFrameworks, writeProject } from './written-project.ts';

let empty: EmptyFolder;
beforeAll(async () => {
  empty = await packInto();
});
afterAll(() => empty?.remove());

/** An authorization server, a token of it, and what the project has to know of it. */
async function authorized(): Promise<{ env: Record<string, string>; headers: Record<string, string> }> {
  const resource = 'https://mcp.example.com/mcp';
  const { issuer, close } = await startDevAuthServer({ clients: [{ client_id: 'nightly', client_secret: 'secret' }] });
  onTestFinished(() => close());
  const response = await fetch(`${issuer}/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${btoa('nightly:secret')}` },
    body: new URLSearchParams({ grant_type: 'client_credentials', resource, scope: 'forecast' }),
  });
  const { access_token: token } = (await response.json()) as { readonly access_token: string };
  return { env: { ISSUER: issuer, RESOURCE: resource }, headers: { authorization: `Bearer ${token}` } };
}

const answers: Readonly<Record<string, string>> = { tasks: '1000 rows in report-2026.pdf' };

it.for(Object.entries(templates))(
  '%s passes its tests, is built, and its program answers [S31]',
  async ([name, of], context) => {
    if (['express', 'hono'].includes(name)) requires(context, whyNoFrameworks());
    const { tests, built, program } = await writeProject(empty, name);
    expect(tests).toMatch(/pass 3\n.*fail 0/s);
    expect(built).toEqual(['main.js', ...(name === 'http-auth' ? ['protected.js'] : []), 'server.js']);
    const { env, headers } =
      name === 'http-auth' ? await authorized() : { env: { SECRET: 'at least sixteen characters' }, headers: {} };
    const client = await connectTo(program, of.reachedBy, env, headers);
    expect(await answer(client, of.call)).toBe(answers[name] ?? 'Sunny in Oslo');
  },
);
