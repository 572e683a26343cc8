/** What the formats of registries require of the files that `tenon package` writes: server.json of 2025-12-11, the card of July 2026. */
import { z } from 'zod';

const shortText = z.string().min(1).max(100);
const name = z
  .string()
  .max(200)
  .regex(/^[a-zA-Z\d.-]+\/[a-zA-Z\d._-]+$/);
/** A range is no version. */
const version = z
  .string()
  .min(1)
  .max(255)
  .regex(/^[^~<>*^]+$/);
const repository = z.strictObject({
  url: z.url(),
  source: z.string(),
  subfolder: z.string().optional(),
  id: z.string().optional(),
});

/** What a user fills in: a variable of the environment, or a header. */
const input = z.strictObject({
  name: z.string(),
  description: z.string().optional(),
  format: z.enum(['string', 'number', 'boolean', 'filepath']).optional(),
  isRequired: z.boolean().optional(),
  isSecret: z.boolean().optional(),
  default: z.string().optional(),
  placeholder: z.string().optional(),
  choices: z.array(z.string()).optional(),
  value: z.string().optional(),
});

const remote = z.strictObject({
  type: z.enum(['streamable-http', 'sse']),
  url: z.string().regex(/^https?:\/\/\S+$/),
  headers: z.array(input).optional(),
});

const packaged = z.strictObject({
  registryType: z.enum(['npm', 'mcpb']),
  identifier: z.string(),
  version: version.optional(),
  fileSha256: z
    .string()
    .regex(/^[a-f\d]{64}$/)
    .optional(),
  runtimeHint: z.string().optional(),
  transport: z.union([z.strictObject({ type: z.literal('stdio') }), remote]),
  environmentVariables: z.array(input).optional(),
});

const described = {
  $schema: z.url(),
  name,
  title: shortText.optional(),
  description: shortText,
  version,
  websiteUrl: z.url().optional(),
  repository: repository.optional(),
  icons: z.array(z.looseObject({ src: z.string() })).optional(),
  _meta: z.record(z.string(), z.unknown()).optional(),
};

const server = z.strictObject({
  ...described,
  packages: z.array(packaged).optional(),
  remotes: z.array(remote).optional(),
});
const card = z.strictObject({
  ...described,
  $schema: z.url().endsWith('/schemas/v1/server-card.schema.json'),
  remotes: z.array(remote.extend({ supportedProtocolVersions: z.array(z.string()).optional() })).optional(),
});

/** What of a value the format refuses. */
const errorsIn = (format: z.ZodType, value: unknown): readonly string[] =>
  (format.safeParse(value).error?.issues ?? []).map(({ path, message }) => `${path.join('.')} ${message}`);

export const serverJsonErrors = (value: unknown): readonly string[] => errorsIn(server, value);
export const serverCardErrors = (value: unknown): readonly string[] => errorsIn(card, value);
