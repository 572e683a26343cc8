/** A model without a network: it searches, calls two tools at once, reads more, and meets a refusal and a question. */
import type { ToolCall } from 'tenon/agents';
import type { Model } from './loop.ts';

const script: readonly (readonly (readonly [name: string, args: object])[])[] = [
  [['find_tools', { query: 'read, export, delete or share a note', limit: 4 }]],
  [
    ['notes__read', { title: 'shopping' }],
    ['notes__export', {}],
  ],
  [['read_more', {}]],
  [['notes__remove', { title: 'shopping' }]],
  [['notes__share', { title: 'shopping' }]],
];

/** Prints what it gets. */
export function createScriptedModel(print: (line: string) => void): Model {
  let turn = 0;
  let handle = '';
  return async ({ outcomes, tools }) => {
    for (const outcome of outcomes) {
      const text = outcome.type === 'result' ? outcome.text : outcome.interrupt.kind;
      handle = /\[(r\w+): /.exec(text)?.[1] ?? handle;
      const short = text.replaceAll(handle || ' ', handle ? 'HANDLE' : ' ').split('\n')[0] ?? '';
      print(`  ${short.slice(0, 100)}`);
    }
    const calls = script[turn++];
    if (calls === undefined) return { answer: 'Your shopping note was read and shared. It was not removed.' };
    print(`${tools.length} tools: ${calls.map(([name]) => name).join(' and ')}`);
    return { calls: calls.map(([name, args], n): ToolCall => toCall(`call-${turn}-${n}`, name, args)) };
  };

  function toCall(id: string, name: string, args: object): ToolCall {
    return { id, name, arguments: name === 'read_more' ? { handle, find: 'note 500' } : args };
  }
}
