import * as fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { defaultsOf } from '../../lib/options/read-options.ts';
import { memoryOnce } from '../../store/memory.ts';
import { requestStateOptions } from '../ports/option-groups.table.ts';
import { createSealer, type StateBinding } from './sealed-state.ts';

const binding: StateBinding = {
  server: 'demo',
  principal: 'https://issuer.example|ada',
  method: 'tools/call',
  target: 'resize',
  arguments: { file: 'a.png', width: 3 },
  definition: 'd1',
};
const usual = defaultsOf(requestStateOptions);
const content = { round: 1, answers: { name: 'Ada' } };

describe('A sealed state', () => {
  it('opens for its own call, and does not reveal its content', async () => {
    const sealer = createSealer(usual, ['one']);
    const state = await sealer.seal(content, binding);
    expect(state).not.toContain('Ada');
    expect(await sealer.open(state, binding)).toEqual(content);
  });

  it('opens for arguments with their keys in another order', async () => {
    const sealer = createSealer(usual, ['one']);
    const state = await sealer.seal(content, binding);
    expect(await sealer.open(state, { ...binding, arguments: { width: 3, file: 'a.png' } })).toEqual(content);
  });

  it.each<[string, Partial<StateBinding>]>([
    ['another server', { server: 'other' }],
    ['another principal', { principal: 'https://issuer.example|bob' }],
    ['another method', { method: 'prompts/get' }],
    ['another tool', { target: 'delete' }],
    ['other arguments', { arguments: { file: 'b.png', width: 3 } }],
    ['a new definition of the handler', { definition: 'd2' }],
  ])('does not open for %s', async (_what, other) => {
    const sealer = createSealer(usual, ['one']);
    const state = await sealer.seal(content, binding);
    expect(await sealer.open(state, { ...binding, ...other })).toBeUndefined();
  });

  it('does not open after it has expired, and its expiry cannot be changed', async () => {
    const sealer = createSealer({ ...usual, ttlMs: 500 }, ['one']);
    const state = await sealer.seal(content, binding, 1000);
    expect(await sealer.open(state, binding, 1500)).toEqual(content);
    expect(await sealer.open(state, binding, 1501)).toBeUndefined();
    expect(await sealer.open(state.replace('.1500.', '.9500.'), binding, 1501)).toBeUndefined();
  });

  it('opens after the secret was replaced while the old secret is still in the list', async () => {
    const state = await createSealer(usual, ['old']).seal(content, binding);
    expect(await createSealer(usual, ['new', 'old']).open(state, binding)).toEqual(content);
    expect(await createSealer(usual, ['new']).open(state, binding)).toBeUndefined();
  });

  it('is sealed with a key of the process without secrets, and one warning says to set them', async () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
    const sealer = createSealer(usual);
    await sealer.seal(content, binding);
    expect(warn).not.toHaveBeenCalled();
    sealer.warnOfOwnKey();
    sealer.warnOfOwnKey();
    createSealer(usual, ['one']).warnOfOwnKey();
    expect(warn.mock.calls.map(([text]) => String(text))).toEqual([expect.stringContaining('Set secrets')]);
    warn.mockRestore();
  });

  it('is sealed with a key of the process without secrets, and another process cannot open it', async () => {
    const state = await createSealer(usual).seal(content, binding);
    expect(await createSealer(usual).open(state, binding)).toBeUndefined();
  });

  it('opens once with consumeNonce', async () => {
    const used = new Set<string>();
    const consumeNonce = (nonce: string): boolean => !used.has(nonce) && used.add(nonce).size > 0;
    const sealer = createSealer({ ...usual, consumeNonce }, ['one']);
    const state = await sealer.seal(content, binding);
    expect(await sealer.open(state, binding)).toEqual(content);
    expect(await sealer.open(state, binding)).toBeUndefined();
  });

  it('opens once with consumeNonce, however its bytes are written', async () => {
    const used = new Set<string>();
    const consumeNonce = (nonce: string): boolean => !used.has(nonce) && used.add(nonce).size > 0;
    const sealer = createSealer({ ...usual, consumeNonce }, ['one']);
    const [head = '', nonce = '', text = ''] =
      /^(.*\.)([^.]+)\.([^.]+)$/.exec(await sealer.seal(content, binding))?.slice(1) ?? [];
    expect(await sealer.open(`${head}${nonce}.${text}`, binding)).toEqual(content);
    for (const other of [` ${nonce}`, `${nonce}\n`, `${nonce.slice(0, 3)}\t${nonce.slice(3)}`])
      for (const state of [`${head}${other}.${text}`, `${head}${nonce}.${text}=`, `${head}${other}.${text}\n`])
        expect(await sealer.open(state, binding)).toBeUndefined();
    expect(used.size).toBe(1);
  });

  it('opens once on all nodes whose consumeNonce burns it in one OnceStore', async () => {
    const once = memoryOnce();
    const consumeNonce = (nonce: string, expires: number): boolean => once.burn(nonce, expires) as boolean;
    const nodes = [
      createSealer({ ...usual, consumeNonce }, ['one']),
      createSealer({ ...usual, consumeNonce }, ['one']),
    ] as const;
    const state = await nodes[0].seal(content, binding);
    const opened = await Promise.all([...nodes, ...nodes].map((node) => node.open(state, binding)));
    expect(opened.filter((one) => one !== undefined)).toEqual([content]);
  });

  it('beyond maxChars is neither sealed nor opened', async () => {
    const sealer = createSealer({ ...usual, maxChars: 300 }, ['one']);
    await expect(sealer.seal({ text: 'x'.repeat(300) }, binding)).rejects.toMatchObject({
      code: 'request-state-too-large',
    });
    const large = await createSealer(usual, ['one']).seal({ text: 'x'.repeat(300) }, binding);
    expect(await sealer.open(large, binding)).toBeUndefined();
  });

  it('opens to the content that was sealed, for any JSON value', async () => {
    const sealer = createSealer(usual, ['one']);
    await fc.assert(
      fc.asyncProperty(fc.jsonValue(), async (value) => {
        const state = await sealer.seal(value, binding);
        expect(await sealer.open(state, binding)).toEqual(JSON.parse(JSON.stringify(value)));
      }),
      { seed: 7, numRuns: 200 },
    );
  });

  it('does not open if any character was changed, and never throws', async () => {
    const sealer = createSealer(usual, ['one']);
    const state = await sealer.seal(content, binding);
    await fc.assert(
      fc.asyncProperty(
        fc.nat({ max: state.length - 1 }),
        fc.constantFrom('A', 'z', '.', '0', ' ', 'é'),
        async (at, character) => {
          fc.pre(state[at] !== character);
          const changed = state.slice(0, at) + character + state.slice(at + 1);
          expect(await sealer.open(changed, binding)).toBeUndefined();
        },
      ),
      { seed: 7, numRuns: 300 },
    );
    for (const junk of ['', '.', 't1....', 't1.x.1.!.!', state.slice(0, -4), `${state}.x`]) {
      expect(await sealer.open(junk, binding)).toBeUndefined();
    }
  });
});
