/** A call in other forms: as `tenon` command, as curl, as code, and the server as client configuration. Pure. */
import type { ApiTarget, ClientInfo, RunRequest } from '../../../../src/inspector/api.ts';
import { isSecretName } from '../../../../src/lib/text/secret-names.ts';
import { masked, maskText } from '../../../../src/lib/text/secret-text.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Copies go into chats and files: what is a secret by its name or its form is not in them. */
function withoutSecrets(value: unknown): unknown {
  if (typeof value === 'string') return maskText(value);
  if (Array.isArray(value)) return value.map(withoutSecrets);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [
      name,
      isSecretName(name) && typeof one !== 'boolean' && one !== null ? masked : withoutSecrets(one),
    ]),
  );
}

function requestWithoutSecrets(request: RunRequest): RunRequest {
  if (request.kind === 'tool' || request.kind === 'prompt')
    return { ...request, arguments: withoutSecrets(request.arguments) } as RunRequest;
  if (request.kind === 'resource') return { ...request, uri: urlWithoutSecrets(request.uri) };
  if (request.kind === 'request') return { ...request, params: withoutSecrets(request.params ?? {}) } as RunRequest;
  return request;
}

/** The values of a query that has a secret in it are masked by their names, and by their form. */
const urlWithoutSecrets = (url: string): string =>
  maskText(url).replace(/(?<=[?&])([^=&#]+)=([^&#]+)/g, (field, name: string) =>
    isSecretName(name) ? `${name}=${masked}` : field,
  );

function targetWithoutSecrets(target: ApiTarget): ApiTarget {
  if (target.kind === 'url') return { ...target, url: urlWithoutSecrets(target.url) };
  return target.kind === 'command' ? { ...target, args: target.args.map((arg) => maskText(arg)) } : target;
}

/** What the backend shows in place of a secret, and what a copy has there. */
const hidden = '‹hidden›';
const variableOf = (name: string): string => name.toUpperCase().replace(/\W+/g, '_');

/** A header as a word of the shell. A secret is a variable there. */
const headerWord = (name: string, value: string): string =>
  value === hidden ? withVariable(`${name}: `, variableOf(name)) : quoted(`${name}: ${value}`);

export interface Copied {
  readonly title: string;
  readonly text: string;
}

export function copiesOf(given: ClientInfo, asked: RunRequest): readonly Copied[] {
  const client = { ...given, target: targetWithoutSecrets(targetWithUrl(given)) };
  const request = requestWithoutSecrets(asked);
  const command = asCommand(client, request);
  const curl = asCurl(client, request);
  return [
    ...(command === undefined ? [] : [{ title: 'tenon command', text: command }]),
    ...(curl === undefined ? [] : [{ title: 'curl', text: curl }]),
    { title: 'code', text: asCode(client, request) },
    { title: 'client configuration', text: asConfiguration(client) },
  ];
}

/** The URL of a server that the program has passed to the inspector, if it has one. */
const targetWithUrl = ({ target, shown }: ClientInfo): ApiTarget =>
  target.kind === 'offered' && URL.canParse(shown) ? { kind: 'url', url: shown } : target;

/** A placeholder for a server in the memory of its program. */
const ownFile = './server.ts';

/** The words that name the target, quoted, before and after the others: a command stands last. */
function targetWords({ target }: ClientInfo): { readonly first: string[]; readonly last: string[] } {
  switch (target.kind) {
    case 'url': {
      const headers = Object.entries(target.headers ?? {}).flatMap(([name, value]) => ['-H', headerWord(name, value)]);
      return { first: [quoted(target.url)], last: headers };
    }
    case 'command': {
      const variables = Object.entries(target.env ?? {}).flatMap(([name, value]) => [
        '-e',
        value === hidden ? withVariable(`${name}=`, name) : quoted(`${name}=${value}`),
      ]);
      const cwd = target.cwd === undefined ? [] : ['--cwd', quoted(target.cwd)];
      return { first: [], last: [...variables, ...cwd, '--', ...[target.command, ...target.args].map(quoted)] };
    }
    case 'configured':
      return { first: [quoted(target.name)], last: ['--config', quoted(target.file)] };
    default:
      return { first: [ownFile], last: [] };
  }
}

function asCommand(client: ClientInfo, request: RunRequest): string | undefined {
  const call = callWords(request);
  if (call === undefined) return undefined;
  const { first, last } = targetWords(client);
  const revision = client.options.protocolVersion;
  const options = revision === undefined ? [] : ['--protocol-version', revision];
  const [command, ...words] = call;
  // A checkout and a project have the command in node_modules: a shell finds it by npx.
  return ['npx', 'tenon', command, ...first, ...words.map(quoted), ...options, ...last].join(' ');
}

/** The command, and its words after the target. None for a name that would be read as an option. */
function callWords(request: RunRequest): readonly [string, ...string[]] | undefined {
  switch (request.kind) {
    case 'tool':
    case 'prompt':
      if (request.name.startsWith('-')) return undefined;
      return [request.kind === 'tool' ? 'call' : 'get', request.name, ...argumentWords(request.arguments)];
    case 'resource':
      return request.uri.startsWith('-') ? undefined : ['read', request.uri];
    case 'task':
      return ['tasks'];
    case 'request':
      return undefined;
  }
}

/** `name=text` where it is read as this text, `name:=JSON` else. */
function argumentWords(given: Fields): string[] {
  const isPlain = Object.keys(given).every((name) => /^\w[\w-]*$/.test(name));
  if (!isPlain) return ['--args', JSON.stringify(given)];
  return Object.entries(given).map(([name, value]) =>
    typeof value === 'string' && value !== '' && !value.includes(',')
      ? `${name}=${value}`
      : `${name}:=${JSON.stringify(value)}`,
  );
}

/** The method and the parameters of a request on the wire. */
function wireRequest(request: RunRequest): { readonly method: string; readonly params: Fields } {
  switch (request.kind) {
    case 'tool':
      return { method: 'tools/call', params: { name: request.name, arguments: request.arguments } };
    case 'prompt':
      return { method: 'prompts/get', params: { name: request.name, arguments: request.arguments } };
    case 'resource':
      return { method: 'resources/read', params: { uri: request.uri } };
    case 'task':
      return { method: 'tasks/get', params: { taskId: request.taskId } };
    case 'request':
      return { method: request.method, params: request.params ?? {} };
  }
}

/** Only for a URL. A session needs its id, and any server may need a token: both are placeholders. */
function asCurl(client: ClientInfo, request: RunRequest): string | undefined {
  const { target, protocolVersion = '', hasSession = true } = client;
  if (target.kind !== 'url') return undefined;
  const { method, params } = wireRequest(request);
  const headers: Record<string, string> = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': protocolVersion,
  };
  Object.assign(headers, target.headers);
  const body: Fields = {
    jsonrpc: '2.0',
    id: 1,
    method,
    params: hasSession ? params : withMeta(params, client),
  };
  if (!hasSession) headers['mcp-method'] = method;
  if (!hasSession && typeof (params.name ?? params.uri) === 'string')
    headers['mcp-name'] = String(params.name ?? params.uri);
  const words = Object.entries(headers).map(([name, value]) => headerWord(name, value));
  if (client.auth.length > 0) words.push(withVariable('authorization: Bearer ', 'TOKEN'));
  if (hasSession) words.push(withVariable('mcp-session-id: ', 'MCP_SESSION_ID'));
  const lines = words.map((word) => `-H ${word}`);
  return [`curl ${quoted(target.url)}`, ...lines, `-d ${quoted(JSON.stringify(body))}`].join(' \\\n  ');
}

const withMeta = (params: Fields, { protocolVersion }: ClientInfo): Fields => ({
  ...params,
  _meta: {
    'io.modelcontextprotocol/protocolVersion': protocolVersion,
    'io.modelcontextprotocol/clientInfo': { name: 'curl', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  },
});

function asCode({ target, options }: ClientInfo, request: RunRequest): string {
  const given = codeTarget(target);
  const version = options.protocolVersion === undefined ? '' : `, { protocolVersions: ['${options.protocolVersion}'] }`;
  return [
    `import { connect } from 'tenon';`,
    '',
    `const client = await connect(${given}${version});`,
    `const result = await client.${codeCall(request)};`,
    'console.log(result);',
    'await client.close();',
    '',
  ].join('\n');
}

function codeTarget(target: ApiTarget): string {
  if (target.kind === 'url' && target.headers !== undefined)
    return `{ url: ${JSON.stringify(target.url)}, headers: ${codeFields(target.headers, variableOf)} }`;
  if (target.kind !== 'command') return JSON.stringify(target.kind === 'url' ? target.url : ownFile);
  const { command, args, env, cwd } = target;
  const parts = [
    `command: ${JSON.stringify(command)}`,
    `args: ${JSON.stringify(args)}`,
    ...(env === undefined ? [] : [`env: ${codeFields(env, (name) => name)}`]),
    ...(cwd === undefined ? [] : [`cwd: ${JSON.stringify(cwd)}`]),
  ];
  return `{ ${parts.join(', ')} }`;
}

/** An object of texts as code. A secret is a variable of the environment there. */
function codeFields(fields: Readonly<Record<string, string>>, variable: (name: string) => string): string {
  const parts = Object.entries(fields).map(([name, value]) => {
    const shown = value === hidden ? `process.env[${JSON.stringify(variable(name))}] ?? ''` : JSON.stringify(value);
    return `${JSON.stringify(name)}: ${shown}`;
  });
  return parts.length === 0 ? '{}' : `{ ${parts.join(', ')} }`;
}

function codeCall(request: RunRequest): string {
  switch (request.kind) {
    case 'tool':
      return `tools.call(${JSON.stringify(request.name)}, ${JSON.stringify(request.arguments)})`;
    case 'prompt':
      return `prompts.get(${JSON.stringify(request.name)}, ${JSON.stringify(request.arguments)})`;
    case 'resource':
      return `resources.read(${JSON.stringify(request.uri)})`;
    default: {
      const { method, params } = wireRequest(request);
      return `request(${JSON.stringify(method)}, ${JSON.stringify(params)})`;
    }
  }
}

function asConfiguration({ target, label, server }: ClientInfo): string {
  const withVariables = (fields: Readonly<Record<string, string>>, variable: (name: string) => string) =>
    Object.fromEntries(
      Object.entries(fields).map(([name, value]) => [name, value === hidden ? `\${${variable(name)}}` : value]),
    );
  const name = (server?.name ?? label).replace(/[^\w-]+/g, '-');
  const entry =
    target.kind === 'command'
      ? {
          command: target.command,
          args: target.args,
          ...(target.env && { env: withVariables(target.env, (name) => name) }),
          ...(target.cwd !== undefined && { cwd: target.cwd }),
        }
      : target.kind === 'url'
        ? {
            type: 'http',
            url: target.url,
            ...(target.headers && { headers: withVariables(target.headers, variableOf) }),
          }
        : { command: 'npx', args: ['tenon', 'serve', ownFile] };
  return `${JSON.stringify({ mcpServers: { [name]: entry } }, null, 2)}\n`;
}

/** Characters that a terminal would act on when they are pasted. */
const control = /\p{Cc}/u;

/** A word of a shell command, quoted if it needs it. A server may have written it: it is never more than a word. */
function quoted(word: string): string {
  if (/^[\w@%+=:,./-]+$/.test(word)) return word;
  if (control.test(word)) return `$'${word.replace(/['\\]|\p{Cc}/gu, escaped)}'`;
  return `'${word.replaceAll("'", `'\\''`)}'`;
}

/** As bash, zsh and ksh read it between `$'` and `'`. */
const escaped = (char: string): string =>
  control.test(char) ? `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}` : `\\${char}`;

/** A word that ends in a variable, which the shell reads. */
const withVariable = (text: string, variable: string): string => `"${text.replace(/["\\`$]/g, '\\$&')}$${variable}"`;
