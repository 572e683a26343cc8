/** What the hostile server says of itself, and its lists. */
import { type Json, session } from '../../kit/http/scripted-server.ts';
import { hostileApps, type Surroundings } from './apps.ts';
import { key, run } from './texts.ts';

const iconsOf = (elsewhere: string): readonly Json[] => [
  { src: `${elsewhere}/icon.png`, mimeType: 'image/png', sizes: ['48x48'] },
  { src: `data:image/svg+xml,<svg xmlns="http://www.w3.org/2000/svg"><script>${run}</script></svg>` },
];

export function serverOf([text = '', ...more]: readonly string[], elsewhere: string): Json {
  const listChanged = true;
  return {
    protocolVersion: session,
    capabilities: {
      tools: { listChanged },
      resources: { subscribe: true, listChanged },
      prompts: {},
      logging: {},
      completions: {},
      tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } },
      experimental: Object.fromEntries(more.map((each) => [key(each), { [key(each)]: each }])),
    },
    serverInfo: {
      name: text,
      title: `${text}${'x'.repeat(5000)}`,
      version: text,
      websiteUrl: `${elsewhere}/site`,
      icons: iconsOf(elsewhere),
    },
    instructions: more.join('\n\n'),
  };
}

/** `name` stands for every text of a tool. */
export const toolOf = (name: string, elsewhere: string): Json => ({
  name,
  title: name,
  description: name,
  icons: iconsOf(elsewhere),
  annotations: { title: name, readOnlyHint: true, destructiveHint: true },
  inputSchema: {
    type: 'object',
    title: name,
    description: name,
    properties: {
      [key(name)]: { type: 'string', title: name, description: name, default: name },
      choice: { title: name, enum: [name, `${name} 2`], default: name },
      named: {
        oneOf: [
          { const: 'a', title: name, description: name },
          { const: 'b', title: `${name} 2` },
        ],
      },
      many: { type: 'array', items: { enum: [name, 'b'] }, title: name, default: [name] },
      pattern: { type: 'string', format: name, examples: [name] },
      any: { description: name, default: { [key(name)]: name } },
    },
  },
  outputSchema: { type: 'object', title: name, properties: { [key(name)]: { description: name } } },
  _meta: { [key(name)]: name },
});

export function listsOf(texts: readonly string[], around: Surroundings): Record<string, Json> {
  const { elsewhere } = around;
  const icons = iconsOf(elsewhere);
  const special = ['blocks', 'long', 'forms', 'urls', 'samples', 'fails', 'pollutes', 'slow', 'task'].map((name) => ({
    ...toolOf(name, elsewhere),
    inputSchema: { type: 'object' },
    outputSchema: undefined,
    ...(name === 'task' && { execution: { taskSupport: 'required' } }),
  }));
  const apps = hostileApps(around).map(({ name }, at) => ({
    name: `app ${name}`,
    inputSchema: { type: 'object' },
    _meta: { ui: { resourceUri: `ui://attack/${at}` } },
  }));
  return {
    'tools/list': { tools: [...special, ...apps, ...texts.map((text) => toolOf(text, elsewhere))] },
    'resources/list': {
      resources: texts.map((text) => ({
        uri: text,
        name: text,
        title: text,
        description: text,
        mimeType: text,
        icons,
      })),
    },
    'resources/templates/list': {
      resourceTemplates: ['', ...texts].map((text) => ({
        uriTemplate: `x:${text}{a,toString}`,
        name: text,
        description: text,
        mimeType: text,
      })),
    },
    'prompts/list': {
      prompts: texts.map((name) => ({
        name,
        title: name,
        description: name,
        icons,
        arguments: texts
          .slice(0, 5)
          .concat('__proto__', 'toString')
          .map((each) => ({ name: each, title: name, description: name })),
      })),
    },
  };
}
