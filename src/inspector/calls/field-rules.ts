/** The rules of the fields in requests of the page. */
import { rootProblem } from '../../client/answers/handlers.ts';
import { count, duration, flag, group, isTexts, type Rule } from '../../lib/options/option-rules.ts';
import { isRecord, isString } from '../../lib/values/is.ts';
import { LoggingLevel } from '../../protocol/generated/checks.ts';
import { oneVersion } from '../../protocol/revisions/version-rules.ts';

const isTextRecord = (value: unknown): boolean => isRecord(value) && Object.values(value).every(isString);
const isAbsentOr = (value: unknown, holds: (value: unknown) => boolean): boolean => value === undefined || holds(value);

export const text: Rule = { holds: isString, must: 'be a string' };
export const texts: Rule = { holds: isTexts, must: 'be a list of strings' };
export const textRecord: Rule = { holds: isTextRecord, must: 'be an object of strings' };
export const anything: Rule = { holds: () => true, must: 'be set' };
export const level: Rule = { holds: LoggingLevel, must: 'be a level such as debug' };
export const position: Rule = {
  holds: (value) => Number.isFinite(value) && (value as number) >= 0,
  must: 'be a number from 0',
};

/**
 * Texts of one answer.
 * @limit inspector
 * @beyond the call fails
 */
const maxTexts = 256;
export const positions: Rule = {
  holds: (value) => Array.isArray(value) && value.length <= maxTexts && value.every(position.holds),
  must: `be at most ${maxTexts} numbers`,
};

/**
 * Rows of one answer.
 * @limit inspector
 * @default 4096
 * @beyond the rest is left out
 */
export const maxRows = 4096;
export const limit: Rule = {
  holds: (value) => count.holds(value) && (value as number) <= maxRows,
  must: `be 1 to ${maxRows}`,
};
export const roots: Rule = {
  holds: (value) =>
    Array.isArray(value) && value.length <= 1000 && value.every((one) => rootProblem(one) === undefined),
  must: "be a list such as [{ uri: 'file:///home/me/project' }]",
};
export const featureKind: Rule = {
  holds: (value) => ['tools', 'resources', 'templates', 'prompts'].includes(value as string),
  must: 'be tools, resources, templates or prompts',
};
/** The fields of each kind of target. */
const targetFields: Readonly<Record<string, (target: Record<string, unknown>) => boolean>> = {
  command: ({ command, args, env, cwd }) =>
    isString(command) && isTexts(args) && isAbsentOr(env, isTextRecord) && isAbsentOr(cwd, isString),
  url: ({ url, headers, signIn }) =>
    isString(url) && isAbsentOr(headers, isTextRecord) && isAbsentOr(signIn, flag.holds),
  offered: ({ name }) => isString(name),
  configured: ({ name, file }) => isString(name) && isString(file),
  recording: ({ recording }) => isString(recording),
};

export const target: Rule = hasKind(targetFields, 'be a target: a kind such as url, and its fields');

const requestFields: typeof targetFields = {
  tool: ({ name, arguments: args, task, app }) =>
    isString(name) && isRecord(args) && isAbsentOr(task, flag.holds) && isAbsentOr(app, isString),
  resource: ({ uri }) => isString(uri),
  prompt: ({ name, arguments: args }) => isString(name) && isTextRecord(args),
  task: ({ taskId, tool }) => isString(taskId) && isAbsentOr(tool, isString),
  request: ({ method, params }) => isString(method) && isAbsentOr(params, isRecord),
};

export const runRequest: Rule = hasKind(requestFields, 'be a request: a kind such as tool, and its fields');

function hasKind(kinds: typeof targetFields, must: string): Rule {
  const holds = (value: unknown): boolean =>
    isRecord(value) && isString(value.kind) && Object.hasOwn(kinds, value.kind) && kinds[value.kind]?.(value) === true;
  return { holds, must };
}

export const connectOptions: Rule = group({
  protocolVersion: oneVersion,
  timeoutMs: duration,
  logLevel: level,
  roots,
  answers: group({ elicitation: flag, sampling: flag, roots: flag }),
  label: text,
});

export const reference: Rule = {
  holds: (value) => isRecord(value) && (isString(value.name) || isString(value.uri)) && isString(value.type),
  must: "be { type: 'ref/prompt', name } or { type: 'ref/resource', uri }",
};

export const argument: Rule = {
  holds: (value) => isRecord(value) && isString(value.name) && isString(value.value),
  must: 'be { name, value }',
};

export const answer: Rule = {
  holds: (value) =>
    isRecord(value) &&
    ['accept', 'decline', 'cancel', 'sample', 'refuse'].includes(value.action as string) &&
    isAbsentOr(value.content, isRecord) &&
    isAbsentOr(value.code, Number.isInteger),
  must: 'have an action: accept, decline, cancel, sample or refuse',
};
