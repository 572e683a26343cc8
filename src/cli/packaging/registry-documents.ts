/** What registries and catalogs read of a server, from package.json and what the server says, which must agree. */
import type { Icon } from '../../protocol/generated/types/records.ts';
import { invalidPackage } from './problems.ts';
import { maxDescription, type PackageSettings } from './settings.ts';
import type { PublishedServer } from './start-program.ts';

/** The members that server.json and the server card have in common. */
export interface Description {
  readonly name: string;
  readonly title?: string;
  readonly description: string;
  readonly version: string;
  readonly websiteUrl?: string;
  readonly repository?: PackageSettings['repository'];
  readonly icons?: readonly object[];
}

/** Formats of images that registries take. */
const iconTypes = new Set(['image/png', 'image/jpeg', 'image/jpg', 'image/svg+xml', 'image/webp']);

export function describe(settings: PackageSettings, { info }: PublishedServer): Description {
  const { mcpName, version, websiteUrl, repository } = settings;
  const description = settings.description ?? info.description ?? '';
  const problems = [
    ...(info.version === version
      ? []
      : [`The server says version ${info.version}, package.json ${version}. Take one from the other.`]),
    ...(description === '' ? ['package.json needs a description: one sentence about what the server does.'] : []),
    ...(description.length > maxDescription
      ? [`The description has ${description.length} characters. Registries take ${maxDescription}.`]
      : []),
  ];
  if (problems.length > 0) throw invalidPackage(problems);
  const icons = (info.icons ?? []).filter(isPublic);
  return {
    name: mcpName,
    ...(info.title !== undefined && info.title.length <= maxDescription && { title: info.title }),
    description,
    version,
    ...(websiteUrl !== undefined && { websiteUrl }),
    ...(repository !== undefined && { repository }),
    ...(icons.length > 0 && {
      icons: icons.map(({ src, mimeType, sizes, theme }) => ({
        src,
        ...(mimeType !== undefined && { mimeType }),
        ...(sizes !== undefined && { sizes }),
        ...(theme !== undefined && { theme }),
      })),
    }),
  };
}

/** Icons in the server itself, and those of formats that registries refuse, are left out. */
const isPublic = ({ src, mimeType }: Icon): boolean =>
  src.startsWith('https://') && src.length <= 255 && (mimeType === undefined || iconTypes.has(mimeType));

/** The version of the format of `server.json`. */
const serverSchema = 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json';

/** `server.json`, which registries read. `bundleHash` is the SHA-256 of the bundle, in hexadecimal; absent without one. */
export function serverJson(description: Description, settings: PackageSettings, bundleHash: string | undefined) {
  const { name, version, env, remotes, bundle, isOnNpm } = settings;
  const started = { transport: { type: 'stdio' }, ...(env.length > 0 && { environmentVariables: env }) };
  const packages = [
    ...(isOnNpm ? [{ registryType: 'npm', identifier: name, version, ...started }] : []),
    ...(bundleHash !== undefined && bundle?.url !== undefined
      ? [{ registryType: 'mcpb', identifier: bundle.url, fileSha256: bundleHash, ...started }]
      : []),
  ];
  return {
    $schema: serverSchema,
    ...description,
    ...(packages.length > 0 && { packages }),
    ...(remotes.length > 0 && { remotes }),
  };
}

const cardSchema = 'https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json';

/** The server card of SEP-2127: who a server is and where its endpoints are. It never lists tools, resources or prompts. */
export const serverCard = (description: Description, { remotes }: PackageSettings) => ({
  $schema: cardSchema,
  ...description,
  remotes,
});
