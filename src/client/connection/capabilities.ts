/** The capabilities that a server declared, and those that requests and subscriptions need. */
import { TenonError } from '../../lib/errors/tenon-error.ts';
import type { Fields } from '../../lib/values/is.ts';
import { isRecord } from '../../lib/values/is.ts';
import type { ServerCapabilities, SubscriptionFilter } from '../../protocol/generated/types/records.ts';
import type { Revision } from '../../protocol/revision.ts';
import { tasksExtension } from '../../protocol/tasks/extension-tasks.ts';

/** The capability that each method needs; a method that is not here needs none. */
const neededBy: ReadonlyMap<string, string> = new Map([
  ['tools/list', 'tools'],
  ['tools/call', 'tools'],
  ['resources/list', 'resources'],
  ['resources/templates/list', 'resources'],
  ['resources/read', 'resources'],
  ['resources/subscribe', 'resources.subscribe'],
  ['resources/unsubscribe', 'resources.subscribe'],
  ['prompts/list', 'prompts'],
  ['prompts/get', 'prompts'],
  ['completion/complete', 'completions'],
  ['logging/setLevel', 'logging'],
]);

const isDeclared = (value: unknown): boolean => value !== undefined && value !== false && value !== null;

/**
 * Whether a capability is declared, by its path: a feature, or a feature and a part of it. The name of an experimental
 * feature may contain dots. `false` counts as not declared.
 */
export function declares(capabilities: ServerCapabilities, path: string): boolean {
  const declared: Fields = capabilities as Fields;
  const dot = path.indexOf('.');
  if (dot === -1) return isDeclared(declared[path]);
  const feature = declared[path.slice(0, dot)];
  const part = path.slice(dot + 1);
  return isRecord(feature) && Object.hasOwn(feature, part) && isDeclared(feature[part]);
}

/** Throws `capability-not-supported` if the server did not declare what a request needs. */
export function needForRequest(revision: Revision, capabilities: ServerCapabilities, method: string): void {
  const path = neededBy.get(method);
  if (path === undefined || declares(capabilities, path)) return;
  // The first revision has completions, and no capability for them.
  if (path === 'completions' && !revision.declaresCompletions) return;
  throw undeclared(path, method);
}

/** Throws `capability-not-supported` if the server did not declare all that a subscription needs. */
export function needForSubscription(capabilities: ServerCapabilities, filter: SubscriptionFilter): void {
  const {
    toolsListChanged,
    promptsListChanged,
    resourcesListChanged,
    resourceSubscriptions = [],
    taskIds = [],
  } = filter;
  if (taskIds.length > 0) need(capabilities, `extensions.${tasksExtension}`, 'taskIds');
  if (toolsListChanged) need(capabilities, 'tools.listChanged', 'toolsListChanged');
  if (promptsListChanged) need(capabilities, 'prompts.listChanged', 'promptsListChanged');
  if (resourcesListChanged) need(capabilities, 'resources.listChanged', 'resourcesListChanged');
  if (resourceSubscriptions.length > 0) need(capabilities, 'resources.subscribe', 'resourceSubscriptions');
}

export function need(capabilities: ServerCapabilities, path: string, by: string): void {
  if (!declares(capabilities, path)) throw undeclared(path, by);
}

const undeclared = (path: string, by: string): TenonError =>
  new TenonError('capability-not-supported', `The server did not declare ${path}, which ${by} needs.`, {
    hint: 'Nothing was sent. client.capabilities has what the server declared.',
    details: { capability: path, neededBy: by },
  });
