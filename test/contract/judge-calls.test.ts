/** Which recorded calls a change breaks: of prompts, resources, completions, lists, and of protocol versions. */
import type { RecordedCall } from 'tenon/capture';
import { checkCalls, type ServerSnapshot } from 'tenon/contract';
import { expect, it } from 'vitest';

const before: ServerSnapshot = {
  snapshot: 1,
  protocolVersion: '2025-11-25',
  protocolVersions: ['2025-06-18', '2025-11-25'],
  capabilities: { tools: {}, prompts: {}, resources: {}, completions: {} },
  tools: [{ name: 'plan', inputSchema: { type: 'object' } }],
  resources: [{ name: 'notes', uri: 'notes://all' }],
  templates: [{ name: 'note', uriTemplate: 'notes://{id}' }],
  prompts: [{ name: 'plan', arguments: [{ name: 'city', required: true }, { name: 'days' }] }],
};

/** A change of the server, by the part that it replaces. */
const after = (changed: Partial<ServerSnapshot>): ServerSnapshot => ({ ...before, ...changed });

const call = (method: string, params: Record<string, unknown> = {}, protocolVersion = '2025-11-25'): RecordedCall => ({
  connection: 1,
  method,
  params,
  protocolVersion,
  result: {},
});

const plan = (args: Record<string, string>): RecordedCall => call('prompts/get', { name: 'plan', arguments: args });
const read = (uri: string): RecordedCall => call('resources/read', { uri });
const complete = (ref: Record<string, string>, name: string): RecordedCall =>
  call('completion/complete', { ref, argument: { name, value: '' } });
const ofPlan = complete({ type: 'ref/prompt', name: 'plan' }, 'days');
const ofNote = complete({ type: 'ref/resource', uri: 'notes://{id}' }, 'id');

const withArguments = (...args: { name: string; required?: boolean }[]) => ({
  prompts: [{ name: 'plan', arguments: args }],
});
const { tools: _tools, ...withoutTools } = before.capabilities;
const { completions: _completions, ...withoutCompletions } = before.capabilities;

it.each([
  ['a prompt that is the same', {}, plan({ city: 'Rome' }), 'safe', undefined],
  ['a prompt that was removed', { prompts: [] }, plan({ city: 'Rome' }), 'breaks', 'The prompt plan was removed.'],
  ['a prompt that did not work before', { prompts: [] }, plan({}), 'safe', undefined],
  ['a prompt that was not there before', {}, call('prompts/get', { name: 'other' }), 'safe', undefined],
  [
    'a prompt whose argument is required now',
    withArguments({ name: 'city', required: true }, { name: 'days', required: true }),
    plan({ city: 'Rome' }),
    'breaks',
    '`days` is required now.',
  ],
  [
    'a prompt that was called with the argument which is required now',
    withArguments({ name: 'city', required: true }, { name: 'days', required: true }),
    plan({ city: 'Rome', days: '2' }),
    'safe',
    undefined,
  ],
  [
    'a prompt that was called with an argument which is gone',
    withArguments({ name: 'city', required: true }),
    plan({ city: 'Rome', days: '2' }),
    'undecided',
    '`days` was removed.',
  ],
  [
    'a resource that neither a list nor a template has',
    { resources: [], templates: [] },
    read('notes://all'),
    'breaks',
    'Neither a resource nor a template has notes://all any more.',
  ],
  ['a resource that a template still has', { resources: [] }, read('notes://all'), 'safe', undefined],
  [
    'a resource of a template that is gone',
    { templates: [] },
    read('notes://7'),
    'breaks',
    'Neither a resource nor a template has notes://7 any more.',
  ],
  ['a resource that was not there before', { resources: [], templates: [] }, read('files://x'), 'safe', undefined],
  ['a completion of a prompt that is gone', { prompts: [] }, ofPlan, 'breaks', 'The prompt plan was removed.'],
  [
    'a completion of an argument that is gone',
    withArguments({ name: 'city', required: true }),
    ofPlan,
    'undecided',
    '`days` was removed.',
  ],
  ['a completion of a prompt, where a tool of its name is gone', { tools: [] }, ofPlan, 'safe', undefined],
  ['a completion of a template', {}, ofNote, 'safe', undefined],
  [
    'a completion of a template that is gone',
    { templates: [] },
    ofNote,
    'breaks',
    'The template notes://{id} was removed.',
  ],
  [
    'a completion, where the server has none any more',
    { capabilities: withoutCompletions },
    ofNote,
    'breaks',
    'The capability `completions` is not declared any more.',
  ],
  [
    'a list, where the server has none any more',
    { capabilities: withoutTools },
    call('tools/list'),
    'breaks',
    'The capability `tools` is not declared any more.',
  ],
  ['a list of something else', { capabilities: withoutTools }, call('prompts/list'), 'safe', undefined],
  [
    'a call in a protocol version that is gone',
    { protocolVersions: ['2025-11-25'] },
    call('tools/list', {}, '2025-06-18'),
    'breaks',
    'Protocol version 2025-06-18 is not supported any more.',
  ],
  [
    'a call in a protocol version that is left',
    { protocolVersions: ['2025-11-25'] },
    call('tools/list'),
    'safe',
    undefined,
  ],
  ['a call in a version that was never supported', {}, call('tools/list', {}, '2024-11-05'), 'safe', undefined],
] as const)('%s is judged [S31]', (_, changed, recorded, effect, reason) => {
  const [judged] = checkCalls(before, after(changed as Partial<ServerSnapshot>), [recorded]);
  expect(judged).toMatchObject({ effect, method: recorded.method, connection: 1 });
  expect(judged?.reasons).toEqual(reason === undefined ? [] : [reason]);
});
