/** The configurations of the guide and of the example are those that the command and the JSON Schema accept. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { readConfig } from '../../../src/gateway/config/read-config.ts';
import { root } from '../../architecture/source-tree.ts';
import { readPage } from '../../docs/markdown.ts';
import { folderWith } from './file.ts';

const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const validate = new Ajv2020({ strict: false }).compile(JSON.parse(read('docs/guide/gateway.schema.json')));
const shown = readPage(read('docs/guide/gateway.md'))
  .blocks.filter(({ language }) => language === 'yaml' || language === 'json')
  .map(({ line, text }) => ({ place: `gateway.md:${line}`, text }));
const example = { place: 'examples/gateway/gateway.yaml', text: read('examples/gateway/gateway.yaml') };

const env = {
  GATEWAY_PORT: '3000',
  ISSUER: 'http://127.0.0.1:9000',
  NOTES_URL: 'http://127.0.0.1:9001/mcp',
  NOTES_ISSUER: 'http://127.0.0.1:9003',
  PETS_URL: 'http://127.0.0.1:9002',
  SECRETS_FILE: 'secrets.yaml',
  NODE: 'node',
};
const secrets = ['pets-token', 'pets-key', 'connect-client', 'exchange-client', 'seal'].map(
  (name) => `${name}: ${'x'.repeat(32)}\n`,
);

test.each([...shown, example])('$place is accepted', async ({ text }) => {
  const { path } = folderWith({ 'gateway.yaml': text, 'secrets.yaml': secrets.join('') });
  await expect(readConfig(`${path}/gateway.yaml`, 'gateway.yaml', env)).resolves.toBeDefined();
  const expanded = text.replaceAll(
    /\$\{(\w+)(?::-([^}]*))?\}/g,
    (_, name: string, other) => other ?? env[name as 'NODE'],
  );
  expect(validate(parse(expanded)) || validate.errors).toBe(true);
});
