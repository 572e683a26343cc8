/** The names of types and constants in founding document 002, whose text is not stored in the repository. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

interface Names {
  readonly types: readonly string[];
  readonly constants: readonly string[];
}

export const foundingNames: Names = {
  types: [
    'JSONRPCMessage',
    'JSONRPCRequest',
    'JSONRPCResponse',
    'InitializeRequest',
    'InitializeResult',
    'ClientCapabilities',
    'ServerCapabilities',
    'Resource',
    'Tool',
    'JSONRPCNotification',
    'JSONRPCError',
    'Request',
    'RequestId',
    'Result',
    'Implementation',
    'BaseMetadata',
    'Annotations',
    'ToolAnnotations',
  ],
  constants: ['LATEST_PROTOCOL_VERSION', 'JSONRPC_VERSION'],
};

const besideTheRepository = fileURLToPath(new URL('../../../shared/seeds', import.meta.url));
const folder = resolve(process.env.TENON_SEEDS ?? besideTheRepository);

/** The names that the TypeScript of the document declares and mentions: none where it is not beside the repository. */
export function namesInDocument(): readonly Names[] {
  if (!existsSync(folder)) return [];
  const file = readdirSync(folder).find((name) => name.startsWith('002'));
  const text = file === undefined ? '' : readFileSync(join(folder, file), 'utf8');
  const code = [...text.matchAll(/```typescript\n(.*?)```/gs)].map(([, block]) => block).join('\n');
  const found = (pattern: RegExp): string[] => [
    ...new Set([...code.matchAll(pattern)].map(([, name]) => name as string)),
  ];
  const types = [...new Set([...found(/export (?:type|interface) (\w+)/g), ...found(/(?:extends|[:|]) ([A-Z]\w+)/g)])];
  return [{ types, constants: found(/export const (\w+)/g) }];
}

/** A program that imports every one of these names from `tenon/protocol`, the entry of the specification's types. */
export function programWithNames(): { readonly text: string; readonly names: readonly string[] } {
  const { types, constants } = foundingNames;
  const names = [...types, ...constants];
  const imported = [...types.map((name) => `type ${name}`), ...constants].join(', ');
  const text = `import { ${imported} } from 'tenon/protocol';
export type All = [${types.join(', ')}];
export const all = [${constants.join(', ')}];
`;
  return { text, names };
}
