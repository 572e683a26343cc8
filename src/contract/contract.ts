/** A contract: what a client expects of a server, checked whenever it connects. */
import type { CheckedServer, Contract } from '../client/api/contract.ts';
import { createListing } from '../client/api/listing.ts';
import { TenonError } from '../lib/errors/tenon-error.ts';
import { canonicalJson } from '../lib/text/canonical-json.ts';
import type { Prompt, ServerCapabilities, Tool } from '../protocol/generated/types/records.ts';
import { LATEST_PROTOCOL_VERSION } from '../protocol/revisions/revisions.ts';
import type { ContractChange } from './compare/change.ts';

/** A tool in a contract. */
export interface ContractTool {
  /** Its input, as JSON Schema. */
  readonly inputSchema: object;
  /** Its output, as JSON Schema. */
  readonly outputSchema?: object;
}

/** A prompt in a contract. */
export interface ContractPrompt {
  /** Its arguments. */
  readonly arguments?: readonly { readonly name: string; readonly required?: boolean }[];
}

/** What a client expects of a server: other tools and prompts are ignored. */
export interface ContractDefinition {
  /** The tools, by name. */
  readonly tools?: Readonly<Record<string, ContractTool>>;
  /** The prompts by name, each with its arguments. */
  readonly prompts?: Readonly<Record<string, ContractPrompt>>;
}

/**
 * Makes a contract for the option `contract` of `connect`. `tenon types` writes modules that do it.
 *
 * @example
 * ```ts
 * const contract = createContract({
 *   tools: { add: { inputSchema: { type: 'object', properties: { a: { type: 'number' } }, required: ['a'] } } },
 * });
 * const client = await connect('https://example.com/mcp', { contract });
 * ```
 */
export function createContract<S = unknown>(definition: ContractDefinition): Contract<S> {
  const { tools = {}, prompts = {} } = definition;
  return {
    type: 'contract',
    async check(server) {
      const changes = [
        ...(await drift(server, 'tools', Object.entries(tools).map(asTool))),
        ...(await drift(server, 'prompts', Object.entries(prompts).map(asPrompt))),
      ];
      if (changes.length > 0) throw drifted(changes);
    },
  };
}

const asTool = ([name, { inputSchema, outputSchema }]: [string, ContractTool]): Tool =>
  ({ name, inputSchema, ...(outputSchema && { outputSchema }) }) as Tool;

const asPrompt = ([name, { arguments: args = [] }]: [string, ContractPrompt]): Prompt => ({
  name,
  arguments: [...args],
});

/** The changes after which calls may fail. For an unchanged server nothing else is loaded. */
async function drift<K extends 'tools' | 'prompts'>(
  server: CheckedServer,
  list: K,
  expected: readonly (K extends 'tools' ? Tool : Prompt)[],
): Promise<ContractChange[]> {
  if (expected.length === 0) return [];
  const listed = await listOf(server, list);
  const names = new Set(expected.map(({ name }) => name));
  const offered = listed.filter(({ name }) => names.has(name));
  const isSame = expected.every((one) => {
    const found = offered.find(({ name }) => name === one.name);
    return found !== undefined && agreed(found) === agreed(one);
  });
  if (isSame) return [];
  const { compareSnapshots } = await import('./compare/compare.ts');
  const nothing = { snapshot: 1, capabilities: {}, tools: [], resources: [], templates: [], prompts: [] };
  const { changes } = compareSnapshots(
    { ...nothing, protocolVersion: LATEST_PROTOCOL_VERSION, [list]: expected },
    { ...nothing, protocolVersion: server.protocolVersion, [list]: offered },
  );
  return changes.filter(({ effect }) => effect === 'breaks' || effect === 'undecided');
}

/** The parts of a tool or prompt that calls depend on. */
const agreed = (item: Tool | Prompt): string => {
  const { inputSchema, outputSchema, arguments: args } = item as Partial<Tool & Prompt>;
  return canonicalJson([inputSchema, outputSchema, args?.map(({ name, required }) => [name, required === true])]);
};

async function listOf(server: CheckedServer, list: 'tools' | 'prompts'): Promise<readonly (Tool | Prompt)[]> {
  if (server.capabilities[list satisfies keyof ServerCapabilities] === undefined) return [];
  return createListing<Tool | Prompt>(list, { fetch: (page) => server.request(`${list}/list`, page) }).all();
}

const maxNamed = 10;

function drifted(changes: readonly ContractChange[]): TenonError {
  const named = changes.slice(0, maxNamed).map(({ kind, name, place, text }) => {
    const subject = [kind, name, place].filter((part) => part !== '').join(' ');
    return `
  ${subject}: ${text}`;
  });
  const more = changes.length > maxNamed ? [`\n  and ${changes.length - maxNamed} more`] : [];
  const message = `The server has changed, and does not fit the contract of this client:${[...named, ...more].join('')}`;
  return new TenonError('schema-drift', message, {
    hint: 'Make the contract again with tenon types, and change the calls that do not compile then.',
    details: { changes },
  });
}
