/** Links by which a client installs the server, and their place in README.md. */
import { toBase64 } from '../../lib/text/base64.ts';
import { plainName } from './bundle-manifest.ts';
import type { DeclaredInput } from './declared-inputs.ts';
import type { PackageSettings, Remote } from './settings.ts';

export interface InstallLinks {
  /** Opened by the application itself. */
  readonly cursor?: string;
  readonly vscode?: string;
  /** The bundle. */
  readonly download?: string;
}

/** Undefined members have nothing that the client could install. */
export function installLinks(settings: PackageSettings): InstallLinks {
  const { name, remotes, env, isOnNpm, bundle } = settings;
  const [remote] = remotes;
  const short = plainName(name);
  const download = bundle?.url === undefined ? {} : { download: bundle.url };
  if (isOnNpm) {
    const started = { command: 'npx', args: ['-y', name] };
    return {
      cursor: cursorLink(short, { ...started, ...cursorValues('env', env) }),
      vscode: vscodeLink({ name: short, ...started, ...vscodeValues('env', env) }),
      ...download,
    };
  }
  if (remote === undefined) return download;
  return {
    cursor: cursorLink(short, { url: remote.url, ...cursorValues('headers', inputsOf(remote)) }),
    vscode: vscodeLink({
      name: short,
      type: remote.type === 'sse' ? 'sse' : 'http',
      url: remote.url,
      ...vscodeValues('headers', inputsOf(remote)),
    }),
    ...download,
  };
}

const inputsOf = ({ headers = [] }: Remote): readonly DeclaredInput[] => headers;

const cursorLink = (name: string, config: object): string =>
  `cursor://anysphere.cursor-deeplink/mcp/install?name=${encodeURIComponent(name)}&config=${encodeURIComponent(inBase64(config))}`;

const inBase64 = (value: object): string => toBase64(new TextEncoder().encode(JSON.stringify(value)));

const vscodeLink = (config: object): string => `vscode:mcp/install?${encodeURIComponent(JSON.stringify(config))}`;

/** Cursor reads variables of the user's environment; what is optional is left to the user. */
function cursorValues(member: 'env' | 'headers', inputs: readonly DeclaredInput[]): object {
  const required = inputs.filter(({ isRequired }) => isRequired === true);
  if (required.length === 0) return {};
  const variable = (name: string): string => name.replace(/\W/g, '_').toUpperCase();
  return { [member]: Object.fromEntries(required.map(({ name }) => [name, `\${env:${variable(name)}}`])) };
}

/** VS Code asks the user, and stores the answers. */
function vscodeValues(member: 'env' | 'headers', inputs: readonly DeclaredInput[]): object {
  const required = inputs.filter(({ isRequired }) => isRequired === true);
  if (required.length === 0) return {};
  return {
    [member]: Object.fromEntries(required.map(({ name }) => [name, `\${input:${name}}`])),
    inputs: required.map(({ name, description, isSecret = false, default: fallback }) => ({
      type: 'promptString',
      id: name,
      description,
      password: isSecret,
      ...(fallback !== undefined && { default: fallback }),
    })),
  };
}

const begin = '<!-- tenon install links -->';
const end = '<!-- end of tenon install links -->';
export const marks = { begin, end } as const;

/**
 * README.md with the links between the two marks; undefined if it has none. Pages that show Markdown drop links of
 * applications, so these lead there over https.
 */
export function withLinks(readme: string, links: InstallLinks): string | undefined {
  const from = readme.indexOf(begin);
  const to = readme.indexOf(end, from);
  if (from === -1 || to === -1) return undefined;
  return `${readme.slice(0, from + begin.length)}\n\n${markdown(links)}\n\n${readme.slice(to)}`;
}

function markdown({ cursor, vscode, download }: InstallLinks): string {
  const items = [
    cursor &&
      `[Cursor](${cursor.replace('cursor://anysphere.cursor-deeplink/mcp/install', 'https://cursor.com/en/install-mcp')})`,
    vscode && `[VS Code](https://vscode.dev/redirect?url=${encodeURIComponent(vscode)})`,
    download && `[Claude Desktop](${download}): open the file`,
  ];
  return ['Install in:', '', ...items.flatMap((item) => (item ? [`- ${item}`] : []))].join('\n');
}
