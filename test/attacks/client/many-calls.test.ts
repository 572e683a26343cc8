/** A capture with many calls is checked against a server that lists many items: no list is read for each call. */
import type { RecordedCall } from 'tenon/capture';
import { checkCalls, type ServerSnapshot } from 'tenon/contract';
import { expect, it } from 'vitest';

/** A snapshot that counts how often the names of its items are read. */
function countedSnapshot(): { readonly snapshot: ServerSnapshot; readonly reads: () => number } {
  let reads = 0;
  const counted = <T extends object>(item: T, key: string, text: string): T =>
    Object.defineProperty(item, key, {
      enumerable: true,
      get: () => {
        reads += 1;
        return text;
      },
    });
  const of = (n: number): number[] => Array.from({ length: n }, (_, at) => at);
  const snapshot = {
    snapshot: 1,
    protocolVersion: '2025-11-25',
    capabilities: { tools: {}, prompts: {}, resources: {}, completions: {} },
    tools: of(20).map((at) => counted({ inputSchema: { type: 'object' } }, 'name', `tool${at}`)),
    resources: of(20).map((at) => counted({ name: 'note' }, 'uri', `notes://${at}`)),
    templates: of(20).map((at) => counted({ name: 'file' }, 'uriTemplate', `files://${at}/{name}`)),
    prompts: of(20).map((at) => counted({}, 'name', `prompt${at}`)),
  };
  return { snapshot: snapshot as unknown as ServerSnapshot, reads: () => reads };
}

const call = (method: string, params: Record<string, unknown>): RecordedCall => ({
  connection: 1,
  method,
  params,
  protocolVersion: '2025-11-25',
  result: {},
});

const calls = (count: number): RecordedCall[] =>
  Array.from({ length: count }, (_, at) => [
    call('tools/call', { name: 'tool7', arguments: {} }),
    call('prompts/get', { name: 'prompt7' }),
    call('resources/read', { uri: `files://none/${at}` }),
    call('completion/complete', { ref: { type: 'ref/resource', uri: 'files://7/{name}' }, argument: { name: 'name' } }),
  ]).flat();

/** How often names are read to check so many calls of each kind. */
function readsFor(count: number): number {
  const { snapshot, reads } = countedSnapshot();
  expect(checkCalls(snapshot, snapshot, calls(count)).every(({ effect }) => effect === 'safe')).toBe(true);
  return reads();
}

it('names of items are read as often for 1,000 calls as for one [S24]', () => {
  expect(readsFor(1000)).toBe(readsFor(1));
});
