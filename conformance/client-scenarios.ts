/** What the client does in each scenario of the official suite, and how it answers server requests. */
import type { Client, ConnectOptions } from 'tenon';
import { createSkillsClient } from 'tenon/skills';

type Answers = NonNullable<ConnectOptions['handlers']>;
type Play = (client: Client, context: Record<string, unknown>) => Promise<unknown>;

interface ToolCall {
  readonly name: string;
  readonly arguments: Record<string, unknown>;
}

type Content = Record<string, string | number | boolean>;

/** Uses the first tool, resource and prompt by name: enough to send all headers. */
async function useFirstOfEach(client: Client): Promise<void> {
  const [tool] = await client.tools.list().all();
  if (tool !== undefined) await client.tools.call(tool.name);
  const [resource] = await client.resources.list().all();
  if (resource !== undefined) await client.resources.read(resource.uri);
  const [prompt] = await client.prompts.list().all();
  if (prompt !== undefined) await client.prompts.get(prompt.name);
}

/** Prints what a server offers. Capabilities that it did not declare are not requested. */
async function survey(client: Client): Promise<void> {
  const { capabilities, protocolVersion: revision, serverInfo: server } = client;
  console.log(`${server?.name ?? 'A server'} at ${revision}`);
  const lists = {
    tools: capabilities.tools && client.tools.list(),
    resources: capabilities.resources && client.resources.list(),
    templates: capabilities.resources && client.resources.listTemplates(),
    prompts: capabilities.prompts && client.prompts.list(),
  };
  for (const [kind, list] of Object.entries(lists)) {
    const items: readonly { readonly name: string }[] = (await list?.all()) ?? [];
    console.log(`${kind}: ${items.map(({ name }) => name).join(', ') || 'none'}`);
  }
}

export const withoutScenario = 'survey';

async function callListed(client: Client, context: Record<string, unknown>): Promise<void> {
  await client.tools.list().all();
  for (const call of context.toolCalls as ToolCall[]) await client.tools.call(call.name, call.arguments);
}

const call =
  (...names: string[]): Play =>
  async (client) => {
    await client.tools.list().all();
    for (const name of names) await client.tools.call(name);
  };

const origin = 'the server of the suite';

/** Loads all skills and reads their files after verification. */
const loadSkills: Play = async (client) => {
  const index = createSkillsClient(client, { serverLabel: origin });
  for (const entry of await index.list().all()) {
    const skill = await index.load(entry);
    for (const { uri } of entry.resources === 'dynamic' ? [] : entry.resources) await skill.read(uri);
  }
};

/** What an authorized client does. */
export const authorized: Play = call('test-tool');

export const scenarios: Readonly<Record<string, Play>> = {
  [withoutScenario]: survey,
  initialize: async () => {},
  tools_call: async (client) => {
    await client.tools.list().all();
    await client.tools.call('add_numbers', { a: 5, b: 3 });
  },
  'elicitation-sep1034-client-defaults': call('test_client_elicitation_defaults'),
  'sse-retry': call('test_reconnection'),
  // Its server declares no capabilities, but answers.
  'request-metadata': (client) => client.request('tools/list', {}),
  'sep-2322-client-request-state': call(
    'test_mrtr_echo_state',
    'test_mrtr_no_state',
    'test_mrtr_unrelated',
    'test_mrtr_no_result_type',
  ),
  'http-standard-headers': useFirstOfEach,
  'http-custom-headers': callListed,
  'http-invalid-tool-headers': async (client) => {
    for (const { name } of await client.tools.list().all()) await client.tools.call(name, { region: 'us-west1' });
  },
  'sep-2640-client-no-prefetch': (client) => createSkillsClient(client, { serverLabel: origin }).list().all(),
  'sep-2640-client-verify-digest': loadSkills,
  'sep-2640-client-verify-size': loadSkills,
  'sep-2640-client-verify-frontmatter': loadSkills,
  'json-schema-ref-no-deref': call(),
  'json-schema-2020-12-preservation': async (client) => {
    const tools = await client.tools.list().all();
    const schema = tools.find(({ name }) => name === 'json_schema_2020_12_tool')?.inputSchema;
    await client.tools.call('json_schema_echo', { schema });
  },
};

/** A user who accepts everything and fills in the defaults of a form. */
export function answersTo(scenario: string): Answers {
  return {
    elicitForm: ({ requestedSchema }) => {
      const fields = Object.entries(requestedSchema.properties as Record<string, { default?: Content[string] }>);
      const defaults = fields.flatMap(([name, field]) => (field.default === undefined ? [] : [[name, field.default]]));
      const content: Content = scenario.startsWith('sep-2322') ? { confirmed: true } : Object.fromEntries(defaults);
      return { action: 'accept', content };
    },
    sample: () => ({ role: 'assistant', model: 'none', content: { type: 'text', text: 'Yes.' } }),
    roots: [{ uri: 'file:///work' }],
  };
}
