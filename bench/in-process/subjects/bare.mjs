/** The limit: the same messages written and read, the same schema, one turn of the microtask queue each way. */
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { driving } from '../driving.mjs';

const schema = z.object({ a: z.number(), b: z.number() });

const { version } = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'));
const envelope = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'tenon', version },
  'io.modelcontextprotocol/clientCapabilities': {},
};
const card = { 'io.modelcontextprotocol/serverInfo': { name: 'adder', version: '1.0.0' } };

function answer(text, standsAlone) {
  const { id, params } = JSON.parse(text);
  const checked = schema['~standard'].validate(params.arguments);
  if (checked.issues !== undefined) throw new Error('bad arguments');
  const content = [{ type: 'text', text: String(checked.value.a + checked.value.b) }];
  const result = standsAlone ? { content, resultType: 'complete', _meta: card } : { content };
  return JSON.stringify({ jsonrpc: '2.0', id, result });
}

export async function connect({ revision }) {
  const standsAlone = revision === '2026-07-28';
  let id = 0;
  return {
    async call(a, b) {
      const params = { name: 'add', arguments: { a, b }, ...(standsAlone && { _meta: envelope }) };
      const request = JSON.stringify({ jsonrpc: '2.0', id: (id += 1), method: 'tools/call', params });
      await Promise.resolve();
      const response = answer(request, standsAlone);
      await Promise.resolve();
      return JSON.parse(response).result.content[0].text;
    },
  };
}

export const prepare = driving(connect);
