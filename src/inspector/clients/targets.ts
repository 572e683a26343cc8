/** What the page wants to connect to, resolved to a target of `connect`. Resolving starts nothing. */
import type { ReadCapture } from '../../capture/read-capture.ts';
import { TenonError } from '../../lib/errors/tenon-error.ts';
import { shownAddress } from '../../lib/text/shown-address.ts';
import { commandLine } from '../../node/child/command-line.ts';
import type { CommandTarget } from '../../node/child/command-target.ts';
import type { HttpTarget, Target } from '../../node/connect.ts';
import type { ApiTarget, OfferedTarget } from '../api/clients.ts';
import { apiError, InspectorError } from '../api-error.ts';
import type { Spawn, VariablesSent } from './confirmations.ts';

/** A server that a configuration file names. */
export interface ConfiguredTarget {
  /** Its name in the file. */
  readonly name: string;
  /** The path of the file. */
  readonly file: string;
  /** The program whose file it is, such as `cursor`. */
  readonly client: string;
  /** What it is, or why it cannot be used. */
  readonly target: CommandTarget | HttpTarget | TenonError;
  /** The variables of the environment in a URL or its headers that the user has not confirmed yet. */
  readonly variables?: readonly { readonly variable: string; readonly field: string }[];
  /** Called when the user has confirmed them. */
  readonly onConfirmed?: () => Promise<void>;
}

/** Where targets come from besides the page itself. */
export interface TargetSources {
  /** The servers that the program has passed, by name. */
  readonly offered: Readonly<Record<string, Target>>;
  configured(): Promise<readonly ConfiguredTarget[]>;
  /** A capture that was opened. */
  capture(recording: string): ReadCapture;
  /** Checks a command, and returns the folder that it is started in. Absent where no program can be started. */
  readonly commandFolder?: ((command: CommandTarget) => string) | undefined;
  /** Whether the page connects only to what it is offered, and to its recordings. */
  readonly offeredOnly?: true | undefined;
}

/** A target that can be connected to. */
export interface ResolvedTarget {
  /** The target that the page requested, without values that may be secret. */
  readonly requested: ApiTarget;
  readonly shown: string;
  /** What it is called if the server has no name. */
  readonly name: string;
  readonly target: Target;
  /** Whether a token is obtained by OAuth when the server asks for one. */
  readonly signsIn: boolean;
  /** Set if the page decides what process is started: then it must be confirmed. */
  readonly spawn?: Spawn;
  /** Set if a file decides which variables are sent to which URL: then it must be confirmed. */
  readonly sends?: VariablesSent;
}

const hidden = '‹hidden›';

export async function resolveTarget(requested: ApiTarget, sources: TargetSources): Promise<ResolvedTarget> {
  if (sources.offeredOnly === true && (requested.kind === 'command' || requested.kind === 'url'))
    throw new InspectorError('invalid-request', 'This page connects only to its own servers.');
  switch (requested.kind) {
    case 'command':
      return fromCommand(requested, { ...requested, env: hiddenValues(requested.env) }, sources);
    case 'url':
      return fromUrl(requested, { ...requested, headers: hiddenValues(requested.headers) }, requested.signIn ?? true);
    case 'offered':
      return offeredTarget(requested, sources);
    case 'configured':
      return configuredTarget(requested, sources);
    case 'recording': {
      const capture = sources.capture(requested.recording);
      const { replayServer } = await import('../../capture/replay/replay-server.ts');
      const target = replayServer(capture);
      return { requested, shown: `replay of ${requested.recording}`, name: 'replay', target, signsIn: false };
    }
  }
}

function fromCommand(
  given: CommandTarget,
  requested: ApiTarget,
  { commandFolder }: Pick<TargetSources, 'commandFolder'>,
): ResolvedTarget {
  if (commandFolder === undefined) throw new InspectorError('invalid-request', 'No program can be started here.');
  const { command, args = [], env = {}, cwd } = given;
  // Its standard error is in the timeline.
  const target: CommandTarget = { command, args, env, stderr: 'ignore', ...(cwd === undefined ? {} : { cwd }) };
  const folder = commandFolder(target);
  const variables = Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined);
  const spawn = { command, args, env: Object.fromEntries(variables), cwd: folder };
  return { requested, shown: commandLine(target), name: command, target, signsIn: false, spawn };
}

function fromUrl(given: HttpTarget, requested: ApiTarget, signIn: boolean): ResolvedTarget {
  const { url, headers = {}, ...others } = given;
  if (!/^https?:\/\//i.test(String(url)))
    throw new TenonError('invalid-argument', `${JSON.stringify(shownAddress(String(url)))} is not a URL of a server.`, {
      hint: 'Write it in full: http://127.0.0.1:3000/mcp.',
    });
  const hasOwn = Object.keys(headers).some((name) => name.toLowerCase() === 'authorization');
  const target: HttpTarget = { url, headers, ...('ca' in others && { ca: others.ca as string }) };
  const shown = shownAddress(String(url));
  return { requested, shown, name: shown, target, signsIn: signIn && !hasOwn && others.auth === undefined };
}

/** The program itself has chosen what it offers: nothing has to be confirmed. */
function offeredTarget(requested: Extract<ApiTarget, { kind: 'offered' }>, sources: TargetSources): ResolvedTarget {
  const { offered } = sources;
  const { name } = requested;
  const given = Object.hasOwn(offered, name) ? offered[name] : undefined;
  if (given === undefined) throw new InspectorError('not-found', `No server named ${JSON.stringify(name)} is offered.`);
  if (typeof given === 'string' || given instanceof URL) return { ...fromUrl({ url: given }, requested, true), name };
  if (typeof given === 'object' && 'url' in given && !('accept' in given))
    return { ...fromUrl(given as HttpTarget, requested, true), name, target: given };
  if (typeof given === 'object' && 'command' in given) {
    const { spawn: _, ...resolved } = fromCommand(given as CommandTarget, requested, sources);
    return { ...resolved, name };
  }
  return { requested, shown: 'in memory', name, target: given, signsIn: false };
}

async function configuredTarget(
  requested: Extract<ApiTarget, { kind: 'configured' }>,
  sources: TargetSources,
): Promise<ResolvedTarget> {
  const { name, file } = requested;
  const found = (await sources.configured()).find((one) => one.name === name && one.file === file);
  if (found === undefined)
    throw new InspectorError('not-found', `${file} has no server named ${JSON.stringify(name)} any more.`);
  const { target, variables = [], onConfirmed } = found;
  if (target instanceof TenonError) throw target;
  // A command is shown with the values of its variables.
  if (!('url' in target)) return { ...fromCommand(target, requested, sources), name };
  const resolved = { ...fromUrl(target, requested, true), name };
  if (variables.length === 0) return resolved;
  const named = variables.map(({ variable, field }) => ({ variable, field }));
  const { url, headers = {} } = target;
  return { ...resolved, sends: { url: String(url), headers, variables: named, onConfirmed } };
}

/** All targets that can be chosen from a list. */
export async function offeredTargets(sources: TargetSources): Promise<OfferedTarget[]> {
  const own = Object.keys(sources.offered).map((name): OfferedTarget => {
    const target = { kind: 'offered', name } as const;
    return { target, name, shown: offeredTarget(target, sources).shown };
  });
  const configured = (await sources.configured()).map(({ name, file, client, target }): OfferedTarget => {
    const requested = { kind: 'configured', name, file } as const;
    const source = { client, path: file };
    if (target instanceof TenonError) return { target: requested, name, shown: '', source, problem: apiError(target) };
    const shown = 'url' in target ? shownAddress(String(target.url)) : commandLine(target);
    return { target: requested, name, shown, source };
  });
  return [...own, ...configured];
}

const hiddenValues = (values: Readonly<Record<string, string>> = {}): Record<string, string> =>
  Object.fromEntries(Object.keys(values).map((name) => [name, hidden]));
