/** Converts deviations of peers, mostly of the founding documents, whose meaning is clear. Every revision reads them; none writes them. */

import type { Fields } from '../../lib/values/is.ts';
import { isRecord } from '../../lib/values/is.ts';
import { type Check } from '../model/primitives.ts';
import type { Fixes } from '../revision.ts';
import { correctedCapabilities } from './odd-capabilities.ts';
import { readToolList } from './odd-tools.ts';
import { withoutSystem } from './system-role.ts';

/** Converts a `resource` block without contents to a resource link. */
function linkOf(block: Fields): Fields {
  if (block.type !== 'resource' || typeof block.uri !== 'string' || block.resource !== undefined) return block;
  return { ...block, type: 'resource_link', name: typeof block.name === 'string' ? block.name : block.uri };
}

const withContent = (result: Fields): Fields =>
  Array.isArray(result.content)
    ? { ...result, content: result.content.map((block) => (isRecord(block) ? linkOf(block) : block)) }
    : result;

function readToolResult(value: unknown, check: Check): unknown {
  const fixed = isRecord(value) ? withContent(value) : value;
  return check(fixed) ? fixed : undefined;
}

/** Messages in the role `system` stay unchanged: they are checked as messages of the user. */
function readPromptResult(value: unknown, check: Check): unknown {
  if (!isRecord(value) || !Array.isArray(value.messages)) return undefined;
  const messages = value.messages.map((message) =>
    isRecord(message) && isRecord(message.content) ? { ...message, content: linkOf(message.content) } : message,
  );
  const read = { ...value, messages };
  return check(withoutSystem(read)) ? read : undefined;
}

const stopReasons: ReadonlyMap<unknown, string> = new Map([
  ['end_turn', 'endTurn'],
  ['stop_sequence', 'stopSequence'],
  ['max_tokens', 'maxTokens'],
]);

function spellStopReason(result: Fields): Fields {
  const stopReason = stopReasons.get(result.stopReason);
  return stopReason === undefined ? result : { ...result, stopReason };
}

/** A capability that is `false` is not declared. */
function declaredOnly(capabilities: unknown): unknown {
  if (!isRecord(capabilities)) return capabilities;
  return Object.fromEntries(Object.entries(capabilities).filter(([, one]) => one !== false && one !== null));
}

function readCapabilities(value: unknown, check: Check): unknown {
  const fixed = isRecord(value) ? { ...value, capabilities: declaredOnly(value.capabilities) } : value;
  return check(fixed) ? fixed : undefined;
}

/** A client also reads capabilities of an unexpected shape: a server may have others than the client knows. */
function readServerCapabilities(value: unknown, check: Check): unknown {
  const read = readCapabilities(value, check);
  if (read !== undefined || !isRecord(value) || !isRecord(value.capabilities)) return read;
  const capabilities = correctedCapabilities(value.capabilities, (one) => check({ ...value, capabilities: one }));
  const fixed = { ...value, capabilities };
  return capabilities !== undefined && check(fixed) ? fixed : undefined;
}

/** The same where every request declares them, under a key of its `_meta`. */
export const readCapabilitiesAt =
  (key: string) =>
  (params: unknown, check: Check): unknown => {
    if (!isRecord(params) || !isRecord(params._meta)) return undefined;
    const fixed = { ...params, _meta: { ...params._meta, [key]: declaredOnly(params._meta[key]) } };
    return check(fixed) ? fixed : undefined;
  };

export const tolerated: Fixes = {
  params: new Map([['initialize', readCapabilities]]),
  results: new Map([
    ['initialize', readServerCapabilities],
    ['server/discover', readServerCapabilities],
    ['tools/call', readToolResult],
    ['tools/list', readToolList],
    ['prompts/get', readPromptResult],
  ]),
  spellings: new Map([['sampling/createMessage', spellStopReason]]),
};
