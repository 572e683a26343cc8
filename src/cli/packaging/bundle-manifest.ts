/** The manifest of a bundle: how a client starts it, and what its user fills in first. */
import type { DeclaredInput } from './declared-inputs.ts';
import type { Description } from './registry-documents.ts';
import type { PackageSettings } from './settings.ts';
import type { PublishedServer } from './start-program.ts';

const manifestVersion = '0.3';

export function bundleManifest(
  { description, title }: Pick<Description, 'description' | 'title'>,
  settings: PackageSettings,
  { tools, hasPrompts }: PublishedServer,
) {
  const { name, version, author, license, websiteUrl, repository, nodeVersions, env, stdio = '' } = settings;
  return {
    manifest_version: manifestVersion,
    name: plainName(name),
    ...(title !== undefined && { display_name: title }),
    version,
    description,
    author,
    ...(repository !== undefined && { repository: { type: 'git', url: repository.url } }),
    ...(websiteUrl !== undefined && { homepage: websiteUrl }),
    ...(license !== undefined && { license }),
    server: {
      type: 'node',
      entry_point: stdio,
      mcp_config: {
        command: 'node',
        // biome-ignore lint/suspicious/noTemplateCurlyInString: the client fills it in
        args: ['${__dirname}/' + stdio],
        ...(env.length > 0 && {
          env: Object.fromEntries(env.map((input) => [input.name, `\${user_config.${input.name}}`])),
        }),
      },
    },
    ...(tools.length > 0 && {
      tools: tools.map(({ name, description }) => ({ name, ...(description && { description }) })),
    }),
    // Its prompts have no fixed texts, as a list of them would need.
    ...(hasPrompts && { prompts_generated: true }),
    ...(nodeVersions !== undefined && { compatibility: { runtimes: { node: nodeVersions } } }),
    ...(env.length > 0 && { user_config: Object.fromEntries(env.map((input) => [input.name, userConfig(input)])) }),
  };
}

/** The name of a package without its scope: of files, and in applications. */
export const plainName = (name: string): string => name.replace(/^@[^/]*\//, '');

const types = { string: 'string', number: 'number', boolean: 'boolean', filepath: 'file' } as const;

function userConfig(input: DeclaredInput) {
  const { name, format = 'string', isSecret = false, isRequired = false, choices } = input;
  // A variable that is not set would otherwise arrive as the text of its placeholder.
  const fallback = input.default ?? (isRequired ? undefined : '');
  return {
    type: fallback === '' ? 'string' : types[format],
    title: name,
    description: choices === undefined ? input.description : `${input.description} One of: ${choices.join(', ')}.`,
    required: isRequired,
    ...(isSecret && { sensitive: true }),
    ...(fallback !== undefined && { default: valueOf(fallback, format) }),
  };
}

function valueOf(text: string, format: DeclaredInput['format']): string | number | boolean {
  if (text === '') return text;
  if (format === 'number' && Number.isFinite(Number(text))) return Number(text);
  return format === 'boolean' ? text === 'true' : text;
}
