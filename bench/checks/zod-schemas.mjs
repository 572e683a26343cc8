/** Schemas for zod 4, written by hand from the official ones. */
import * as z from 'zod';

const text = z.string().optional();
const object = z.looseObject({});
const icons = z.array(z.looseObject({ src: z.string(), mimeType: text, sizes: z.array(z.string()).optional() }));
const named = { name: z.string(), title: text, icons: icons.optional() };
const progressToken = z.union([z.string(), z.int()]).optional();
const answers = z.record(z.string(), object).optional();

const capabilities = z.looseObject({
  elicitation: z.looseObject({ form: object.optional(), url: object.optional() }).optional(),
  experimental: z.record(z.string(), object).optional(),
  extensions: z.record(z.string(), object).optional(),
  roots: object.optional(),
  sampling: z.looseObject({ context: object.optional(), tools: object.optional() }).optional(),
});

const levels = ['alert', 'critical', 'debug', 'emergency', 'error', 'info', 'notice', 'warning'];

const envelope = z.looseObject({
  progressToken,
  'io.modelcontextprotocol/protocolVersion': z.string(),
  'io.modelcontextprotocol/clientInfo': z
    .looseObject({ ...named, version: z.string(), description: text, websiteUrl: text })
    .optional(),
  'io.modelcontextprotocol/clientCapabilities': capabilities,
  'io.modelcontextprotocol/logLevel': z.enum(levels).optional(),
});

const call = { name: z.string(), arguments: z.record(z.string(), z.unknown()).optional() };
const flag = z.boolean().optional();
const annotations = z.looseObject({
  title: text,
  readOnlyHint: flag,
  destructiveHint: flag,
  idempotentHint: flag,
  openWorldHint: flag,
});

const tool = { ...named, description: text, annotations: annotations.optional(), _meta: object.optional() };
const list = { nextCursor: text, _meta: object.optional() };

const exchangeTool = z.looseObject({
  ...tool,
  inputSchema: z.looseObject({ type: z.literal('object'), $schema: text }),
  outputSchema: z.looseObject({ $schema: text }).optional(),
});

const sessionSchema = z.looseObject({
  type: z.literal('object'),
  $schema: text,
  properties: z.record(z.string(), object).optional(),
  required: z.array(z.string()).optional(),
});

const sessionTool = z.looseObject({
  ...tool,
  inputSchema: sessionSchema,
  outputSchema: sessionSchema.optional(),
  execution: z.looseObject({ taskSupport: z.enum(['forbidden', 'optional', 'required']).optional() }).optional(),
});

/** By revision, then by the name in the official schema. */
export const schemas = {
  '2026-07-28': {
    CallToolRequestParams: z.looseObject({ ...call, _meta: envelope, inputResponses: answers, requestState: text }),
    ListToolsResult: z.looseObject({
      ...list,
      resultType: z.string(),
      ttlMs: z.int().min(0),
      cacheScope: z.enum(['private', 'public']),
      tools: z.array(exchangeTool),
    }),
  },
  '2025-11-25': {
    CallToolRequestParams: z.looseObject({
      ...call,
      _meta: z.looseObject({ progressToken }).optional(),
      task: z.looseObject({ ttl: z.int().optional() }).optional(),
    }),
    ListToolsResult: z.looseObject({ ...list, tools: z.array(sessionTool) }),
  },
};
