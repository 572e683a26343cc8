/** Validates the form of a definition, or of a draft, before it is compiled. */

import { checkOptions, flag, group, type Rule, type Rules } from '../../lib/options/option-rules.ts';
import { unknownName } from '../../lib/text/nearest-name.ts';
import type { Fields } from '../../lib/values/is.ts';
import { isRecord } from '../../lib/values/is.ts';
import { extensionsProblem } from '../../protocol/meta-keys.ts';
import type { CapabilityOptions, ServerDefinition } from '../definition/server.ts';
import { refused, typeNameOf } from './definition-error.ts';

/** The lists of features, each with an example for the hint. */
const lists = {
  tools: 'tools: { name: tool(…) }',
  resources: "resources: { 'notes://today': resource(…) }",
  resourceTemplates: "resourceTemplates: { 'notes://{day}': resourceTemplate(…) }",
  prompts: 'prompts: { name: prompt(…) }',
} as const;

const fields = [
  'name',
  'version',
  'title',
  'description',
  'websiteUrl',
  'icons',
  'instructions',
  'capabilities',
  'experimental',
  'extensions',
  'pageSize',
  'cache',
  'mounts',
  'tools',
  'resources',
  'resourceTemplates',
  'prompts',
] as const satisfies ReadonlyArray<keyof ServerDefinition>;

const capabilityRules: Rules & Record<keyof CapabilityOptions, Rule> = {
  tools: group({ listChanged: flag }),
  resources: group({ subscribe: flag, listChanged: flag }),
  prompts: group({ listChanged: flag }),
  logging: flag,
  completions: flag,
};

/** Throws `invalid-definition` with the place and a hint. */
export function checkDefinition(definition: unknown): void {
  if (!isRecord(definition)) {
    throw refused(
      `createServer() got ${typeNameOf(definition)}, not a definition.`,
      "Pass an object such as { name: 'my-server', version: '1.0.0' }.",
    );
  }
  const unknown = unknownName(definition, fields);
  if (unknown !== undefined) throw refused(`${unknown.name} is not a field of a server definition.`, unknown.hint);
  checkNamed(definition);
  checkLists(definition);
  const { instructions, capabilities, experimental, extensions, mounts } = definition;
  if (instructions !== undefined && typeof instructions !== 'string') {
    throw refused('instructions is not a string.', 'Describe the server for a model in one string.');
  }
  if (experimental !== undefined && !(isRecord(experimental) && Object.values(experimental).every(isRecord))) {
    throw refused('experimental is not an object of objects.', 'Write experimental: { name: {} }.');
  }
  checkOptions('createServer()', { capabilities }, { capabilities: group(capabilityRules) }, 'invalid-definition');
  if (extensions !== undefined) checkExtensions(extensions);
  if (mounts !== undefined) checkMounts(mounts);
}

/** Clients show the name and the version, so neither may be empty. */
function checkNamed(definition: Readonly<Fields>): void {
  for (const place of ['name', 'version']) {
    const value = definition[place];
    if (typeof value === 'string' && value.trim() !== '') continue;
    const problem =
      value === undefined
        ? 'is missing'
        : typeof value === 'string'
          ? 'is empty'
          : `is ${typeNameOf(value)}, not a string`;
    throw refused(
      `createServer(): ${place} ${problem}.`,
      "Write createServer({ name: 'my-server', version: '1.0.0' }).",
      place,
    );
  }
}

/** Throws if `update()` has put an unknown field on the draft, or replaced a list with something else. */
export function checkDraft(draft: Readonly<Fields>): void {
  const unknown = Object.keys(draft).find((field) => !Object.hasOwn(lists, field));
  if (unknown !== undefined) {
    throw refused(
      `update(): ${JSON.stringify(unknown)} is not a field of the draft.`,
      `update() can change ${Object.keys(lists).join(', ')}.`,
    );
  }
  checkLists(draft);
}

function checkLists(offer: Readonly<Fields>): void {
  for (const [kind, written] of Object.entries(lists)) {
    if (offer[kind] === undefined || isRecord(offer[kind])) continue;
    throw refused(`${kind} is ${typeNameOf(offer[kind])}, not an object.`, `Write ${written}.`);
  }
}

function checkExtensions(extensions: unknown): void {
  if (Array.isArray(extensions)) return extensions.forEach(checkServed);
  const problem = extensionsProblem(extensions);
  if (problem !== undefined) throw refused(`extensions${problem}.`, "Write extensions: { 'com.example/name': {} }.");
}

function checkServed(one: unknown, at: number): void {
  if (isRecord(one) && one.type === 'served-extension' && isRecord(one.extension)) return;
  throw refused(
    `extensions[${at}] is not the result of serveExtension().`,
    'Pass serveExtension(extension, { methods: { … } }).',
  );
}

function checkMounts(mounts: unknown): void {
  if (!isRecord(mounts)) {
    throw refused('mounts is not an object of servers.', 'Write mounts: { prefix: server }.');
  }
  for (const [prefix, one] of Object.entries(mounts)) {
    if (isRecord(one) && isRecord(one.features) && typeof one.follow === 'function') continue;
    throw refused(`mounts[${JSON.stringify(prefix)}] is not a server.`, 'Pass the result of createServer().');
  }
}
