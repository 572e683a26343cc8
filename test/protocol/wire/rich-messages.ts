/** Results, params and notifications with every field, in neutral form. */

import type { Fields } from '../../../src/lib/values/is.ts';
import type { InputRequest } from '../../../src/protocol/neutral.ts';

const icons = [{ src: 'https://example.com/a.png', mimeType: 'image/png', sizes: ['48x48'], theme: 'dark' }];
const annotations = { audience: ['user'], priority: 0.5, lastModified: '2026-01-01T00:00:00Z', ours: 'kept' };
const _meta = { 'example.com/ours': 1 };

export const blocks: Fields[] = [
  { type: 'text', text: 'words', annotations, _meta },
  { type: 'image', data: 'AAAA', mimeType: 'image/png', annotations, _meta },
  { type: 'audio', data: 'AAAA', mimeType: 'audio/wav', annotations, _meta },
  {
    type: 'resource_link',
    uri: 'a:link',
    name: 'link',
    title: 'A link',
    description: 'there',
    icons,
    annotations,
    _meta,
  },
  { type: 'resource', resource: { uri: 'a:text', text: 'inside', mimeType: 'text/plain', _meta }, annotations, _meta },
  { type: 'hologram', depth: 3 },
];

export const tool: Fields = {
  name: 'measure',
  title: 'Measure',
  description: 'Measures',
  icons,
  inputSchema: {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    properties: { a: { type: 'string' } },
  },
  outputSchema: { type: 'array', items: { $ref: '#/$defs/n' }, $defs: { n: { type: 'number' } } },
  annotations: { title: 'M', readOnlyHint: true, ours: 'kept' },
  execution: { taskSupport: 'optional' },
  _meta,
  ours: 'kept',
};

const capabilities = {
  experimental: { ours: {} },
  logging: {},
  completions: {},
  prompts: { listChanged: true },
  resources: { subscribe: true, listChanged: true },
  tools: { listChanged: true },
  tasks: { list: {} },
  extensions: { 'example.com/ours': {} },
};

export const implementation: Fields = {
  name: 'rich',
  version: '1.0.0',
  title: 'Rich',
  description: 'All of it',
  websiteUrl: 'https://example.com',
  icons,
};

/** Results by method, as a handler returns them. */
export const results: Record<string, Fields> = {
  initialize: { protocolVersion: 'any', capabilities, serverInfo: implementation, instructions: 'Do.' },
  'server/discover': { supportedVersions: ['any'], capabilities, instructions: 'Do.' },
  'tools/list': { tools: [tool], nextCursor: 'more', _meta },
  'tools/call': { content: blocks, structuredContent: [1, 2], isError: false, _meta },
  'resources/list': {
    resources: [
      {
        uri: 'a:b',
        name: 'b',
        title: 'B',
        description: 'd',
        mimeType: 'text/plain',
        size: 3,
        icons,
        annotations,
        _meta,
      },
    ],
  },
  'resources/templates/list': {
    resourceTemplates: [
      { uriTemplate: 'a:{b}', name: 'b', title: 'B', description: 'd', mimeType: 'x/y', icons, annotations, _meta },
    ],
  },
  'resources/read': {
    contents: [
      { uri: 'a:b', text: 't', mimeType: 'text/plain', _meta },
      { uri: 'a:c', blob: 'AAAA', _meta },
    ],
  },
  'prompts/list': {
    prompts: [
      {
        name: 'p',
        title: 'P',
        description: 'd',
        icons,
        arguments: [{ name: 'a', title: 'A', description: 'd', required: true }],
        _meta,
      },
    ],
  },
  'prompts/get': { description: 'd', messages: blocks.map((content) => ({ role: 'user', content })) },
  'completion/complete': { completion: { values: ['a'], total: 1, hasMore: false } },
  'roots/list': { roots: [{ uri: 'file:///a', name: 'a', _meta }] },
  'sampling/createMessage': {
    role: 'assistant',
    model: 'm',
    stopReason: 'toolUse',
    content: [
      { type: 'text', text: 'words', annotations, _meta },
      { type: 'tool_use', id: '1', name: 'measure', input: { a: 'b' }, _meta },
    ],
  },
  'elicitation/create': { action: 'accept', content: { name: 'Ada', age: 36.5 } },
};

const form = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  properties: {
    name: { type: 'string', title: 'Name', minLength: 1, default: 'Ada' },
    age: { type: 'number', minimum: 0, default: 36 },
    member: { type: 'boolean', default: true },
    colour: {
      type: 'string',
      oneOf: [
        { const: 'r', title: 'Red' },
        { const: 'g', title: 'Green' },
      ],
      default: 'r',
    },
  },
  required: ['name'],
};

const clientCapabilities = {
  experimental: { ours: {} },
  roots: { listChanged: true },
  sampling: { tools: {}, context: {} },
  elicitation: { form: {}, url: {} },
  tasks: { list: {} },
  extensions: { 'example.com/ours': {} },
};

/** Params by method, of requests and notifications, as their sender passes them. */
export const params: { client: Record<string, Fields>; server: Record<string, Fields> } = {
  client: {
    initialize: { protocolVersion: 'any', capabilities: clientCapabilities, clientInfo: implementation },
    'completion/complete': {
      ref: { type: 'ref/prompt', name: 'p', title: 'P' },
      argument: { name: 'a', value: 'b' },
      context: { arguments: { c: 'd' } },
    },
  },
  server: {
    'elicitation/create': { mode: 'form', message: 'Who?', requestedSchema: form },
    'sampling/createMessage': {
      messages: [
        {
          role: 'assistant',
          content: [
            { type: 'text', text: 'words', _meta },
            { type: 'audio', data: 'AAAA', mimeType: 'audio/wav', _meta },
            { type: 'tool_use', id: '1', name: 'measure', input: { a: 'b' }, _meta },
          ],
          _meta,
        },
        {
          role: 'user',
          content: [{ type: 'tool_result', toolUseId: '1', content: [{ type: 'text', text: '3 m' }], _meta }],
        },
      ],
      maxTokens: 10,
      tools: [{ name: 'measure', inputSchema: { type: 'object' }, icons }],
      toolChoice: { mode: 'auto' },
    },
    'notifications/progress': { progressToken: 't', progress: 1, total: 2, message: 'half' },
    'notifications/message': { level: 'info', logger: 'l', data: { any: ['thing'] } },
    'notifications/resources/updated': { uri: 'a:b' },
  },
};

export const inputRequests: Record<string, InputRequest> = {
  who: { method: 'elicitation/create', params: params.server['elicitation/create'] ?? {} },
  where: {
    method: 'elicitation/create',
    params: { mode: 'url', message: 'Open', url: 'https://example.com', elicitationId: 'e' },
  },
  think: { method: 'sampling/createMessage', params: params.server['sampling/createMessage'] ?? {} },
  roots: { method: 'roots/list' },
};
