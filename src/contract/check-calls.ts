/** Which recorded calls a change of a server breaks. */
import type { RecordedCall } from '../capture/replay/calls-in-capture.ts';
import { isRecord } from '../lib/values/is.ts';
import type { Prompt } from '../protocol/generated/types/records.ts';
import { createArgumentCheck } from './argument-check.ts';
import { type ContractChange, type Effect, worstOf } from './compare/change.ts';
import { compareSnapshots } from './compare/compare.ts';
import type { ServerSnapshot } from './snapshot.ts';
import { indexOf, type SnapshotIndex } from './snapshot-index.ts';

/** A recorded call, and whether it works with the changed server. */
export interface JudgedCall {
  /** `breaks`, `undecided`, or `safe` if it works. */
  readonly effect: Effect;
  /** The method, such as `tools/call`. */
  readonly method: string;
  /** The name of the tool or prompt, or the URI of the resource; empty for lists. */
  readonly name: string;
  /** The number of its connection in the capture. */
  readonly connection: number;
  /** Why it breaks or is undecided; empty if it works. */
  readonly reasons: readonly string[];
}

type Reason = readonly [effect: Effect, text: string];

/**
 * Decides for each recorded call whether it works after a change. A call that did not fit the earlier server is `safe`:
 * the change breaks nothing of it.
 *
 * @example
 * ```ts
 * const calls = checkCalls(before, after, callsInCapture(readCapture(text)));
 * const broken = calls.filter(({ effect }) => effect === 'breaks');
 * ```
 */
export function checkCalls(
  before: ServerSnapshot,
  after: ServerSnapshot,
  calls: readonly RecordedCall[],
): JudgedCall[] {
  const { changes } = compareSnapshots(before, after);
  const checks = { before: createArgumentCheck(before), after: createArgumentCheck(after) };
  const judged: Judge = { before: indexOf(before), after: indexOf(after), changes: byName(changes), checks };
  return calls.map((call) => {
    const reasons = [...versionReasons(judged, call), ...(byMethod[call.method]?.(judged, call) ?? [])];
    return {
      effect: worstOf(reasons.map(([effect]) => effect)),
      method: call.method,
      name: nameOf(call),
      connection: call.connection,
      reasons: reasons.map(([, text]) => text),
    };
  });
}

interface Judge {
  readonly before: SnapshotIndex;
  readonly after: SnapshotIndex;
  readonly changes: ChangesByName;
  readonly checks: Readonly<Record<'before' | 'after', ReturnType<typeof createArgumentCheck>>>;
}

/** Those of the server itself, and those of each tool: a call does not read all of them. */
interface ChangesByName {
  readonly ofServer: readonly ContractChange[];
  readonly ofTools: ReadonlyMap<string, readonly ContractChange[]>;
}

function byName(changes: readonly ContractChange[]): ChangesByName {
  const ofTools = new Map<string, ContractChange[]>();
  for (const change of changes) {
    if (change.kind !== 'tool') continue;
    const own = ofTools.get(change.name);
    if (own === undefined) ofTools.set(change.name, [change]);
    else own.push(change);
  }
  return { ofServer: changes.filter(({ kind }) => kind === 'server'), ofTools };
}

const nameOf = ({ params: { name, uri, ref } }: RecordedCall): string =>
  String(name ?? uri ?? (isRecord(ref) ? (ref.name ?? ref.uri) : undefined) ?? '');

function versionReasons({ before, after }: Judge, { protocolVersion: version = '' }: RecordedCall): Reason[] {
  const isDropped = before.protocolVersions?.includes(version) && after.protocolVersions?.includes(version) === false;
  return isDropped ? [['breaks', `Protocol version ${version} is not supported any more.`]] : [];
}

const byMethod: Readonly<Record<string, (judge: Judge, call: RecordedCall) => Reason[]>> = {
  'tools/call': toolReasons,
  'prompts/get': promptReasons,
  'resources/read': resourceReasons,
  'completion/complete': completionReasons,
  'tools/list': (judge) => capabilityReasons(judge, 'tools'),
  'prompts/list': (judge) => capabilityReasons(judge, 'prompts'),
  'resources/list': (judge) => capabilityReasons(judge, 'resources'),
  'resources/templates/list': (judge) => capabilityReasons(judge, 'resources'),
};

const capabilityReasons = ({ changes }: Judge, capability: string): Reason[] =>
  changes.ofServer
    .filter(({ effect, place }) => effect === 'breaks' && place === `capabilities.${capability}`)
    .map(({ text }) => ['breaks', text]);

function toolReasons({ before, after, changes, checks }: Judge, call: RecordedCall): Reason[] {
  const name = nameOf(call);
  const args = isRecord(call.params.arguments) ? call.params.arguments : {};
  const output = call.result?.structuredContent;
  if (!before.tools.has(name) || checks.before(name, args) !== undefined) return [];
  if (!after.tools.has(name)) return [['breaks', `The tool ${name} was removed.`]];
  const own = changes.ofTools.get(name) ?? [];
  const problem = checks.after(name, args);
  return [
    ...(problem === undefined ? [] : ([[problem.isRedacted ? 'undecided' : 'breaks', problem.text]] as const)),
    ...own
      .filter(({ effect, place }) => effect === 'undecided' && hasPath(args, pathIn(place, 'input')))
      .map(({ text }): Reason => ['undecided', text]),
    ...own
      .filter(({ effect }) => effect === 'breaks' || effect === 'undecided')
      .filter(({ place }) => output !== undefined && hasPath(output, pathIn(place, 'output')))
      .map(({ effect, text }): Reason => [effect, text]),
  ];
}

/** The path inside the arguments or the result; absent if the change is elsewhere. */
function pathIn(place: string, direction: 'input' | 'output'): string | undefined {
  if (place === direction) return '';
  return place.startsWith(`${direction}.`) || place.startsWith(`${direction}[`)
    ? place.slice(direction.length).replace(/^\./, '')
    : undefined;
}

function promptReasons({ before, after }: Judge, call: RecordedCall): Reason[] {
  const name = nameOf(call);
  const args = isRecord(call.params.arguments) ? call.params.arguments : {};
  const [old, now] = [before, after].map(({ prompts }) => prompts.get(name));
  if (old === undefined || missingIn(old, args).length > 0) return [];
  if (now === undefined) return [['breaks', `The prompt ${name} was removed.`]];
  const names = new Set(now.arguments?.map((argument) => argument.name));
  return [
    ...missingIn(now, args).map((one): Reason => ['breaks', `\`${one}\` is required now.`]),
    ...Object.keys(args)
      .filter((one) => !names.has(one))
      .map((one): Reason => ['undecided', `\`${one}\` was removed.`]),
  ];
}

const missingIn = (prompt: Prompt, args: object): string[] =>
  (prompt.arguments ?? [])
    .filter(({ name, required }) => required && !Object.hasOwn(args, name))
    .map(({ name }) => name);

/** Of an argument of a prompt, or of a variable of a template. */
function completionReasons(judge: Judge, call: RecordedCall): Reason[] {
  const { ref, argument } = call.params;
  const isPrompt = isRecord(ref) && ref.type === 'ref/prompt';
  const about = isPrompt ? promptCompletion(judge, call, argument) : templateCompletion(judge, call);
  return [...capabilityReasons(judge, 'completions'), ...about];
}

function promptCompletion({ before, after }: Judge, call: RecordedCall, argument: unknown): Reason[] {
  const name = nameOf(call);
  const [old, now] = [before, after].map(({ prompts }) => prompts.get(name));
  if (old === undefined) return [];
  if (now === undefined) return [['breaks', `The prompt ${name} was removed.`]];
  const typed = isRecord(argument) ? String(argument.name) : '';
  const [hadIt, hasIt] = [old, now].map((prompt) => prompt.arguments?.some((one) => one.name === typed) === true);
  return hadIt && !hasIt ? [['undecided', `\`${typed}\` was removed.`]] : [];
}

function templateCompletion({ before, after }: Judge, call: RecordedCall): Reason[] {
  const name = nameOf(call);
  const [hadIt, hasIt] = [before, after].map(({ templates }) => templates.has(name));
  return hadIt && !hasIt ? [['breaks', `The template ${name} was removed.`]] : [];
}

function resourceReasons({ before, after }: Judge, call: RecordedCall): Reason[] {
  const uri = nameOf(call);
  const [hadIt, hasIt] = [before, after].map((snapshot) => snapshot.hasResource(uri));
  return hadIt && !hasIt ? [['breaks', `Neither a resource nor a template has ${uri} any more.`]] : [];
}

/** `name`, `["a name"]`, `[]`, `[0]`, `*` */
const steps = /\[\]|\[(\d+)\]|\[("(?:[^"\\]|\\.)*")\]|[^.[\]]+/g;

function hasPath(value: unknown, path: string | undefined): boolean {
  if (path === undefined) return false;
  let found: unknown[] = [value];
  for (const [step, index, quotedName] of path.matchAll(steps)) {
    const name = quotedName === undefined ? step : String(JSON.parse(quotedName));
    found = found.flatMap((one) => {
      if (Array.isArray(one))
        return step === '[]' ? one : index === undefined ? [] : one.slice(Number(index), Number(index) + 1);
      if (!isRecord(one)) return [];
      if (step === '*') return Object.values(one);
      return Object.hasOwn(one, name) ? [one[name]] : [];
    });
  }
  return found.length > 0;
}
