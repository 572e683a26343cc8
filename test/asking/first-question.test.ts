/** What asking takes is loaded with the first question of a process: whoever asks first notices nothing of it. */

import { beforeEach, describe, expect, it, vi } from 'vitest';
import type * as loading from '../../src/server/asking/loading.ts';
import type * as Modes from './modes.ts';
import { deferred, filledBy, form, formModes } from './modes.ts';

/** As in a process that has not asked anything yet. */
let fresh: typeof Modes;
let asking: typeof loading;

beforeEach(async () => {
  vi.resetModules();
  fresh = await import('./modes.ts');
  asking = await import('../../src/server/asking/loading.ts');
});

describe.each(formModes)('The first question of a process, $name', (mode) => {
  const answers = { form: filledBy({}) };

  it('loads what asking takes; a call that asks nothing does not', async () => {
    const { client } = await fresh.opened(
      mode,
      async (context) => (context.can('elicit') ? context.callId : 'cannot'),
      { answers },
    );
    expect(await fresh.run(client)).toMatch(/^[\da-f-]{36}$/);
    expect(asking.askingParts()).toBeUndefined();
  });

  it('and those beside it are one round, and each has its answer', async () => {
    const rounds: number[] = [];
    const { client } = await fresh.opened(
      mode,
      async (context) => {
        const both = await Promise.all(['a', 'b'].map((key) => context.elicit(key, form(key))));
        rounds.push(context.round);
        return JSON.stringify(both.map((answer) => answer.action === 'accept' && answer.content.value));
      },
      { answers },
    );
    expect(asking.askingParts()).toBeUndefined();
    expect(await fresh.run(client)).toBe('["a","b"]');
    expect(rounds).toEqual([mode.repeats ? 1 : 0]);
    expect(asking.askingParts()).toBeDefined();
  });

  it('fails no process where its handler does not wait for it', async () => {
    const refused = deferred();
    const { client } = await fresh.opened(
      mode,
      (context) => {
        context.elicit('late', form('late')).catch((error) => refused.resolve(error));
        void context.elicit('later', form('later'));
        return 'did not wait';
      },
      { answers },
    );
    expect(await fresh.run(client)).toBe('did not wait');
    expect(await refused.promise).toMatchObject({ code: 'suspended' });
  });

  it('remembers what a step gave', async () => {
    let steps = 0;
    const { client } = await fresh.opened(
      mode,
      async (context) => {
        const step = await context.step('count', () => ++steps);
        const answer = await context.elicit('a', form('a'));
        return `${step} ${answer.action}`;
      },
      { answers },
    );
    expect(await fresh.run(client)).toBe('1 accept');
    expect(steps).toBe(1);
  });
});
